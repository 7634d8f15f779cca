//! The log, on standard error: one line for each request, and warnings and errors.
//!
//! A thread of its own writes the lines in batches, so that requests do not wait for the system. No line
//! is dropped: when too many are queued, requests wait. The queued lines are lost only if the process is
//! killed, or if the system accepts none for a second when it ends.

use std::error::Error;
use std::io::{self, BufWriter, Stderr, Write, stderr};
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use handbill::{RequestId, RoutePattern, Waited};
use http::{Method, Response};
use tokio::runtime::Handle;
use tokio::time::Instant;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt, registry};

#[cfg(feature = "otlp")]
use crate::otlp;

/// Lines that may be queued.
const QUEUE: usize = 8192;
/// The pause after a batch of lines. Without it, each request wakes the thread that writes.
const PAUSE: Duration = Duration::from_millis(10);
/// A request that takes longer is reported.
const LONG: Duration = Duration::from_secs(1);
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

/// How a line is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

/// Reads a filter: a level, parts with levels, or both.
pub(crate) fn filter(text: &str) -> Result<Targets, String> {
    let is_known = |directive: &str| {
        let (_, level) = directive.rsplit_once('=').unwrap_or(("", directive));
        level.trim().parse::<LevelFilter>().is_ok()
    };
    match text.split(',').find(|directive| !is_known(directive)) {
        Some(other) => Err(format!(
            "{other:?} is neither a level (off, error, warn, info, debug, trace) nor PART=LEVEL"
        )),
        None => text.parse().map_err(|error| format!("{error}")),
    }
}

/// What is written when this is dropped: spans that are still to be exported, and then the queued lines.
pub(crate) struct Log {
    #[cfg(feature = "otlp")]
    _export: Option<otlp::Export>,
    _lines: WorkerGuard,
}

/// Starts the log of what passes the filter.
pub(crate) fn start(
    filter: Targets,
    format: Format,
    runtime: &Handle,
) -> Result<Log, Box<dyn Error>> {
    let queue = NonBlockingBuilder::default()
        .lossy(false)
        .buffered_lines_limit(QUEUE);
    let (writer, lines_guard) = queue.finish(Batches(BufWriter::new(stderr())));
    #[cfg(feature = "otlp")]
    let export = match otlp::layer(runtime)? {
        Some((spans, export)) => {
            let lines = lines(writer, format).with_filter(filter);
            registry().with(lines).with(spans).init();
            Some(export)
        }
        None => {
            registry().with(filter).with(lines(writer, format)).init();
            None
        }
    };
    #[cfg(not(feature = "otlp"))]
    {
        let _ = runtime;
        registry().with(filter).with(lines(writer, format)).init();
    }
    Ok(Log {
        #[cfg(feature = "otlp")]
        _export: export,
        _lines: lines_guard,
    })
}

fn lines<S>(writer: NonBlocking, format: Format) -> Box<dyn Layer<S> + Send + Sync>
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
{
    let lines = fmt::layer()
        .with_writer(writer)
        .with_ansi(false)
        .with_target(false);
    match format {
        Format::Text => lines.boxed(),
        Format::Json => lines.json().flatten_event(true).boxed(),
    }
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
pub(crate) fn request<B>(method: &Method, took: Duration, response: &Response<B>, id: &RequestId) {
    let pattern = response.extensions().get::<RoutePattern>();
    tracing::info!(
        method = %name_of(method),
        route = pattern.map_or("-", |pattern| pattern.0),
        status = response.status().as_u16(),
        micros = took.as_micros() as u64,
        id = %id,
    );
}

/// Reports a request that took long, with what it waited for. The time in which its client sent the body does not count.
pub(crate) fn slow_request<B>(
    method: &Method,
    took: Duration,
    response: &Response<B>,
    id: &RequestId,
) {
    let waited: Waited = response.extensions().get().copied().unwrap_or_default();
    if took.saturating_sub(waited.body) < LONG {
        return;
    }
    let millis = |duration: Duration| duration.as_millis() as u64;
    let pattern = response.extensions().get::<RoutePattern>();
    tracing::warn!(
        method = %name_of(method),
        route = pattern.map_or("-", |pattern| pattern.0),
        millis = millis(took),
        store = millis(waited.store),
        queue = millis(waited.queue),
        work = millis(waited.work),
        body = millis(waited.body),
        id = %id,
        "a slow request, with the milliseconds that it waited for each"
    );
}

/// The name of a method, which a client may make up at any length.
pub(crate) fn name_of(method: &Method) -> &str {
    match STANDARD_METHODS.contains(method) {
        true => method.as_str(),
        false => "-",
    }
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
