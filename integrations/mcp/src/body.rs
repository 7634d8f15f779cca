//! The body of a request, up to a limit.

use std::error::Error;
use std::pin::Pin;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::{HeaderMap, header};
use http_body::Body;
use http_body_util::{BodyExt, Full};

/// Why a body was not read to its end.
pub(crate) enum Unread<B> {
    /// It is longer than the limit; this is the rest of it.
    TooLong(Pin<Box<B>>),
    /// The client left, or a layer of the host refused the body.
    Failed,
}

/// Reads a body of at most `limit` bytes. A longer one is refused by its `Content-Length`, or else at the limit.
pub(crate) async fn read<B>(
    headers: &HeaderMap,
    body: B,
    limit: usize,
) -> Result<Full<Bytes>, Unread<B>>
where
    B: Body<Error: Into<Box<dyn Error + Send + Sync>>>,
{
    let mut body = Box::pin(body);
    let announced = headers.get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > limit as u64) {
        return Err(Unread::TooLong(body));
    }
    let mut read = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(Unread::Failed);
        };
        if let Ok(data) = frame.into_data() {
            if data.remaining() > limit - read.len() {
                return Err(Unread::TooLong(body));
            }
            read.put(data);
        }
    }
    Ok(Full::new(read.freeze()))
}
