//! The outbox of a store with at most one fault.

use std::sync::atomic::Ordering;
use std::time::Duration;

use handbill::store::{
    DueChange, ListenerState, MAX_PAUSE, NewChange, Outbox, Outcome, Retry, Store, StoreError,
    Timestamp, Write,
};
use handbill_testing::samples::key;

use crate::fault::Fault::*;
use crate::faulty::Faulty;

/// What a correct outbox would not use.
#[derive(Debug, Default)]
pub(crate) struct OutboxAside {
    told: Vec<String>,
    numbers: Vec<u64>,
    due: Vec<(u64, Timestamp)>,
    removed: Vec<String>,
    unused_keys: u32,
}

impl Faulty {
    fn below(&self) -> &dyn Outbox {
        self.inner.outbox().unwrap()
    }

    /// Adds a change, whatever became of its write.
    async fn add_anyway(&self, change: NewChange) -> Result<(), StoreError> {
        let number = self.aside(|aside| {
            aside.outbox.unused_keys += 1;
            aside.outbox.unused_keys
        });
        let insert = Write::InsertKey {
            key: key(1_000_000 + number),
            by: None,
        };
        let added = self.inner.write(insert, Some(change)).await?;
        assert_eq!(added, Outcome::Applied);
        Ok(())
    }

    pub(crate) async fn write_with_change(
        &self,
        write: Write,
        change: NewChange,
    ) -> Result<Outcome, StoreError> {
        match (self.fault, &write) {
            (Some(ForgetsChangesOfDeletions), Write::DeletePost { .. }) => {
                return self.inner.write(write, None).await;
            }
            (Some(LosesChangesThatMeet), _) => {
                let others = self.writing.fetch_add(1, Ordering::SeqCst);
                for _ in 0..100 {
                    std::thread::yield_now();
                }
                let outcome = match others {
                    0 => self.inner.write(write, Some(change)).await,
                    _ => self.inner.write(write, None).await,
                };
                self.writing.fetch_sub(1, Ordering::SeqCst);
                return outcome;
            }
            _ => {}
        }
        self.aside(|aside| aside.outbox.told.push(change.to_text()));
        let outcome = self.inner.write(write, Some(change.clone())).await?;
        if outcome != Outcome::Applied && self.has(AddsChangesOfConflicts) {
            self.add_anyway(change).await?;
        }
        Ok(outcome)
    }

    /// The numbers that a settlement means.
    fn meant(&self, numbers: &[u64]) -> Vec<u64> {
        if !self.has(NumbersWhatIsDue) {
            return numbers.to_vec();
        }
        self.aside(|aside| {
            let known = numbers.iter().filter_map(|place| {
                let place = usize::try_from(*place).ok()?.checked_sub(1)?;
                aside.outbox.numbers.get(place).copied()
            });
            known.collect()
        })
    }
}

#[async_trait::async_trait]
impl Outbox for Faulty {
    async fn add_listener(&self, name: &str) -> Result<(), StoreError> {
        if self.has(ForgetsWhatWaitsWhenAdded) {
            self.below().remove_listener(name).await?;
        }
        self.aside(|aside| aside.outbox.removed.retain(|removed| removed != name));
        self.below().add_listener(name).await
    }

    async fn remove_listener(&self, name: &str) -> Result<bool, StoreError> {
        if !self.has(KeepsWhatWaitsWhenRemoved) {
            return self.below().remove_listener(name).await;
        }
        Ok(self.aside(|aside| {
            let removed = &mut aside.outbox.removed;
            let was_there = !removed.iter().any(|removed| removed == name);
            removed.push(name.to_owned());
            was_there
        }))
    }

    async fn listeners(&self) -> Result<Vec<ListenerState>, StoreError> {
        let mut states = self.below().listeners().await?;
        if self.has(ForgetsFailures) {
            states
                .iter_mut()
                .for_each(|state| state.last_failure = None);
        }
        Ok(states)
    }

    async fn lease_listener(
        &self,
        name: &str,
        instance: &str,
        time: Duration,
    ) -> Result<bool, StoreError> {
        let is_leased = self.below().lease_listener(name, instance, time).await?;
        let names = self.below().listeners().await?;
        let is_known = names.iter().any(|state| state.name == name);
        Ok(is_leased || is_known && self.has(LeasesToMany))
    }

    async fn due_changes(
        &self,
        name: &str,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<DueChange>, StoreError> {
        let mut due = self.below().due_changes(name, now, limit).await?;
        match self.fault {
            Some(TellsAllChangesAtOnce) => {
                let told = self.aside(|aside| aside.outbox.told.clone());
                let missing = told.into_iter().zip(1_000_000..);
                let missing = missing.filter(|(text, _)| due.iter().all(|due| due.text != *text));
                let missing: Vec<_> = missing.collect();
                due.extend(missing.into_iter().map(|(text, number)| DueChange {
                    number,
                    attempts: 0,
                    text,
                }));
            }
            Some(WaitsForAClockThatWasSetBack) => {
                let longest = i64::try_from(MAX_PAUSE.as_micros()).unwrap();
                let latest = Timestamp::from_micros(now.as_micros() + longest);
                let late = self.aside(|aside| aside.outbox.due.clone());
                let is_late = |number| late.iter().rev().find(|(late, _)| *late == number);
                due.retain(|change| is_late(change.number).is_none_or(|(_, due)| *due <= latest));
            }
            Some(NumbersWhatIsDue) => {
                let numbers = due.iter().map(|change| change.number).collect();
                self.aside(|aside| aside.outbox.numbers = numbers);
                for (change, place) in due.iter_mut().zip(1..) {
                    change.number = place;
                }
            }
            _ => {}
        }
        Ok(due)
    }

    async fn settle(&self, name: &str, done: &[u64], again: &[Retry]) -> Result<(), StoreError> {
        let due = again.iter().map(|retry| (retry.number, retry.due));
        self.aside(|aside| aside.outbox.due.extend(due));
        let done = self.meant(done);
        if self.has(TriesAgainAtOnce) {
            let due = Timestamp::from_micros(0);
            let again: Vec<_> = again
                .iter()
                .map(|retry| Retry {
                    due,
                    ..retry.clone()
                })
                .collect();
            return self.below().settle(name, &done, &again).await;
        }
        if self.has(SettlesForAll) {
            for state in self.below().listeners().await? {
                self.below().settle(&state.name, &done, &[]).await?;
            }
        }
        self.below().settle(name, &done, again).await
    }
}
