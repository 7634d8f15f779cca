//! The services by hand on MariaDB.

use serde_json::json;
use sqlx::MySqlPool;
use sqlx::mysql::MySqlPoolOptions;

use super::{Database, KEY, ListQuery, NewPost, PER_PAGE, Page, Post, Summary, hash, tags_in};

const SCHEMA: &str = "
  CREATE TABLE IF NOT EXISTS posts (
    id CHAR(16) CHARACTER SET ascii PRIMARY KEY, title TEXT NOT NULL, tags TEXT NOT NULL, created BIGINT NOT NULL,
    body MEDIUMTEXT NOT NULL, KEY posts_by_created (created)
  );
  CREATE TABLE IF NOT EXISTS post_tags (
    tag VARCHAR(100), created BIGINT, post CHAR(16) CHARACTER SET ascii, PRIMARY KEY (tag, created, post)
  );
  CREATE TABLE IF NOT EXISTS `keys` (hash CHAR(64) CHARACTER SET ascii PRIMARY KEY);
  CREATE TRIGGER IF NOT EXISTS post_tagged AFTER INSERT ON posts FOR EACH ROW
    INSERT INTO post_tags SELECT tag, NEW.created, NEW.id
    FROM JSON_TABLE(NEW.tags, '$[*]' COLUMNS (tag VARCHAR(100) PATH '$')) AS tags;";

#[derive(Clone)]
pub(super) struct MySql(MySqlPool);

pub(super) async fn open(url: &str) -> MySql {
    let pool = MySqlPoolOptions::new().max_connections(32);
    let pool = pool.connect(url).await.unwrap();
    sqlx::raw_sql(SCHEMA).execute(&pool).await.unwrap();
    let key = sqlx::query("INSERT IGNORE INTO `keys` (hash) VALUES (?)");
    let key = key.bind(hash(KEY.as_bytes()));
    key.execute(&pool).await.unwrap();
    MySql(pool)
}

impl Database for MySql {
    async fn has_key(&self, hash: String) -> Result<bool, sqlx::Error> {
        let found = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM `keys` WHERE hash = ?)");
        found.bind(hash).fetch_one(&self.0).await
    }

    async fn insert(&self, id: &str, created: i64, new: NewPost) -> Result<(), sqlx::Error> {
        let insert = "INSERT INTO posts (id, title, tags, created, body) VALUES (?, ?, ?, ?, ?)";
        let insert = sqlx::query(insert).bind(id).bind(new.title);
        let insert = insert.bind(json!(new.tags).to_string());
        let insert = insert.bind(created).bind(new.body);
        insert.execute(&self.0).await?;
        Ok(())
    }

    async fn post(&self, id: String) -> Result<Post, sqlx::Error> {
        let text = "SELECT title, body, tags, created FROM posts WHERE id = ?";
        let row: (_, _, String, _) = sqlx::query_as(text).bind(&id).fetch_one(&self.0).await?;
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
                    "SELECT id, title, LEFT(body, 200), tags, created FROM posts
                     ORDER BY created DESC LIMIT ? OFFSET ?",
                ),
                sqlx::query_scalar("SELECT COUNT(*) FROM posts"),
            ),
            Some(tag) => (
                sqlx::query_as(
                    "SELECT id, title, LEFT(body, 200), tags, posts.created
                     FROM post_tags JOIN posts ON id = post WHERE tag = ?
                     ORDER BY post_tags.created DESC LIMIT ? OFFSET ?",
                )
                .bind(tag),
                sqlx::query_scalar("SELECT COUNT(*) FROM post_tags WHERE tag = ?").bind(tag),
            ),
        };
        let page = page.bind(PER_PAGE).bind(query.offset());
        let rows = page.fetch_all(&self.0).await?;
        let total = total.fetch_one(&self.0).await?;
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
