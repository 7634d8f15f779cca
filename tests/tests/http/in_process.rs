//! Tests that only work in process: request bodies that no client can send, headers that are not
//! text, and extensions of responses.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use handbill::{Handbill, RoutePattern};
use handbill_testing::http::{App, Created};
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Empty};
use serde_json::Value;
use tower::ServiceExt;

type BodyError = Box<dyn std::error::Error + Send + Sync>;

async fn send<B>(handbill: &Handbill, request: Request<B>) -> Response<Value>
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BodyError>,
{
    let Ok(response) = handbill.clone().oneshot(request).await;
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let json = serde_json::from_slice(&body).unwrap_or_default();
    Response::from_parts(parts, json)
}

fn create(app: &App) -> http::request::Builder {
    let request = Request::post("/api/posts").header("x-api-key", &*app.key);
    request.header("content-type", "application/json")
}

/// A body that must not be read.
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

#[tokio::test]
async fn a_body_is_not_read_if_the_head_is_refused() {
    let app = crate::app().await;
    let post = app.create_body("x").await;
    let update = || Request::put(post.path()).header("content-type", "application/json");
    for (request, code) in [
        (Request::post("/nothing"), "not_found"),
        (
            Request::builder().method("BREW").uri("/api/posts"),
            "method_not_allowed",
        ),
        (Request::post("/api/posts"), "unsupported_media_type"),
        (update(), "missing_edit_token"),
        (
            create(&app).header("content-length", "1048577"),
            "body_too_large",
        ),
        (
            create(&app).header("content-length", u64::MAX.to_string()),
            "body_too_large",
        ),
        (
            Request::post("/keys").header("origin", "https://other.example"),
            "cross_site",
        ),
    ] {
        let response = send(&app.service, request.body(Untouched).unwrap()).await;
        assert_eq!(response.body()["code"], code);
    }
    let read = Request::get(post.path()).body(Untouched).unwrap();
    assert_eq!(send(&app.service, read).await.status(), 200);
    let delete = Request::delete(post.path()).header("x-edit-token", &post.token);
    let delete = delete.body(Untouched).unwrap();
    assert_eq!(send(&app.service, delete).await.status(), 204);
}

/// Frames that arrive one by one, and then the end of the body, or an error.
struct Frames {
    left: Vec<Frame<Bytes>>,
    breaks_off: bool,
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

/// A refused body. It counts the frames that are read.
struct Refused {
    frames: usize,
    /// Whether the end arrives.
    ends: bool,
    read: Arc<AtomicUsize>,
}

const FRAME: usize = 100_000;

impl Body for Refused {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.frames == 0 {
            return if self.ends {
                Poll::Ready(None)
            } else {
                Poll::Pending
            };
        }
        self.frames -= 1;
        self.read.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b'x'; FRAME])))))
    }
}

/// Sends a body of so many frames, which is refused. Returns the number of frames that are read.
async fn refuse(service: &Handbill, frames: usize, ends: bool) -> Arc<AtomicUsize> {
    let read = Arc::new(AtomicUsize::new(0));
    let body = Refused {
        frames,
        ends,
        read: Arc::clone(&read),
    };
    let request = Request::post("/api/posts").header("content-length", frames * FRAME + 1);
    let response = send(service, request.body(body).unwrap()).await;
    assert_eq!(response.body()["code"], "unsupported_media_type");
    read
}

#[tokio::test]
async fn other_work_has_its_turn_between_the_frames_of_large_refused_bodies() {
    let app = crate::app().await;
    let mut bodies = Vec::new();
    for _ in 0..100 {
        bodies.push(refuse(&app.service, 20, true).await);
    }
    let frames_read = move || {
        let read = bodies.iter().map(|read| read.load(Ordering::Relaxed));
        read.sum::<usize>()
    };
    let other_work = async move {
        // The first frame of each is read at once.
        tokio::task::yield_now().await;
        let mut before = frames_read();
        while before < 100 * 20 {
            tokio::task::yield_now().await;
            let after = frames_read();
            assert!(after - before <= 32, "{before} frames, then {after}");
            before = after;
        }
    };
    tokio::spawn(other_work).await.unwrap();
}

