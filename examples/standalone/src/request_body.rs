//! Request bodies of clients who are slow.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::{Sleep, sleep};

/// How long a client may take for one body, from when it is first waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request's body with a deadline.
pub(crate) struct RequestBody {
    incoming: Option<Incoming>,
    /// None until somebody waits: most bodies come with their heads.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl RequestBody {
    pub(crate) fn new(incoming: Incoming) -> Self {
        let incoming = Some(incoming).filter(|body| !body.is_end_stream());
        Self {
            incoming,
            deadline: None,
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Some(incoming) = &mut self.incoming else {
            return Poll::Ready(None);
        };
        if let Poll::Ready(frame) = Pin::new(incoming).poll_frame(context) {
            if !matches!(frame, Some(Ok(_))) {
                self.incoming = None;
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let deadline = self
            .deadline
            .get_or_insert_with(|| Box::pin(sleep(PATIENCE)));
        if deadline.as_mut().poll(context).is_ready() {
            self.incoming = None;
            return Poll::Ready(Some(Err("the body took too long".into())));
        }
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.as_ref().is_none_or(Incoming::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), Incoming::size_hint)
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt, Full};
    use hyper::server::conn::http1;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncWriteExt, duplex};
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_body_has_its_time_from_when_it_is_waited_for() {
        let (mut client, server) = duplex(1024);
        let answer = async |request: http::Request<Incoming>| {
            let body = RequestBody::new(request.into_body());
            sleep(PATIENCE).await;
            let asked = Instant::now();
            body.collect().await.unwrap_err();
            assert_eq!(asked.elapsed().as_secs(), PATIENCE.as_secs());
            Err::<http::Response<Full<Bytes>>, _>("answered enough")
        };
        let serving =
            http1::Builder::new().serve_connection(TokioIo::new(server), service_fn(answer));
        let request = b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab";
        client.write_all(request).await.unwrap();
        assert!(serving.await.unwrap_err().is_user());
    }
}
