//! The search index: the public posts, by SQLite's FTS5.

use std::error::Error;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use handbill::{Code, DurableListenerError, Event, Handbill, PostId, PublishedPost, Visibility};
use serde::Deserialize;
use sqlx::SqlitePool;

#[derive(Deserialize)]
pub(crate) struct Question {
    q: String,
}

/// A post that was found: its identifier and its title.
type Found = (String, String);

pub(crate) async fn create_table(pool: &SqlitePool) -> sqlx::Result<()> {
    let create = "CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5 (id UNINDEXED, title, body)";
    sqlx::query(create).execute(pool).await?;
    Ok(())
}

/// Keeps the index in step from now on. `reader` is a service over the same store.
pub(crate) fn listen(
    handbill: Handbill,
    reader: Handbill,
    pool: &SqlitePool,
) -> Result<Handbill, DurableListenerError> {
    let (reader, pool) = (Arc::new(reader), pool.clone());
    handbill.with_durable_listener("search", move |change| {
        let (reader, pool) = (Arc::clone(&reader), pool.clone());
        async move {
            match change.event {
                Event::PostCreated(post) | Event::PostUpdated(post) => {
                    update(&pool, &reader, post.id).await
                }
                Event::PostDeleted { id, .. } => update(&pool, &reader, id).await,
                _ => Ok(()),
            }
        }
    })
}

/// Writes what the post is now, whatever the change was: so a repetition does no harm.
async fn update(
    pool: &SqlitePool,
    reader: &Handbill,
    id: PostId,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let post = match reader.posts().read(id).await {
        Ok(post) => Some(post).filter(is_public),
        Err(problem) if matches!(problem.code(), Code::Gone | Code::NotFound) => None,
        Err(problem) => return Err(problem.into()),
    };
    // IMMEDIATE: a transaction that reads first and writes later may find that another one wrote in between.
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::query("DELETE FROM search WHERE id = ?")
        .bind(id.as_str())
        .execute(&mut *transaction)
        .await?;
    if let Some(post) = post {
        sqlx::query("INSERT INTO search (id, title, body) VALUES (?, ?, ?)")
            .bind(id.as_str())
            .bind(post.summary.title.unwrap_or_default())
            .bind(post.body)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    Ok(())
}

fn is_public(post: &PublishedPost) -> bool {
    post.summary.visibility == Visibility::Public
}

/// The posts with these words, the best first.
pub(crate) async fn find(
    State(pool): State<SqlitePool>,
    Query(Question { q }): Query<Question>,
) -> Result<Json<Vec<Found>>, StatusCode> {
    // Quoted, so that nothing in it is an operator of FTS5.
    let words: Vec<_> = q
        .split_whitespace()
        .map(|word| word.replace('"', "\"\""))
        .collect();
    let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
    let found =
        sqlx::query_as("SELECT id, title FROM search WHERE search MATCH ? ORDER BY rank LIMIT 20")
            .bind(words.join(" "))
            .fetch_all(&pool)
            .await;
    found.map(Json).map_err(|_| StatusCode::SERVICE_UNAVAILABLE)
}
