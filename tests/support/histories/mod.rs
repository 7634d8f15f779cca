//! Histories of concurrent requests, and a check that each post's history is linearizable: that all
//! responses are as if the requests had been handled one after the other, each at one moment between its
//! beginning and its response.
//!
//! `client` sends the requests and records them. `post` says which responses are right, one after the
//! other. `checker` looks for an order.

mod checker;
mod client;
mod post;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use handbill::Handbill;
use handbill_testing::http::SentBody;
use http::{Request, Response, StatusCode};
use tokio::task::JoinSet;

pub use checker::check;
use client::Client;
pub use client::Reads;
pub use post::{Event, State};

use crate::bare;

/// The number of concurrent clients.
pub const CLIENTS: usize = 16;
/// The number of posts that they share.
const POSTS: usize = 3;

/// A request, and what its response says.
#[derive(Clone, Debug)]
pub struct Call {
    /// When the request was sent. Only the order of these numbers matters.
    pub begin: u64,
    /// When the response had arrived. `None` if the outcome is unknown: the request may have been handled
    /// later, or not at all.
    pub end: Option<u64>,
    /// The request and its response.
    pub event: Event,
}

/// Where a client sends its requests.
pub trait Target: Send + 'static {
    /// The response; `None` if the outcome of the request is unknown.
    fn send(
        &mut self,
        request: Request<String>,
    ) -> impl Future<Output = Option<Response<Bytes>>> + Send;
}

/// The instances of a service, in process. Each request goes to any of them.
impl Target for Vec<Handbill> {
    async fn send(&mut self, request: Request<String>) -> Option<Response<Bytes>> {
        let instance = self[rand::random_range(0..self.len())].clone();
        let response = bare::call(instance, bare::LOCAL, request.map(SentBody::whole)).await;
        (response.status() != StatusCode::SERVICE_UNAVAILABLE).then_some(response)
    }
}

/// The number of histories and of calls in them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recorded {
    /// One history per post.
    pub histories: usize,
    /// The calls with a response.
    pub completed: usize,
    /// The calls without one.
    pub unknown: usize,
}

impl Recorded {
    /// Adds the numbers of another round.
    pub fn add(&mut self, other: Self) {
        self.histories += other.histories;
        self.completed += other.completed;
        self.unknown += other.unknown;
    }
}

/// Calls by the name of their post.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    clock: AtomicU64,
    calls: Mutex<BTreeMap<String, Vec<Call>>>,
}

impl Recorder {
    fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    fn add(&self, post: &str, call: Call) {
        let mut calls = self.calls.lock().expect("no client has panicked");
        calls.entry(post.to_owned()).or_default().push(call);
    }
}

/// Lets clients create, change, delete and read a few new posts concurrently, one client for each target,
/// and checks the history of each post.
///
/// # Errors
/// If a history is not linearizable: all its calls.
pub async fn check_round<T: Target>(
    targets: impl IntoIterator<Item = T>,
    api_key: &str,
    reads: Reads,
) -> Result<Recorded, String> {
    let recorder = Arc::new(Recorder::default());
    let round: u64 = rand::random();
    let posts: Vec<String> = (0..POSTS).map(|post| format!("{round}-{post}")).collect();
    let mut clients = JoinSet::new();
    for target in targets {
        let client = Client::new(target, api_key, reads, Arc::clone(&recorder));
        clients.spawn(client.run(posts.clone()));
    }
    clients.join_all().await;
    let calls = recorder.calls.lock().expect("no client has panicked");
    let mut recorded = Recorded::default();
    for (post, calls) in calls.iter() {
        check(calls).map_err(|history| format!("the history of post {post}:\n{history}"))?;
        let completed = calls.iter().filter(|call| call.end.is_some()).count();
        recorded.add(Recorded {
            histories: 1,
            completed,
            unknown: calls.len() - completed,
        });
    }
    Ok(recorded)
}
