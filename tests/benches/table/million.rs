//! A million posts, in Handbill's stores and in the hand-written service's databases. They are kept
//! from run to run, since filling them takes longer than measuring.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use handbill::{
    Entry, KeyId, MemoryStore, Post, PostId, PostSummary, PostgresStore, Revision, SecretHash,
    SqliteStore, Store, Tag, Timestamp, Write,
};
use handbill_tests::load::prose;
use handbill_tests::program;

use crate::databases::{Databases, kept, sqlite_url};
use crate::handwritten;

pub(crate) const POSTS: u64 = 1_000_000;
pub(crate) const BODY_BYTES: usize = 1000;
/// What is written at the same time.
const WRITERS: usize = 512;
const TRIES: usize = 10;
/// Posts that are deleted, and posts that lose the tag, after all were inserted.
const CHANGED: u64 = 1_000;
const START: i64 = 1_700_000_000_000_000;

/// A list of the million posts.
pub(crate) struct List {
    pub(crate) name: &'static str,
    /// What picks it in an address.
    pub(crate) query: &'static str,
    pub(crate) total: u64,
}

pub(crate) const LISTS: [List; 2] = [
    List {
        name: "all posts",
        query: "",
        total: POSTS - CHANGED,
    },
    List {
        name: "posts of a tag",
        query: "&tag=harbour",
        total: POSTS / 2 - 2 * CHANGED,
    },
];

/// Where the posts are.
pub(crate) struct Million {
    pub(crate) sqlite_file: PathBuf,
    pub(crate) sqlite: String,
    pub(crate) sqlite_by_hand: String,
    /// None where PostgreSQL is not installed.
    pub(crate) postgres: Option<String>,
    pub(crate) postgres_by_hand: Option<String>,
}

/// The names of the databases that are kept.
pub(crate) const POSTGRES: &str = "handbill_million";
const POSTGRES_BY_HAND: &str = "by_hand_million";

/// What the posts were written by: where that changes, they are written again.
fn origin() -> String {
    let mut hasher = DefaultHasher::new();
    std::fs::read(program::path()).unwrap().hash(&mut hasher);
    include_str!("million.rs").hash(&mut hasher);
    include_str!("handwritten/sqlite.rs").hash(&mut hasher);
    include_str!("handwritten/postgres.rs").hash(&mut hasher);
    hasher.finish().to_string()
}

fn is_filled() -> bool {
    std::fs::read_to_string(kept().join("origin")).is_ok_and(|found| found == origin())
}

/// Removes the posts that an earlier program wrote. PostgreSQL must not be running.
pub(crate) fn discard_outdated() {
    if kept().is_dir() && !is_filled() {
        std::fs::remove_dir_all(kept()).unwrap();
    }
}

impl Million {
    pub(crate) async fn filled(databases: &Databases) -> Self {
        let sqlite_file = kept().join("handbill.db");
        let million = Self {
            sqlite: sqlite_url(&sqlite_file),
            sqlite_by_hand: sqlite_url(&kept().join("by-hand.db")),
            postgres: databases.postgres_kept(POSTGRES),
            postgres_by_hand: databases.postgres_kept(POSTGRES_BY_HAND),
            sqlite_file,
        };
        if !is_filled() {
            million.fill(databases).await;
            std::fs::write(kept().join("origin"), origin()).unwrap();
        }
        million
    }

    async fn fill(&self, databases: &Databases) {
        std::fs::create_dir_all(kept()).unwrap();
        let started = Instant::now();
        let say = |what| {
            eprintln!(
                "a million posts, {what}: {:.0} s",
                started.elapsed().as_secs_f64()
            );
        };
        let store = SqliteStore::open(&self.sqlite_file).await.unwrap();
        fill(&Arc::new(store.clone())).await;
        store.close().await;
        say("SQLite");
        let body = prose(1, BODY_BYTES);
        handwritten::fill(&self.sqlite_by_hand, POSTS, &body).await;
        say("SQLite by hand");
        if let Some(url) = &self.postgres {
            databases.make_postgres_kept(POSTGRES).await;
            let store = PostgresStore::open(url).await.unwrap();
            fill(&Arc::new(store.clone())).await;
            store.close().await;
            databases.settle(POSTGRES).await;
            say("PostgreSQL");
        }
        if let Some(url) = &self.postgres_by_hand {
            databases.make_postgres_kept(POSTGRES_BY_HAND).await;
            handwritten::fill(url, POSTS, &body).await;
            databases.settle(POSTGRES_BY_HAND).await;
            say("PostgreSQL by hand");
        }
    }
}

