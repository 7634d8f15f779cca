//! A database on another host: what is stored survives a crash of the server, and a write takes a moment
//! before and after it is made.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{Decorated, Decorator, NewChange, Outcome, StoreError, Write};
use handbill::{MemoryStore, Store};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::sleep;

#[derive(Clone)]
pub(super) struct Delayed {
    posts: Arc<MemoryStore>,
    random: Arc<Mutex<StdRng>>,
}

pub(super) fn database(seed: u64) -> Decorated<Delayed> {
    Decorated(Delayed {
        posts: Arc::new(MemoryStore::new()),
        random: Arc::new(Mutex::new(StdRng::seed_from_u64(seed))),
    })
}

impl Delayed {
    /// Mostly short; now and then longer than a client waits for its response.
    async fn delay(&self) {
        let millis = {
            let mut random = self.random.lock().unwrap();
            match random.random_ratio(1, 10) {
                true => random.random_range(0..3_000),
                false => random.random_range(0..30),
            }
        };
        sleep(Duration::from_millis(millis)).await;
    }
}

#[async_trait]
impl Decorator for Delayed {
    fn inner(&self) -> &dyn Store {
        &*self.posts
    }

    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        self.delay().await;
        let written = self.posts.write(write, change).await;
        self.delay().await;
        written
    }
}
