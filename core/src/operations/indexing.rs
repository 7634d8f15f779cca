//! The words of posts that were stored without them: before the store had an index, by an earlier version of the rule
//! for words, or by an earlier version of this crate.
//!
//! A task of each service looks for such posts at the start, and once an hour: instances of an earlier version may
//! still be running. One instance at a time indexes them, in small transactions. It goes on where another one ended,
//! since indexed posts are not found again.

use std::mem::take;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

use super::posts;
use super::schedule::Schedule;
use crate::context::Context;
use crate::observe::chain::Chain;
use crate::post::{Entry, Post, PostId, Words, hex, random};
use crate::store::{MAX_LEASE, SearchIndex, StoreError};

/// How many posts a transaction indexes, and after how many bytes of bodies it ends before.
const BATCH: u32 = 100;
const BATCH_BYTES: usize = 1024 * 1024;
/// When to look again: after all posts were indexed, and after a failure or while another instance indexes them.
const AGAIN: Duration = Duration::from_secs(60 * 60);
const RETRY: Duration = Duration::from_secs(10);
/// The first requests come before it.
const START: Duration = Duration::from_millis(500);
/// How often the log says how far it is.
const REPORT: Duration = Duration::from_secs(10);

/// The task. While it sleeps, it holds nothing of the service.
pub(super) async fn run(schedule: Weak<Schedule>) {
    let instance = hex::encode(&random::bytes::<16>());
    sleep(START).await;
    loop {
        let Some(indexed) = index_all(&schedule, &instance).await else {
            return;
        };
        let is_done = indexed.unwrap_or_else(|error| {
            tracing::warn!(error = %Chain(&error), "posts wait to be indexed for searches");
            false
        });
        sleep(if is_done { AGAIN } else { RETRY }).await;
    }
}

/// Indexes all posts that need it. Returns false if another instance does, and `None` if the service has ended or its
/// store has no index.
async fn index_all(schedule: &Weak<Schedule>, instance: &str) -> Option<Result<bool, StoreError>> {
    let mut pass = IndexingPass::new();
    loop {
        let schedule = schedule.upgrade()?;
        let index = schedule.context.store.search_index()?;
        let step = pass.step(&schedule.context, index, instance).await;
        if !matches!(step, Ok(IndexingStep::Next)) {
            schedule.context.indexing_stats.lock().is_running = false;
            return Some(step.map(|step| matches!(step, IndexingStep::Done)));
        }
    }
}

/// A walk over all posts that need it.
struct IndexingPass {
    after: Option<PostId>,
    posts: u64,
    started: Instant,
    reported: Instant,
}

enum IndexingStep {
    Next,
    Done,
    /// Another instance has the lease.
    Leased,
}

impl IndexingPass {
    fn new() -> Self {
        let started = Instant::now();
        Self {
            after: None,
            posts: 0,
            started,
            reported: started,
        }
    }

    async fn step(
        &mut self,
        context: &Context,
        index: &dyn SearchIndex,
        instance: &str,
    ) -> Result<IndexingStep, StoreError> {
        let version = Words::VERSION;
        let posts = index.unindexed_posts(version, self.after, BATCH).await?;
        let Some(last) = posts.last().copied() else {
            index.set_indexed(version).await?;
            if self.posts > 0 {
                index.lease_indexing(instance, Duration::ZERO).await?;
                let (posts, seconds) = (self.posts, self.started.elapsed().as_secs());
                tracing::info!(posts, seconds, "all posts are indexed for searches");
            }
            return Ok(IndexingStep::Done);
        };
        if !index.lease_indexing(instance, MAX_LEASE).await? {
            return Ok(IndexingStep::Leased);
        }
        if self.posts == 0 {
            tracing::info!("posts are being indexed for searches, in the background");
        }
        context.indexing_stats.lock().is_running = true;
        let (mut batch, mut bytes) = (Vec::new(), 0);
        for id in posts {
            if let Some(Entry::Live(post)) = posts::get_current(context, id).await? {
                bytes += post.body.len();
                batch.push(post);
            }
            if bytes >= BATCH_BYTES || id == last {
                bytes = 0;
                self.index(context, index, take(&mut batch)).await?;
            }
        }
        self.after = Some(last);
        if self.reported.elapsed() >= REPORT {
            self.reported = Instant::now();
            tracing::info!(posts = self.posts, "posts are being indexed for searches");
        }
        Ok(IndexingStep::Next)
    }

    async fn index(
        &mut self,
        context: &Context,
        index: &dyn SearchIndex,
        posts: Vec<Arc<Post>>,
    ) -> Result<(), StoreError> {
        let count = posts.len() as u64;
        let words = spawn_blocking(move || {
            let words = posts.iter().map(|post| {
                let summary = &post.summary;
                (summary.id, summary.revision, Words::of(post))
            });
            words.collect()
        });
        let words = words
            .await
            .map_err(|error| StoreError::new("make words of posts", error))?;
        index.index_posts(words).await?;
        self.posts += count;
        context.indexing_stats.lock().posts += count;
        Ok(())
    }
}