/// A store in memory that has them.
pub(crate) async fn in_memory() -> MemoryStore {
    let store = MemoryStore::new();
    fill(&Arc::new(store.clone())).await;
    store
}

/// Writes a million posts, of which half carry the tag `harbour`; deletes some and takes the tag
/// from some.
async fn fill(store: &Arc<impl Store>) {
    let next = Arc::new(AtomicU64::new(0));
    let writers = (0..WRITERS).map(|_| {
        let (store, next) = (Arc::clone(store), Arc::clone(&next));
        tokio::spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= POSTS {
                    return;
                }
                insert(&*store, number).await;
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    for change in 0..CHANGED {
        // Spread over all of them; the deleted ones carry the tag, as those do that lose it.
        let number = change * (POSTS / CHANGED);
        let first = Revision::from_number(1);
        let deleted = store.delete_post(id(number), first).await.unwrap();
        assert_eq!(deleted, Write::Applied);
        let Some(Entry::Live(post)) = store.get_post(id(number + 2)).await.unwrap() else {
            panic!()
        };
        let mut post = Post::clone(&post);
        post.summary.tags.retain(|tag| tag.as_str() != "harbour");
        post.summary.revision = Revision::from_number(2);
        let retagged = store.update_post(first, post).await.unwrap();
        assert_eq!(retagged, Write::Applied);
    }
}

/// Inserts a post, and tries again where the store is too busy, as it may be by turns while so much is
/// written.
async fn insert(store: &impl Store, number: u64) {
    for _ in 1..TRIES {
        // A conflict is a post whose insertion was taken for failed.
        if store.insert_post(post(number)).await.is_ok() {
            return;
        }
    }
    let written = store.insert_post(post(number)).await;
    written.map(drop).unwrap();
}

/// Numbers of so many posts, spread over the million, that are there.
pub(crate) fn numbers(count: u64) -> impl Iterator<Item = u64> {
    // Those that were deleted have even numbers.
    (0..count).map(move |number| number * (POSTS / count) + 1)
}

pub(crate) fn id(number: u64) -> PostId {
    PostId::derive_from(&edit_token(number))
}

fn edit_token(number: u64) -> SecretHash {
    let mut token = [0; 32];
    // A bijection of the numbers: no two tokens, and so identifiers, begin alike.
    let mixed = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    token[..8].copy_from_slice(&mixed.to_be_bytes());
    token[8..16].copy_from_slice(&mixed.rotate_left(29).to_be_bytes());
    SecretHash::from_bytes(token)
}

fn post(number: u64) -> Post {
    let edit_token = edit_token(number);
    let at = Timestamp::from_micros(START + number.cast_signed() * 1_000);
    let tags: &[&str] = if number.is_multiple_of(2) {
        &["notes", "harbour"]
    } else {
        &["notes"]
    };
    Post {
        summary: PostSummary {
            id: PostId::derive_from(&edit_token),
            title: Some(format!("Note {number}")),
            excerpt: prose(1, 200),
            tags: tags.iter().map(|tag| Tag::from_stored(*tag)).collect(),
            focus_keyword: None,
            created_at: at,
            updated_at: at,
            revision: Revision::from_number(1),
        },
        body: prose(number as usize, BODY_BYTES),
        edit_token,
        created_by: "bcdfghjklm".parse::<KeyId>().ok(),
        creation: None,
    }
}
