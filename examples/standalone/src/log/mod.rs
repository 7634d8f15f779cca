//! The log, on standard error: one line for each request, and warnings and errors.
//!
//! A thread of its own writes the lines in batches, so that requests do not wait for the system. No line
//! is dropped: when too many are queued, requests wait. The queued lines are lost only if the process is
//! killed, or if the system accepts none for a second when it ends.

mod queue;

use std::error::Error;
use std::fmt::Write;
use std::sync::{LazyLock, OnceLock};
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use handbill::{ClientAddr, RequestId, Timings};
use http::{Method, StatusCode};
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use tokio::runtime::Handle;
use tokio::time::Instant;
use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt, registry};

use crate::options::{Options, Switch};
#[cfg(feature = "otlp")]
use crate::otlp;
use queue::Queue;

/// How long the system may take to accept the last lines.
const END_TIMEOUT: Duration = Duration::from_secs(1);
/// A request that takes longer is reported.
const LONG: Duration = Duration::from_secs(1);
/// The least time between two warnings of the same kind that clients cause.
const WARNING_PAUSE: Duration = Duration::from_secs(60);

static QUEUE: LazyLock<Queue> = LazyLock::new(Queue::default);
/// How the lines of requests are written, if the filter lets them through.
static REQUESTS: OnceLock<RequestLines> = OnceLock::new();

#[derive(Clone, Copy)]
struct RequestLines {
    format: Format,
    /// Whether they have the addresses of clients.
    have_clients: bool,
}

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
    export: Option<otlp::Export>,
}

/// Starts the log of what passes the filter.
pub(crate) fn start(options: &Options, runtime: &Handle) -> Result<Log, Box<dyn Error>> {
    let (filter, format) = (options.log(), options.log_format);
    thread::Builder::new()
        .name("log".to_owned())
        .spawn(|| QUEUE.write_batches())?;
    if filter.would_enable(module_path!(), &Level::INFO) {
        let _ = REQUESTS.set(RequestLines {
            format,
            have_clients: options.log_clients == Switch::On,
        });
    }
    #[cfg(feature = "otlp")]
    let export = match otlp::layer(runtime)? {
        Some((spans, export)) => {
            let lines = lines(format).with_filter(filter);
            registry().with(lines).with(spans).init();
            Some(export)
        }
        None => {
            registry().with(filter).with(lines(format)).init();
            None
        }
    };
    #[cfg(not(feature = "otlp"))]
    {
        let _ = runtime;
        registry().with(filter).with(lines(format)).init();
    }
    Ok(Log {
        #[cfg(feature = "otlp")]
        export,
    })
}

fn lines<S>(format: Format) -> Box<dyn Layer<S> + Send + Sync>
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
{
    let lines = fmt::layer()
        .with_writer(|| &*QUEUE)
        .with_ansi(false)
        .with_target(false);
    match format {
        Format::Text => lines.boxed(),
        Format::Json => lines.json().flatten_event(true).boxed(),
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        #[cfg(feature = "otlp")]
        drop(self.export.take());
        QUEUE.wait(END_TIMEOUT);
    }
}

/// A request whose response begins.
pub(crate) struct Request<'a> {
    /// As [`name_of`] says.
    pub(crate) method: &'static str,
    /// The pattern of the route, since the path and the query may hold an edit token. `-` if there is none.
    pub(crate) route: &'static str,
    pub(crate) status: StatusCode,
    pub(crate) client: ClientAddr,
    pub(crate) took: Duration,
    pub(crate) id: &'a RequestId,
}

impl Request<'_> {
    /// Adds the line of the request.
    pub(crate) fn log(&self) {
        if let Some(written) = REQUESTS.get() {
            QUEUE.add(|lines| self.write(*written, lines));
        }
    }

    /// Most lines are those of requests, so this takes a fraction of the time of an event of `tracing`. Nothing in it
    /// needs quoting.
    fn write(&self, written: RequestLines, lines: &mut String) {
        const TIME: DateTimePrinter = DateTimePrinter::new().precision(Some(6));
        let Self {
            method, route, id, ..
        } = self;
        let (status, micros) = (self.status.as_str(), self.took.as_micros() as u64);
        if let Format::Json = written.format {
            *lines += "{\"timestamp\":\"";
        }
        // Writing into a string does not fail.
        let _ = TIME.print_timestamp(&Timestamp::now(), &mut *lines);
        let _ = match written.format {
            Format::Text => write!(
                lines,
                "  INFO method={method} route=\"{route}\" status={status} micros={micros} id={id}"
            ),
            Format::Json => write!(
                lines,
                "\",\"level\":\"INFO\",\"method\":\"{method}\",\"route\":\"{route}\",\
                 \"status\":{status},\"micros\":{micros},\"id\":\"{id}\""
            ),
        };
        if written.have_clients {
            let ClientAddr(client) = self.client;
            let _ = match written.format {
                Format::Text => write!(lines, " client={client}"),
                Format::Json => write!(lines, ",\"client\":\"{client}\""),
            };
        }
        *lines += match written.format {
            Format::Text => "\n",
            Format::Json => "}\n",
        };
    }

    /// Reports the request if it took long, with what it waited for. The time in which its client sent the body does
    /// not count.
    pub(crate) fn warn_if_slow(&self, waited: Timings) {
        if self.took.saturating_sub(waited.body) < LONG {
            return;
        }
        let millis = |duration: Duration| duration.as_millis() as u64;
        tracing::warn!(
            method = %self.method,
            route = self.route,
            millis = millis(self.took),
            store = millis(waited.store),
            queue = millis(waited.queue),
            work = millis(waited.work),
            body = millis(waited.body),
            id = %self.id,
            "a slow request, with the milliseconds that it waited for each"
        );
    }
}

/// The name of a method, which a client may make up at any length.
pub(crate) fn name_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::CONNECT => "CONNECT",
        Method::TRACE => "TRACE",
        _ => "-",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_request_is_that_of_an_event() {
        for format in [Format::Text, Format::Json] {
            let request = Request {
                method: "GET",
                route: "/p/{id}",
                status: StatusCode::OK,
                client: ClientAddr([192, 0, 2, 1].into()),
                took: Duration::from_nanos(312_999),
                id: &RequestId::generate(),
            };
            tracing::subscriber::with_default(registry().with(lines(format)), || {
                tracing::info!(
                    method = %request.method,
                    route = request.route,
                    status = request.status.as_u16(),
                    micros = 312,
                    id = %request.id,
                    client = %request.client.0,
                );
            });
            let written = RequestLines {
                format,
                have_clients: true,
            };
            QUEUE.add(|lines| request.write(written, lines));
            let mut written = String::new();
            QUEUE.take(&mut written);
            // Their times may differ.
            let parts = written.lines().map(|line| {
                let (time, rest) = line.split_once('Z').unwrap();
                (time.len(), rest)
            });
            let [event, line] = parts.collect::<Vec<_>>()[..] else {
                panic!("{written}");
            };
            assert_eq!(event, line);
        }
    }
}
