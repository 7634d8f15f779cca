//! One connection: how slow its client may be, how much it may send, and what it takes to respond.

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use handbill::{ClientAddr, Code, Handbill, RequestId, TrustedProxies};
#[cfg(feature = "mcp")]
use handbill_mcp::McpService;
use http::header::{CONNECTION, HeaderValue};
use http::{Request, Response};
use http_body::Body;
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
use tracing::instrument::Instrumented;

use crate::log::Warning;
use crate::metrics::{Closed, Metrics};
use crate::server::CLIENT_TIMEOUT;
use crate::server::activity::Activity;
use crate::server::budget::{ClientBudget, RequestCount, UNCOUNTED};
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
#[derive(Debug)]
pub struct Clients {
    handbill: Handbill,
    #[cfg(feature = "mcp")]
    mcp: Option<McpService>,
    trusted_proxies: TrustedProxies,
    budget: ClientBudget,
    pub(crate) metrics: Arc<Metrics>,
}

/// What all requests of a connection share.
struct Connection {
    clients: Arc<Clients>,
    peer: ClientAddr,
    is_of_proxy: bool,
    activity: Arc<Activity>,
}

/// A request that the service works on.
struct UnderWay<'a> {
    observed: Observed<'a>,
    client: ClientAddr,
    is_read: bool,
    /// If it has a body.
    count: Option<Arc<RequestCount>>,
}

type Responding = BoxFuture<'static, Result<Response<Full<Bytes>>, Infallible>>;

impl Clients {
    /// The clients of this service, which may connect by these proxies. The service gets the address of the client
    /// itself with each request, so it needs to know no proxies.
    ///
    /// # Errors
    /// If a metric could not be made.
    pub fn new(handbill: Handbill, trusted_proxies: TrustedProxies) -> prometheus::Result<Self> {
        Ok(Self {
            handbill,
            #[cfg(feature = "mcp")]
            mcp: None,
            trusted_proxies,
            budget: ClientBudget::new(),
            metrics: Arc::new(Metrics::new()?),
        })
    }

    /// Adds the tools for agents, at `/mcp`.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn with_mcp(mut self) -> Self {
        self.mcp = Some(McpService::new(self.handbill.clone()));
        self
    }

    /// Calls the service, or the tools for agents.
    fn call<B>(&self, request: Request<B>) -> Responding
    where
        B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
    {
        #[cfg(feature = "mcp")]
        if let Some(mcp) = self.mcp.as_ref().filter(|_| request.uri().path() == "/mcp") {
            return mcp.clone().call(request);
        }
        self.handbill.clone().call(request)
    }

    /// The client whose connection this is. None if it is that of a proxy, which many clients share.
    pub(crate) fn connected_by(&self, peer: ClientAddr) -> Option<ClientAddr> {
        (!self.trusted_proxies.contains(peer.0)).then_some(peer)
    }

    /// Whenever memory for responses is short, closes the connections of those that hold the most.
    pub(crate) async fn close_slow_readers(self: Arc<Self>) {
        let mut warning = Warning::default();
        loop {
            let bytes = self.handbill.memory_shortage().await;
            if self.budget.responses.close(bytes) {
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
        self: &Arc<Self>,
        stream: S,
        peer: ClientAddr,
        activity: &Arc<Activity>,
    ) -> impl GracefulConnection<Error = hyper::Error> + Send + use<S> {
        let stream = ClientStream::new(stream, Arc::clone(activity));
        let connection = Arc::new(Connection {
            clients: Arc::clone(self),
            peer,
            is_of_proxy: self.trusted_proxies.contains(peer.0),
            activity: Arc::clone(activity),
        });
        let service = service_fn(move |request: Request<Incoming>| {
            let number = connection.activity.begin();
            Arc::clone(&connection).respond(request, number)
        });
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(CLIENT_TIMEOUT)
            .max_header_size(MAX_HEAD)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), service)
    }

    /// What the client gets in the place of a response that takes too much memory. Operators see its route and times.
    fn refuse<B>(&self, response: Response<B>) -> Response<Full<Bytes>> {
        let (mut head, _) = response.into_parts();
        let mut refusal = self.handbill.too_many_requests(RETRY_AFTER);
        if let Some(id) = head.headers.remove(RequestId::HEADER) {
            refusal.headers_mut().insert(RequestId::HEADER, id);
        }
        head.extensions.insert(Code::TooManyRequests);
        *refusal.extensions_mut() = head.extensions;
        refusal
    }
}

impl Connection {
    /// Responds to a request. hyper moves the future of each request, so it must stay small.
    async fn respond(
        self: Arc<Self>,
        request: Request<Incoming>,
        number: u64,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        self.activity.work();
        let (under_way, responding) = self.begin(request, number);
        let Ok(response) = responding.await;
        Ok(self.end(under_way, response))
    }

    /// Calls the service.
    fn begin(
        &self,
        mut request: Request<Incoming>,
        number: u64,
    ) -> (UnderWay<'_>, Instrumented<Responding>) {
        let clients = &*self.clients;
        let observed = Observed::begin(&clients.metrics.requests, &request, self.is_of_proxy);
        let client = clients.trusted_proxies.client(self.peer, request.headers());
        let extensions = request.extensions_mut();
        extensions.insert(client);
        extensions.insert(observed.id.clone());
        let is_read = request.method().is_safe();
        let has_body = !request.body().is_end_stream();
        let count = has_body.then(|| clients.budget.count_request(client, &self.activity));
        let responding = observed.span.in_scope(|| match &count {
            None => clients.call(request),
            Some(count) => clients.call(request.map(|body| {
                let body = RequestBody::new(body, &self.activity, number, count);
                DeadlineBody::new(CLIENT_TIMEOUT, body)
            })),
        });
        let responding = responding.instrument(observed.span.clone());
        let under_way = UnderWay {
            observed,
            client,
            is_read,
            count,
        };
        (under_way, responding)
    }

    /// Checks that the client does not take too much memory, and shows the request to the operator.
    fn end(
        &self,
        under_way: UnderWay<'_>,
        mut response: Response<Full<Bytes>>,
    ) -> Response<Full<Bytes>> {
        let (clients, client, activity) = (&*self.clients, under_way.client, &self.activity);
        let is_refused = under_way.count.is_some_and(|count| count.is_refused());
        let is_counted = response.body().size_hint().lower() > UNCOUNTED;
        let mut count = || {
            let budget = &clients.budget;
            budget.count_response(client, &mut response, under_way.is_read, activity)
        };
        if is_refused || is_counted && !count() {
            response = clients.refuse(response);
        }
        if activity.end(under_way.observed.end(client, &response)) {
            let headers = response.headers_mut();
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
