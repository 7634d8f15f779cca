//! An import accepts what the service could have stored itself, and nothing else.

use std::io::Cursor;

use handbill::archive::ArchiveError;
use handbill::store::{Entry, KeyRecord, Post, Tombstone};
use handbill::{
    Draft, Handbill, Limits, MemoryStore, PostSummary, Revision, Store, Tag, Timestamp,
};
use handbill_sql::SqliteStore;

use crate::world::{World, export, hash, id, import, import_with, key_id, service, time};

/// A post that every service could have stored.
fn post() -> Post {
    let summary = PostSummary::new(id("bcdfghjklm"), time(1)).with_title(Some("Title".to_owned()));
    Post::new(summary, "Body.".to_owned(), hash(1))
}

fn key() -> KeyRecord {
    KeyRecord::new(key_id("zxwvtsrqpn"), hash(6), time(1))
}

fn with_post(post: Post) -> World {
    World {
        entries: vec![Entry::Live(post.into())],
        keys: Vec::new(),
    }
}

fn with_key(key: KeyRecord) -> World {
    World {
        entries: Vec::new(),
        keys: vec![key],
    }
}

/// The post with its summary changed.
fn with(change: impl FnOnce(PostSummary) -> PostSummary) -> World {
    let post = post();
    with_post(Post::new(change(post.summary), post.body, post.edit_token))
}

fn with_body(body: String) -> World {
    let post = post();
    with_post(Post::new(post.summary, body, post.edit_token))
}

/// A service with other limits.
fn with_limits(store: MemoryStore, change: impl FnOnce(&mut Limits)) -> Handbill {
    let mut limits = Limits::default();
    change(&mut limits);
    service(store).with_limits(limits)
}

/// Why an import and a dry run refuse the archive and write nothing.
async fn refused(world: &World) -> ArchiveError {
    let (archive, store) = (world.archive().await, MemoryStore::new());
    let error = import(&archive, store.clone()).await.unwrap_err();
    assert_eq!(World::of(&store).await, World::default(), "{error}");
    let dry = service(store).archive().dry_run(Cursor::new(archive)).await;
    assert_eq!(dry.unwrap_err().to_string(), error.to_string());
    error
}

#[tokio::test]
async fn what_is_beyond_a_limit_is_refused_by_line_name_and_limit() {
    let tags = |count: usize| {
        (0..count)
            .map(|n| Tag::from_stored(format!("tag {n}")))
            .collect()
    };
    let long = |max: usize| Some("x".repeat(max + 1));
    let wide = |count: usize| {
        format!(
            "{}\n{}\n{}",
            "|a".repeat(count),
            "|-".repeat(count),
            "|x|\n".repeat(count)
        )
    };
    for (world, expected) in [
        (
            with(|post| post.with_title(long(200))),
            "title is longer than 200 characters",
        ),
        (
            with(|post| post.with_author(long(100))),
            "author is longer than 100 characters",
        ),
        (
            with(|post| post.with_focus_keyword(long(100))),
            "focus_keyword is longer than 100 characters",
        ),
        (
            with(|post| post.with_language(Some(format!("de-x-{}ab", "abcdefgh-".repeat(4))))),
            "language is longer than 35 characters",
        ),
        (
            with(|post| post.with_tags(tags(21))),
            "tags has more than 20 items",
        ),
        (
            with(|post| post.with_tags(vec![Tag::from_stored("x".repeat(51))])),
            "tags is longer than 50 characters",
        ),
        (
            with_body("x".repeat(100_001)),
            "body is longer than 100000 characters",
        ),
        (
            with_body(wide(4_000)),
            "body would become too large as HTML",
        ),
        (
            with(|post| post.with_heading(long(70))),
            "heading is longer than 70 characters",
        ),
        (
            with(|post| post.with_excerpt("x".repeat(201))),
            "excerpt is longer than 200 characters",
        ),
        (
            with_key(key().with_label(long(100))),
            "label is longer than 100 characters",
        ),
    ] {
        let error = refused(&world).await;
        let name = match world.keys.first() {
            None => "bcdfghjklm",
            Some(_) => "zxwvtsrqpn",
        };
        assert_eq!(error.to_string(), format!("line 2 ({name}): {expected}"));
        let is_named = |id: &str, reason: &str| id == name && reason == expected;
        assert!(matches!(
            error,
            ArchiveError::NotAccepted { line: 2, id, reason, .. } if is_named(&id, &reason)
        ));
    }
}

