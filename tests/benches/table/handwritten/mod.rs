//! The short service that a user would write instead, with axum and sqlx. Nobody is authorised,
//! nothing is limited, and what is read was checked by nobody.
//!
//! It is written well: a pool, statements prepared once, an index for each list, and each creation
//! durable and one statement. Its lists are counted and found as everybody does it, by walking.

mod postgres;
mod sqlite;

use std::time::SystemTime;

use axum::Router;
use axum::http::StatusCode;
use handbill_tests::load::{post_json, prose};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The service on the database at this URL.
pub(crate) async fn app(url: &str) -> Router {
    if url.starts_with("postgres:") {
        postgres::app(url).await
    } else {
        sqlite::app(url).await
    }
}

/// Fills the database at this URL with posts, as [`id`] names them.
pub(crate) async fn fill(url: &str, posts: u64, body: &str) {
    if url.starts_with("postgres:") {
        postgres::fill(url, posts.cast_signed(), body).await;
    } else {
        sqlite::fill(url, posts.cast_signed(), body).await;
    }
}

/// The identifier of a post that the database was filled with: as scattered as random ones.
pub(crate) fn id(number: u64) -> String {
    format!("{:08x}", number * 2_654_435_761 % (1 << 32))
}

/// A request that publishes a note as [`handbill_tests::load::publish_note`] does.
pub(crate) fn publish_note(seed: usize, bytes: usize) -> Vec<u8> {
    let post = json!({
        "title": format!("Note {seed}"), "body": prose(seed, bytes), "tags": ["notes", "harbour"],
    });
    post_json("/posts", "", &post.to_string())
}

#[derive(Deserialize)]
struct NewPost {
    title: String,
    body: String,
    tags: Vec<String>,
}

#[derive(Serialize)]
struct Created {
    id: String,
}

#[derive(Serialize)]
struct Post {
    id: String,
    title: String,
    body: String,
    tags: Vec<String>,
    created: i64,
}

#[derive(Serialize)]
struct Summary {
    id: String,
    title: String,
    excerpt: String,
    tags: Vec<String>,
    created: i64,
}

#[derive(Deserialize)]
struct Wanted {
    page: i64,
    tag: Option<String>,
}

#[derive(Serialize)]
struct Page {
    posts: Vec<Summary>,
    total: i64,
}

const PER_PAGE: i64 = 20;

fn new_id() -> String {
    format!("{:016x}", rand::random::<u64>())
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap_or_default().as_micros() as i64
}

fn failed(error: sqlx::Error) -> StatusCode {
    match error {
        sqlx::Error::RowNotFound => StatusCode::NOT_FOUND,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
