//! Reads from replicas, which are never older than what was acknowledged.
//!
//! A read that comes in asks the primary first where it is: what was acknowledged before, by
//! whatever instance, is in the log up to there. That question is short, and shared by all reads that
//! wait for it. Then a replica that is known, by an earlier statement, to have replayed its log up to
//! there may answer; if none has, the primary does.
//!
//! Without an answer from the primary nobody knows what others have acknowledged, so that a replica
//! might show what was before. Then the read goes to the primary as well, and fails if that does:
//! replicas share the work, and do not stand in.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sqlx::postgres::PgRow;

use super::connections::{Connections, Server, Statement};
use super::replica::Replica;
use super::ticket::TicketOffice;
use crate::store::Health;

#[derive(Debug)]
pub(super) struct Replicas {
    tickets: Arc<TicketOffice>,
    all: Vec<Arc<Replica>>,
    next: AtomicUsize,
}

impl Replicas {
    /// No replicas of this primary.
    pub(super) fn none(primary: Arc<Connections>) -> Self {
        Self {
            tickets: Arc::new(TicketOffice::new(primary)),
            all: Vec::new(),
            next: AtomicUsize::default(),
        }
    }

    /// These, and one more.
    pub(super) fn and(&self, server: Server) -> Self {
        let another = Replica::watch(server, Arc::clone(&self.tickets));
        let mut all = self.all.clone();
        all.push(Arc::new(another));
        Self {
            tickets: Arc::clone(&self.tickets),
            all,
            next: AtomicUsize::default(),
        }
    }

    /// The rows of a statement that reads, as one of the replicas has them, or none where the primary
    /// is to be asked.
    pub(super) async fn rows<'q>(
        &self,
        statement: &(impl Fn() -> Statement<'q> + Sync),
    ) -> Option<Vec<PgRow>> {
        if !self.all.iter().any(|replica| replica.is_up()) {
            return None;
        }
        // Why the primary does not answer is told by the read that then goes to it.
        let ticket = self.tickets.ticket().await.ok()??;
        self.in_turn()?.rows(ticket, statement()).await
    }

    /// One after the other, of those that are up.
    fn in_turn(&self) -> Option<&Replica> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.all.len();
        let (before, from) = self.all.split_at(turn);
        let mut in_turn = from.iter().chain(before);
        in_turn.find(|replica| replica.is_up()).map(Arc::as_ref)
    }

    /// What is known of them, without asking.
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
