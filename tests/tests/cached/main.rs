//! The cache of responses: when the service reads from the store, and how old its responses may be.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod every_order;
mod instances;
mod memory;
mod others_changes;
mod own_changes;
mod pages;
mod simulation;
mod slow;
mod store_reads;
mod variants;

use std::time::Duration;

use bytes::Bytes;
use handbill::store::{Changes, Outcome, Post, SecretHash};
use handbill::{Draft, Handbill, PostId, PostSummary, RateLimits, Revision, Store, Timestamp};
use handbill_tests::bare::{LOCAL, call};
use handbill_tests::calls::Calls;
use http::{Request, Response, StatusCode};
use serde_json::Value;
use slow::{Call, Slow};

const BOUND: Duration = Duration::from_secs(10);
const TICK: Duration = Duration::from_nanos(1);

/// A service, and what tells it of changes.
#[derive(Clone)]
struct Instance {
    handbill: Handbill,
    changes: Changes,
}

impl Instance {
    /// It hears of changes by others within this bound.
    fn new(slow: &Slow, bound: Duration) -> Self {
        let changes = Changes::notified(bound);
        Self {
            handbill: service(slow.0.telling(&changes)),
            changes,
        }
    }
}

fn service(store: impl Store) -> Handbill {
    let handbill = Handbill::new("https://example.org", store).unwrap();
    handbill.with_rate_limits(RateLimits::off())
}

async fn get(handbill: &Handbill, path: &str) -> Response<Bytes> {
    send(handbill, Request::get(path)).await
}

async fn send(handbill: &Handbill, request: http::request::Builder) -> Response<Bytes> {
    call(
        handbill.clone(),
        LOCAL,
        request.body(Default::default()).unwrap(),
    )
    .await
}

/// A post in its first revision.
fn post(number: u32) -> Post {
    let at = Timestamp::from_micros(1_795_168_800_000_000 + i64::from(number));
    let mut token = [7; 32];
    token[12..16].copy_from_slice(&number.to_be_bytes());
    let summary = PostSummary::new(id(number), at);
    Post::new(
        summary,
        format!("Of {number}."),
        SecretHash::from_bytes(token),
    )
}

/// A different identifier for each number.
fn id(number: u32) -> PostId {
    const LETTERS: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";
    let digits = (0..10).map(|place| u64::from(number) / 20_u64.pow(place) % 20);
    let letters = digits.map(|digit| char::from(LETTERS[digit as usize]));
    letters.collect::<String>().parse().unwrap()
}

fn path(number: u32) -> String {
    format!("/api/posts/{}", id(number))
}

/// The post in its next revision.
fn revised(post: &Post) -> Post {
    let mut post = post.clone();
    post.summary.revision = Revision::from_number(post.summary.revision.number() + 1);
    post.body.push_str(" Again.");
    post
}

/// A store of one post, and a service over it.
async fn with_a_post(bound: Duration) -> (Slow, Instance, Post) {
    let (slow, post) = (Slow::default(), post(1));
    insert(&slow, &post).await;
    let instance = Instance::new(&slow, bound);
    (slow, instance, post)
}

/// Inserts a post as another instance does, without suspending.
async fn insert(slow: &Slow, post: &Post) {
    let inserted = slow.0.inner.insert_post(post.clone()).await;
    assert_eq!(inserted.unwrap(), Outcome::Applied);
}

/// Updates a post as another instance does, without suspending.
async fn changed_elsewhere(slow: &Slow, post: &Post) -> Post {
    let (expected, post) = (post.summary.revision, revised(post));
    let written = slow.0.inner.update_post(expected, post.clone()).await;
    assert_eq!(written.unwrap(), Outcome::Applied);
    post
}

/// Reads the post without waiting for other calls.
#[track_caller]
fn read(instance: &Instance) -> String {
    call_read(instance).finish()
}

fn call_read(instance: &Instance) -> Call<String> {
    let handbill = instance.handbill.clone();
    Call::new(async move { shown(&get(&handbill, &path(1)).await) })
}

/// The body of the post in a response. Of other responses, the status.
fn shown(response: &Response<Bytes>) -> String {
    match response.status() {
        StatusCode::OK => {
            let post: Value = serde_json::from_slice(response.body()).unwrap();
            post["body"].as_str().unwrap().to_owned()
        }
        other => other.as_str().to_owned(),
    }
}

fn call_update(instance: &Instance, post: &Post) -> Call<bool> {
    Call::new(update(instance, post))
}

/// Changes the post into its next revision. Returns whether that was acknowledged.
fn update(instance: &Instance, post: &Post) -> impl Future<Output = bool> + Send + use<> {
    let (handbill, id) = (instance.handbill.clone(), post.summary.id);
    let draft = Draft::new().body(revised(post).body);
    async move { handbill.posts().update(id, draft).await.is_ok() }
}
