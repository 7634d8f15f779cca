//! What was read, and what is being read.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, Weighter};
use tokio::sync::watch;

use super::validity::{Moment, Validity};
use crate::id::PostId;
use crate::post::Entry;
use crate::store::weight::Weigh;

/// Posts that the cache is laid out for at first; it grows with their number.
const LAID_OUT_FOR: usize = 1024;
/// What it costs to keep an entry, beside the entry.
const BOOKKEEPING: usize = 128;

/// Entries by identifier, and the reads of the store that are under way.
pub(super) struct Kept {
    pub(super) validity: Validity,
    answers: Cache<PostId, Answer, ByWeight>,
    /// Answers are put and forgotten with this locked, so that a read which began before a change
    /// does not put what it found back after it. Whoever finds an answer does not come here.
    reads: Mutex<HashMap<PostId, UnderWay>>,
}

/// What the store answered.
#[derive(Clone)]
struct Answer {
    entry: Entry,
    asked_at: Moment,
}

/// A read of the store that is under way, as those see it who wait for it.
struct UnderWay {
    asked_at: Moment,
    found: Found,
}

type Found = watch::Receiver<Option<Entry>>;

#[derive(Clone)]
struct ByWeight;

impl Weighter<PostId, Answer> for ByWeight {
    fn weight(&self, _: &PostId, answer: &Answer) -> u64 {
        (BOOKKEEPING + size_of::<Entry>() + answer.entry.weight()) as u64
    }
}

/// How to come by what is not kept.
pub(super) enum Turn<'a> {
    /// To ask the store.
    Ask(Reading<'a>),
    /// To wait for somebody who does.
    Wait(Waiting),
}

impl Kept {
    pub(super) fn new(bound: Duration, max_bytes: u64) -> Self {
        let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        Self {
            validity: Validity::new(bound),
            answers: Cache::with(LAID_OUT_FOR, max_bytes, ByWeight, hasher, lifecycle),
            reads: Mutex::default(),
        }
    }

    pub(super) fn set_max_bytes(&self, max_bytes: u64) {
        self.answers.set_capacity(max_bytes);
    }

    /// What is kept under an identifier, if it may answer a read that begins `now`.
    pub(super) fn get(&self, id: PostId, now: Moment) -> Option<Entry> {
        let answer = self.answers.get(&id)?;
        self.validity
            .holds(answer.asked_at, now)
            .then_some(answer.entry)
    }

    /// Begins to read what is not kept, `now`.
    pub(super) fn read(&self, id: PostId, now: Moment) -> Turn<'_> {
        let mut reads = self.reads();
        if let Some(read) = reads.get(&id)
            && self.validity.holds(read.asked_at, now)
        {
            return Turn::Wait(Waiting(read.found.clone()));
        }
        let (tell, found) = watch::channel(None);
        let read = UnderWay {
            asked_at: now,
            found: found.clone(),
        };
        reads.insert(id, read);
        Turn::Ask(Reading {
            kept: self,
            id,
            tell,
            found,
        })
    }

    /// Forgets what was found under an identifier, and what is being found.
    pub(super) fn forget(&self, id: PostId) {
        let mut reads = self.reads();
        reads.remove(&id);
        self.answers.remove(&id);
    }

    /// Forgets when what is returned is dropped: whatever becomes of a change, also when nobody
    /// waits for it any more.
    pub(super) fn invalidate_on_drop(&self, id: PostId) -> impl Drop + '_ {
        Forgetting { kept: self, id }
    }

    // Nothing panics while it holds the lock, so that a poisoned one is still whole.
    fn reads(&self) -> MutexGuard<'_, HashMap<PostId, UnderWay>> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept")
            .field("validity", &self.validity)
            .field("posts", &self.answers.len())
            .finish_non_exhaustive()
    }
}

/// A read of the store, by whoever asks it. Dropped without an answer, it leaves none.
pub(super) struct Reading<'a> {
    kept: &'a Kept,
    id: PostId,
    tell: watch::Sender<Option<Entry>>,
    found: Found,
}

impl Reading<'_> {
    /// Tells what the store answered to those who wait for it, and keeps it, unless it was
    /// forgotten meanwhile.
    pub(super) fn answer(self, entry: &Entry) {
        let mut reads = self.kept.reads();
        if let Some(read) = self.take_back(&mut reads) {
            let answer = Answer {
                entry: entry.clone(),
                asked_at: read.asked_at,
            };
            self.kept.answers.insert(self.id, answer);
        }
        drop(reads);
        self.tell.send_replace(Some(entry.clone()));
    }

    /// Ends the read, if it was not forgotten.
    fn take_back(&self, reads: &mut HashMap<PostId, UnderWay>) -> Option<UnderWay> {
        let is_this = |read: &UnderWay| read.found.same_channel(&self.found);
        reads
            .get(&self.id)
            .is_some_and(is_this)
            .then(|| reads.remove(&self.id))
            .flatten()
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.take_back(&mut self.kept.reads());
    }
}

/// A read of the store that somebody else makes.
pub(super) struct Waiting(Found);

impl Waiting {
    /// What was found; none where nothing was, or the read failed or was given up.
    pub(super) async fn answer(mut self) -> Option<Entry> {
        let found = self.0.wait_for(Option::is_some).await.ok()?;
        found.clone()
    }
}

struct Forgetting<'a> {
    kept: &'a Kept,
    id: PostId,
}

impl Drop for Forgetting<'_> {
    fn drop(&mut self) {
        self.kept.forget(self.id);
    }
}
