//! Reads from replicas that are never older than what was acknowledged.
//!
//! Before a read, Handbill asks the primary for its current LSN. A replica may respond only if it has
//! replayed that LSN; otherwise the primary does. Without a response from the primary, it is unknown what
//! other instances have acknowledged, so that the read fails, too: replicas take load off the primary
//! and do not replace it.

mod lsn;
mod replica;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use handbill::store::Health;
use sqlx::postgres::PgRow;

use super::connections::{Connections, Statement};
use super::server::Server;
use lsn::LsnSource;
pub(super) use lsn::Position;
use replica::Replica;

#[derive(Clone)]
pub(super) struct Replicas {
    primary: Arc<LsnSource>,
    all: Vec<Arc<Replica>>,
    next: Arc<AtomicUsize>,
}

impl Replicas {
    /// No replicas of this primary.
    pub(super) fn none(primary: &Arc<Connections>) -> Self {
        Self {
            primary: Arc::new(LsnSource::new(primary)),
            all: Vec::new(),
            next: Arc::default(),
        }
    }

    pub(super) fn add(&mut self, server: Server) {
        self.all.push(Replica::start(server, &self.primary));
    }

    /// The rows of a statement that reads, from one of the replicas. `None` if the primary must be
    /// asked instead.
    pub(super) async fn rows<'q>(
        &self,
        statement: &(impl Fn() -> Statement<'q> + Sync),
    ) -> Option<Vec<PgRow>> {
        if !self.all.iter().any(|replica| replica.is_up()) {
            return None;
        }
        // If the primary is away, the read fails there and returns the reason.
        let position = self.primary.position().await.ok()??;
        self.next_up()?.rows(position, statement()).await
    }

    /// The replicas that are up take turns.
    fn next_up(&self) -> Option<&Replica> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.all.len();
        let (before, from) = self.all.split_at(turn);
        let mut in_turn = from.iter().chain(before);
        in_turn.find(|replica| replica.is_up()).map(Arc::as_ref)
    }

    /// The replicas as they were at their last checks.
    pub(super) fn health(&self) -> Health {
        let replicas = self.all.iter().map(|replica| replica.health());
        replicas.fold(Health::default(), Health::with_replica)
    }

    pub(super) fn close(&self) {
        for replica in &self.all {
            replica.close();
        }
    }
}
