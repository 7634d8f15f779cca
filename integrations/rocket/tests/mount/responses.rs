//! The service's responses reach clients unchanged.

use std::convert::Infallible;
use std::io;

use crate::support::{TestResponse, app, get, handbill, launch, parse, send_raw};
use bytes::Bytes;
use handbill_rocket::RequestBody;
use http_body::Frame;
use http_body_util::StreamBody;
use rocket::tokio::io::{AsyncReadExt, AsyncWriteExt};
use rocket::tokio::net::TcpStream;

#[rocket::async_test]
async fn a_connection_can_be_reused_after_a_response_without_a_body() {
    let address = launch(app().mount("/", handbill_rocket::routes(handbill()))).await;
    let etag = get(address, "/").await;
    let etag = etag.header("etag").expect("a page has an ETag").to_owned();
    let requests = [
        format!("GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: {etag}\r\n\r\n"),
        "HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
        "OPTIONS /api/posts HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
        "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".to_owned(),
    ];
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    stream
        .write_all(requests.concat().as_bytes())
        .await
        .expect("sent");
    let mut responses = String::new();
    stream
        .read_to_string(&mut responses)
        .await
        .expect("a response");
    let statuses: Vec<_> = responses
        .split("HTTP/1.1 ")
        .skip(1)
        .map(|response| response.split(' ').next())
        .collect();
    assert_eq!(statuses, ["304", "200", "204", "200"].map(Some));
    assert!(
        responses.ends_with("\r\n\r\n{\"status\":\"ok\"}"),
        "{responses}"
    );
}

#[rocket::async_test]
async fn repeated_headers_are_all_sent_in_order() {
    let service = tower::service_fn(|_: http::Request<RequestBody>| async {
        let response = http::Response::builder()
            .header("set-cookie", "a=1")
            .header("link", "</first>; rel=\"first\"")
            .header("set-cookie", "b=2")
            .body(String::new());
        Ok::<_, Infallible>(response.expect("a response"))
    });
    let address = launch(app().mount("/", handbill_rocket::routes(service))).await;
    let response = get(address, "/").await;
    assert_eq!(response.all("set-cookie"), ["a=1", "b=2"]);
    assert_eq!(response.header("link"), Some("</first>; rel=\"first\""));
    assert_eq!(response.header("content-length"), Some("0"));
}

#[rocket::async_test]
async fn a_streamed_response_arrives_complete_or_the_connection_breaks() {
    let service = tower::service_fn(|request: http::Request<RequestBody>| async move {
        let breaks_off = request.uri().path() == "/broken";
        let end = if breaks_off {
            Err(io::Error::other("no more"))
        } else {
            Ok(Frame::data(Bytes::from_static(b"world")))
        };
        let hello = Ok(Frame::data(Bytes::from_static(b"hello ")));
        let body = StreamBody::new(rocket::futures::stream::iter([hello, end]));
        Ok::<_, Infallible>(http::Response::new(body))
    });
    let address = launch(app().mount("/", handbill_rocket::routes(service))).await;

    let whole = get(address, "/whole").await;
    assert_eq!(whole.body, "hello world");
    assert_eq!(whole.header("content-length"), Some("11"));

    let broken = send_raw(address, "GET /broken HTTP/1.1", "").await;
    let is_short = |response: &TestResponse| {
        let promised = response.header("content-length").map(str::parse::<usize>);
        matches!(promised, Some(Ok(length)) if response.body.len() < length)
    };
    let broken = parse(&broken);
    assert!(broken.as_ref().is_none_or(is_short), "{broken:?}");
}

#[rocket::async_test]
async fn rockets_shield_does_not_repeat_or_contradict_headers() {
    let address = launch(app().mount("/blog", handbill_rocket::routes(handbill()))).await;
    let page = get(address, "/blog").await;
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    let policy = page.header("content-security-policy");
    assert!(policy.is_some_and(|policy| policy.contains("frame-ancestors 'none'")));
    assert!(page.header("permissions-policy").is_some());

    let json = get(address, "/blog/api/posts").await;
    assert_eq!(json.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(json.header("x-frame-options"), Some("SAMEORIGIN"));
}
