//! One connection: how slow its client may be, how much it may send, and what it takes to respond.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use handbill::{ClientAddr, Handbill, RequestId, RoutePattern, TrustedProxies};
use http::header::{CONNECTION, HeaderValue};
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::sleep;
use tower::Service;
use tower_http::timeout::DeadlineBody;
use tracing::Instrument;

use crate::log::Warning;
use crate::metrics::{Closed, Metrics};
use crate::server::CLIENT_TIMEOUT;
use crate::server::activity::Activity;
use crate::server::budget::ClientBudget;
use crate::server::observed::Observed;
use crate::server::request_body::RequestBody;
use crate::server::stream::ClientStream;

/// The length of a request's head. A longer one gets 431.
const MAX_HEAD: usize = 32 * 1024;
/// When a client that takes too much memory may try again.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// The pause in which connections that were closed give back memory.
const SHORTAGE_PAUSE: Duration = Duration::from_millis(10);

/// The service, and what its clients may take.
#[derive(Clone, Debug)]
pub struct Clients {
    handbill: Handbill,
    trusted_proxies: Arc<TrustedProxies>,
    budget: ClientBudget,
    metrics: Arc<Metrics>,
}

impl Clients {
    /// The clients of this service, which may connect by these proxies. The service gets the address of the client
    /// itself with each request, so it needs to know no proxies.
    ///
    /// # Errors
    /// If a metric could not be made.
    pub fn new(handbill: Handbill, trusted_proxies: TrustedProxies) -> prometheus::Result<Self> {
        Ok(Self {
            handbill,
            trusted_proxies: Arc::new(trusted_proxies),
            budget: ClientBudget::new(),
            metrics: Arc::new(Metrics::new()?),
        })
    }

    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// The client whose connection this is. None if it is that of a proxy, which many clients share.
    pub(crate) fn connected_by(&self, peer: ClientAddr) -> Option<ClientAddr> {
        (!self.trusted_proxies.contains(peer.0)).then_some(peer)
    }

    /// Whenever memory for responses is short, closes the connections of those that hold the most.
    pub(crate) async fn close_slow_readers(self) {
        let mut warning = Warning::default();
        loop {
            let bytes = self.handbill.memory_shortage().await;
            if self.budget.close_slow_readers(bytes) {
                self.metrics.closed(Closed::SlowReader);
                warning.say(
                    "memory for responses is short, so connections of slow readers are closed",
                );
            }
            sleep(SHORTAGE_PAUSE).await;
        }
    }

    /// Serves a connection until it ends.
    pub(crate) fn connect<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
        &self,
        stream: S,
        peer: ClientAddr,
        activity: &Arc<Activity>,
    ) -> impl GracefulConnection<Error = hyper::Error> + Send + use<S> {
        let stream = ClientStream::new(stream, Arc::clone(activity));
        let (clients, activity) = (self.clone(), Arc::clone(activity));
        let service = service_fn(move |request: Request<Incoming>| {
            let (clients, activity) = (clients.clone(), Arc::clone(&activity));
            let number = activity.begin();
            async move {
                activity.work();
                let mut response = clients.respond(peer, request, &activity, number).await;
                if activity.end() {
                    let headers = response.headers_mut();
                    headers.insert(CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, Infallible>(response)
            }
        });
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(CLIENT_TIMEOUT)
            .max_header_size(MAX_HEAD)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), service)
    }

    /// Responds to a request, and shows it to the operator.
    async fn respond(
        self,
        peer: ClientAddr,
        mut request: Request<Incoming>,
        activity: &Arc<Activity>,
        number: u64,
    ) -> Response<Full<Bytes>> {
        let is_of_proxy = self.trusted_proxies.contains(peer.0);
        let observed = Observed::begin(&self.metrics, &request, is_of_proxy);
        let client = self.trusted_proxies.client(peer, request.headers());
        let extensions = request.extensions_mut();
        extensions.insert(client);
        extensions.insert(observed.id.clone());
        let response = self.respond_within_budget(client, request, activity, number);
        let response = response.instrument(observed.span.clone()).await;
        observed.end(&response);
        response
    }

    /// The response of the service, if its client does not take too much memory.
    async fn respond_within_budget(
        mut self,
        client: ClientAddr,
        request: Request<Incoming>,
        activity: &Arc<Activity>,
        number: u64,
    ) -> Response<Full<Bytes>> {
        let is_read = request.method().is_safe();
        let count = self.budget.count_request(client, &request, activity);
        let request = request.map(|body| {
            let body = RequestBody::new(body, activity, number, count.as_ref());
            DeadlineBody::new(CLIENT_TIMEOUT, body)
        });
        let Ok(mut response) = self.handbill.call(request).await;
        let is_refused = count.is_some_and(|count| count.is_refused());
        let counted = (self.budget).count_response(client, &mut response, is_read, activity);
        match is_refused || counted.is_err() {
            true => self.refuse(&response),
            false => response,
        }
    }

    /// What the client gets in the place of a response that takes too much memory.
    fn refuse<B>(&self, response: &Response<B>) -> Response<Full<Bytes>> {
        let mut refusal = self.handbill.too_many_requests(RETRY_AFTER);
        if let Some(route) = response.extensions().get::<RoutePattern>() {
            refusal.extensions_mut().insert(*route);
        }
        if let Some(id) = response.headers().get(RequestId::HEADER) {
            refusal.headers_mut().insert(RequestId::HEADER, id.clone());
        }
        refusal
    }
}
