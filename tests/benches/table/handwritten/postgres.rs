//! The hand-written service on PostgreSQL.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use super::{Created, ListQuery, NewPost, PER_PAGE, Page, Post, Row, failed, new_id, now};
use crate::post::{BODY, NUMBER};

pub(super) const SCHEMA: &str = "
  CREATE TABLE IF NOT EXISTS posts (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, tags TEXT[] NOT NULL, created BIGINT NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS posts_by_created ON posts (created);
  CREATE TABLE IF NOT EXISTS post_tags (
    tag TEXT, created BIGINT, post TEXT, PRIMARY KEY (tag, created, post)
  );";

pub(super) async fn app(url: &str) -> Router {
    let pool = PgPoolOptions::new().max_connections(32);
    let pool = pool.connect(url).await.unwrap();
    sqlx::raw_sql(SCHEMA).execute(&pool).await.unwrap();
    Router::new()
        .route("/posts", post(create).get(list))
        .route("/posts/{id}", get(read))
        .with_state(pool)
}

async fn create(
    State(pool): State<PgPool>,
    Json(new): Json<NewPost>,
) -> Result<(StatusCode, Json<Created>), StatusCode> {
    let id = new_id();
    sqlx::query(
        "WITH post AS (
           INSERT INTO posts (id, title, tags, created, body) VALUES ($1, $2, $3, $4, $5)
         )
         INSERT INTO post_tags (tag, created, post) SELECT tag, $4, $1 FROM unnest($3) AS tag",
    )
    .bind(&id)
    .bind(new.title)
    .bind(new.tags)
    .bind(now())
    .bind(new.body)
    .execute(&pool)
    .await
    .map_err(failed)?;
    Ok((StatusCode::CREATED, Json(Created { id })))
}

async fn read(
    State(pool): State<PgPool>,
    Path(id): Path<String>,
) -> Result<Json<Post>, StatusCode> {
    let text = "SELECT title, body, tags, created FROM posts WHERE id = $1";
    let (title, body, tags, created) = sqlx::query_as(text)
        .bind(&id)
        .fetch_one(&pool)
        .await
        .map_err(failed)?;
    Ok(Json(Post {
        id,
        title,
        body,
        tags,
        created,
    }))
}

async fn list(
    State(pool): State<PgPool>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page>, StatusCode> {
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
    let page = page.bind(PER_PAGE).bind((query.page - 1) * PER_PAGE);
    let rows: Vec<Row<_>> = page.fetch_all(&pool).await.map_err(failed)?;
    let total = total.fetch_one(&pool).await.map_err(failed)?;
    Ok(Page::of(rows, total))
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
