//! The services by hand on SQLite.

use std::time::Duration;

use serde_json::json;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::{Database, KEY, ListQuery, NewPost, PER_PAGE, Page, Post, Summary, hash, tags_in};
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
  CREATE TABLE IF NOT EXISTS keys (hash TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TRIGGER IF NOT EXISTS post_tagged AFTER INSERT ON posts BEGIN
    INSERT INTO post_tags SELECT value, NEW.created, NEW.id FROM json_each(NEW.tags);
  END;";

/// A pool of readers, and one writer, so that no statement finds the database busy.
#[derive(Clone)]
pub(super) struct Sqlite {
    read: SqlitePool,
    write: SqlitePool,
}

pub(super) async fn open(url: &str) -> Sqlite {
    let options = options(url);
    let write = SqlitePoolOptions::new().max_connections(1);
    let write = write.connect_with(options.clone()).await.unwrap();
    sqlx::raw_sql(SCHEMA).execute(&write).await.unwrap();
    let key = sqlx::query("INSERT OR IGNORE INTO keys (hash) VALUES (?)");
    let key = key.bind(hash(KEY.as_bytes()));
    key.execute(&write).await.unwrap();
    let read = SqlitePoolOptions::new().max_connections(4);
    let read = read.connect_with(options).await.unwrap();
    Sqlite { read, write }
}

fn options(url: &str) -> SqliteConnectOptions {
    let options: SqliteConnectOptions = url.parse().unwrap();
    options
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(5))
}

impl Database for Sqlite {
    async fn has_key(&self, hash: String) -> Result<bool, sqlx::Error> {
        let found = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM keys WHERE hash = ?)");
        found.bind(hash).fetch_one(&self.read).await
    }

    async fn insert(&self, id: &str, created: i64, new: NewPost) -> Result<(), sqlx::Error> {
        let insert = "INSERT INTO posts (id, title, tags, created, body) VALUES (?, ?, ?, ?, ?)";
        let insert = sqlx::query(insert).bind(id).bind(new.title);
        let insert = insert.bind(json!(new.tags).to_string());
        let insert = insert.bind(created).bind(new.body);
        insert.execute(&self.write).await?;
        Ok(())
    }

    async fn post(&self, id: String) -> Result<Post, sqlx::Error> {
        let text = "SELECT title, body, tags, created FROM posts WHERE id = ?";
        let row: (_, _, String, _) = sqlx::query_as(text).bind(&id).fetch_one(&self.read).await?;
        let (title, body, tags, created) = row;
        Ok(Post {
            id,
            title,
            body,
            tags: tags_in(&tags),
            created,
            html: None,
        })
    }

    async fn list(&self, query: ListQuery) -> Result<Page, sqlx::Error> {
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
        let page = page.bind(PER_PAGE).bind(query.offset());
        let rows = page.fetch_all(&self.read).await?;
        let total = total.fetch_one(&self.read).await?;
        let summary = |(id, title, excerpt, tags, created): (_, _, _, String, _)| Summary {
            id,
            title,
            excerpt,
            tags: tags_in(&tags),
            created,
        };
        let posts = rows.into_iter().map(summary).collect();
        Ok(Page { posts, total })
    }
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
