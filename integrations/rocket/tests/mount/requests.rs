//! Requests reach the service as they were sent.

use std::convert::Infallible;
use std::net::SocketAddr;

use crate::support::{app, begin, get, handbill, launch, mirror, send, send_raw, send_sized};
use handbill::Limits;
use handbill_rocket::RequestBody;
use http_body_util::BodyExt;
use rocket::fairing::AdHoc;
use rocket::tokio::io::AsyncWriteExt;
use rocket::tokio::sync::mpsc;

const FORM: &str = "Content-Type: application/x-www-form-urlencoded";
const MIB: usize = 1024 * 1024;

/// The outcomes of the bodies that a service at `/` has read.
async fn body_ends() -> (SocketAddr, mpsc::UnboundedReceiver<Result<usize, String>>) {
    let (ends, received) = mpsc::unbounded_channel();
    let service = tower::service_fn(move |request: http::Request<RequestBody>| {
        let ends = ends.clone();
        async move {
            let end = request.into_body().collect().await;
            let end = end.map(|body| body.to_bytes().len());
            let _ = ends.send(end.map_err(|error| error.to_string()));
            Ok::<_, Infallible>(http::Response::new(String::new()))
        }
    });
    let address = launch(app().mount("/", handbill_rocket::routes(service))).await;
    (address, received)
}

#[rocket::async_test]
async fn addresses_are_relative_to_the_mount_point_and_otherwise_unchanged() {
    let app = app()
        .mount("/one", handbill_rocket::routes(mirror()))
        .mount("/a/b/", handbill_rocket::routes(mirror()));
    let address = launch(app).await;
    for (sent, seen) in [
        ("/one", "/"),
        ("/one/", "/"),
        ("/one?", "/?"),
        ("/one?a=%2F&&b=1+2", "/?a=%2F&&b=1+2"),
        ("/one/p/a%2Fb%20c", "/p/a%2Fb%20c"),
        ("/one//p//", "//p//"),
        ("/one/../p/.", "/../p/."),
        ("/one/one/p", "/one/p"),
        ("/a/b", "/"),
        ("/a/b/c/?d", "/c/?d"),
        // Rocket routes these here, but they are not addresses of the service.
        ("//one/p", "//one/p"),
        ("/%6Fne/p", "/%6Fne/p"),
        ("/a//b/p", "/a//b/p"),
    ] {
        let response = get(address, sent).await;
        assert_eq!(response.body.lines().next(), Some(&*format!("GET {seen}")));
    }
}

#[rocket::async_test]
async fn at_the_root_doubled_slashes_stay() {
    let address = launch(app().mount("/", handbill_rocket::routes(mirror()))).await;
    for path in ["/", "//", "//p", "/p/?q", "*"] {
        let response = send(address, &format!("OPTIONS {path} HTTP/1.1"), "").await;
        assert_eq!(
            response.body.lines().next(),
            Some(&*format!("OPTIONS {path}"))
        );
    }
}

#[rocket::async_test]
async fn all_methods_that_rocket_knows_arrive() {
    let address = launch(app().mount("/", handbill_rocket::routes(handbill()))).await;
    for method in ["PUT", "PATCH", "DELETE", "TRACE", "CONNECT"] {
        let response = send(address, &format!("{method} /api/posts HTTP/1.1"), "").await;
        response.assert_problem(405, "method_not_allowed");
        assert_eq!(response.header("allow"), Some("GET, HEAD, POST, OPTIONS"));
    }
    let unknown = send(address, "PROPFIND /api/posts HTTP/1.1", "").await;
    assert_eq!((unknown.status, unknown.header("allow")), (400, None));
}

#[rocket::async_test]
async fn a_form_that_names_a_method_gets_that_method() {
    let app = app()
        .mount("/mirror", handbill_rocket::routes(mirror()))
        .mount("/blog", handbill_rocket::routes(handbill()));
    let address = launch(app).await;
    let form = "_method=put&label=mine";
    let mirrored = send_sized(address, &format!("POST /mirror/p HTTP/1.1\n{FORM}"), form).await;
    assert!(mirrored.body.starts_with("PUT /p\n"), "{mirrored:?}");
    let refused = send_sized(address, &format!("POST /blog/keys HTTP/1.1\n{FORM}"), form).await;
    refused.assert_problem(405, "method_not_allowed");
}

#[rocket::async_test]
async fn headers_keep_their_values_and_order() {
    let address = launch(app().mount("/", handbill_rocket::routes(mirror()))).await;
    let head = "GET / HTTP/1.1\nX-One: 1\nX-Other: a,  b\nX-One: 2\nX-One: \u{e9}\nX-Empty:";
    let seen = get_lines(address, head).await;
    assert_eq!(
        seen[1..=5],
        [
            "x-one: 1",
            "x-one: 2",
            r"x-one: \xc3\xa9",
            "x-other: a,  b",
            "x-empty: "
        ]
    );
}

