//! The log, on standard error: one line for each request, and warnings and errors.
//!
//! A thread of its own writes the lines in batches, so that requests do not wait for the system. No line
//! is dropped: when too many are queued, requests wait. The queued lines are lost only if the process is
//! killed, or if the system accepts none for a second when it ends.

use std::io::{self, BufWriter, Stderr, Write, stderr};
use std::thread;
use std::time::Duration;

use handbill::RoutePattern;
use http::{Method, Response};
use tokio::time::Instant;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};

/// Lines that may be queued.
const QUEUE: usize = 8192;
/// The pause after a batch of lines. Without it, each request wakes the thread that writes.
const PAUSE: Duration = Duration::from_millis(10);
/// The least time between two warnings of the same kind that clients cause.
const WARNING_PAUSE: Duration = Duration::from_secs(60);

const STANDARD_METHODS: [Method; 9] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
    Method::OPTIONS,
    Method::CONNECT,
    Method::TRACE,
];

/// Starts the log. Dropping the guard writes the queued lines.
pub(crate) fn start() -> WorkerGuard {
    let queue = NonBlockingBuilder::default()
        .lossy(false)
        .buffered_lines_limit(QUEUE);
    let (writer, guard) = queue.finish(Batches(BufWriter::new(stderr())));
    tracing_subscriber::fmt()
        .with_writer(writer)
        .with_ansi(false)
        .with_target(false)
        .init();
    guard
}

/// Writes lines to standard error, and pauses after each batch.
struct Batches(BufWriter<Stderr>);

impl Write for Batches {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()?;
        thread::sleep(PAUSE);
        Ok(())
    }
}

/// Logs a request: the pattern of its route, since its path and query may hold an edit token.
pub(crate) fn request<B>(method: &Method, received: Instant, response: &Response<B>) {
    // Any word is a method, of any length.
    let is_standard = STANDARD_METHODS.contains(method);
    let method = if is_standard { method.as_str() } else { "-" };
    let pattern = response.extensions().get::<RoutePattern>();
    tracing::info!(
        method = %method,
        route = pattern.map_or("-", |pattern| pattern.0),
        status = response.status().as_u16(),
        micros = received.elapsed().as_micros() as u64,
    );
}

/// A warning that clients cause, and that is logged only so often.
#[derive(Debug, Default)]
pub(crate) struct Warning {
    said: Option<Instant>,
}

impl Warning {
    pub(crate) fn say(&mut self, text: &str) {
        if self.said.is_none_or(|said| said.elapsed() > WARNING_PAUSE) {
            tracing::warn!("{text}");
            self.said = Some(Instant::now());
        }
    }
}
