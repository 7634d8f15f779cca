//! Request bodies: media type, size, arrival, and JSON.

use bytes::Bytes;
use serde_json::json;

use super::app::FORM;
use super::{App, Call, Created, Mount, SentBody};

/// The size limit of a request body.
const MOST: usize = 1 << 20;

/// A valid creation of this many bytes. Without its last byte it is not JSON.
fn padded(length: usize) -> Bytes {
    let (start, end) = (r#"{"body":"x""#, "}");
    let padding = " ".repeat(length - start.len() - end.len());
    [start, &padding, end].concat().into()
}

/// A complete body in chunks of this size.
fn in_chunks(body: &Bytes, size: usize) -> SentBody {
    let chunks = body.chunks(size).map(Bytes::copy_from_slice);
    SentBody::chunked(chunks.collect::<Vec<_>>())
}

fn create(app: &App) -> Call {
    app.post_as().header("content-type", "application/json")
}

/// Every request whose body the service reads, without a body.
fn with_body(app: &App, post: &Created) -> [Call; 7] {
    let typed = |call: Call, media_type| call.header("content-type", media_type);
    [
        create(app),
        typed(app.edit("PUT", post), "application/json"),
        typed(app.edit("PATCH", post), "application/merge-patch+json"),
        typed(app.call("POST", "/api/keys"), "application/json"),
        typed(app.call("POST", "/keys"), FORM),
        typed(app.call("POST", "/write"), FORM),
        typed(app.call("POST", &post.edit_page()), FORM),
    ]
}

/// A body of 1 MiB passes the mount and is read completely, with or without `Content-Length`.
pub async fn one_mebibyte_is_read_whole(mount: &Mount) {
    let app = App::new(mount).await;
    let body = padded(MOST);
    for sent in [SentBody::whole(body.clone()), in_chunks(&body, 50_000)] {
        create(&app).sending(sent).await.created();
    }
}

/// A body with a `Content-Length` over 1 MiB returns 413 at once.
pub async fn a_body_announced_as_too_large_is_refused_at_once(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for length in [MOST as u64 + 1, 64 << 20] {
        for call in with_body(&app, &post) {
            let response = call.sending(SentBody::withheld(length)).await;
            response.problem("body_too_large");
        }
    }
}

/// A body without `Content-Length` returns 413 as soon as it exceeds 1 MiB.
pub async fn a_body_in_chunks_is_refused_as_soon_as_it_is_too_large(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for call in with_body(&app, &post) {
        let sent = in_chunks(&padded(MOST + 1), 65_536).without_end();
        call.sending(sent).await.problem("body_too_large");
    }
}

/// If a request's head determines the response, the response does not wait for the body. An
/// unauthorised client cannot make the service read a large or slow body.
pub async fn a_response_to_the_head_does_not_wait_for_the_body(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let json = |method, path: &str| {
        let call = app.call(method, path);
        call.header("content-type", "application/json")
    };
    let elsewhere = app.call("POST", "/keys");
    for (call, code) in [
        (json("POST", "/nothing"), "not_found"),
        (json("PUT", "/api/posts"), "method_not_allowed"),
        (json("POST", "/api/posts"), "missing_api_key"),
        (json("PUT", &post.path()), "missing_edit_token"),
        (app.post_as(), "unsupported_media_type"),
        (
            elsewhere.header("origin", "https://other.example"),
            "cross_site",
        ),
    ] {
        let response = call.sending(SentBody::withheld(1_000)).await;
        response.problem(code);
    }
}

/// The service does not wait for a body that it does not need.
pub async fn an_unneeded_body_is_not_waited_for(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let replace = app.call("POST", &format!("{}/edit_token", post.path()));
    let read = app.get(&post.path());
    for (call, status) in [
        (read, 200),
        (replace.header("x-api-key", &*app.key), 200),
        (app.call("OPTIONS", &post.path()), 204),
    ] {
        let response = call.sending(SentBody::withheld(1_000)).await;
        response.expect_status(status);
    }
}

/// A body in many chunks, split anywhere, is one body.
pub async fn a_body_in_many_chunks_is_one_body(mount: &Mount) {
    let app = App::new(mount).await;
    let text = "h\u{e9}llo \u{1F389}";
    let fields = json!({ "body": text, "title": "t" }).to_string().into();
    for size in [1, 3, 7] {
        let sent = in_chunks(&fields, size);
        let post = create(&app).sending(sent).await.created();
        let body = app.read(&post).await["body"].clone();
        assert_eq!(body, text, "a body sent in chunks of {size} bytes");
    }
}

/// An empty body is not a JSON object, whether it has a length or not.
pub async fn an_empty_body_is_not_json(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body("unchanged").await;
    let update = || {
        let call = app.edit("PUT", &post);
        call.header("content-type", "application/json")
    };
    for empty in [
        SentBody::default(),
        SentBody::whole(""),
        SentBody::chunked([]),
    ] {
        for call in [create(&app), update()] {
            let response = call.sending(empty.clone()).await;
            response.problem("invalid_json");
        }
    }
    app.expect_body(&post, "unchanged").await;
}

/// A body must be `application/json`, with the charset UTF-8 if it names one.
pub async fn a_body_is_json_in_utf_8(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = r#"{"body":"x"}"#;
    for media_type in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"",
        "application/json ; profile=x",
    ] {
        let response = app.post_as().body(media_type, fields).await;
        assert_eq!(response.status, 201, "{response}, sent as `{media_type}`");
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
        let response = app.post_as().body(media_type, fields).await;
        assert_eq!(response.status, 415, "{response}, sent as `{media_type}`");
    }
    let list = app.get("/api/posts").await.ok();
    assert_eq!(list["total"], 5, "posts that there are");
}

