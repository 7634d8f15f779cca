//! Bodies of requests: their media type, their size, how they arrive, and that they are JSON.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};
use serde_json::json;

use crate::app::{App, Call};

fn create(app: &App) -> Call {
    app.call("POST", "/api/posts")
        .header("x-api-key", &*app.key)
}

/// Goes on for ever.
struct Endless;

impl Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b' '; 65_536])))))
    }
}

/// Must not be read.
struct Untouched;

impl Body for Untouched {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        panic!("the body was read")
    }
}

/// Arrives frame by frame, and breaks off after the last one if it is to.
pub(crate) struct Frames {
    left: Vec<Frame<Bytes>>,
    breaks_off: bool,
}

impl Frames {
    /// A whole body in frames of so many bytes.
    pub(crate) fn of(body: impl AsRef<[u8]>, size: usize) -> Self {
        let chunks = body.as_ref().chunks(size).rev();
        Self {
            left: chunks
                .map(|chunk| Frame::data(Bytes::copy_from_slice(chunk)))
                .collect(),
            breaks_off: false,
        }
    }
}

impl Body for Frames {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        Poll::Ready(match self.left.pop() {
            Some(frame) => Some(Ok(frame)),
            None if self.breaks_off => Some(Err(io::ErrorKind::ConnectionReset.into())),
            None => None,
        })
    }
}

#[tokio::test]
async fn a_body_without_end_is_refused_as_soon_as_it_is_too_large() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let typed = |call: Call| call.header("content-type", "application/json");
    typed(create(&app))
        .send(Endless)
        .await
        .problem("body_too_large");
    let update = app
        .call("PUT", &post.path())
        .header("x-edit-token", &post.token);
    typed(update).send(Endless).await.problem("body_too_large");
    typed(app.call("POST", "/api/keys"))
        .send(Endless)
        .await
        .problem("body_too_large");
    app.call("POST", "/api/keys")
        .send(Endless)
        .await
        .problem("body_too_large");
    for page in ["/keys", &*post.edit_page()] {
        let form = app.call("POST", page);
        let form = form.header("content-type", "application/x-www-form-urlencoded");
        form.send(Endless).await.problem("body_too_large");
    }
}

#[tokio::test]
async fn a_body_that_announces_to_be_too_large_is_not_read() {
    let app = App::new().await;
    let announced = |length: &str| {
        let call = create(&app).header("content-type", "application/json");
        call.header("content-length", length)
    };
    for length in ["1048577", "18446744073709551615"] {
        announced(length)
            .send(Untouched)
            .await
            .problem("body_too_large");
    }
    announced("12")
        .send(r#"{"body":"x"}"#.to_owned())
        .await
        .created();
}

#[tokio::test]
async fn one_mebibyte_is_read_and_one_byte_more_is_not() {
    let app = App::new().await;
    let body = |length: usize| {
        let fields = r#"{"body":"x"}"#;
        fields.to_owned() + &" ".repeat(length - fields.len())
    };
    create(&app)
        .body("application/json", body(1 << 20))
        .await
        .created();
    let larger = create(&app)
        .body("application/json", body((1 << 20) + 1))
        .await;
    larger.problem("body_too_large");
    let frames = Frames::of(body(1 << 20), 50_000);
    create(&app)
        .header("content-type", "application/json")
        .send(frames)
        .await
        .created();
}

#[tokio::test]
async fn nothing_is_read_of_a_body_that_was_refused_before() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let json = |method, path: &str| {
        app.call(method, path)
            .header("content-type", "application/json")
    };
    json("POST", "/nothing")
        .send(Untouched)
        .await
        .problem("not_found");
    json("BREW", "/api/posts")
        .send(Untouched)
        .await
        .problem("method_not_allowed");
    json("POST", "/api/posts")
        .send(Untouched)
        .await
        .problem("missing_api_key");
    json("PUT", &post.path())
        .send(Untouched)
        .await
        .problem("missing_edit_token");
    create(&app)
        .send(Untouched)
        .await
        .problem("unsupported_media_type");
    let cross = app
        .call("POST", "/keys")
        .header("origin", "https://other.example");
    cross.send(Untouched).await.problem("cross_origin_form");
    assert_eq!(json("GET", &post.path()).send(Untouched).await.status, 200);
    assert_eq!(app.delete(&post).send(Untouched).await.status, 204);
}

#[tokio::test]
async fn a_body_in_many_frames_is_one_body() {
    let app = App::new().await;
    let fields = json!({ "body": "h\u{e9}llo \u{1F389}", "title": "t" }).to_string();
    for size in [1, 3, 7] {
        let call = create(&app).header("content-type", "application/json");
        let post = call.send(Frames::of(&fields, size)).await.created();
        assert_eq!(app.read(&post).await["body"], "h\u{e9}llo \u{1F389}");
    }
    let mut with_trailers = Frames::of(&fields, 10);
    with_trailers
        .left
        .insert(0, Frame::trailers(http::HeaderMap::new()));
    with_trailers.left.push(Frame::data(Bytes::new()));
    let call = create(&app).header("content-type", "application/json");
    call.send(with_trailers).await.created();
}

