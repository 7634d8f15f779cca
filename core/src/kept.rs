//! Answers that are made once, and given to everybody who asks.

use http::StatusCode;
use http::header::{self, HeaderName, HeaderValue};
use http_body::Body;

use crate::conditional::{Conditions, ETag};
use crate::response::{self, Response};
use crate::time::Timestamp;

/// The answer to a read with all its headers, and the one for whoever has that already.
pub(crate) struct KeptAnswer {
    etag: ETag,
    modified: Option<Timestamp>,
    whole: Response,
    not_modified: Response,
}

impl KeptAnswer {
    /// Keeps an answer that has its validators. `is_open_to_scripts` as for [`response::complete`].
    pub(crate) fn new(
        etag: ETag,
        modified: Option<Timestamp>,
        mut whole: Response,
        is_open_to_scripts: bool,
    ) -> Self {
        let mut not_modified = response::empty(StatusCode::NOT_MODIFIED);
        not_modified.headers_mut().clone_from(whole.headers());
        not_modified.headers_mut().remove(header::CONTENT_TYPE);
        for answer in [&mut whole, &mut not_modified] {
            response::complete(answer, is_open_to_scripts);
        }
        Self {
            etag,
            modified,
            whole,
            not_modified,
        }
    }

    /// The answer to a request that sets these conditions.
    pub(crate) fn to(&self, conditions: &Conditions) -> Response {
        if conditions.are_current(&self.etag, self.modified) {
            self.not_modified.clone()
        } else {
            self.whole.clone()
        }
    }

    /// How many bytes it takes, about.
    pub(crate) fn weight(&self) -> usize {
        let body = self.whole.body().size_hint().lower() as usize;
        let values = self.whole.headers().values();
        let headers = values.map(|value| size_of::<(HeaderName, HeaderValue)>() + value.len());
        size_of::<Self>() + body + 2 * headers.sum::<usize>()
    }
}