#[tokio::test]
async fn what_no_service_stores_is_refused() {
    let some = |text: &str| Some(text.to_owned());
    let tags = |tags: &[&str]| tags.iter().map(|tag| Tag::from_stored(*tag)).collect();
    for (world, expected) in [
        (
            with(|post| post.with_title(some(" x"))),
            "title has a value that no service stores",
        ),
        (
            with(|post| post.with_title(some(""))),
            "title has a value that no service stores",
        ),
        (
            with(|post| post.with_author(some("\u{200b}"))),
            "author has a value that no service stores",
        ),
        (
            with(|post| post.with_author(some("a\nb"))),
            "author contains a control character",
        ),
        (
            with(|post| post.with_focus_keyword(some("a\u{202e}b"))),
            "focus_keyword contains a character that overrides the direction of text",
        ),
        (
            with(|post| post.with_heading(some(""))),
            "heading has a value that no service stores",
        ),
        (
            with(|post| post.with_excerpt("a\0b".to_owned())),
            "excerpt has a value that no service stores",
        ),
        (
            with(|post| post.with_picture(some("http://example.org/a.png"))),
            "picture has a value that no service stores",
        ),
        (
            with(|post| post.with_language(some("EN"))),
            "language has a value that no service stores",
        ),
        (
            with(|post| post.with_language(some("nonsense tag"))),
            "language is not a language tag",
        ),
        (
            with(|post| post.with_tags(tags(&["a", "a"]))),
            "tags has a value that no service stores",
        ),
        (
            with(|post| post.with_tags(tags(&[""]))),
            "tags has a value that no service stores",
        ),
        (
            with(|post| post.with_tags(tags(&["a,b"]))),
            "tags contains a tag with a comma",
        ),
        (with_body(" \n".to_owned()), "body is blank"),
        (with_body("a\0b".to_owned()), "body contains U+0000"),
        (
            with_key(key().with_label(some(" x"))),
            "label has a value that no service stores",
        ),
    ] {
        let error = refused(&world).await.to_string();
        let (_, reason) = error.split_once("): ").unwrap();
        assert_eq!(reason, expected);
    }
}

#[tokio::test]
async fn all_faults_of_a_post_are_stated() {
    let world = with(|post| {
        let long = Some("x".repeat(300));
        post.with_title(long.clone()).with_author(long)
    });
    assert_eq!(
        refused(&world).await.to_string(),
        "line 2 (bcdfghjklm): title is longer than 200 characters; author is longer than 100 characters"
    );
}