/// A body with no media type or with two returns 415: the mount drops no line.
pub async fn a_body_names_one_media_type(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = r#"{"body":"x"}"#;
    let untyped = app.post_as().sending(SentBody::whole(fields)).await;
    untyped.problem("unsupported_media_type");
    let twice = create(&app).body("application/json", fields).await;
    twice.problem("unsupported_media_type");
}

/// A body with `Content-Encoding` returns 415.
pub async fn a_body_is_not_encoded(mount: &Mount) {
    let app = App::new(mount).await;
    for encoding in ["gzip", "br", "identity", "", "x"] {
        let encoded = app.post(&json!({ "body": "x" }));
        let response = encoded.header("content-encoding", encoding).await;
        response.problem("unsupported_media_type");
    }
}

/// A body that is not a JSON object, repeats a member or is not UTF-8 returns 400 (RFC 8259).
pub async fn a_body_that_is_not_a_json_object_is_refused(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body("unchanged").await;
    let deep = format!(r#"{{"body":"x","title":{}"#, "[".repeat(100_000));
    let deep_and_closed = format!(r#"{{"a":{}{}}}"#, "[".repeat(500_000), "]".repeat(500_000));
    let invalid: [&[u8]; 21] = [
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
        let calls = [
            app.post_as(),
            app.edit("PUT", &post),
            app.edit("PATCH", &post),
        ];
        for call in calls {
            let call = call.body("application/json", Bytes::copy_from_slice(body));
            call.await.problem("invalid_json");
        }
    }
    app.expect_body(&post, "unchanged").await;
}

/// JSON escapes are decoded (RFC 8259, section 7).
pub async fn escaped_characters_are_the_characters(mount: &Mount) {
    let app = App::new(mount).await;
    let escaped = r#"{"body":"\ud83c\udf89\u00e9"}"#;
    let post = app.post_as().body("application/json", escaped).await;
    let body = app.read(&post.created()).await["body"].clone();
    assert_eq!(body, "\u{1F389}\u{e9}", "the body that was sent escaped");
}

/// Only pages accept forms, and they accept nothing else.
pub async fn forms_are_for_the_pages_and_json_is_for_the_api(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body("unchanged").await;
    for page in [&*post.edit_page(), "/write", "/keys"] {
        for media_type in [
            "application/json",
            "multipart/form-data; boundary=x",
            "text/plain",
        ] {
            let call = app.call("POST", page).body(media_type, "body=x");
            call.await.problem("unsupported_media_type");
        }
        let untyped = app.call("POST", page).await;
        untyped.problem("unsupported_media_type");
    }
    let api = app.post_as().body(FORM, "body=x").await;
    api.problem("unsupported_media_type");
    app.expect_body(&post, "unchanged").await;
}
