//! What was stored stays usable: files of each schema and archive, written by the version that introduced it, are
//! opened by this version, and do everything that they did.
//!
//! `stored/` has them, each with the requests that were sent when it was written and what the responses were.
//! After adding a migration, run `cargo test -p handbill-tests --test upgrades -- --ignored` once, which writes
//! the files of the new schema, and never changes those that are there. Their keys and tokens open nothing else.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod archive;
mod dumps;
mod exchange;
mod mysql;
mod postgres;
mod site;
mod sqlite;
mod triggers;

use std::path::{Path, PathBuf};

use handbill::store::{Authority, Entry, Outcome, Write};
use handbill::{Handbill, List, PageRequest, RateLimits, Store};
use handbill_testing::samples;
use handbill_tests::calls::Calls;

use exchange::Exchange;

/// The service over a store, without limits on clients.
fn service(store: impl Store) -> Handbill {
    let service = Handbill::new("https://posts.example", store).unwrap();
    service.with_rate_limits(RateLimits::off())
}

/// Writes a post and reads it in every way.
async fn write_and_read(store: &impl Store, number: u32) {
    let post = samples::post(number);
    let (id, token, revision) = (post.summary.id, post.edit_token, post.summary.revision);
    let changed = samples::revised(&post);
    let inserted = store.insert_post(post).await.unwrap();
    let updated = store.update_post(revision, changed.clone()).await.unwrap();
    assert_eq!((inserted, updated), (Outcome::Applied, Outcome::Applied));
    let expected = Entry::Live(changed.clone().into());
    for found in [
        store.read_post(id).await,
        store.current_post(id).await,
        store.post_by_token(token).await,
    ] {
        assert_eq!(found.unwrap().as_ref(), Some(&expected));
    }
    let walk = store.walk_entries(None, 10).await.unwrap();
    assert!(walk.contains(&expected), "{walk:?}");
    let page = PageRequest::new(1, 10).unwrap();
    let ann = samples::owner("ann");
    for list in [List::Public, List::PublicOf(ann.clone()), List::AllOf(ann)] {
        let list = store.list_posts(page.clone().with_list(list)).await;
        let list = list.unwrap();
        assert_eq!(list.posts[0].summary, changed.summary);
    }
    let revision = changed.summary.revision;
    let deleted = store.delete_post(id, revision).await.unwrap();
    assert_eq!(deleted, Outcome::Applied);

    let (owner, at) = (
        samples::token(&format!("owner {number}")),
        samples::moment(0),
    );
    let bar = store.write(Write::Bar { owner, until: at }, None).await;
    assert_eq!(bar.unwrap(), Outcome::Applied);
    let (post, by) = (changed.into(), Some(Authority { owner, at }));
    let barred = store
        .write(
            Write::InsertPost {
                post,
                words: None,
                by,
            },
            None,
        )
        .await;
    assert_eq!(barred.unwrap(), Outcome::Barred);
    assert_eq!(
        store.walk_bars(None, 10).await.unwrap().len(),
        number as usize
    );

    let key = samples::key(number);
    let inserted = store.insert_key(key.clone()).await.unwrap();
    assert_eq!(inserted, Outcome::Applied);
    let found = store.find_key(key.secret).await.unwrap();
    assert_eq!(found.as_ref(), Some(&key));
    let walk = store.walk_keys(None, 10).await.unwrap();
    assert!(walk.contains(&key), "{walk:?}");
}

/// A file in `stored/`.
fn stored(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrades/stored");
    folder.join(name)
}

fn read(name: &str) -> Vec<u8> {
    let content = std::fs::read(stored(name));
    content.unwrap_or_else(|error| panic!("{name}, which main.rs says how to write: {error}"))
}

fn exchanges(name: &str) -> Vec<Exchange> {
    serde_json::from_slice(&read(name)).unwrap()
}

fn write_exchanges(name: &str, exchanges: &[Exchange]) {
    let text = serde_json::to_string_pretty(exchanges).unwrap();
    std::fs::write(stored(name), text + "\n").unwrap();
}
