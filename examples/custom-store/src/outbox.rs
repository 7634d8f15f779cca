//! The outbox: changes that wait for durable listeners. A row for each change and listener, as JSON.

use std::collections::HashSet;
use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{
    DueChange, ListenerFailure, ListenerState, MAX_PAUSE, NewChange, Outbox, Retry, StoreError,
    Timestamp,
};
use redb::{
    Key, ReadOnlyTable, ReadTransaction, ReadableTable, Table, TableDefinition, TableError, Value,
    WriteTransaction,
};
use serde::{Deserialize, Serialize};

use crate::lease::Lease;
use crate::store::RedbStore;
use crate::tables::{Cause, Json, Text, read};

/// The leases of listeners, by name.
const LISTENERS: TableDefinition<'static, Text, Json> = TableDefinition::new("listeners");
/// When listeners last failed, and with which error, by name.
const FAILURES: TableDefinition<'static, Text, Json> = TableDefinition::new("failures");
/// What waits for a listener, by its number.
const WAITING: TableDefinition<'static, (Text, u64), Json> = TableDefinition::new("waiting");
/// The number of the last change: one row.
const LAST_NUMBER: TableDefinition<'static, (), u64> = TableDefinition::new("last_number");

#[derive(Deserialize, Serialize)]
struct Waiting {
    subject: String,
    made_at: i64,
    due: i64,
    attempts: u32,
    text: String,
}

/// The tables of the outbox, opened for writing.
pub(crate) struct OutboxTables<'txn> {
    listeners: Table<'txn, Text, Json>,
    failures: Table<'txn, Text, Json>,
    waiting: Table<'txn, (Text, u64), Json>,
    last_number: Table<'txn, (), u64>,
}

impl<'txn> OutboxTables<'txn> {
    pub(crate) fn open(transaction: &'txn WriteTransaction) -> Result<Self, TableError> {
        Ok(Self {
            listeners: transaction.open_table(LISTENERS)?,
            failures: transaction.open_table(FAILURES)?,
            waiting: transaction.open_table(WAITING)?,
            last_number: transaction.open_table(LAST_NUMBER)?,
        })
    }

    /// Adds a change for each listener.
    pub(crate) fn add(&mut self, change: &NewChange) -> Result<(), Cause> {
        let last = self.last_number.get(())?.map_or(0, |last| last.value());
        let number = last + 1;
        self.last_number.insert((), number)?;
        let json = serde_json::to_vec(&Waiting {
            subject: change.subject().to_owned(),
            made_at: change.at().as_micros(),
            due: 0,
            attempts: 0,
            text: change.to_text(),
        })?;
        for row in self.listeners.iter()? {
            let (name, _) = row?;
            self.waiting.insert((name.value(), number), &*json)?;
        }
        Ok(())
    }

    fn add_listener(&mut self, name: &str) -> Result<(), Cause> {
        if self.listeners.get(name)?.is_none() {
            self.put_listener(name, &Lease::default())?;
        }
        Ok(())
    }

    fn remove_listener(&mut self, name: &str) -> Result<bool, Cause> {
        self.waiting
            .retain_in((name, 0)..=(name, u64::MAX), |_, _| false)?;
        self.failures.remove(name)?;
        Ok(self.listeners.remove(name)?.is_some())
    }

    fn lease_listener(
        &mut self,
        name: &str,
        instance: &str,
        time: Duration,
    ) -> Result<bool, Cause> {
        let Some(lease) = read::<Lease>(&self.listeners, name)? else {
            return Ok(false);
        };
        let Some(lease) = lease.taken(instance, time)? else {
            return Ok(false);
        };
        self.put_listener(name, &lease)?;
        Ok(true)
    }

    fn settle(&mut self, name: &str, done: &[u64], again: &[Retry]) -> Result<(), Cause> {
        for number in done {
            self.waiting.remove((name, *number))?;
        }
        for Retry { number, due, .. } in again {
            let json = self.waiting.get((name, *number))?;
            let waiting = json.map(|json| serde_json::from_slice::<Waiting>(json.value()));
            if let Some(mut waiting) = waiting.transpose()? {
                waiting.due = due.as_micros();
                waiting.attempts += 1;
                let json = serde_json::to_vec(&waiting)?;
                self.waiting.insert((name, *number), &*json)?;
            }
        }
        if let Some(Retry { failure, .. }) = again.last()
            && self.listeners.get(name)?.is_some()
        {
            let json = serde_json::to_vec(&(failure.at.as_micros(), &failure.error))?;
            self.failures.insert(name, &*json)?;
        }
        Ok(())
    }

