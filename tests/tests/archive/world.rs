//! Stores with content, and what the tests do with their archives.

use std::io::Cursor;

use handbill::archive::{Archive, ArchiveError, Imported};
use handbill::store::{
    Creation, Entry, KeyRecord, Outcome, Post, SecretHash, TextField, Tombstone,
};
use handbill::{
    Handbill, KeyId, MemoryStore, PostId, PostSummary, Revision, Store, Tag, Timestamp, Visibility,
};
use handbill_tests::calls::Calls;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Everything that a store has.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct World {
    pub(crate) entries: Vec<Entry>,
    pub(crate) keys: Vec<KeyRecord>,
}

impl World {
    /// One of each, with every field of version 1 set, in a fixed order.
    pub(crate) fn small() -> Self {
        let creation = Some(Creation::new(hash(3), hash(4)));
        let first = PostSummary::new(id("bcdfghjklm"), time(1_795_168_800_000_123))
            .with_title(Some("Grüße, \u{1F44B}".to_owned()))
            .with_heading(Some("A heading".to_owned()))
            .with_excerpt("The beginning.".to_owned())
            .with_tags(["rust", "été"].map(Tag::from_stored).to_vec())
            .with_focus_keyword(Some("archive".to_owned()))
            .with_author(Some("Ada".to_owned()))
            .with_language(Some("en-GB".to_owned()))
            .with_visibility(Visibility::Unlisted)
            .with_owner(Some("user:42".parse().unwrap()))
            .with_updated_at(time(1_795_168_900_000_456))
            .with_revision(Revision::from_number(7));
        let first = Post::new(
            first,
            "# A heading\n\nThe \"beginning\".\t\u{1}\n".to_owned(),
            hash(1),
        )
        .with_created_by(Some(key_id("zxwvtsrqpn")))
        .with_creation(creation);
        let second = PostSummary::new(id("cdfghjklmn"), time(0))
            .with_visibility(Visibility::Draft)
            .with_published_at(None);
        let second = Post::new(second, "Nothing else.".to_owned(), hash(2));
        let gone = Tombstone::new(id("dfghjklmnp"), hash(5))
            .with_owner(Some("user:43".parse().unwrap()))
            .with_visibility(Visibility::Draft)
            .with_creation(creation);
        let key = KeyRecord::new(key_id("zxwvtsrqpn"), hash(6), time(1_795_168_700_000_001))
            .with_label(Some("the newsroom".to_owned()))
            .with_owner("user:42".parse().unwrap())
            .with_last_used_at(Some(time(1_795_168_800_000_000)));
        Self {
            entries: vec![
                Entry::Live(first.into()),
                Entry::Live(second.into()),
                Entry::Gone(gone),
            ],
            keys: vec![key],
        }
    }

    /// So many posts.
    pub(crate) fn of_posts(count: u8) -> Self {
        let posts = (0..count).map(|number| {
            let summary = PostSummary::new(PostId::generate(), time(number.into()));
            Entry::Live(Post::new(summary, format!("Post {number}."), hash(number)).into())
        });
        let mut entries: Vec<_> = posts.collect();
        entries.sort_by_key(Entry::id);
        Self {
            entries,
            keys: Vec::new(),
        }
    }

    pub(crate) async fn store(&self) -> MemoryStore {
        let store = MemoryStore::new();
        self.insert_into(&store).await;
        store
    }

    pub(crate) async fn insert_into(&self, store: &impl Store) {
        for entry in &self.entries {
            let written = match entry.clone() {
                Entry::Live(post) => store.insert_post(post).await,
                Entry::Gone(tombstone) => store.insert_tombstone(tombstone).await,
            };
            assert_eq!(written.unwrap(), Outcome::Applied);
        }
        for key in &self.keys {
            assert_eq!(
                store.insert_key(key.clone()).await.unwrap(),
                Outcome::Applied
            );
        }
    }

    /// What a store has.
    pub(crate) async fn of(store: &impl Store) -> Self {
        Self {
            entries: store.walk_entries(None, u32::MAX >> 1).await.unwrap(),
            keys: store.walk_keys(None, u32::MAX >> 1).await.unwrap(),
        }
    }

    pub(crate) async fn archive(&self) -> Vec<u8> {
        export(self.store().await).await
    }
}

pub(crate) fn service(store: impl Store) -> Handbill {
    Handbill::new("https://example.org", store).unwrap()
}

pub(crate) async fn export(store: impl Store) -> Vec<u8> {
    let mut file = Vec::new();
    service(store).archive().export(&mut file).await.unwrap();
    file
}

