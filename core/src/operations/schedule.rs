//! Posts at their time: a draft becomes public, and a post is deleted.
//!
//! A task of each service looks each second. It asks the store if a post is due, if the store's `Changes` tell of a new
//! change, and once a minute: so it finds what these do not tell of, and catches up with a clock that was set or stood
//! still. Each change is a write like any other, on condition that the post is still in its revision. So instances need
//! no lease, and each thing is done once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep, sleep_until};

use super::access::Credentials;
use super::{MAX_CHANGES, indexing, posts};
use crate::context::Context;
use crate::observe::chain::Chain;
use crate::post::{Actor, Authority, DueAction, Entry, NewChange, Post, PostId, Timestamp};
use crate::problem::{Code, Problem};
use crate::store::{Due, Outcome};

/// The delay of the first run, so that the host can set its listeners before.
const START: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_secs(1);
/// After which time a quiet store is asked again.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// After which time a post whose change has failed is tried again.
const RETRY_POST: Duration = Duration::from_secs(10);
/// For how many posts the store is asked at a time, once one is due.
const BATCH: usize = 1_000;

/// Makes what is due, and indexes what is not yet found by its words, until it is dropped.
pub(crate) struct Schedule {
    pub(super) context: Context,
    runs: Arc<AtomicBool>,
}

/// The posts whose change has failed, and until when they wait.
type FailedPosts = HashMap<PostId, Instant>;

/// A task that has ended, if there was one: the post, and what became of its change.
type EndedChange = Option<Result<(PostId, Result<(), Problem>), JoinError>>;

impl Schedule {
    /// The schedule of a service.
    pub(crate) fn start_new(context: &Context) -> Arc<Self> {
        let schedule = Arc::new(Self {
            context: context.clone(),
            runs: Arc::default(),
        });
        schedule.start();
        schedule
    }

    /// Starts both tasks, unless they run, there is no runtime yet, or the host wants none.
    pub(crate) fn start(self: &Arc<Self>) {
        if self.runs.load(Ordering::Relaxed) || !self.context.runs_tasks {
            return;
        }
        if let Ok(runtime) = Handle::try_current()
            && !self.runs.swap(true, Ordering::Relaxed)
        {
            let runs = RunningFlag(Arc::clone(&self.runs));
            runtime.spawn(run(Arc::downgrade(self), runs));
            runtime.spawn(indexing::run(Arc::downgrade(self)));
        }
    }

    /// Makes what is due now. Returns after which time to ask again, if nothing is changed.
    async fn apply_due(self: &Arc<Self>, batch: usize, failed: &mut FailedPosts) -> Duration {
        failed.retain(|_, until| *until > Instant::now());
        let limit = batch + failed.len();
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let due = match self.context.store.list_due(limit).await {
            Ok(due) => due,
            Err(error) => {
                tracing::warn!(error = %Chain(&error), "posts wait for their time");
                return TICK;
            }
        };
        let now = Timestamp::now();
        let is_retryable = |due: &&Due| !failed.contains_key(&due.id);
        let (due_now, due_later): (Vec<Due>, Vec<Due>) = due
            .iter()
            .filter(is_retryable)
            .partition(|due| due.at <= now);
        let Some(first) = due_now.first() else {
            let next = due_later.first().map_or(MAX_PAUSE, |due| due.at.since(now));
            let retry = match failed.is_empty() {
                true => MAX_PAUSE,
                false => RETRY_POST,
            };
            return next.min(retry);
        };
        tracing::debug!(posts = due_now.len(), first = %first.id, "posts are due");
        let mut changes = JoinSet::new();
        for Due { id, .. } in due_now {
            if changes.len() >= MAX_CHANGES {
                record_outcome(changes.join_next().await, failed);
            }
            // If it fails, or its task panics, it waits.
            failed.insert(id, Instant::now() + RETRY_POST);
            let schedule = Arc::clone(self);
            changes.spawn(async move { (id, schedule.apply_due_action(id).await) });
        }
        while !changes.is_empty() {
            record_outcome(changes.join_next().await, failed);
        }
        Duration::ZERO
    }

    /// Publishes or deletes a post, unless another instance did so, or its time was changed.
    async fn apply_due_action(&self, id: PostId) -> Result<(), Problem> {
        let context = &self.context;
        loop {
            let Some(Entry::Live(post)) = posts::get_current(context, id).await? else {
                return Ok(());
            };
            match post.summary.due(Timestamp::now()) {
                None => return Ok(()),
                Some(DueAction::Delete) => {
                    let host = Credentials::Host(Actor::Schedule);
                    let is_same = |now: &Post| now.summary.revision == post.summary.revision;
                    match posts::delete(context, id, &host, &is_same, None).await {
                        Err(problem) if problem.code() == Code::PreconditionFailed => {}
                        Err(problem) if problem.code() == Code::Gone => return Ok(()),
                        deleted => return deleted,
                    }
                }
                Some(DueAction::Publish) => {
                    let published = match self.publish(&post, false).await {
                        // Nothing of a banned owner is published.
                        Err(problem) if problem.code() == Code::Refused => {
                            self.publish(&post, true).await
                        }
                        published => published,
                    };
                    if published? == Outcome::Applied {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn publish(&self, post: &Post, is_held: bool) -> Result<Outcome, Problem> {
        let context = &self.context;
        let now = context.clock.now();
        let owner = post.summary.owner.as_ref().filter(|_| !is_held);
        let authority = owner.map(|owner| Authority::of(owner, now));
        let published = Arc::new(post.published(is_held, now));
        let change = NewChange::post_updated(Actor::Schedule, &published.summary);
        posts::write(context, post, published, Some(change), authority).await
    }
}

/// Notes what became of the change of a post.
fn record_outcome(ended: EndedChange, failed: &mut FailedPosts) {
    match ended {
        Some(Ok((post, Ok(())))) => drop(failed.remove(&post)),
        Some(Ok((post, Err(problem)))) => {
            tracing::warn!(%post, error = %Chain(&problem), "a post could not be published or deleted at its time");
        }
        Some(Err(error)) => {
            tracing::error!(%error, "a post could not be published or deleted at its time")
        }
        None => {}
    }
}

/// A task ends with its runtime, but the service may be used in another.
struct RunningFlag(Arc<AtomicBool>);

impl Drop for RunningFlag {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// The task. While it sleeps, it holds nothing of the service.
async fn run(schedule: Weak<Schedule>, _runs: RunningFlag) {
    sleep(START).await;
    let mut failed = FailedPosts::new();
    let (mut next_check, mut last_state, mut batch) = (Instant::now(), None, 1);
    while let Some(schedule) = schedule.upgrade() {
        let state = schedule.context.store.changes.state().await;
        if state.is_none() || state != last_state || next_check <= Instant::now() {
            last_state = state;
            let pause = schedule.apply_due(batch, &mut failed).await;
            batch = if pause.is_zero() { BATCH } else { 1 };
            next_check = Instant::now() + pause;
        }
        drop(schedule);
        sleep_until(next_check.min(Instant::now() + TICK)).await;
    }
}
