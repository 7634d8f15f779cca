//! Requests of warp as those of the service, and its responses as those of warp.

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;

use bytes::{Buf, Bytes};
use futures_util::{Stream, TryStreamExt};
use handbill::ClientAddr;
use http::{Extensions, Request, Uri};
use http_body::{Body, Frame};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, StreamBody};
use warp::path::Tail;
use warp::reply::Response;
use warp::{Filter, Rejection, Reply};

/// The body of the requests that the service receives: warp's body, not yet read.
pub type RequestBody = BoxBody<Bytes, warp::Error>;

/// The request as the service sees it: what is left of the path, and everything else as the client sent it.
pub(crate) fn request(
    extensions: impl Filter<Extract = (Extensions,), Error = Infallible> + Clone + Send + Sync,
) -> impl Filter<Extract = (Request<RequestBody>,), Error = Rejection> + Clone + Send + Sync {
    let head = warp::method()
        .and(uri())
        .and(warp::header::headers_cloned());
    let request = |method, uri, headers, body, client, extensions| {
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        *request.extensions_mut() = extensions;
        with_client(request, client)
    };
    head.and(body())
        .and(warp::addr::remote())
        .and(extensions)
        .map(request)
}

/// Only the server knows the address of the connection. A header could name any.
fn with_client(
    mut request: Request<RequestBody>,
    client: Option<SocketAddr>,
) -> Request<RequestBody> {
    if let Some(client) = client {
        let extensions = request.extensions_mut();
        extensions.get_or_insert(ClientAddr(client.ip()));
    }
    request
}

/// What the filters before did not match of the path, and the query, neither decoded nor normalised.
fn uri() -> impl Filter<Extract = (Uri,), Error = Rejection> + Clone {
    let query = warp::query::raw().map(Some);
    let query = query.or_else(|_| async { Ok::<_, Infallible>((None,)) });
    let parsed = |tail: Tail, query: Option<String>| {
        let path = tail.as_str();
        let uri = match query {
            Some(query) => format!("/{path}?{query}"),
            None => format!("/{path}"),
        };
        async move { uri.parse().map_err(|_| warp::reject()) }
    };
    warp::path::tail().and(query).and_then(parsed)
}

/// Read as the service asks for it, and without a limit: Handbill refuses what is too large.
fn body() -> impl Filter<Extract = (RequestBody,), Error = Rejection> + Clone {
    warp::body::stream().map(boxed)
}

fn boxed(
    stream: impl Stream<Item = Result<impl Buf, warp::Error>> + Send + Sync + 'static,
) -> RequestBody {
    let frames = stream.map_ok(|mut data| Frame::data(data.copy_to_bytes(data.remaining())));
    BodyExt::boxed(StreamBody::new(frames))
}

/// The service's response, unchanged.
pub(crate) fn response<B>(response: http::Response<B>) -> Response
where
    B: Body<Data = Bytes> + Send + Sync + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>> + Send,
{
    let (head, body) = response.into_parts();
    let mut response = warp::reply::stream(body.into_data_stream()).into_response();
    *response.status_mut() = head.status;
    *response.headers_mut() = head.headers;
    *response.extensions_mut() = head.extensions;
    response
}