pub(crate) async fn import(archive: &[u8], store: impl Store) -> Result<Imported, ArchiveError> {
    import_with(archive, service(store).archive()).await
}

pub(crate) async fn import_with(
    archive: &[u8],
    into: Archive<'_>,
) -> Result<Imported, ArchiveError> {
    into.import(Cursor::new(archive.to_vec())).await
}

/// An archive without its first line, which says when it was made.
pub(crate) fn without_header(archive: &[u8]) -> &[u8] {
    let end = archive.iter().position(|byte| *byte == b'\n').unwrap();
    &archive[end..]
}

pub(crate) fn id(text: &str) -> PostId {
    text.parse().unwrap()
}

pub(crate) fn key_id(text: &str) -> KeyId {
    text.parse().unwrap()
}

pub(crate) fn hash(byte: u8) -> SecretHash {
    SecretHash::from_bytes([byte; 32])
}

pub(crate) fn time(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

/// Anything that a service may have stored.
pub(crate) fn worlds() -> impl Strategy<Value = World> {
    let hashes = || any::<[u8; 32]>().prop_map(SecretHash::from_bytes);
    let ids = || "[bcdfghjklmnpqrstvwxz]{10}";
    let times = || (0..=253_370_764_799_999_999_i64).prop_map(time);
    let owners = || "[!-~]{1,100}".prop_map(|owner| owner.parse().unwrap());
    let lines =
        || option::of("[a-z\u{1F300}-\u{1F5FF}]([^\\p{Cc}\\p{Cf}\u{2028}\u{2029}]{0,28}[a-zà-ö])?");
    let creations = move || {
        let pairs = (hashes(), hashes());
        option::of(pairs.prop_map(|(token, request)| Creation::new(token, request)))
    };
    let visibilities = || proptest::sample::select(Visibility::ALL.to_vec());
    let tags = vec("[a-zß-öø-ÿ0-9 ]{0,9}[a-z]", 0..4).prop_map(|mut tags| {
        tags.sort();
        tags.dedup();
        tags.into_iter().map(Tag::from_stored).collect::<Vec<_>>()
    });
    let optional_texts: Vec<_> = TextField::ALL
        .iter()
        .map(|field| match field {
            TextField::Language => option::of("[a-z]{2}(-[A-Z]{2})?").boxed(),
            _ => lines().boxed(),
        })
        .collect();
    let texts = (
        optional_texts,
        lines(),
        "[^\0]{0,40}",
        option::of("https://example\\.org/[a-z]{1,9}\\.png"),
        tags,
        "[^\0]{0,199}[a-z]",
    );
    let facts = (
        visibilities(),
        option::of(owners()),
        times(),
        option::of(times()),
        times(),
        1..=1_u64 << 53,
        hashes(),
        option::of(ids()),
        creations(),
    );
    let posts = (texts, facts).prop_map(|(texts, facts)| {
        let (optional_texts, heading, excerpt, picture, tags, body) = texts;
        let (visibility, owner, created, published, updated, revision, token, by, creation) = facts;
        let mut summary = PostSummary::new(PostId::generate(), created)
            .with_heading(heading)
            .with_excerpt(excerpt)
            .with_picture(picture)
            .with_tags(tags)
            .with_visibility(visibility)
            .with_owner(owner)
            .with_published_at(published)
            .with_updated_at(updated)
            .with_revision(Revision::from_number(revision));
        for (field, text) in TextField::ALL.iter().zip(optional_texts) {
            summary = summary.with_text(*field, text);
        }
        let post = Post::new(summary, body, token)
            .with_created_by(by.map(|key| key_id(&key)))
            .with_creation(creation);
        Entry::Live(post.into())
    });
    let gone = (hashes(), option::of(owners()), visibilities(), creations()).prop_map(
        |(token, owner, visibility, creation)| {
            let tombstone = Tombstone::new(PostId::generate(), token)
                .with_owner(owner)
                .with_visibility(visibility)
                .with_creation(creation);
            Entry::Gone(tombstone)
        },
    );
    let keys = (hashes(), times(), lines(), owners(), option::of(times())).prop_map(
        |(secret, created_at, label, owner, used)| {
            KeyRecord::new(KeyId::generate(), secret, created_at)
                .with_label(label)
                .with_owner(owner)
                .with_last_used_at(used)
        },
    );
    let entries = vec(prop_oneof![3 => posts, 1 => gone], 0..12);
    (entries, vec(keys, 0..4)).prop_map(|(mut entries, mut keys)| {
        entries.sort_by_key(Entry::id);
        keys.sort_by_key(|key| key.id);
        World { entries, keys }
    })
}
