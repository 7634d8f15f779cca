//! The hand-written service on SQLite.

use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::json;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::{Created, ListQuery, NewPost, PER_PAGE, Page, Post, Row, failed, new_id, now};
use crate::post::{BODY, NUMBER};

pub(super) const SCHEMA: &str = "
  CREATE TABLE IF NOT EXISTS posts (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, tags TEXT NOT NULL, created INTEGER NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS posts_by_created ON posts (created);
  CREATE TABLE IF NOT EXISTS post_tags (
    tag TEXT, created INTEGER, post TEXT, PRIMARY KEY (tag, created, post)
  ) WITHOUT ROWID;
  CREATE TRIGGER IF NOT EXISTS post_tagged AFTER INSERT ON posts BEGIN
    INSERT INTO post_tags SELECT value, NEW.created, NEW.id FROM json_each(NEW.tags);
  END;";

/// A pool of readers, and one writer, so that no statement finds the database busy.
#[derive(Clone)]
struct Database {
    read: SqlitePool,
    write: SqlitePool,
}

pub(super) async fn app(url: &str) -> Router {
    let options = options(url);
    let write = SqlitePoolOptions::new().max_connections(1);
    let write = write.connect_with(options.clone()).await.unwrap();
    sqlx::raw_sql(SCHEMA).execute(&write).await.unwrap();
    let read = SqlitePoolOptions::new().max_connections(4);
    let read = read.connect_with(options).await.unwrap();
    Router::new()
        .route("/posts", post(create).get(list))
        .route("/posts/{id}", get(read_post))
        .with_state(Database { read, write })
}

fn options(url: &str) -> SqliteConnectOptions {
    let options: SqliteConnectOptions = url.parse().unwrap();
    options
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(5))
}

async fn create(
    State(database): State<Database>,
    Json(new): Json<NewPost>,
) -> Result<(StatusCode, Json<Created>), StatusCode> {
    let (id, tags) = (new_id(), json!(new.tags).to_string());
    sqlx::query("INSERT INTO posts (id, title, tags, created, body) VALUES (?, ?, ?, ?, ?)")
        .bind(&id)
        .bind(new.title)
        .bind(tags)
        .bind(now())
        .bind(new.body)
        .execute(&database.write)
        .await
        .map_err(failed)?;
    Ok((StatusCode::CREATED, Json(Created { id })))
}

fn tags_in(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

async fn read_post(
    State(database): State<Database>,
    Path(id): Path<String>,
) -> Result<Json<Post>, StatusCode> {
    let text = "SELECT title, body, tags, created FROM posts WHERE id = ?";
    let (title, body, tags, created): (_, _, String, _) = sqlx::query_as(text)
        .bind(&id)
        .fetch_one(&database.read)
        .await
        .map_err(failed)?;
    Ok(Json(Post {
        id,
        title,
        body,
        tags: tags_in(&tags),
        created,
    }))
}

async fn list(
    State(database): State<Database>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page>, StatusCode> {
    let (page, total) = match &query.tag {
        None => (
            sqlx::query_as(
                "SELECT id, title, substr(body, 1, 200), tags, created FROM posts
                 ORDER BY created DESC LIMIT ? OFFSET ?",
            ),
            sqlx::query_scalar("SELECT COUNT(*) FROM posts"),
        ),
        Some(tag) => (
            sqlx::query_as(
                "SELECT id, title, substr(body, 1, 200), tags, posts.created
                 FROM post_tags JOIN posts ON id = post WHERE tag = ?
                 ORDER BY post_tags.created DESC LIMIT ? OFFSET ?",
            )
            .bind(tag),
            sqlx::query_scalar("SELECT COUNT(*) FROM post_tags WHERE tag = ?").bind(tag),
        ),
    };
    let page = page.bind(PER_PAGE).bind((query.page - 1) * PER_PAGE);
    let rows: Vec<Row<String>> = page.fetch_all(&database.read).await.map_err(failed)?;
    let rows = rows.into_iter();
    let rows = rows.map(|(id, title, excerpt, tags, at)| (id, title, excerpt, tags_in(&tags), at));
    let total = total.fetch_one(&database.read).await.map_err(failed)?;
    Ok(Page::of(rows, total))
}

pub(super) async fn fill(url: &str, posts: i64) {
    // A crash loses nothing: the next run fills another database.
    let options = options(url)
        .journal_mode(SqliteJournalMode::Memory)
        .synchronous(SqliteSynchronous::Off)
        .pragma("cache_size", "-524288");
    let pool = SqlitePoolOptions::new().max_connections(1);
    let pool = pool.connect_with(options).await.unwrap();
    sqlx::raw_sql(SCHEMA).execute(&pool).await.unwrap();
    sqlx::query(
        "WITH RECURSIVE numbers (n) AS (
           SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?
         )
         INSERT INTO posts (id, title, tags, created, body)
         SELECT
           printf('%08x', n * 2654435761 % 4294967296), 'Note ' || n,
           CASE WHEN n % 2 = 0 THEN '[\"notes\",\"harbour\"]' ELSE '[\"notes\"]' END,
           1700000000000000 + n * 1000, replace(?, ?, n)
         FROM numbers",
    )
    .bind(posts)
    .bind(BODY)
    .bind(NUMBER)
    .execute(&pool)
    .await
    .unwrap();
    sqlx::raw_sql("ANALYZE").execute(&pool).await.unwrap();
    pool.close().await;
}
