//! What operators see of a request: its metrics, its trace and its line in the log.

use std::sync::Arc;

use handbill::RequestId;
use http::header::HeaderMap;
use http::{Method, Request, Response};
use tokio::time::Instant;
use tracing::Span;

use crate::metrics::{Metrics, Open};
use crate::{log, trace};

/// A request under way.
pub(super) struct Observed {
    metrics: Arc<Metrics>,
    received: Instant,
    method: Method,
    pub(super) id: RequestId,
    pub(super) span: Span,
    _active: Open,
}

impl Observed {
    /// A request has arrived. A trusted proxy may name it, and the trace that it belongs to.
    pub(super) fn begin<B>(
        metrics: &Arc<Metrics>,
        request: &Request<B>,
        is_of_proxy: bool,
    ) -> Self {
        let received = Instant::now();
        let of_proxy = is_of_proxy.then(|| request.headers());
        let id = of_proxy.and_then(id_of_proxy);
        let id = id.unwrap_or_else(RequestId::generate);
        Self {
            received,
            method: request.method().clone(),
            span: trace::begin(request.method(), &id, of_proxy),
            id,
            _active: metrics.requests.begin(),
            metrics: Arc::clone(metrics),
        }
    }

    /// The response begins.
    pub(super) fn end<B>(self, response: &Response<B>) {
        let (method, took) = (&self.method, self.received.elapsed());
        self.metrics.requests.end(method, response, took);
        trace::end(&self.span, method, response);
        log::request(method, took, response, &self.id);
        log::slow_request(method, took, response, &self.id);
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
