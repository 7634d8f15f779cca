//! Mounts [Handbill](handbill) into a [warp] app. The page `docs/your-adapter.md` explains it.

mod convert;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::error::Error;

use bytes::Bytes;
use http::Extensions;
use http_body::Body;
use tower::{Service, ServiceExt};
use warp::reply::Response;
use warp::{Filter, Rejection};

pub use convert::RequestBody;

/// Turns a service into a filter that responds to all requests that reach it. The service is a
/// [`Handbill`](handbill::Handbill), with or without tower layers around it.
///
/// The second filter is the app's: it makes the extensions of a request, such as the user who is logged in.
///
/// ```
/// use handbill::{Handbill, MemoryStore, SignedIn};
/// use http::Extensions;
/// use warp::Filter;
///
/// # fn user_of(_: &http::HeaderMap) -> Option<handbill::Owner> { None }
/// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
/// let login = warp::header::headers_cloned().map(|headers| {
///     let mut extensions = Extensions::new();
///     if let Some(owner) = user_of(&headers) {
///         extensions.insert(SignedIn::new(owner));
///     }
///     extensions
/// });
/// let blog = warp::path("blog").and(handbill_custom_adapter::filter(handbill, login));
/// let app = warp::path::end().map(|| "a page of your app").or(blog);
/// # let _ = app;
/// # Ok::<(), handbill::ParseError>(())
/// ```
pub fn filter<S, B>(
    service: S,
    extensions: impl Filter<Extract = (Extensions,), Error = Infallible> + Clone + Send + Sync + 'static,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static
where
    S: Service<http::Request<RequestBody>, Response = http::Response<B>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
    B: Body<Data = Bytes> + Send + Sync + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>> + Send,
{
    convert::request(extensions).then(move |request| {
        let service = service.clone();
        async move {
            let Ok(response) = service.oneshot(request).await;
            convert::response(response)
        }
    })
}
