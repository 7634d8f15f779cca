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

/// The requests and responses of actix-web stay on one thread, so the app has a thread of its own.
mod actix_web {
    use std::net::SocketAddr;

    use ::actix_web::body::to_bytes;
    use ::actix_web::test::{TestRequest, call_service, init_service};
    use ::actix_web::{App, rt, web};
    use tokio::sync::{mpsc, oneshot};

    use super::*;

    type Call = (Request<SentBody>, oneshot::Sender<Response<Bytes>>);

    async fn mount(
        path: &'static str,
        handbill: Handbill,
    ) -> impl Fn(Request<SentBody>) -> ResponseFuture {
        let (calls, received) = mpsc::unbounded_channel();
        std::thread::spawn(move || rt::System::new().block_on(run(path, handbill, received)));
        move |request| {
            let (respond, response) = oneshot::channel();
            let call = (request, respond);
            calls.send(call).expect("the thread runs");
            Box::pin(async move { response.await.expect("the app responds") })
        }
    }

    async fn run(path: &str, handbill: Handbill, mut calls: mpsc::UnboundedReceiver<Call>) {
        let mounted = handbill_actix_web::service(handbill);
        let scope = web::scope(path.trim_end_matches('/')).service(mounted);
        let app = std::rc::Rc::new(init_service(App::new().service(scope)).await);
        while let Some((request, respond)) = calls.recv().await {
            let mut inner = TestRequest::with_uri(&request.uri().to_string())
                .method(request.method().as_str().parse().expect("a method"))
                .peer_addr(SocketAddr::new(bare::LOCAL, 4711))
                .set_payload(request.body().to_bytes());
            for (name, value) in request.headers() {
                let line = (name.as_str(), value.as_bytes());
                inner = match name.as_str() {
                    // `set_payload` has set it.
                    "content-length" => inner.insert_header(line),
                    _ => inner.append_header(line),
                };
            }
            let app = std::rc::Rc::clone(&app);
            rt::spawn(async move {
                let given = call_service(&*app, inner.to_request()).await;
                let mut response = Response::builder().status(given.status().as_u16());
                for (name, value) in given.headers() {
                    response = response.header(name.as_str(), value.as_bytes());
                }
                let body = to_bytes(given.into_body()).await.expect("a whole body");
                let _ = respond.send(response.body(body).expect("a response"));
            });
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

mod salvo {
    use std::net::SocketAddr;

    use ::salvo::http::{ReqBody, uri::Scheme};
    use ::salvo::{ConnCtrl, Service, conn};

    use super::*;

    async fn mount(
        path: &'static str,
        handbill: Handbill,
    ) -> impl Fn(Request<SentBody>) -> ResponseFuture {
        let client = SocketAddr::new(bare::LOCAL, 4711);
        let app = Service::new(mount::salvo_app(path, handbill)).hyper_handler(
            conn::SocketAddr::Unknown,
            client.into(),
            Scheme::HTTP,
            None,
            ConnCtrl::new(),
            None,
        );
        move |request| {
            let request = request.map(|body| ReqBody::Boxed {
                inner: Box::pin(body.map_err(Into::into)),
                fuse_config: None,
            });
            let response = app.handle(::salvo::Request::from_hyper(request, Scheme::HTTP));
            Box::pin(async move {
                let (parts, body) = response.await.into_hyper().into_parts();
                let body = body.collect().await.expect("a whole body");
                Response::from_parts(parts, body.to_bytes())
            })
        }
    }

    crate::at_the_root_and_below!(super::mount);
}
