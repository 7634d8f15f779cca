//! Each framework by itself, giving an answer that was recorded: what a handler of its own would do
//! that had the answer at hand.

use std::convert::Infallible;
use std::io::Cursor;
use std::net::SocketAddr;

use bytes::Bytes;
use handbill_tests::mount::{launch, listen, poem_server, quiet_rocket};
use http::Response;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rocket::http::Method;
use rocket::route::{Handler, Outcome};
use rocket::{Data, Request, Route};

pub(crate) async fn hyper(answer: Response<Bytes>) -> SocketAddr {
    let (listener, address) = listen().await;
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let answer = answer.clone();
            let service = service_fn(move |request: http::Request<Incoming>| {
                let answer = answer.clone().map(Full::new);
                async {
                    // What a creation sends is read to its end.
                    let _ = request.into_body().collect().await;
                    Ok::<_, Infallible>(answer)
                }
            });
            let stream = TokioIo::new(stream);
            tokio::spawn(http1::Builder::new().serve_connection(stream, service));
        }
    });
    address
}

pub(crate) async fn axum(answer: Response<Bytes>) -> SocketAddr {
    let own = axum::routing::get(move || async move { answer.map(Full::new) });
    let app = axum::Router::new().route("/blog/api/posts/{id}", own);
    let (listener, address) = listen().await;
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

pub(crate) async fn poem(answer: Response<Bytes>) -> SocketAddr {
    let own = poem::endpoint::make_sync(move |_| {
        let (head, body) = answer.clone().into_parts();
        let mut response = poem::Response::from(body);
        *response.headers_mut() = head.headers;
        response
    });
    let app = poem::Route::new().at("/blog/api/posts/:id", own);
    let (listener, address) = listen().await;
    tokio::spawn(poem_server(listener).run(app));
    address
}

pub(crate) async fn rocket(answer: Response<Bytes>) -> SocketAddr {
    #[derive(Clone)]
    struct Own(Response<Bytes>);

    #[rocket::async_trait]
    impl Handler for Own {
        async fn handle<'r>(&self, _: &'r Request<'_>, _: Data<'r>) -> Outcome<'r> {
            let mut response = rocket::Response::new();
            for (name, value) in self.0.headers() {
                response
                    .set_raw_header(name.as_str().to_owned(), value.to_str().unwrap().to_owned());
            }
            let body = self.0.body().clone();
            response.set_sized_body(body.len(), Cursor::new(body));
            Outcome::Success(response)
        }
    }

    let route = Route::new(Method::Get, "/blog/api/posts/<_>", Own(answer));
    launch(quiet_rocket().mount("/", vec![route])).await
}
