//! One thread that does all writing. Changes that wait are written together, in one transaction:
//! bringing it to the disk is what takes the time, and takes it once for all of them.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use handbill::{StoreError, Write};
use redb::{Database, Durability};
use tokio::sync::{mpsc, oneshot};

use crate::change::Change;
use crate::tables::{Cause, Tables};

/// Changes in one transaction at the most: it bounds how long the first of them waits for the rest.
const BATCH: usize = 256;
/// Changes that wait at the most, bodies and all; whoever comes then waits outside the queue.
const QUEUE: usize = 2 * BATCH;

/// One cause for all the changes of a batch.
type SharedCause = Arc<dyn Error + Send + Sync>;

struct Waiting {
    change: Change,
    answer: oneshot::Sender<Result<Write, SharedCause>>,
}

pub(crate) struct Writer {
    queue: Option<mpsc::Sender<Waiting>>,
    /// Whether the last batch came to the disk.
    is_well: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(crate) fn start(database: Arc<Database>) -> io::Result<Self> {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let is_well = Arc::new(AtomicBool::new(true));
        let tells = Arc::clone(&is_well);
        let thread = thread::Builder::new()
            .name("handbill-redb-writer".to_owned())
            .spawn(move || run(&database, waiting, &tells))?;
        Ok(Self {
            queue: Some(queue),
            is_well,
            thread: Some(thread),
        })
    }

    /// Whether writing works, as far as one knows.
    pub(crate) fn is_well(&self) -> bool {
        let is_open = self.queue.as_ref().is_some_and(|queue| !queue.is_closed());
        is_open && self.is_well.load(Ordering::Relaxed)
    }

    /// What became of the change, once that is on the disk. Whoever stops waiting for it does not
    /// stop the change.
    pub(crate) async fn write(
        &self,
        doing: &'static str,
        change: Change,
    ) -> Result<Write, StoreError> {
        let stopped = || StoreError::new(doing, Stopped);
        let (answer, answered) = oneshot::channel();
        let queue = self.queue.as_ref().ok_or_else(stopped)?;
        queue
            .send(Waiting { change, answer })
            .await
            .map_err(|_| stopped())?;
        match answered.await {
            Ok(outcome) => outcome.map_err(|cause| StoreError::new(doing, cause)),
            Err(_) => Err(stopped()),
        }
    }
}

/// Waits for the thread, which finishes what is in the queue: afterwards the file is closed, and
/// can be opened again.
impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported when it happened, and to who waited for it.
            _ = thread.join();
        }
    }
}

/// Instead of a change's outcome: the thread has panicked.
#[derive(Debug)]
struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the thread that writes has stopped")
    }
}

impl Error for Stopped {}

fn run(database: &Database, mut queue: mpsc::Receiver<Waiting>, is_well: &AtomicBool) {
    let mut batch = Vec::with_capacity(BATCH);
    while queue.blocking_recv_many(&mut batch, BATCH) > 0 {
        let (changes, answers): (Vec<_>, Vec<_>) = batch
            .drain(..)
            .map(|waiting| (waiting.change, waiting.answer))
            .unzip();
        let committed = commit(database, changes);
        is_well.store(committed.is_ok(), Ordering::Relaxed);
        let outcomes = match committed {
            Ok(writes) => writes.into_iter().map(Ok).collect(),
            Err(cause) => vec![Err(SharedCause::from(cause)); answers.len()],
        };
        for (answer, outcome) in answers.into_iter().zip(outcomes) {
            // Nobody takes the answer when the caller has stopped waiting.
            _ = answer.send(outcome);
        }
    }
}

/// All of the changes or, where there is an error, none. A conflict is no error.
fn commit(database: &Database, changes: Vec<Change>) -> Result<Vec<Write>, Cause> {
    let mut transaction = database.begin_write()?;
    // Not left to the default, since acknowledging depends on it.
    transaction.set_durability(Durability::Immediate)?;
    // Lets the file be opened at once after a crash, however large it is, where redb would else read
    // all of it. It takes a second trip to the disk, after which redb need not go by checksums that
    // a stranger's text might be made to match.
    transaction.set_quick_repair(true);
    let mut tables = Tables::open(&transaction)?;
    let writes = changes
        .into_iter()
        .map(|change| change.apply(&mut tables))
        .collect::<Result<_, _>>()?;
    drop(tables);
    transaction.commit()?;
    Ok(writes)
}
