//! Mounts [Handbill](handbill) into a [Salvo](salvo) app.

mod body;
mod path;

use std::convert::Infallible;
use std::error::Error;
use std::future::poll_fn;

use bytes::Bytes;
use handbill::ClientAddr;
use salvo::http::ResBody;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, Router};
use tower::Service;

use body::SyncBody;

/// The body of the requests that [`router`] passes to its service: Salvo's body, not yet read. A body
/// that ends early ends with an error.
pub type RequestBody = salvo::http::ReqBody;

/// A router for a service.
pub fn router<S, B>(service: S) -> Router
where
    S: Service<http::Request<RequestBody>, Response = http::Response<B>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    Router::with_filter(path::Rest).goal(Mount(service))
}

struct Mount<S>(S);

#[salvo::async_trait]
impl<S, B> Handler for Mount<S>
where
    S: Service<http::Request<RequestBody>, Response = http::Response<B>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    async fn handle(
        &self,
        request: &mut Request,
        _: &mut Depot,
        response: &mut Response,
        _: &mut FlowCtrl,
    ) {
        let mut service = self.0.clone();
        let converted = http_request(request);
        let Ok(()) = poll_fn(|context| service.poll_ready(context)).await;
        let Ok(given) = service.call(converted).await;
        fill(response, given);
    }
}

/// The app's middleware may look at the request again after the response, so all but the body is copied.
fn http_request(request: &mut Request) -> http::Request<RequestBody> {
    let mut converted = http::Request::new(request.take_body());
    *converted.uri_mut() = path::below_mount(request);
    *converted.method_mut() = request.method().clone();
    *converted.version_mut() = request.version();
    *converted.headers_mut() = request.headers().clone();
    let extensions = converted.extensions_mut();
    *extensions = request.extensions().clone();
    if let Some(address) = request.remote_addr().ip() {
        extensions.get_or_insert(ClientAddr(address));
    }
    converted
}

/// Headers and extensions that the app's middleware has set before stay, unless the service sets them.
fn fill<B>(response: &mut Response, given: http::Response<B>)
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let (head, body) = given.into_parts();
    response.status_code = Some(head.status);
    response.headers.extend(head.headers);
    response.extensions.extend(head.extensions);
    // Even an empty body, or Salvo would put a page of its own in its place.
    response.body = ResBody::Boxed(Box::pin(SyncBody::new(body)));
}
