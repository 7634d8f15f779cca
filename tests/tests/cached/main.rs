//! The guarantees of `Cached` beyond the contract of `Store`: when it reads from the store, and how
//! old its results may be.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod every_order;
mod forgetting;
mod instances;
mod memory;
mod others_changes;
mod own_changes;
mod simulation;
mod slow;
mod store_reads;

use std::sync::Arc;
use std::time::Duration;

use handbill::{
    Cached, Entry, Outcome, Post, PostId, PostSummary, Revision, SecretHash, Timestamp,
};
use handbill_tests::calls::Calls;
use slow::{Call, Slow};

const BOUND: Duration = Duration::from_secs(10);
const TICK: Duration = Duration::from_nanos(1);

type Instance = Arc<Cached<Slow>>;

fn token(number: u32) -> SecretHash {
    let mut bytes = [7; 32];
    bytes[12..16].copy_from_slice(&number.to_be_bytes());
    SecretHash::from_bytes(bytes)
}

/// A post in its first revision.
fn post(number: u32) -> Post {
    let at = Timestamp::from_micros(1_795_168_800_000_000 + i64::from(number));
    let summary = PostSummary::new(id(number), at);
    Post::new(summary, format!("Of {number}."), token(number))
}

/// A different identifier for each number.
fn id(number: u32) -> PostId {
    const LETTERS: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";
    let digits = (0..10).map(|place| u64::from(number) / 20_u64.pow(place) % 20);
    let letters = digits.map(|digit| char::from(LETTERS[digit as usize]));
    letters.collect::<String>().parse().unwrap()
}

/// The post in its next revision.
fn revised(post: &Post) -> Post {
    let mut post = post.clone();
    post.summary.revision = Revision::from_number(post.summary.revision.number() + 1);
    post.body.push_str(" Again.");
    post
}

fn live(post: &Post) -> Option<Entry> {
    Some(Entry::Live(post.clone().into()))
}

/// A store of one post, and a cache in front of it.
async fn with_a_post(bound: Duration) -> (Slow, Instance, Post) {
    let slow = Slow::default();
    let post = post(1);
    assert_eq!(
        slow.0.inner.insert_post(post.clone()).await.unwrap(),
        Outcome::Applied
    );
    let cached = Cached::new(slow.clone(), bound);
    (slow, Arc::new(cached), post)
}

/// Updates a post as another instance does, without suspending.
async fn changed_elsewhere(slow: &Slow, post: &Post) -> Post {
    let (expected, post) = (post.summary.revision, revised(post));
    let written = slow.0.inner.update_post(expected, post.clone()).await;
    assert_eq!(written.unwrap(), Outcome::Applied);
    post
}

/// Reads without waiting for other calls.
#[track_caller]
fn read(store: &Instance) -> Option<Entry> {
    call_read(store).finish()
}

fn call_read(store: &Instance) -> Call<Option<Entry>> {
    let store = Arc::clone(store);
    Call::new(async move { store.read_post(id(1)).await.unwrap_or(None) })
}

fn call_update(store: &Instance, post: &Post) -> Call<bool> {
    let (store, expected, post) = (Arc::clone(store), post.summary.revision, revised(post));
    Call::new(async move {
        let written = store.update_post(expected, post).await;
        matches!(written, Ok(Outcome::Applied))
    })
}