#[tokio::test]
async fn the_first_faulty_line_of_many_is_named() {
    let mut world = World::of_posts(200);
    for number in [20, 190] {
        let Entry::Live(post) = &world.entries[number] else {
            panic!("a post");
        };
        let mut long = Post::clone(post);
        long.summary.title = Some("x".repeat(300));
        world.entries[number] = Entry::Live(long.into());
    }
    let error = refused(&world).await;
    assert!(
        matches!(error, ArchiveError::NotAccepted { line: 22, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn the_limits_are_those_of_the_service_that_imports() {
    let large = |limits: &mut Limits| {
        limits.title = 500;
        limits.tags = 50;
    };
    let store = MemoryStore::new();
    let tags: Vec<_> = (0..50).map(|number| format!("tag {number}")).collect();
    let draft = Draft::new().title("x".repeat(500)).tags(tags).body("Long.");
    with_limits(store.clone(), large)
        .posts()
        .create(draft)
        .await
        .unwrap();
    let archive = export(store.clone()).await;

    let error = import(&archive, MemoryStore::new()).await.unwrap_err();
    let faults = "title is longer than 200 characters; tags has more than 20 items";
    assert!(error.to_string().ends_with(faults), "{error}");
    let moved = MemoryStore::new();
    import_with(&archive, with_limits(moved.clone(), large).archive())
        .await
        .unwrap();
    assert_eq!(World::of(&moved).await, World::of(&store).await);
}

#[tokio::test]
async fn the_largest_post_that_a_service_stores_is_imported() {
    let store = MemoryStore::new();
    let draft = Draft::new()
        .title("é".repeat(200))
        .body(format!("# {}\n\n{}", "h".repeat(90), "é ".repeat(49_900)))
        .tags((0..20).map(|n| format!("{n:é>50}")))
        .focus_keyword("é".repeat(100))
        .author("é".repeat(100))
        .language("zh-Hant");
    let service = service(store.clone());
    service.posts().create(draft).await.unwrap();
    let label = "é".repeat(100);
    service.keys().issue(Some(&label), None).await.unwrap();
    let moved = MemoryStore::new();
    import(&export(store.clone()).await, moved.clone())
        .await
        .unwrap();
    assert_eq!(World::of(&moved).await, World::of(&store).await);
}

/// What a service exports after an archive with this post was imported and the post was changed, if it could be.
async fn changed_and_exported(post: Post) -> (Result<Timestamp, String>, Vec<u8>) {
    let (id, store) = (post.summary.id, MemoryStore::new());
    let archive = with_post(post).archive().await;
    import(&archive, store.clone()).await.unwrap();
    let changed = service(store.clone())
        .posts()
        .update(id, Draft::new().title("Changed"))
        .await;
    let changed = changed.map(|post| post.summary.updated_at);
    (
        changed.map_err(|problem| problem.to_string()),
        export(store).await,
    )
}

#[tokio::test]
async fn a_revision_that_could_overflow_is_refused_and_the_last_one_stays() {
    let with_revision = |number| {
        let post = post();
        let summary = post.summary.with_revision(Revision::from_number(number));
        Post::new(summary, post.body, post.edit_token)
    };
    let last = 1 << 53;
    for beyond in [last + 1, i64::MAX.unsigned_abs()] {
        let error = refused(&with_post(with_revision(beyond))).await;
        let expected = "line 2: a revision is a number from 1 to 9007199254740992";
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    // Otherwise the next archive could not be imported.
    let (changed, exported) = changed_and_exported(with_revision(last)).await;
    assert!(changed.is_err());
    import(&exported, MemoryStore::new()).await.unwrap();
    let (changed, exported) = changed_and_exported(with_revision(last - 1)).await;
    assert!(changed.is_ok());
    import(&exported, MemoryStore::new()).await.unwrap();
}

#[tokio::test]
async fn a_time_that_cannot_be_printed_is_refused_and_a_change_makes_none() {
    let archive = with_post(post()).archive().await;
    let archive = String::from_utf8(archive).unwrap();
    let beyond = archive.replace("\"updated_at\":1,", "\"updated_at\":253402300799999999,");
    let error = import(beyond.as_bytes(), MemoryStore::new())
        .await
        .unwrap_err();
    let expected = "line 2: a time is in microseconds, from the years 1970 to 9998";
    assert!(error.to_string().starts_with(expected), "{error}");

    let last = time(i64::MAX);
    let summary = post().summary.with_updated_at(last);
    let latest = Post::new(summary, "Body.".to_owned(), hash(1));
    let (changed, exported) = changed_and_exported(latest).await;
    assert_eq!(changed, Ok(last));
    assert_eq!(last.to_rfc3339(), "9998-12-31T23:59:59.999Z");
    import(&exported, MemoryStore::new()).await.unwrap();
}

#[tokio::test]
async fn an_edit_token_or_key_that_two_lines_have_is_refused() {
    let second = PostSummary::new(id("cdfghjklmn"), time(1));
    let second = Post::new(second, "Body.".to_owned(), hash(1));
    let gone = Tombstone::new(id("dfghjklmnp"), hash(1));
    let other = KeyRecord::new(key_id("zzzzzzzzzz"), hash(6), time(1));
    for (entry, keys, expected) in [
        (
            Entry::Live(second.into()),
            Vec::new(),
            "line 3 (cdfghjklmn)",
        ),
        (Entry::Gone(gone), Vec::new(), "line 3 (dfghjklmnp)"),
        (
            Entry::Gone(Tombstone::new(id("dfghjklmnp"), hash(2))),
            vec![key(), other],
            "line 5 (zzzzzzzzzz)",
        ),
    ] {
        let entries = vec![Entry::Live(post().into()), entry];
        let error = refused(&World { entries, keys }).await;
        let expected = format!("{expected}: an earlier line has the same edit token or key");
        assert_eq!(error.to_string(), expected);
    }
}

/// Imports a key that the store has under another identifier, between posts.
async fn with_a_key_twice(store: impl Store + Clone) {
    let stored = KeyRecord::new(key_id("bcdfghjklm"), hash(6), time(1));
    with_key(stored.clone()).insert_into(&store).await;
    let mut world = World::small();
    world
        .keys
        .push(KeyRecord::new(key_id("zzzzzzzzzz"), hash(7), time(1)));
    let archive = world.archive().await;
    let service = service(store.clone());
    let would = service
        .archive()
        .dry_run(Cursor::new(archive.clone()))
        .await
        .unwrap();
    let imported = import_with(&archive, service.archive()).await.unwrap();
    assert_eq!(would, imported);
    assert_eq!((imported.keys.inserted, imported.keys.skipped), (1, 1));
    let expected = World {
        entries: world.entries,
        keys: vec![stored, world.keys[1].clone()],
    };
    assert_eq!(World::of(&store).await, expected);
}

#[tokio::test]
async fn a_key_that_exists_under_another_identifier_is_skipped() {
    with_a_key_twice(MemoryStore::new()).await;
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("posts.db")).await;
    with_a_key_twice(store.unwrap()).await;
}
