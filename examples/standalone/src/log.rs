//! The log, on standard error: a line for each request, and what else there is to say.
//!
//! To write a line by itself costs more than what a read is answered with. So lines are gathered, and
//! written together a moment later. A warning or an error is written at once, after all that was
//! gathered before it; the rest when the program ends. Only who kills it loses the last moment's lines.

use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use handbill::Timestamp;
use http::Method;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long a line may wait for others.
const PAUSE: Duration = Duration::from_millis(50);
/// Bytes that are written without waiting for more.
const ENOUGH: usize = 64 * 1024;

/// Gathers lines, and writes them in the order in which they came.
#[derive(Default)]
pub(crate) struct Log {
    gathered: Mutex<Gathered>,
    something_gathered: Condvar,
    /// What is being written: held by whoever writes.
    writing: Mutex<Vec<u8>>,
}

#[derive(Default)]
struct Gathered {
    lines: Vec<u8>,
    clock: Clock,
}

/// Writes times as logs have them, most of which share their second with the one before.
#[derive(Default)]
struct Clock {
    second: u64,
    /// Up to the second: `2026-11-20T10:00:00`.
    text: String,
}

/// A request that was answered.
pub(crate) struct Answered<'a> {
    pub(crate) method: &'a Method,
    /// The pattern of its route: its path may hold a token.
    pub(crate) route: &'static str,
    pub(crate) status: u16,
    pub(crate) micros: u64,
}

impl Log {
    /// The log of the program, which it has until it ends.
    ///
    /// # Errors
    /// Where there is no thread to be had.
    pub(crate) fn start() -> io::Result<&'static Self> {
        let log: &'static Self = Box::leak(Box::default());
        let thread = thread::Builder::new().name("log".to_owned());
        thread.spawn(|| log.write_now_and_then())?;
        Ok(log)
    }

    /// Logs a request.
    pub(crate) fn answered(&self, request: &Answered<'_>) {
        let now = SystemTime::now();
        self.add(false, |Gathered { lines, clock }| {
            clock.write(now, lines);
            lines.extend_from_slice(b"  INFO method=");
            lines.extend_from_slice(request.method.as_str().as_bytes());
            lines.extend_from_slice(b" route=\"");
            lines.extend_from_slice(request.route.as_bytes());
            lines.extend_from_slice(b"\" status=");
            lines.extend_from_slice(itoa::Buffer::new().format(request.status).as_bytes());
            lines.extend_from_slice(b" micros=");
            lines.extend_from_slice(itoa::Buffer::new().format(request.micros).as_bytes());
            lines.push(b'\n');
        });
    }

    /// Writes what is gathered, and returns when it is written.
    pub(crate) fn flush(&self) {
        let mut writing = lock(&self.writing);
        std::mem::swap(&mut *writing, &mut lock(&self.gathered).lines);
        // Nobody may read the log: that is no reason to stop.
        let _ = io::stderr().write_all(&writing);
        writing.clear();
    }

    fn add(&self, is_urgent: bool, write: impl FnOnce(&mut Gathered)) {
        let mut gathered = lock(&self.gathered);
        let is_first = gathered.lines.is_empty();
        write(&mut gathered);
        let is_enough = gathered.lines.len() >= ENOUGH;
        drop(gathered);
        if is_urgent || is_enough {
            self.flush();
        } else if is_first {
            self.something_gathered.notify_one();
        }
    }

    fn write_now_and_then(&self) {
        loop {
            let gathered = lock(&self.gathered);
            let is_empty = |gathered: &mut Gathered| gathered.lines.is_empty();
            drop(self.something_gathered.wait_while(gathered, is_empty));
            thread::sleep(PAUSE);
            self.flush();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Clock {
    /// RFC 3339 in UTC with microseconds.
    fn write(&mut self, now: SystemTime, to: &mut Vec<u8>) {
        let since = now
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        if self.second != since.as_secs() || self.text.is_empty() {
            self.second = since.as_secs();
            let second = i64::try_from(self.second).unwrap_or(i64::MAX);
            let instant = Timestamp::from_micros(second.saturating_mul(1_000_000));
            self.text = instant.to_rfc3339();
            self.text.truncate("2026-11-20T10:00:00".len());
        }
        to.extend_from_slice(self.text.as_bytes());
        let mut fraction = *b".000000Z";
        let mut rest = since.subsec_micros();
        for digit in fraction[1..7].iter_mut().rev() {
            *digit += (rest % 10) as u8;
            rest /= 10;
        }
        to.extend_from_slice(&fraction);
    }
}

/// Where [`tracing`]'s events go: a whole line at a time, as its formatter hands them over.
pub(crate) struct Events(pub(crate) &'static Log);

/// A line of an event.
pub(crate) struct Line {
    log: &'static Log,
    is_urgent: bool,
}

impl MakeWriter<'_> for Events {
    type Writer = Line;

    fn make_writer(&self) -> Line {
        Line {
            log: self.0,
            is_urgent: true,
        }
    }

    fn make_writer_for(&self, event: &Metadata<'_>) -> Line {
        Line {
            log: self.0,
            is_urgent: *event.level() <= Level::WARN,
        }
    }
}

impl Write for Line {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.log.add(self.is_urgent, |gathered| {
            gathered.lines.extend_from_slice(line);
        });
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
