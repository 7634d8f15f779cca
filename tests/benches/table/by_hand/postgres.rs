//! The services by hand on PostgreSQL.

use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use super::{Database, KEY, ListQuery, NewPost, PER_PAGE, Page, Post, Summary, hash};
use crate::post::{BODY, NUMBER};

pub(super) const SCHEMA: &str = "
  CREATE TABLE IF NOT EXISTS posts (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, tags TEXT[] NOT NULL, created BIGINT NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS posts_by_created ON posts (created);
  CREATE TABLE IF NOT EXISTS post_tags (
    tag TEXT, created BIGINT, post TEXT, PRIMARY KEY (tag, created, post)
  );
  CREATE TABLE IF NOT EXISTS keys (hash TEXT PRIMARY KEY);";

#[derive(Clone)]
pub(super) struct Postgres(PgPool);

pub(super) async fn open(url: &str) -> Postgres {
    let pool = PgPoolOptions::new().max_connections(32);
    let pool = pool.connect(url).await.unwrap();
    sqlx::raw_sql(SCHEMA).execute(&pool).await.unwrap();
    let key = sqlx::query("INSERT INTO keys (hash) VALUES ($1) ON CONFLICT DO NOTHING");
    let key = key.bind(hash(KEY.as_bytes()));
    key.execute(&pool).await.unwrap();
    Postgres(pool)
}

impl Database for Postgres {
    async fn has_key(&self, hash: String) -> Result<bool, sqlx::Error> {
        let found = sqlx::query_scalar("SELECT EXISTS (SELECT FROM keys WHERE hash = $1)");
        found.bind(hash).fetch_one(&self.0).await
    }

    async fn insert(&self, id: &str, created: i64, new: NewPost) -> Result<(), sqlx::Error> {
        let insert = sqlx::query(
            "WITH post AS (
               INSERT INTO posts (id, title, tags, created, body) VALUES ($1, $2, $3, $4, $5)
             )
             INSERT INTO post_tags (tag, created, post) SELECT tag, $4, $1 FROM unnest($3) AS tag",
        );
        let insert = insert.bind(id).bind(new.title).bind(new.tags);
        let insert = insert.bind(created).bind(new.body);
        insert.execute(&self.0).await?;
        Ok(())
    }

    async fn post(&self, id: String) -> Result<Post, sqlx::Error> {
        let text = "SELECT title, body, tags, created FROM posts WHERE id = $1";
        let row = sqlx::query_as(text).bind(&id).fetch_one(&self.0).await?;
        let (title, body, tags, created) = row;
        Ok(Post {
            id,
            title,
            body,
            tags,
            created,
            html: None,
        })
    }

    async fn list(&self, query: ListQuery) -> Result<Page, sqlx::Error> {
        let (page, total) = match &query.tag {
            None => (
                sqlx::query_as(
                    "SELECT id, title, left(body, 200), tags, created FROM posts
                     ORDER BY created DESC LIMIT $1 OFFSET $2",
                ),
                sqlx::query_scalar("SELECT COUNT(*) FROM posts"),
            ),
            Some(tag) => (
                sqlx::query_as(
                    "SELECT id, title, left(body, 200), tags, posts.created
                     FROM post_tags JOIN posts ON id = post WHERE tag = $1
                     ORDER BY post_tags.created DESC LIMIT $2 OFFSET $3",
                )
                .bind(tag),
                sqlx::query_scalar("SELECT COUNT(*) FROM post_tags WHERE tag = $1").bind(tag),
            ),
        };
        let page = page.bind(PER_PAGE).bind(query.offset());
        let rows = page.fetch_all(&self.0).await?;
        let total = total.fetch_one(&self.0).await?;
        let summary = |(id, title, excerpt, tags, created)| Summary {
            id,
            title,
            excerpt,
            tags,
            created,
        };
        let posts = rows.into_iter().map(summary).collect();
        Ok(Page { posts, total })
    }
}

pub(super) async fn fill(url: &str, posts: i64) {
    let pool = PgPoolOptions::new().max_connections(1);
    let pool = pool.connect(url).await.unwrap();
    sqlx::raw_sql(SCHEMA).execute(&pool).await.unwrap();
    sqlx::query(
        "INSERT INTO posts (id, title, tags, created, body)
         SELECT
           lpad(to_hex(n * 2654435761 % 4294967296), 8, '0'), 'Note ' || n,
           CASE WHEN n % 2 = 0 THEN '{notes,harbour}'::TEXT[] ELSE '{notes}' END,
           1700000000000000 + n * 1000, replace($2, $3, n::TEXT)
         FROM generate_series(0, $1 - 1) AS n",
    )
    .bind(posts)
    .bind(BODY)
    .bind(NUMBER)
    .execute(&pool)
    .await
    .unwrap();
    let tags = "INSERT INTO post_tags SELECT unnest(tags), created, id FROM posts";
    sqlx::raw_sql(tags).execute(&pool).await.unwrap();
    // Counting then reads the index alone, as it does after an automatic vacuum.
    sqlx::raw_sql("VACUUM ANALYZE")
        .execute(&pool)
        .await
        .unwrap();
    pool.close().await;
}
