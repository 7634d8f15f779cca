//! The short service that a user would write with axum and sqlx instead of mounting Handbill. It
//! checks no keys, has no limits, and renders nothing.
//!
//! It is written well: it has a pool, prepared statements, and an index for each list, and each
//! creation is one durable statement. Its lists use `COUNT(*)` and `OFFSET`, as most do.

mod postgres;
mod sqlite;

use std::time::SystemTime;

use axum::http::StatusCode;
use axum::{Json, Router};
use handbill_tests::load::post_json;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::post::{TAGS, body, title};

/// The tables, as each database has them.
pub(crate) const SCHEMAS: [&str; 2] = [sqlite::SCHEMA, postgres::SCHEMA];

/// The service on the database at this URL.
pub(crate) async fn app(url: &str) -> Router {
    if url.starts_with("postgres:") {
        postgres::app(url).await
    } else {
        sqlite::app(url).await
    }
}

/// Fills the empty database at this URL with posts, whose identifiers are those of [`id`].
pub(crate) async fn fill(url: &str, posts: u64) {
    if url.starts_with("postgres:") {
        postgres::fill(url, posts.cast_signed()).await;
    } else {
        sqlite::fill(url, posts.cast_signed()).await;
    }
}

/// The identifier of a post that the database was filled with. They are as scattered as random ones.
pub(crate) fn id(number: u64) -> String {
    format!("{:08x}", number * 2_654_435_761 % (1 << 32))
}

/// A request that creates the same post as [`crate::post::create`].
pub(crate) fn create(number: u64) -> Vec<u8> {
    let post = json!({ "title": title(number), "body": body(number), "tags": TAGS });
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
struct ListQuery {
    page: i64,
    tag: Option<String>,
}

#[derive(Serialize)]
struct Page {
    posts: Vec<Summary>,
    total: i64,
}

/// The columns of a list.
type Row<Tags> = (String, String, String, Tags, i64);

impl Page {
    fn of(rows: impl IntoIterator<Item = Row<Vec<String>>>, total: i64) -> Json<Self> {
        let summary = |(id, title, excerpt, tags, created)| Summary {
            id,
            title,
            excerpt,
            tags,
            created,
        };
        let posts = rows.into_iter().map(summary).collect();
        Json(Self { posts, total })
    }
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
