//! Content codings (RFC 9110, section 8.4.1): compressed forms of responses, each made once for all clients.
//!
//! Each form of a response has an entity tag of its own (section 8.8.3.3): that of the response with `+br` or `+gzip`
//! at its end. What is private may hold a secret and is never compressed: with a text of the attacker in it, its length
//! could tell the secret.

use std::sync::OnceLock;

use bytes::Bytes;
use http::StatusCode;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG,
    HeaderMap, HeaderValue,
};
use http_body_util::Full;

use crate::http::{Response, accept, response};

/// Shorter responses fit into one packet anyway.
const MIN_BYTES: usize = 1024;
/// Takes a third of the time of level 6. The output is 2 % longer.
#[cfg(feature = "compression")]
const BROTLI_QUALITY: u32 = 5;
#[cfg(feature = "compression")]
const BROTLI_WINDOW: u32 = 22;

/// How a response is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Brotli,
    Gzip,
}

#[derive(Default)]
pub(crate) struct Codings([OnceLock<Option<CodedBody>>; Coding::ALL.len()]);

struct CodedBody {
    body: Bytes,
    etag: HeaderValue,
}

impl Coding {
    /// The best first.
    pub(crate) const ALL: [Self; 2] = [Self::Brotli, Self::Gzip];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// The coding that a client accepts (section 12.5.3).
    pub(crate) fn accepted_by(headers: &HeaderMap) -> Option<Self> {
        let accepts = |coding: &Self| {
            accept::weighted(headers, ACCEPT_ENCODING)
                .any(|(name, quality)| name.eq_ignore_ascii_case(coding.name()) && quality > 0.0)
        };
        Self::ALL.into_iter().find(accepts)
    }

    /// Parts an entity tag from the coding at its end.
    pub(crate) fn split_off(tag: &[u8]) -> (&[u8], Option<Self>) {
        let of = |coding: Self| {
            let tag = tag.strip_suffix(coding.name().as_bytes())?;
            Some((tag.strip_suffix(b"+")?, Some(coding)))
        };
        Self::ALL.into_iter().find_map(of).unwrap_or((tag, None))
    }

    /// The text in this coding, if that is shorter.
    pub(crate) fn compress(self, text: &[u8]) -> Option<Bytes> {
        let coded = self.encode(text).ok()?;
        (coded.len() < text.len()).then(|| coded.into_boxed_slice().into())
    }

    #[cfg(feature = "compression")]
    fn encode(self, text: &[u8]) -> std::io::Result<Vec<u8>> {
        use std::io::Write;

        match self {
            Self::Brotli => {
                let (quality, window) = (BROTLI_QUALITY, BROTLI_WINDOW);
                let mut encoder = brotli::CompressorWriter::new(Vec::new(), 4096, quality, window);
                encoder.write_all(text)?;
                Ok(encoder.into_inner())
            }
            Self::Gzip => {
                let level = flate2::Compression::default();
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
                encoder.write_all(text)?;
                encoder.finish()
            }
        }
    }

    #[cfg(not(feature = "compression"))]
    fn encode(self, text: &[u8]) -> std::io::Result<Vec<u8>> {
        Ok(text.to_vec())
    }
}

impl Codings {
    /// Whether this form was not made yet.
    pub(crate) fn lacks(&self, coding: Coding) -> bool {
        self.0[coding as usize].get().is_none()
    }

    /// Sets a form of a response with this tag. `None` if it would not be shorter.
    pub(crate) fn set(&self, coding: Coding, body: Option<Bytes>, etag: HeaderValue) {
        let coded = body.map(|body| CodedBody { body, etag });
        // Another request may have made it at the same time.
        let _ = self.0[coding as usize].set(coded);
    }

    /// Gives a response this form, if there is one.
    pub(crate) fn apply(&self, coding: Coding, response: &mut Response) {
        let Some(Some(CodedBody { body, etag })) = self.0[coding as usize].get() else {
            return;
        };
        *response.body_mut() = Full::new(body.clone());
        let headers = response.headers_mut();
        headers.insert(ETAG, etag.clone());
        headers.insert(CONTENT_LENGTH, body.len().into());
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    }

    /// The bytes that the forms take.
    pub(crate) fn size(&self) -> usize {
        let made = self.0.iter().filter_map(OnceLock::get).flatten();
        made.map(|coded| coded.body.len()).sum()
    }
}

/// Whether a response is a text for everyone, or stands for one (304).
pub(crate) fn may_be_compressed(response: &Response) -> bool {
    let text = |name| response.headers().get(name)?.to_str().ok();
    let is_read = matches!(response.status(), StatusCode::OK | StatusCode::NOT_MODIFIED);
    let is_public = text(CACHE_CONTROL).is_some_and(|control| control.starts_with("public"));
    let is_text = text(CONTENT_TYPE).is_none_or(|kind| {
        kind.starts_with("text/")
            || ["json", "xml", "javascript"]
                .iter()
                .any(|part| kind.contains(part))
    });
    is_read && is_public && is_text
}

/// Whether it is also long enough.
pub(crate) fn is_worth_it(response: &Response) -> bool {
    may_be_compressed(response) && response::len(response) >= MIN_BYTES
}
