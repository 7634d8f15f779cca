//! The body of a response, in the form that Salvo accepts.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use salvo::BoxedError;

/// Makes a body `Sync`: Salvo requires it, and the bodies of many tower layers are not. A body has only
/// one reader, so nothing ever waits for the lock.
pub(crate) struct SyncBody<B>(Mutex<Pin<Box<B>>>);

impl<B> SyncBody<B> {
    pub(crate) fn new(body: B) -> Self {
        Self(Mutex::new(Box::pin(body)))
    }
}

impl<B> Body for SyncBody<B>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = BoxedError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxedError>>> {
        let body = self.0.get_mut();
        let frame = body.as_mut().poll_frame(context);
        frame.map(|frame| frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.0.lock().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.lock().size_hint()
    }
}