    fn put_listener(&mut self, name: &str, lease: &Lease) -> Result<(), Cause> {
        let json = serde_json::to_vec(lease)?;
        self.listeners.insert(name, &*json)?;
        Ok(())
    }
}

/// A table, if it was ever written to.
fn table<V: Value + 'static, K: Key + 'static>(
    tx: &ReadTransaction,
    definition: TableDefinition<'_, K, V>,
) -> Result<Option<ReadOnlyTable<K, V>>, Cause> {
    match tx.open_table(definition) {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What waits for a listener, in the order of the numbers.
fn waiting(tx: &ReadTransaction, name: &str) -> Result<Vec<(u64, Waiting)>, Cause> {
    let Some(table) = table(tx, WAITING)? else {
        return Ok(Vec::new());
    };
    let rows = table.range((name, 0)..=(name, u64::MAX))?;
    rows.map(|row| {
        let (place, json) = row?;
        Ok((place.value().1, serde_json::from_slice(json.value())?))
    })
    .collect()
}

/// Walks over all that waits for the listener.
fn due(
    tx: &ReadTransaction,
    name: &str,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<DueChange>, Cause> {
    let now = now.as_micros();
    let latest = now.saturating_add(i64::try_from(MAX_PAUSE.as_micros())?);
    let mut subjects = HashSet::new();
    let mut all = waiting(tx, name)?;
    all.retain(|(_, waiting)| subjects.insert(waiting.subject.clone()));
    let due = all
        .into_iter()
        .filter(|(_, waiting)| waiting.due <= now || waiting.due > latest);
    let changes = due.map(|(number, waiting)| DueChange {
        number,
        attempts: waiting.attempts,
        text: waiting.text,
    });
    Ok(changes.take(limit as usize).collect())
}

fn last_failure(tx: &ReadTransaction, name: &str) -> Result<Option<ListenerFailure>, Cause> {
    let Some(table) = table(tx, FAILURES)? else {
        return Ok(None);
    };
    let Some(json) = table.get(name)? else {
        return Ok(None);
    };
    let (at, error) = serde_json::from_slice(json.value())?;
    let at = Timestamp::from_micros(at);
    Ok(Some(ListenerFailure { at, error }))
}

fn listeners(tx: &ReadTransaction) -> Result<Vec<ListenerState>, Cause> {
    let Some(table) = table(tx, LISTENERS)? else {
        return Ok(Vec::new());
    };
    let names = table.iter()?.map(|row| Ok(row?.0.value().to_owned()));
    let names: Vec<String> = names.collect::<Result<_, Cause>>()?;
    let state = |name: String| {
        let waiting = waiting(tx, &name)?;
        let failure = last_failure(tx, &name)?;
        let state = ListenerState::new(name).with_last_failure(failure);
        Ok(match (waiting.first(), waiting.last()) {
            (Some((_, first)), Some((last, _))) => {
                let oldest = Timestamp::from_micros(first.made_at);
                state.with_waiting(waiting.len() as u64, oldest, *last)
            }
            _ => state,
        })
    };
    names.into_iter().map(state).collect()
}

#[async_trait]
impl Outbox for RedbStore {
    async fn add_listener(&self, name: &str) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.transaction("add a listener", move |tx| {
            OutboxTables::open(tx)?.add_listener(&name)
        })
        .await
    }

    async fn remove_listener(&self, name: &str) -> Result<bool, StoreError> {
        let name = name.to_owned();
        self.transaction("remove a listener", move |tx| {
            OutboxTables::open(tx)?.remove_listener(&name)
        })
        .await
    }

    async fn listeners(&self) -> Result<Vec<ListenerState>, StoreError> {
        self.read("list the listeners", listeners).await
    }

    async fn lease_listener(
        &self,
        name: &str,
        instance: &str,
        time: Duration,
    ) -> Result<bool, StoreError> {
        let (name, instance) = (name.to_owned(), instance.to_owned());
        self.transaction("hold a listener", move |tx| {
            OutboxTables::open(tx)?.lease_listener(&name, &instance, time)
        })
        .await
    }

    async fn due_changes(
        &self,
        name: &str,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<DueChange>, StoreError> {
        let name = name.to_owned();
        self.read("read what waits", move |tx| due(tx, &name, now, limit))
            .await
    }

    async fn settle(&self, name: &str, done: &[u64], again: &[Retry]) -> Result<(), StoreError> {
        let (name, done, again) = (name.to_owned(), done.to_vec(), again.to_vec());
        self.transaction("settle changes", move |tx| {
            OutboxTables::open(tx)?.settle(&name, &done, &again)
        })
        .await
    }
}