#[tokio::test]
async fn a_refused_body_whose_end_does_not_arrive_delays_no_other() {
    let app = crate::app().await;
    let mut stopped = Vec::new();
    for _ in 0..100 {
        stopped.push(refuse(&app.service, 2, false).await);
    }
    let whole = refuse(&app.service, 20, true).await;
    tokio::time::pause();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(whole.load(Ordering::Relaxed), 20);
}

#[tokio::test]
async fn a_body_that_ends_early_creates_nothing() {
    let app = crate::app().await;
    for text in ["", r#"{"body":"#, r#"{"body":"x"}"#] {
        let body = Frames {
            left: vec![Frame::data(text.into())],
            breaks_off: true,
        };
        let response = send(&app.service, create(&app).body(body).unwrap()).await;
        assert_eq!(response.body()["code"], "invalid_json");
    }
    assert_eq!(app.get("/api/posts").await.ok()["total"], 0);
}

#[tokio::test]
async fn trailers_and_empty_frames_are_not_part_of_a_body() {
    let app = crate::app().await;
    let body = Frames {
        left: vec![
            Frame::trailers(HeaderMap::new()),
            Frame::data(r#""x"}"#.into()),
            Frame::data(Bytes::new()),
            Frame::data(r#"{"body":"#.into()),
        ],
        breaks_off: false,
    };
    let response = send(&app.service, create(&app).body(body).unwrap()).await;
    assert_eq!(response.status(), 201);
}

#[tokio::test]
async fn a_credential_that_is_not_text_is_wrong() {
    let app = crate::app().await;
    let post = app.create_body("x").await;
    for (request, name, code) in [
        (
            Request::get("/api/keys/current"),
            "x-api-key",
            "invalid_api_key",
        ),
        (
            Request::delete(post.path()),
            "x-edit-token",
            "invalid_edit_token",
        ),
    ] {
        let request = request.header(name, &b"\xFF\xFE"[..]);
        let request = request.body(Empty::<Bytes>::new()).unwrap();
        assert_eq!(send(&app.service, request).await.body()["code"], code);
    }
}

#[tokio::test]
async fn a_path_that_is_not_text_or_begins_with_two_slashes_is_not_found() {
    let app = crate::app().await;
    for path in ["//", "///", "//api/posts", "/%FF", "/p/%FF", "/p/%C3%28"] {
        app.get(path).await.problem("not_found");
    }
}

#[tokio::test]
async fn an_unknown_method_is_not_allowed() {
    let app = crate::app().await;
    let Created { id, .. } = app.create_body("x").await;
    for path in ["/", "/api/posts", "/keys", &format!("/api/posts/{id}")] {
        for method in ["TRACE", "BREW", "get"] {
            let response = app.call(method, path).await;
            response.problem("method_not_allowed");
        }
    }
    app.call("BREW", "/nothing").await.problem("not_found");
}

#[tokio::test]
async fn a_response_names_its_route_without_secrets() {
    let app = crate::app().await;
    let post = app.create_body("x").await;
    for (path, pattern) in [
        (post.edit_page(), Some("/e/{edit_token}")),
        (post.path(), Some("/api/posts/{id}")),
        (post.page(), Some("/p/{id}")),
        ("/nothing".to_owned(), None),
    ] {
        for method in ["GET", "BREW"] {
            let request = Request::builder().method(method).uri(&path);
            let request = request.body(Empty::<Bytes>::new()).unwrap();
            let response = send(&app.service, request).await;
            let found = response.extensions().get::<RoutePattern>();
            assert_eq!(found.map(|found| found.0), pattern);
        }
    }
}
