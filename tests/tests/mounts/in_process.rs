//! Apps that are called without a server.

use std::pin::Pin;

use bytes::Bytes;
use handbill::{ClientAddr, Handbill};
use handbill_testing::http::SentBody;
use handbill_tests::{bare, mount};
use http::{Request, Response};
use http_body_util::BodyExt;

type ResponseFuture = Pin<Box<dyn Future<Output = Response<Bytes>> + Send>>;

/// The service at the root, or below a path that is removed.
mod tower {
    use super::*;

    async fn mount(
        path: &'static str,
        handbill: Handbill,
    ) -> impl Fn(Request<SentBody>) -> ResponseFuture {
        move |request| {
            let request = mount::below(path, request);
            Box::pin(bare::call(handbill.clone(), bare::LOCAL, request))
        }
    }

    crate::at_the_root_and_below!(super::mount);
}

mod axum {
    use ::tower::ServiceExt;

    use super::*;

    async fn mount(
        path: &'static str,
        handbill: Handbill,
    ) -> impl Fn(Request<SentBody>) -> ResponseFuture {
        let app = mount::axum_app(path, handbill);
        move |mut request| {
            let app = app.clone();
            request.extensions_mut().insert(ClientAddr(bare::LOCAL));
            Box::pin(async move {
                let request = request.map(::axum::body::Body::new);
                let Ok(response) = app.oneshot(request).await;
                let (parts, body) = response.into_parts();
                let body = body.collect().await.expect("a whole body");
                Response::from_parts(parts, body.to_bytes())
            })
        }
    }

    crate::at_the_root_and_below!(super::mount);
}

mod poem {
    use std::io;
    use std::sync::Arc;

    use ::poem::Endpoint;

    use super::*;

    async fn mount(
        path: &'static str,
        handbill: Handbill,
    ) -> impl Fn(Request<SentBody>) -> ResponseFuture {
        let app = Arc::new(mount::poem_app(path, handbill));
        move |request| {
            let app = Arc::clone(&app);
            let (parts, body) = request.into_parts();
            let body = body.map_err(io::Error::other).boxed();
            let mut inner = ::poem::Request::builder()
                .method(parts.method)
                .uri(parts.uri)
                .extension(ClientAddr(bare::LOCAL))
                .body(body);
            *inner.headers_mut() = parts.headers;
            Box::pin(async move {
                let (parts, body) = app.get_response(inner).await.into_parts();
                let mut response = Response::new(body.into_bytes().await.expect("a whole body"));
                *response.status_mut() = parts.status;
                *response.headers_mut() = parts.headers;
                response
            })
        }
    }

    crate::at_the_root_and_below!(super::mount);
}

mod rocket {
    use std::net::SocketAddr;
    use std::sync::Arc;

    use ::rocket::http::Header;
    use ::rocket::local::asynchronous::Client;

    use super::*;

    async fn mount(
        path: &'static str,
        handbill: Handbill,
    ) -> impl Fn(Request<SentBody>) -> ResponseFuture {
        let client = Client::untracked(mount::rocket_app(path, handbill)).await;
        let client = Arc::new(client.expect("the app starts"));
        move |request| {
            let client = Arc::clone(&client);
            Box::pin(async move {
                let method = request.method().as_str().parse().expect("a method");
                let mut inner = client.req(method, request.uri().to_string());
                for (name, value) in request.headers() {
                    let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                    inner.add_header(Header::new(name.to_string(), value));
                }
                let inner = inner
                    .remote(SocketAddr::new(bare::LOCAL, 4711))
                    .body(request.body().to_bytes());
                let given = inner.dispatch().await;
                let mut response = Response::builder().status(given.status().code);
                for header in given.headers().iter() {
                    response = response.header(header.name().as_str(), header.value());
                }
                let body = given.into_bytes().await.unwrap_or_default();
                response.body(body.into()).expect("a response")
            })
        }
    }

    crate::at_the_root_and_below!(super::mount);
}
