//! A span for each request, as OpenTelemetry describes those of a server. Those of the service are in it. Only the feature
//! `otlp` hears of it.

use handbill::{RequestId, RoutePattern};
use http::header::HeaderMap;
use http::{Method, Response};
use tracing::field::Empty;
use tracing::{Span, debug_span};

use crate::log::name_of;

/// The span of a request. If a trusted proxy has sent it, it belongs to the proxy's trace (W3C Trace Context).
pub(crate) fn begin(method: &Method, id: &RequestId, of_proxy: Option<&HeaderMap>) -> Span {
    let span = debug_span!(
        "http",
        otel.kind = "server",
        http.request.method = name_of(method),
        http.route = Empty,
        http.response.status_code = Empty,
        request_id = %id,
    );
    if let Some(headers) = of_proxy
        && !span.is_disabled()
    {
        set_parent(&span, headers);
    }
    span
}

/// Adds what is known of the response.
pub(crate) fn end<B>(span: &Span, method: &Method, response: &Response<B>) {
    if span.is_disabled() {
        return;
    }
    span.record("http.response.status_code", response.status().as_u16());
    if let Some(RoutePattern(route)) = response.extensions().get() {
        span.record("http.route", route);
        set_name(span, format!("{} {route}", name_of(method)));
    }
}

#[cfg(feature = "otlp")]
use crate::otlp::{set_name, set_parent};

#[cfg(not(feature = "otlp"))]
fn set_name(_: &Span, _: String) {}

#[cfg(not(feature = "otlp"))]
fn set_parent(_: &Span, _: &HeaderMap) {}
