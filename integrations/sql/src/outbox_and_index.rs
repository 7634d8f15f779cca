//! The outbox and the search index of a store with one writing task: for SQLite and MySQL.

use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{
    DueChange, ListenerState, Outbox, Outcome, PostId, Retry, Revision, SearchIndex, StoreError,
    Timestamp, Words,
};

#[cfg(feature = "mysql")]
use crate::mysql::{self, MySqlStore};
use crate::outbox::{STATES, due_change, due_changes, state};
use crate::query::Query;
use crate::request::{IndexChange, OutboxChange, Request};
use crate::row;
#[cfg(feature = "sqlite")]
use crate::sqlite::{self, SqliteStore};

/// Implements both traits for a store with a `reader` and a `writer`. `$due` reads the changes that are due, and
/// `$unindexed` the posts without words of a version.
macro_rules! outbox_and_index {
    ($store:ty, $due:expr, $unindexed:expr) => {
        #[async_trait]
        impl Outbox for $store {
            async fn add_listener(&self, name: &str) -> Result<(), StoreError> {
                let add = Request::Outbox(OutboxChange::Add(name.to_owned()));
                let added = self.writer.make("add a durable listener", add).await;
                added.map(drop)
            }

            async fn remove_listener(&self, name: &str) -> Result<bool, StoreError> {
                let remove = Request::Outbox(OutboxChange::Remove(name.to_owned()));
                let removed = self.writer.make("remove a durable listener", remove).await;
                Ok(removed? == Outcome::Applied)
            }

            async fn listeners(&self) -> Result<Vec<ListenerState>, StoreError> {
                let (doing, query) = ("list the durable listeners", Query::new(STATES));
                self.reader.rows(doing, query, state).await
            }

            async fn lease_listener(
                &self,
                name: &str,
                instance: &str,
                time: Duration,
            ) -> Result<bool, StoreError> {
                let lease = Request::Outbox(OutboxChange::Lease {
                    listener: name.to_owned(),
                    instance: instance.to_owned(),
                    time,
                });
                let leased = self.writer.make("lease a durable listener", lease).await;
                Ok(leased? == Outcome::Applied)
            }

            async fn due_changes(
                &self,
                name: &str,
                now: Timestamp,
                limit: u32,
            ) -> Result<Vec<DueChange>, StoreError> {
                let query = due_changes($due, name, now, limit);
                let doing = "read the changes that wait";
                self.reader.rows(doing, query, due_change).await
            }

            async fn settle(
                &self,
                name: &str,
                done: &[u64],
                again: &[Retry],
            ) -> Result<(), StoreError> {
                let settle = Request::Outbox(OutboxChange::Settle {
                    listener: name.to_owned(),
                    done: done.to_vec(),
                    again: again.to_vec(),
                });
                self.writer.make("settle changes", settle).await.map(drop)
            }
        }

        #[async_trait]
        impl SearchIndex for $store {
            async fn lease_indexing(
                &self,
                instance: &str,
                time: Duration,
            ) -> Result<bool, StoreError> {
                let instance = instance.to_owned();
                let lease = Request::Index(IndexChange::Lease { instance, time });
                let leased = self.writer.make("lease the indexing", lease).await;
                Ok(leased? == Outcome::Applied)
            }

            async fn unindexed_posts(
                &self,
                version: u32,
                after: Option<PostId>,
                limit: u32,
            ) -> Result<Vec<PostId>, StoreError> {
                let query = Query::new($unindexed)
                    .bind(after.as_ref().map_or("", PostId::as_str))
                    .bind(version)
                    .bind(limit);
                let doing = "find posts without words";
                self.reader.rows(doing, query, row::id).await
            }

            async fn index_posts(
                &self,
                posts: Vec<(PostId, Revision, Words)>,
            ) -> Result<(), StoreError> {
                let posts = Request::Index(IndexChange::Posts(posts));
                self.writer.make("index posts", posts).await.map(drop)
            }

            async fn set_indexed(&self, version: u32) -> Result<(), StoreError> {
                let complete = Request::Index(IndexChange::Complete(version));
                let noted = self
                    .writer
                    .make("note that all posts are indexed", complete);
                noted.await.map(drop)
            }
        }
    };
}

#[cfg(feature = "mysql")]
outbox_and_index!(MySqlStore, mysql::DUE_CHANGES, mysql::UNINDEXED);
#[cfg(feature = "sqlite")]
outbox_and_index!(SqliteStore, crate::outbox::DUE, sqlite::UNINDEXED);
