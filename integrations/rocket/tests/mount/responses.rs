//! The service's responses reach clients unchanged.

use std::convert::Infallible;
use std::io;

use crate::support::{TestResponse, app, get, handbill, launch, parse, send, send_raw, send_sized};
use bytes::Bytes;
use handbill::Handbill;
use handbill_rocket::RequestBody;
use http_body::Frame;
use http_body_util::StreamBody;
use rocket::tokio::io::{AsyncReadExt, AsyncWriteExt};
use rocket::tokio::net::TcpStream;

/// The id and the edit token of a new post.
async fn publish(handbill: &Handbill, address: std::net::SocketAddr) -> (String, String) {
    let key = handbill.keys().issue(None, None).await.expect("a key");
    let key = key.key.expose();
    let head =
        format!("POST /blog/api/posts HTTP/1.1\nX-Api-Key: {key}\nContent-Type: application/json");
    let created = send_sized(address, &head, r#"{"body": "Hello"}"#).await;
    assert_eq!(created.status, 201, "{created:?}");
    let text = |name: &str| created.json()[name].as_str().map(str::to_owned);
    (
        text("id").expect("an id"),
        text("edit_token").expect("a token"),
    )
}

#[rocket::async_test]
async fn head_has_the_headers_of_get_and_no_body() {
    let address = launch(app().mount("/blog", handbill_rocket::routes(handbill()))).await;
    for path in [
        "/blog",
        "/blog/api/posts",
        "/blog/healthz",
        "/blog/p/bcdfghjklm",
    ] {
        let got = get(address, path).await;
        let head = send(address, &format!("HEAD {path} HTTP/1.1"), "").await;
        let without_date = |response: &TestResponse| {
            let mut headers = response.headers.clone();
            headers.retain(|(name, _)| name != "date");
            headers.sort();
            headers
        };
        assert_eq!(head.status, got.status);
        assert_eq!(without_date(&head), without_date(&got), "{path}");
        assert_eq!(
            got.header("content-length"),
            Some(&*got.body.len().to_string())
        );
        assert_eq!(head.body, "");
    }
}

#[rocket::async_test]
async fn responses_without_a_body_have_no_length() {
    let handbill = handbill();
    let app = app().mount("/blog", handbill_rocket::routes(handbill.clone()));
    let address = launch(app).await;
    let (id, token) = publish(&handbill, address).await;
    let etag = get(address, &format!("/blog/p/{id}")).await;
    let etag = etag.header("etag").expect("a page has an ETag");

    for (head, status) in [
        (
            format!("GET /blog/p/{id} HTTP/1.1\nIf-None-Match: {etag}"),
            304,
        ),
        (
            format!("HEAD /blog/p/{id} HTTP/1.1\nIf-None-Match: {etag}"),
            304,
        ),
        ("OPTIONS /blog/api/posts HTTP/1.1".to_owned(), 204),
        (
            format!("DELETE /blog/api/posts/{id} HTTP/1.1\nX-Edit-Token: {token}"),
            204,
        ),
    ] {
        let response = send(address, &head, "").await;
        assert_eq!(response.status, status, "{response:?}");
        assert_eq!(response.header("content-length"), None, "{response:?}");
        assert_eq!(response.header("transfer-encoding"), None, "{response:?}");
        assert_eq!(response.body, "");
    }
}

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
