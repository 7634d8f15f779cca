//! The service that a user would write with axum and sqlx instead of mounting Handbill, twice over one database.
//!
//! The [short one](ByHand::Short) checks no keys and renders nothing. [`ByHand::SameWork`] does what Handbill does: it
//! looks up the key by its hash, and shows the post as HTML that is safe.
//!
//! Both are written well: they have a pool, prepared statements, and an index for each list, and each creation is one
//! durable statement. Their lists use `COUNT(*)` and `OFFSET`, as most do.

mod mysql;
mod postgres;
mod sqlite;

use std::fmt::Write;
use std::time::SystemTime;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Json, Router};
use handbill_tests::load::post_json;
use pulldown_cmark::{Options, Parser, html};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::post::{TAGS, body, title};

/// The tables, as each database has them.
pub(crate) const SCHEMAS: [&str; 2] = [sqlite::SCHEMA, postgres::SCHEMA];

/// The key that every database has.
const KEY: &str = "0123456789abcdef0123456789abcdef";
const PER_PAGE: i64 = 20;

/// One of the two services.
#[derive(Clone, Copy)]
pub(crate) enum ByHand {
    Short,
    SameWork,
}

impl ByHand {
    /// A request that creates the same post as [`crate::post::create`].
    pub(crate) fn create(self, number: u64) -> Vec<u8> {
        let post = json!({ "title": title(number), "body": body(number), "tags": TAGS });
        let key = match self {
            Self::Short => String::new(),
            Self::SameWork => format!("X-Api-Key: {KEY}\r\n"),
        };
        post_json(self.posts(), &key, &post.to_string())
    }

    /// The path of a post.
    pub(crate) fn post(self, id: &str) -> String {
        format!("{}/{id}", self.posts())
    }

    fn posts(self) -> &'static str {
        match self {
            Self::Short => "/short/posts",
            Self::SameWork => "/posts",
        }
    }
}

/// The path of a page of the list, which is the same for both.
pub(crate) fn page(number: u64) -> String {
    format!("/posts?page={number}")
}

/// The identifier of a post that the database was filled with. They are as scattered as random ones.
pub(crate) fn id(number: u64) -> String {
    format!("{:08x}", number * 2_654_435_761 % (1 << 32))
}

/// Both services on the database at this URL.
pub(crate) async fn app(url: &str) -> Router {
    match url.split_once(':') {
        Some(("postgres", _)) => router(postgres::open(url).await),
        Some(("mysql", _)) => router(mysql::open(url).await),
        _ => router(sqlite::open(url).await),
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

fn router<D: Database>(database: D) -> Router {
    Router::new()
        .route("/short/posts", post(create_without_key::<D>))
        .route("/short/posts/{id}", get(read_source::<D>))
        .route("/posts", post(create::<D>).get(list::<D>))
        .route("/posts/{id}", get(read::<D>))
        .with_state(database)
}

/// What the handlers ask of a database.
trait Database: Clone + Send + Sync + 'static {
    fn has_key(&self, hash: String) -> impl Future<Output = Result<bool, sqlx::Error>> + Send;

    fn insert(
        &self,
        id: &str,
        created: i64,
        new: NewPost,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send;

    fn post(&self, id: String) -> impl Future<Output = Result<Post, sqlx::Error>> + Send;

    fn list(&self, query: ListQuery) -> impl Future<Output = Result<Page, sqlx::Error>> + Send;
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
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
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

impl ListQuery {
    fn offset(&self) -> i64 {
        (self.page - 1) * PER_PAGE
    }
}

#[derive(Serialize)]
struct Page {
    posts: Vec<Summary>,
    total: i64,
}

async fn create<D: Database>(
    state: State<D>,
    headers: HeaderMap,
    new: Json<NewPost>,
) -> Result<(StatusCode, Json<Created>), StatusCode> {
    let key = headers.get("X-Api-Key").ok_or(StatusCode::UNAUTHORIZED)?;
    let is_known = state.has_key(hash(key.as_bytes())).await.map_err(failed)?;
    if !is_known {
        return Err(StatusCode::UNAUTHORIZED);
    }
    create_without_key(state, new).await
}

async fn create_without_key<D: Database>(
    State(database): State<D>,
    Json(new): Json<NewPost>,
) -> Result<(StatusCode, Json<Created>), StatusCode> {
    let id = format!("{:016x}", rand::random::<u64>());
    database.insert(&id, now(), new).await.map_err(failed)?;
    Ok((StatusCode::CREATED, Json(Created { id })))
}

async fn read<D: Database>(state: State<D>, id: Path<String>) -> Result<Json<Post>, StatusCode> {
    let Json(mut post) = read_source(state, id).await?;
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let mut unsafe_html = String::new();
    html::push_html(&mut unsafe_html, Parser::new_ext(&post.body, options));
    post.html = Some(ammonia::clean(&unsafe_html));
    Ok(Json(post))
}

async fn read_source<D: Database>(
    State(database): State<D>,
    Path(id): Path<String>,
) -> Result<Json<Post>, StatusCode> {
    database.post(id).await.map(Json).map_err(failed)
}

async fn list<D: Database>(
    State(database): State<D>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page>, StatusCode> {
    database.list(query).await.map(Json).map_err(failed)
}

fn hash(key: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(key) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The tags of a post where they are stored as JSON.
fn tags_in(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
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
