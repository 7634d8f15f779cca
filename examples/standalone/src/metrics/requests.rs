//! Requests and the problems that their responses tell of.

use handbill::Code;
use prometheus::{HistogramVec, IntCounterVec, IntGauge, Registry, Result, histogram_opts, opts};
use prometheus::{
    register_histogram_vec_with_registry, register_int_counter_vec_with_registry,
    register_int_gauge_with_registry,
};

use crate::log;

/// Most requests take less than a millisecond. From 5 milliseconds on, these are the bounds that OpenTelemetry advises.
const BUCKETS: [f64; 17] = [
    0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75,
    1.0, 2.5, 10.0,
];

#[derive(Debug)]
pub(crate) struct Requests {
    durations: HistogramVec,
    active: IntGauge,
    problems: IntCounterVec,
}

impl Requests {
    pub(super) fn new(registry: &Registry) -> Result<Self> {
        let durations = histogram_opts!(
            "http_server_request_duration_seconds",
            "How long requests took until their response began, by method, route and status",
            BUCKETS.to_vec(),
        );
        let labels = ["method", "route", "status"];
        let durations = register_histogram_vec_with_registry!(durations, &labels, registry)?;
        let active = opts!("http_server_active_requests", "Requests under way");
        let problems = opts!(
            "handbill_problems_total",
            "Responses that tell of a problem, by its code",
        );
        let problems = register_int_counter_vec_with_registry!(problems, &["code"], registry)?;
        // Each begins at 0.
        Code::ALL
            .iter()
            .for_each(|code| drop(problems.with_label_values(&[code.as_str()])));
        Ok(Self {
            durations,
            active: register_int_gauge_with_registry!(active, registry)?,
            problems,
        })
    }

    /// Counts a request as under way until the returned value is dropped.
    pub(crate) fn begin(&self) -> Open<'_> {
        Open::count(&self.active)
    }

    /// Counts a request by its response, which may tell of a problem.
    pub(crate) fn end(&self, request: &log::Request<'_>, problem: Option<Code>) {
        let labels = [request.method, request.route, request.status.as_str()];
        let duration = self.durations.with_label_values(&labels);
        duration.observe(request.took.as_secs_f64());
        if let Some(code) = problem {
            self.problems.with_label_values(&[code.as_str()]).inc();
        }
    }
}

/// Something that is counted for as long as it lasts.
pub(crate) struct Open<'a>(&'a IntGauge);

impl<'a> Open<'a> {
    pub(super) fn count(gauge: &'a IntGauge) -> Self {
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}
