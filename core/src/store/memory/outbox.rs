//! The outbox of the store in memory.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use async_trait::async_trait;

use super::{Lease, MemoryStore, lease};
use crate::post::{NewChange, Timestamp};
use crate::store::{
    DueChange, ListenerFailure, ListenerState, MAX_PAUSE, Outbox, Retry, StoreError,
};

/// The listeners, and the changes that wait for them.
#[derive(Debug, Default)]
pub(super) struct OutboxState {
    last_number: u64,
    listeners: BTreeMap<String, Listener>,
}

#[derive(Debug, Default)]
struct Listener {
    lease: Lease,
    changes: BTreeMap<u64, WaitingChange>,
    last_failure: Option<ListenerFailure>,
}

#[derive(Clone, Debug)]
struct WaitingChange {
    subject: String,
    at: Timestamp,
    text: String,
    attempts: u32,
    due: Timestamp,
}

impl OutboxState {
    pub(super) fn add(&mut self, change: &NewChange) {
        self.last_number += 1;
        for listener in self.listeners.values_mut() {
            let waiting = WaitingChange {
                subject: change.subject().to_owned(),
                at: change.at(),
                text: change.to_text(),
                attempts: 0,
                due: Timestamp::from_micros(0),
            };
            listener.changes.insert(self.last_number, waiting);
        }
    }
}

impl Listener {
    fn state(&self, name: &str) -> ListenerState {
        let state = ListenerState::new(name.to_owned());
        let state = state.with_last_failure(self.last_failure.clone());
        let (first, last) = (
            self.changes.first_key_value(),
            self.changes.last_key_value(),
        );
        let (Some((_, first)), Some((last, _))) = (first, last) else {
            return state;
        };
        state.with_waiting(self.changes.len() as u64, first.at, *last)
    }

    fn due(&self, now: Timestamp, limit: u32) -> Vec<DueChange> {
        let mut subjects = HashSet::new();
        let first_per_subject = self
            .changes
            .iter()
            .filter(|(_, change)| subjects.insert(&*change.subject));
        let max_pause = i64::try_from(MAX_PAUSE.as_micros()).unwrap_or(i64::MAX);
        let max_due = Timestamp::from_micros(now.as_micros().saturating_add(max_pause));
        let due = first_per_subject.filter(|(_, change)| change.due <= now || change.due > max_due);
        let due = due.map(|(number, change)| DueChange {
            number: *number,
            attempts: change.attempts,
            text: change.text.clone(),
        });
        due.take(limit as usize).collect()
    }
}

#[async_trait]
impl Outbox for MemoryStore {
    async fn add_listener(&self, name: &str) -> Result<(), StoreError> {
        let listeners = &mut self.state.write().outbox.listeners;
        listeners.entry(name.to_owned()).or_default();
        Ok(())
    }

    async fn remove_listener(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.state.write().outbox.listeners.remove(name).is_some())
    }

    async fn listeners(&self) -> Result<Vec<ListenerState>, StoreError> {
        let state = self.state.read();
        let listeners = state.outbox.listeners.iter();
        Ok(listeners
            .map(|(name, listener)| listener.state(name))
            .collect())
    }

    async fn lease_listener(
        &self,
        name: &str,
        instance: &str,
        time: Duration,
    ) -> Result<bool, StoreError> {
        let listeners = &mut self.state.write().outbox.listeners;
        let listener = listeners.get_mut(name);
        Ok(listener.is_some_and(|listener| lease(&mut listener.lease, instance, time)))
    }

    async fn due_changes(
        &self,
        name: &str,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<DueChange>, StoreError> {
        let state = self.state.read();
        let listener = state.outbox.listeners.get(name);
        Ok(listener.map_or_else(Vec::new, |listener| listener.due(now, limit)))
    }

    async fn settle(&self, name: &str, done: &[u64], again: &[Retry]) -> Result<(), StoreError> {
        let mut state = self.state.write();
        let Some(listener) = state.outbox.listeners.get_mut(name) else {
            return Ok(());
        };
        for number in done {
            listener.changes.remove(number);
        }
        for retry in again {
            if let Some(change) = listener.changes.get_mut(&retry.number) {
                change.due = retry.due;
                change.attempts += 1;
            }
            listener.last_failure = Some(retry.failure.clone());
        }
        Ok(())
    }
}
