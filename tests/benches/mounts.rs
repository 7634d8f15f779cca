//! `GET /api/posts/{id}` through each mount, as a share of the same framework answering the same
//! bytes by itself: each server on one core, the client on another.
//!
//! `cargo bench -p handbill-tests --bench mounts`

#![expect(clippy::unwrap_used, reason = "a benchmark stops where it can't go on")]

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use handbill::{Handbill, MemoryStore, RateLimits};
use handbill_tests::load::{get, median, publish, throughput};
use handbill_tests::wire::Connection;
use handbill_tests::{mount, pinned, recorded};
use http::Response;

const ROUNDS: usize = 3;
const DURATION: Duration = Duration::from_secs(4);
const CLIENTS: usize = 32;
const BODY_BYTES: usize = 1000;
const MOUNT: &str = "/blog";
const FRAMEWORKS: [&str; 4] = ["hyper", "axum", "poem", "rocket"];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if let Some(what) = pinned::to_serve() {
        let (framework, answer) = what.split_once(' ').unwrap();
        let address = match answer {
            "" => serve_handbill(framework).await,
            file => serve_recorded(framework, recorded::read(Path::new(file))).await,
        };
        pinned::listening(address);
        return std::future::pending().await;
    }
    pinned::client_on_its_own_core();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("answer.json");
    for framework in FRAMEWORKS {
        let (mut mounted, address) = pinned::start(&format!("{framework} ")).await;
        let id = publish(address, MOUNT, 1, BODY_BYTES).await;
        let request = get(&format!("{MOUNT}/api/posts/{id}"));
        let mut connection = Connection::open(address).await.unwrap();
        let answer = connection.send(&request).await.unwrap();
        recorded::write(&answer, &file);
        let own = format!("{framework} {}", file.display());
        let (mut own, own_address) = pinned::start(&own).await;
        let mut connection = Connection::open(own_address).await.unwrap();
        let same = connection.send(&request).await.unwrap();
        assert_eq!(same.body, answer.body);

        let requests = Arc::new(vec![request]);
        let rate = async |address| {
            let requests = Arc::clone(&requests);
            throughput(address, CLIENTS, DURATION, requests, 200).await
        };
        let mut shares = Vec::new();
        for round in 1..=ROUNDS {
            let (reference, ours) = (rate(own_address).await, rate(address).await);
            shares.push(ours / reference);
            println!(
                "{framework}, round {round}: by itself {reference:.0}, with handbill {ours:.0} a \
                 second ({:.2}), {} bytes",
                ours / reference,
                answer.body.len(),
            );
        }
        println!("{framework}: {:.2} of itself", median(&shares));
        mounted.kill().await.unwrap();
        own.kill().await.unwrap();
    }
}

async fn serve_handbill(framework: &str) -> SocketAddr {
    let handbill = Handbill::new("https://example.org/blog", MemoryStore::new()).unwrap();
    let handbill = handbill.with_rate_limits(&RateLimits::off());
    match framework {
        "hyper" => mount::in_hyper(MOUNT, handbill).await,
        "axum" => mount::in_axum(MOUNT, handbill).await,
        "poem" => mount::in_poem(MOUNT, handbill).await,
        _ => mount::in_rocket(MOUNT, handbill).await,
    }
}

/// What a handler of the framework's own would do that had the answer at hand.
async fn serve_recorded(framework: &str, answer: Response<Bytes>) -> SocketAddr {
    match framework {
        "hyper" => own::hyper(answer).await,
        "axum" => own::axum(answer).await,
        "poem" => own::poem(answer).await,
        _ => own::rocket(answer).await,
    }
}

mod own {
    use std::convert::Infallible;
    use std::io::Cursor;
    use std::net::SocketAddr;

    use bytes::Bytes;
    use handbill_tests::mount::{launch, listen, poem_server, quiet_rocket};
    use http::Response;
    use http_body_util::Full;
    use hyper::server::conn::http1;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use rocket::http::Method;
    use rocket::route::{Handler, Outcome};
    use rocket::{Data, Request, Route};

    pub(super) async fn hyper(answer: Response<Bytes>) -> SocketAddr {
        let (listener, address) = listen().await;
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let answer = answer.clone();
                let service = service_fn(move |_| {
                    let answer = answer.clone().map(Full::new);
                    async { Ok::<_, Infallible>(answer) }
                });
                let stream = TokioIo::new(stream);
                tokio::spawn(http1::Builder::new().serve_connection(stream, service));
            }
        });
        address
    }

    pub(super) async fn axum(answer: Response<Bytes>) -> SocketAddr {
        let own = axum::routing::get(move || async move { answer.map(Full::new) });
        let app = axum::Router::new().route("/blog/api/posts/{id}", own);
        let (listener, address) = listen().await;
        tokio::spawn(async move { axum::serve(listener, app).await });
        address
    }

    pub(super) async fn poem(answer: Response<Bytes>) -> SocketAddr {
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

    pub(super) async fn rocket(answer: Response<Bytes>) -> SocketAddr {
        #[derive(Clone)]
        struct Own(Response<Bytes>);

        #[rocket::async_trait]
        impl Handler for Own {
            async fn handle<'r>(&self, _: &'r Request<'_>, _: Data<'r>) -> Outcome<'r> {
                let mut response = rocket::Response::new();
                for (name, value) in self.0.headers() {
                    response.set_raw_header(
                        name.as_str().to_owned(),
                        value.to_str().unwrap().to_owned(),
                    );
                }
                let body = self.0.body().clone();
                response.set_sized_body(body.len(), Cursor::new(body));
                Outcome::Success(response)
            }
        }

        let route = Route::new(Method::Get, "/blog/api/posts/<_>", Own(answer));
        launch(quiet_rocket().mount("/", vec![route])).await
    }
}