#[tokio::test]
async fn a_body_that_breaks_off_creates_nothing() {
    let app = App::new().await;
    for text in ["", r#"{"body":"#, r#"{"body":"x"}"#] {
        let frames = Frames {
            breaks_off: true,
            ..Frames::of(text, 4)
        };
        let call = create(&app).header("content-type", "application/json");
        call.send(frames).await.problem("invalid_json");
    }
    assert_eq!(app.get("/api/posts").await.ok()["total"], 0);
}

#[tokio::test]
async fn a_body_is_json_in_utf_8() {
    let app = App::new().await;
    let fields = r#"{"body":"x"}"#;
    for media_type in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"",
        "application/json ; profile=x",
    ] {
        create(&app).body(media_type, fields).await.created();
    }
    for media_type in [
        "",
        "text/plain",
        "text/json",
        "application/jsonx",
        "application/vnd.api+json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=iso-8859-1",
        "application/json; charset=utf-16",
        "application/json; profile=x; Charset=us-ascii",
        "application/json, text/plain",
    ] {
        let answer = create(&app).body(media_type, fields).await;
        answer.problem("unsupported_media_type");
    }
    let untyped = create(&app).send(fields.to_owned()).await;
    untyped.problem("unsupported_media_type");
    let twice = create(&app).header("content-type", "application/json");
    twice
        .body("application/json", fields)
        .await
        .problem("unsupported_media_type");
    for encoding in ["gzip", "br", "identity", "", "x"] {
        let encoded = create(&app).header("content-encoding", encoding);
        let encoded = encoded.body("application/json", fields).await;
        encoded.problem("unsupported_media_type");
    }
    assert_eq!(app.get("/api/posts").await.ok()["total"], 5);
}

#[tokio::test]
async fn what_is_no_json_object_is_refused() {
    let app = App::new().await;
    let post = app.create_body("kept").await;
    let deep = format!(r#"{{"body":"x","title":{}"#, "[".repeat(100_000));
    let deep_and_closed = format!(r#"{{"a":{}{}}}"#, "[".repeat(500_000), "]".repeat(500_000));
    let invalid: [&[u8]; 22] = [
        b"",
        b" ",
        b"[]",
        b"null",
        b"1",
        b"\"x\"",
        b"{",
        b"{}{}",
        b"{} x",
        b"{'body':'x'}",
        b"{\"body\":\"x\",}",
        b"{\"body\":\"x\" \"title\":\"y\"}",
        b"{\"body\":\"x\",\"body\":\"x\"}",
        b"{\"body\":\"x\",\"\\u0062ody\":\"y\"}",
        b"{\"body\":\"x\",\"title\":{\"a\":1,\"a\":1}}",
        b"{\"body\":\"\\ud800\"}",
        b"{\"body\":\"\\udc00\\ud800\"}",
        b"{\"body\":\"x\xFF\"}",
        b"{\"body\":\"a\nb\"}",
        b"\xEF\xBB\xBF{\"body\":\"x\"}",
        deep.as_bytes(),
        deep_and_closed.as_bytes(),
    ];
    for body in invalid {
        let body = Bytes::copy_from_slice(body);
        let created = create(&app).body("application/json", body.clone()).await;
        created.problem("invalid_json");
        for method in ["PUT", "PATCH"] {
            let update = app
                .call(method, &post.path())
                .header("x-edit-token", &post.token);
            update
                .body("application/json", body.clone())
                .await
                .problem("invalid_json");
        }
    }
    assert_eq!(app.read(&post).await["body"], "kept");
    let escaped = r#"{"body":"\ud83c\udf89\u00e9"}"#;
    let post = create(&app)
        .body("application/json", escaped)
        .await
        .created();
    assert_eq!(app.read(&post).await["body"], "\u{1F389}\u{e9}");
}

#[tokio::test]
async fn errors_about_what_a_client_made_up_do_not_outgrow_it() {
    let app = App::new().await;
    let names: Vec<_> = (0..60_000).map(|n| format!(r#""{n}":1"#)).collect();
    let many = format!("{{{}}}", names.join(","));
    let answer = create(&app).body("application/json", many).await;
    answer.problem("invalid_post");
    assert!(answer.body.len() < 20_000, "{}", answer.body.len());
    let long = format!(r#"{{"body":"x","{}":1}}"#, "n".repeat(900_000));
    let answer = create(&app).body("application/json", long).await;
    answer.problem("invalid_post");
    assert!(answer.body.len() < 2_000, "{}", answer.body.len());
    let title = json!({ "body": "x", "title": "t".repeat(10 << 20) });
    app.post(&title).await.problem("body_too_large");
}
