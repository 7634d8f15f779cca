//! What the program measures, for Prometheus: `requests` and connections as they happen, and at each scrape the
//! `figures` of the service and of the `process`. `endpoint` serves them at an address of their own.

mod endpoint;
mod family;
mod figures;
mod process;
mod requests;

use std::time::{SystemTime, UNIX_EPOCH};

use handbill::Handbill;
use prometheus::core::Collector;
use prometheus::{Gauge, IntCounterVec, IntGauge, Opts, Registry, Result, TextEncoder};

pub(crate) use endpoint::{Scraped, serve};
pub(crate) use requests::{Open, Requests};

use crate::webhooks::Webhooks;

/// Why the program closed a connection that its client had not ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Closed {
    /// The network of its client had all that it may have.
    OfNetwork,
    /// All connections were in use, and a new one came.
    AtLimit,
    /// Memory for responses was short, and its client read slowly.
    SlowReader,
}

/// What each reason is called.
const REASONS: [&str; 3] = ["network", "limit", "slow_reader"];

/// The metrics of the program. They are counted whether anyone asks for them or not.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    pub(crate) requests: Requests,
    connections: IntGauge,
    max_connections: IntGauge,
    closed: IntCounterVec,
}

impl Metrics {
    pub(crate) fn new() -> Result<Self> {
        let registry = Registry::new();
        let (name, help) = (
            "handbill_build_info",
            "The version of the program; always 1",
        );
        let build = Opts::new(name, help).const_label("version", env!("CARGO_PKG_VERSION"));
        register(&registry, IntGauge::with_opts(build)?)?.set(1);
        let (name, help) = (
            "process_start_time_seconds",
            "When the process was started, since 1970",
        );
        let started = register(&registry, Gauge::new(name, help)?)?;
        // By its own clock: a process in a sandbox does not see when the system was started.
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        started.set(now.unwrap_or_default().as_secs_f64());
        let (name, help) = (
            "handbill_connections_max",
            "How many connections may be open",
        );
        let max_connections = gauge(&registry, name, help)?;
        let closed = Opts::new(
            "handbill_connections_closed_total",
            "Connections that the program closed although their clients had not ended them",
        );
        Ok(Self {
            requests: Requests::new(&registry)?,
            connections: gauge(&registry, "handbill_connections", "Open connections")?,
            max_connections,
            closed: counters(&registry, closed, "reason", REASONS)?,
            registry,
        })
    }

    /// How many connections may be open.
    pub(crate) fn set_max_connections(&self, most: usize) {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.max_connections.set(most);
    }

    /// Counts a connection until the returned value is dropped.
    pub(crate) fn connection(&self) -> Open<'_> {
        Open::count(&self.connections)
    }

    pub(crate) fn closed(&self, reason: Closed) {
        let reason = REASONS[reason as usize];
        self.closed.with_label_values(&[reason]).inc();
    }

    /// All metrics in Prometheus' text format, version 0.0.4.
    async fn render(&self, handbill: &Handbill, webhooks: &Webhooks) -> Result<String> {
        let mut text = TextEncoder::new().encode_to_string(&self.registry.gather())?;
        figures::add(&mut text, &handbill.stats().await, webhooks);
        process::add(&mut text);
        Ok(text)
    }
}

fn register<C: Collector + Clone + 'static>(registry: &Registry, metric: C) -> Result<C> {
    registry.register(Box::new(metric.clone()))?;
    Ok(metric)
}

fn gauge(registry: &Registry, name: &str, help: &str) -> Result<IntGauge> {
    register(registry, IntGauge::new(name, help)?)
}

/// Counters by one label, of which each begins at 0.
fn counters<'a>(
    registry: &Registry,
    of: Opts,
    label: &str,
    values: impl IntoIterator<Item = &'a str>,
) -> Result<IntCounterVec> {
    let counters = register(registry, IntCounterVec::new(of, &[label])?)?;
    for value in values {
        counters.with_label_values(&[value]);
    }
    Ok(counters)
}
