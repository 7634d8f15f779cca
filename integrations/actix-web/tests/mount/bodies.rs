//! Bodies of requests and responses that come piece by piece, never end, or fail.

use std::cell::Cell;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::App;
use actix_web::body::{MessageBody, to_bytes};
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::test::{TestRequest, call_service, init_service};
use bytes::Bytes;
use futures_core::Stream;
use handbill_actix_web::RequestBody;
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use tower::service_fn;

use crate::{TestResponse, handbill};

const PIECE: usize = 1024;

/// A payload that never ends, or that fails after its first piece. It counts what was read.
struct Pieces {
    read: Rc<Cell<usize>>,
    breaks_off: bool,
}

impl Stream for Pieces {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let read = self.read.get();
        if self.breaks_off && read > 0 {
            return Poll::Ready(Some(Err(PayloadError::Incomplete(None))));
        }
        self.read.set(read + PIECE);
        Poll::Ready(Some(Ok(Bytes::from_static(&[b' '; PIECE]))))
    }
}

/// Sends such a payload and returns the response and how much of the payload was read.
async fn send_pieces(
    service: impl actix_web::dev::HttpServiceFactory + 'static,
    breaks_off: bool,
) -> (TestResponse, usize) {
    let read = Rc::new(Cell::new(0));
    let payload = Pieces {
        read: Rc::clone(&read),
        breaks_off,
    };
    let request = TestRequest::post()
        .uri("/api/keys")
        .insert_header(("content-type", "application/json"))
        .to_request();
    let payload = Payload::Stream {
        payload: Box::pin(payload) as _,
    };
    let (request, _) = request.replace_payload(payload);
    let app = init_service(App::new().service(service)).await;
    let response = TestResponse::of(call_service(&app, request).await).await;
    (response, read.get())
}

#[actix_web::test]
async fn a_request_body_that_ends_early_is_an_error_for_the_service() {
    let service = handbill_actix_web::service(handbill(""));
    let (response, _) = send_pieces(service, true).await;
    assert_eq!(response.problem(), "invalid_json");
}

#[actix_web::test]
async fn only_one_piece_is_read_ahead() {
    let service = service_fn(|request: http::Request<RequestBody>| async move {
        let mut body = request.into_body();
        for _ in 0..3 {
            body.frame().await.unwrap().unwrap();
        }
        Ok::<_, Infallible>(http::Response::new("read three".to_owned()))
    });
    let (response, read) = send_pieces(handbill_actix_web::service(service), false).await;
    assert_eq!(response.body, "read three");
    assert!(read <= 4 * PIECE, "{read}");
}

#[actix_web::test]
async fn a_body_that_is_read_after_the_response_is_an_error() {
    let (late, mut bodies) = tokio::sync::mpsc::unbounded_channel();
    let service = service_fn(move |request: http::Request<RequestBody>| {
        let late = late.clone();
        async move {
            let _ = late.send(request.into_body());
            Ok::<_, Infallible>(http::Response::new(String::new()))
        }
    });
    send_pieces(handbill_actix_web::service(service), false).await;
    let body: RequestBody = bodies.recv().await.unwrap();
    assert!(body.collect().await.is_err());
}

/// A response in two pieces, of which the second may fail.
struct Parts {
    sent: usize,
    breaks_off: bool,
}

impl Body for Parts {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.sent += 1;
        Poll::Ready(match self.sent {
            1 => Some(Ok(Frame::data("one".into()))),
            2 if self.breaks_off => Some(Err(io::ErrorKind::ConnectionReset.into())),
            2 => Some(Ok(Frame::data("two".into()))),
            3 => Some(Ok(Frame::trailers(http::HeaderMap::new()))),
            _ => None,
        })
    }
}

#[actix_web::test]
async fn a_streamed_response_arrives_complete_or_fails() {
    for breaks_off in [false, true] {
        let service = service_fn(move |_: http::Request<RequestBody>| async move {
            let parts = Parts {
                sent: 0,
                breaks_off,
            };
            Ok::<_, Infallible>(http::Response::new(parts))
        });
        let service = handbill_actix_web::service(service);
        let app = init_service(App::new().service(service)).await;
        let response = call_service(&app, TestRequest::default().to_request()).await;
        let body = response.into_body();
        assert_eq!(body.size(), actix_web::body::BodySize::Stream);
        match to_bytes(body).await {
            Ok(body) => assert!(!breaks_off && body == "onetwo", "{body:?}"),
            Err(_) => assert!(breaks_off),
        }
    }
}
