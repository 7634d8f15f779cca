//! What the program measures, for Prometheus: `requests` and connections as they happen, and at each scrape the
//! `figures` of the service and of the `process`. `endpoint` serves them at an address of their own.

mod endpoint;
mod family;
mod figures;
mod process;
mod requests;

use std::time::{SystemTime, UNIX_EPOCH};

use handbill::Handbill;
use prometheus::{IntCounterVec, IntGauge, Registry, Result, TextEncoder, opts};
use prometheus::{
    register_gauge_with_registry, register_int_counter_vec_with_registry,
    register_int_gauge_with_registry,
};

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
        let build = opts!(
            "handbill_build_info",
            "The version of the program; always 1"
        );
        let build = build.const_label("version", env!("CARGO_PKG_VERSION"));
        register_int_gauge_with_registry!(build, registry)?.set(1);
        let started = opts!(
            "process_start_time_seconds",
            "When the process was started, since 1970"
        );
        let started = register_gauge_with_registry!(started, registry)?;
        // By its own clock: a process in a sandbox does not see when the system was started.
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        started.set(now.unwrap_or_default().as_secs_f64());
        let connections = opts!("handbill_connections", "Open connections");
        let most = opts!(
            "handbill_connections_max",
            "How many connections may be open"
        );
        let closed = opts!(
            "handbill_connections_closed_total",
            "Connections that the program closed although their clients had not ended them",
        );
        let closed = register_int_counter_vec_with_registry!(closed, &["reason"], registry)?;
        // Each begins at 0.
        REASONS
            .iter()
            .for_each(|reason| drop(closed.with_label_values(&[*reason])));
        Ok(Self {
            requests: Requests::new(&registry)?,
            connections: register_int_gauge_with_registry!(connections, registry)?,
            max_connections: register_int_gauge_with_registry!(most, registry)?,
            closed,
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
