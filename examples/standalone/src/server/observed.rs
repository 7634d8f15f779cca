//! What operators see of a request: its metrics, its line in the log, and its span, as OpenTelemetry describes those of
//! a server. Only the feature `otlp` and a log of debug lines have spans; those of the service are in it.

use handbill::{ClientAddr, RequestId, RoutePattern};
use http::header::HeaderMap;
use http::{Request, Response};
use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Span, debug_span};

use crate::log::{self, name_of};
use crate::metrics::{Open, Requests};
#[cfg(feature = "otlp")]
use crate::otlp::{set_name, set_parent};

/// A request under way.
pub(super) struct Observed<'a> {
    metrics: &'a Requests,
    received: Instant,
    method: &'static str,
    pub(super) id: RequestId,
    pub(super) span: Span,
    _active: Open<'a>,
}

impl<'a> Observed<'a> {
    /// A request has arrived. A trusted proxy may name it, and the trace that it belongs to (W3C Trace Context).
    pub(super) fn begin<B>(metrics: &'a Requests, request: &Request<B>, is_of_proxy: bool) -> Self {
        let received = Instant::now();
        let method = name_of(request.method());
        let of_proxy = is_of_proxy.then(|| request.headers());
        let id = of_proxy.and_then(id_of_proxy);
        let id = id.unwrap_or_else(RequestId::generate);
        let span = debug_span!(
            "http",
            otel.kind = "server",
            http.request.method = method,
            http.route = Empty,
            http.response.status_code = Empty,
            request_id = %id,
        );
        if let Some(headers) = of_proxy
            && !span.is_disabled()
        {
            set_parent(&span, headers);
        }
        Self {
            metrics,
            received,
            method,
            id,
            span,
            _active: metrics.begin(),
        }
    }

    /// The response begins, in whose extensions the service says more of it. Returns when that is.
    pub(super) fn end<B>(self, client: ClientAddr, response: &Response<B>) -> Instant {
        let now = Instant::now();
        let said = response.extensions();
        let route = said.get().map(|RoutePattern(pattern)| *pattern);
        let request = log::Request {
            method: self.method,
            route: route.unwrap_or("-"),
            status: response.status(),
            client,
            took: now - self.received,
            id: &self.id,
        };
        self.metrics.end(&request, said.get().copied());
        if !self.span.is_disabled() {
            let status = request.status.as_u16();
            self.span.record("http.response.status_code", status);
            if let Some(route) = route {
                self.span.record("http.route", route);
                set_name(&self.span, format!("{} {route}", request.method));
            }
        }
        request.log();
        request.warn_if_slow(said.get().copied().unwrap_or_default());
        now
    }
}

/// The identifier that a proxy has sent, if it has sent one.
fn id_of_proxy(headers: &HeaderMap) -> Option<RequestId> {
    let mut sent = headers.get_all(RequestId::HEADER).iter();
    let (Some(one), None) = (sent.next(), sent.next()) else {
        return None;
    };
    one.to_str().ok()?.parse().ok()
}

#[cfg(not(feature = "otlp"))]
fn set_name(_: &Span, _: String) {}

#[cfg(not(feature = "otlp"))]
fn set_parent(_: &Span, _: &HeaderMap) {}