async fn get_lines(address: SocketAddr, head: &str) -> Vec<String> {
    let response = send(address, head, "").await;
    response.body.lines().map(str::to_owned).collect()
}

#[rocket::async_test]
async fn the_client_is_the_connection_unless_the_app_says_otherwise() {
    const FORGED: &str = "GET / HTTP/1.1\nX-Real-IP: 192.0.2.1\nX-Forwarded-For: 192.0.2.1";
    let bare = app().mount("/", handbill_rocket::routes(mirror()));
    let seen = get_lines(launch(bare).await, FORGED).await;
    assert!(seen.contains(&"from 127.0.0.1".to_owned()), "{seen:?}");

    let behind_proxy = AdHoc::on_request("address", |request, _| {
        Box::pin(async {
            if let Some(address) = request.real_ip() {
                request.set_remote(SocketAddr::new(address, 0));
            }
        })
    });
    let trusting = app().attach(behind_proxy);
    let trusting = trusting.mount("/", handbill_rocket::routes(mirror()));
    let seen = get_lines(launch(trusting).await, FORGED).await;
    assert!(seen.contains(&"from 192.0.2.1".to_owned()), "{seen:?}");
}

#[rocket::async_test]
async fn bodies_arrive_complete_with_any_framing() {
    let address = launch(app().mount("/", handbill_rocket::routes(mirror()))).await;
    for length in [0, 1, 13, 14, 15, 64, 65, 4 * MIB] {
        let seen = format!("a body of {length} bytes");
        let body = "x".repeat(length);
        let sized = send_sized(address, "POST / HTTP/1.1", &body).await;
        assert!(sized.body.ends_with(&seen), "{length}: {sized:?}");
        let head = "POST / HTTP/1.1\nTransfer-Encoding: chunked";
        let chunked = send(address, head, in_chunks(&body)).await;
        assert!(chunked.body.ends_with(&seen), "{length}: {chunked:?}");
    }
}

fn in_chunks(body: &str) -> String {
    let chunks = body.as_bytes().chunks(100_000);
    let mut sent: String = chunks
        .map(|chunk| {
            format!(
                "{:x}\r\n{}\r\n",
                chunk.len(),
                String::from_utf8_lossy(chunk)
            )
        })
        .collect();
    sent += "0\r\n\r\n";
    sent
}

#[rocket::async_test]
async fn the_app_sets_the_limit_of_bodies() {
    let mut limits = Limits::default();
    limits.request = 3 * MIB;
    let generous = handbill().with_limits(limits);
    let address = launch(app().mount("/", handbill_rocket::routes(generous))).await;
    let json = "POST /api/keys HTTP/1.1\nContent-Type: application/json";
    let taken = send_sized(address, json, &format!("{}{{}}", " ".repeat(2 * MIB))).await;
    assert_eq!(taken.status, 201, "{taken:?}");
    let refused = send_sized(address, json, &format!("{}{{}}", " ".repeat(3 * MIB))).await;
    refused.assert_problem(413, "body_too_large");
}

#[rocket::async_test]
async fn a_body_that_ends_early_is_an_error() {
    let (address, mut ends) = body_ends().await;
    for (head, sent) in [
        ("POST / HTTP/1.1\nContent-Length: 100", "short"),
        (
            "POST / HTTP/1.1\nContent-Length: 100",
            "longer than what Rocket peeks at",
        ),
        (
            "POST / HTTP/1.1\nTransfer-Encoding: chunked",
            "14\r\nexactly twenty bytes\r\n",
        ),
    ] {
        let mut stream = begin(address, head).await;
        stream.write_all(sent.as_bytes()).await.expect("sent");
        drop(stream);
        let end = ends.recv().await.expect("the service was called");
        assert!(end.is_err(), "{sent:?}: {end:?}");
    }
    let head = "POST / HTTP/1.1\nTransfer-Encoding: chunked";
    send_raw(address, head, "14\r\nexactly twenty bytes\r\nno length\r\n").await;
    let end = ends.recv().await.expect("the service was called");
    assert!(end.is_err(), "{end:?}");
}

#[rocket::async_test]
async fn a_body_that_is_read_after_the_response_is_an_error() {
    let (ends, mut received) = mpsc::unbounded_channel();
    let hasty = tower::service_fn(move |request: http::Request<RequestBody>| {
        let ends = ends.clone();
        rocket::tokio::spawn(async move {
            let end = request.into_body().collect().await;
            let _ = ends.send(end.map(|body| body.to_bytes()));
        });
        async { Ok::<_, Infallible>(http::Response::new(String::new())) }
    });
    let address = launch(app().mount("/", handbill_rocket::routes(hasty))).await;
    let head = "POST / HTTP/1.1\nContent-Length: 1000";
    send(address, head, "longer than what Rocket peeks at").await;
    let end = received.recv().await.expect("the body ended");
    assert!(end.is_err(), "{end:?}");
}
