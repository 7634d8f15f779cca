//! The shop's own metrics for Prometheus, with those of the blog among them.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use handbill::{Code, Handbill, RoutePattern};
use prometheus::{IntCounterVec, IntGaugeVec, Opts, Registry, TextEncoder};

#[derive(Clone)]
pub(crate) struct Metrics {
    registry: Registry,
    responses: IntCounterVec,
    blog: IntGaugeVec,
    handbill: Handbill,
}

impl Metrics {
    pub(crate) fn new(handbill: Handbill) -> prometheus::Result<Self> {
        let registry = Registry::new();
        let of = Opts::new("shop_responses_total", "Responses of the shop and its blog");
        let responses = IntCounterVec::new(of, &["route", "status", "problem"])?;
        registry.register(Box::new(responses.clone()))?;
        let of = Opts::new("shop_blog", "Figures of the blog");
        let blog = IntGaugeVec::new(of, &["figure"])?;
        registry.register(Box::new(blog.clone()))?;
        Ok(Self {
            registry,
            responses,
            blog,
            handbill,
        })
    }
}

/// Counts each response. Those of the blog name their route, and the problem if there is one.
pub(crate) async fn count(
    State(metrics): State<Metrics>,
    request: Request,
    next: Next,
) -> Response {
    let response = next.run(request).await;
    let route = response.extensions().get::<RoutePattern>();
    let route = route.map_or("-", |RoutePattern(pattern)| pattern);
    let problem = response.extensions().get::<Code>();
    let problem = problem.map_or("", |code| code.as_str());
    let status = response.status();
    let labels = [route, status.as_str(), problem];
    metrics.responses.with_label_values(&labels).inc();
    response
}

/// All metrics. A shop shows them only to those who watch it.
pub(crate) async fn show(State(metrics): State<Metrics>) -> Response {
    let stats = metrics.handbill.stats().await;
    for (figure, value) in [
        ("posts created", stats.changes.posts_created),
        ("bytes cached", stats.responses.bytes),
        ("store up", u64::from(stats.health.is_some())),
    ] {
        let gauge = metrics.blog.with_label_values(&[figure]);
        gauge.set(value.cast_signed());
    }
    let text = TextEncoder::new().encode_to_string(&metrics.registry.gather());
    text.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
        .into_response()
}
