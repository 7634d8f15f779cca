//! Requests as handlers see them: headers, queries and bodies, parsed within limits.

use std::borrow::Cow;
use std::error::Error;
use std::io;
use std::time::Instant;

use bytes::{Buf, Bytes};
use http::Method;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use http_body::Body as _;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, LengthLimitError};
use percent_encoding::percent_decode_str;
use tracing::debug_span;

use crate::host::callback::BoxError;
use crate::host::client::{ClientAddr, TrustedProxies};
use crate::host::signed_in::SignedIn;
use crate::http::body_drain::BodyDrain;
use crate::http::route_group::RouteGroup;
use crate::limits::rate_limiter::Requester;
use crate::observe::request_id::RequestId;
use crate::observe::timings::{Phase, measure_since};
use crate::problem::{Code, Problem};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A request without its body.
pub(crate) struct Head {
    pub(crate) parts: Parts,
    pub(crate) query: Query,
    pub(crate) client: Option<ClientAddr>,
    pub(crate) id: Option<RequestId>,
    /// The visitor, if the host has signed them in. The API does not know it.
    pub(crate) signed_in: Option<SignedIn>,
}

/// The body of a request, not yet read. Dropping it discards the rest.
pub(crate) struct Body {
    body_drain: BodyDrain,
    content_length: Option<u64>,
    /// `None` if the body is empty or has been read.
    stream: Option<BodyStream>,
    has_content: bool,
}

type BodyStream = UnsyncBoxBody<Bytes, BoxError>;

impl Head {
    pub(crate) fn new(parts: Parts, group: RouteGroup, trusted: &TrustedProxies) -> Self {
        let peer = parts.extensions.get::<ClientAddr>();
        let signed_in = parts.extensions.get::<SignedIn>();
        let signed_in = signed_in.filter(|_| group.goes_with_pages());
        Self {
            signed_in: signed_in.cloned(),
            query: Query(parts.uri.query().unwrap_or_default().to_owned()),
            id: parts.extensions.get().cloned(),
            client: peer.map(|peer| trusted.client(*peer, &parts.headers)),
            parts,
        }
    }

    /// Whose requests this one counts with.
    pub(crate) fn requester(&self) -> Requester<'_> {
        match &self.signed_in {
            Some(visitor) => Requester::User(visitor.owner()),
            None => Requester::Client(self.client),
        }
    }

    pub(crate) fn method(&self) -> &Method {
        &self.parts.method
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    /// A header that may appear once: a credential or a condition.
    pub(crate) fn single_header(&self, name: &HeaderName) -> Result<Option<&HeaderValue>, Problem> {
        let mut sent = self.headers().get_all(name).iter();
        match (sent.next(), sent.next()) {
            (value, None) => Ok(value),
            (_, Some(_)) => {
                let detail = format!("{name} appears more than once.");
                Err(Problem::new(Code::InvalidHeader, detail))
            }
        }
    }

    /// Refuses what a browser sent from a page of another origin, according to `Sec-Fetch-Site` or else
    /// `Origin`. A request with neither does not come from a browser and is allowed.
    pub(crate) fn check_origin(&self, own: &str) -> Result<(), Problem> {
        let is_own = match self.single_header(&SEC_FETCH_SITE)? {
            Some(site) => site == "same-origin" || site == "none",
            None => match self.single_header(&header::ORIGIN)? {
                Some(origin) => origin == own,
                None => true,
            },
        };
        if is_own {
            return Ok(());
        }
        let detail = "Send it from a page of this site, or from a program.";
        Err(Problem::new(Code::CrossSite, detail))
    }

    /// Refuses a body of another media type, in another charset than UTF-8, or with a content coding.
    pub(crate) fn check_media_type(&self, accepted: &[&str]) -> Result<(), Problem> {
        let refused = |detail: String| Err(Problem::new(Code::UnsupportedMediaType, detail));
        if self.headers().contains_key(header::CONTENT_ENCODING) {
            return refused("Send the body without Content-Encoding.".to_owned());
        }
        let mut given = self.headers().get_all(header::CONTENT_TYPE).iter();
        let names = accepted.join(" or ");
        let (Some(media_type), None) = (given.next(), given.next()) else {
            return refused(format!("Content-Type must appear once and be {names}."));
        };
        let media_type = media_type.to_str().unwrap_or_default();
        let mut parts = media_type.split(';').map(str::trim);
        let essence = parts.next().unwrap_or_default();
        if !accepted
            .iter()
            .any(|name| name.eq_ignore_ascii_case(essence))
        {
            return refused(format!("Content-Type must be {names}."));
        }
        let other_charset = parts
            .filter_map(|part| part.split_once('='))
            .any(|(name, value)| {
                name.trim().eq_ignore_ascii_case("charset")
                    && !value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
            });
        if other_charset {
            return refused("The body must be in UTF-8.".to_owned());
        }
        Ok(())
    }
}

impl Body {
    pub(crate) fn new<B>(headers: &HeaderMap, stream: B, body_drain: &BodyDrain) -> Self
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let content_length = headers.get(header::CONTENT_LENGTH);
        let content_length = content_length.and_then(|length| length.to_str().ok()?.parse().ok());
        let is_chunked = headers.contains_key(header::TRANSFER_ENCODING);
        let is_empty = stream.is_end_stream();
        let stream = stream
            .map_frame(|frame| frame.map_data(|mut data| data.copy_to_bytes(data.remaining())))
            .map_err(Into::into);
        Self {
            body_drain: body_drain.clone(),
            content_length,
            stream: (!is_empty).then(|| UnsyncBoxBody::new(stream)),
            has_content: is_chunked || content_length > Some(0),
        }
    }

    /// Reads the whole body. A body over `max` bytes is refused: at once if `Content-Length` says so,
    /// otherwise as soon as too many bytes have arrived.
    pub(crate) async fn read(self, max: usize) -> Result<Bytes, Problem> {
        // A body without a length counts as waited for: what makes it may take its time while it is polled.
        let length = self.stream.as_ref().map(http_body::Body::size_hint);
        let has_length = length.is_none_or(|length| length.exact().is_some());
        let began = (!has_length).then(Instant::now);
        let read = self.read_to_end(max);
        measure_since(began, Phase::Body, debug_span!("body"), read).await
    }

    async fn read_to_end(mut self, max: usize) -> Result<Bytes, Problem> {
        let too_large = || {
            let detail = format!("The body may have at most {max} bytes.");
            Problem::new(Code::BodyTooLarge, detail)
        };
        if self.content_length > Some(max as u64) {
            return Err(too_large());
        }
        let mut read = Vec::new();
        let Some(stream) = &mut self.stream else {
            return Ok(Bytes::new());
        };
        let longest = self.content_length.map_or(max, |length| length as usize);
        while let Some(frame) = stream.frame().await {
            let frame = frame.map_err(|error| match is_over_limit(&*error) {
                true => {
                    let detail = "The body has more bytes than this site accepts.";
                    Problem::new(Code::BodyTooLarge, detail)
                }
                false => Problem::new(Code::InvalidJson, "The body ended before it was complete."),
            })?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if read.len() + data.len() > max {
                return Err(too_large());
            }
            // Growing step by step to the end would leave as much unused memory behind as the body takes. The
            // system provides what is reserved only when it is used.
            if read.len() + data.len() > longest / 16 {
                read.reserve_exact(longest.saturating_sub(read.len()));
            }
            read.extend_from_slice(&data);
            if stream.is_end_stream() {
                break;
            }
        }
        self.stream = None;
        Ok(read.into())
    }
}

/// Whether a limit that the host puts around the service, such as tower-http's `RequestBodyLimitLayer`, was reached.
fn is_over_limit(error: &(dyn Error + 'static)) -> bool {
    let mut chain = std::iter::successors(Some(error), |error| inner(*error));
    chain.any(|error| error.is::<LengthLimitError>())
}

/// The error that another one wraps. That of an `io::Error` is not its source.
fn inner<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref)
    {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        let rest = self.stream.take();
        let rest = rest.filter(|rest| self.has_content && !rest.is_end_stream());
        if let Some(rest) = rest {
            self.body_drain.discard(rest);
        }
    }
}

/// A query string, as `application/x-www-form-urlencoded`.
pub(crate) struct Query(pub(crate) String);

impl Query {
    /// All values of a parameter, in their order.
    pub(crate) fn all(&self, name: &str) -> Result<Vec<String>, Problem> {
        let pairs = self.0.split('&');
        pairs
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .filter(|(key, _)| is_named(key, name))
            .map(|(_, value)| {
                decode(value).ok_or_else(|| Self::invalid(name, "is not valid UTF-8"))
            })
            .collect()
    }

    pub(crate) fn one(&self, name: &str) -> Result<Option<String>, Problem> {
        let mut values = self.all(name)?;
        match values.len() {
            0 | 1 => Ok(values.pop()),
            _ => Err(Self::invalid(name, "appears more than once")),
        }
    }

    /// The same, parsed. If `parse` returns nothing, the parameter has this fault.
    pub(crate) fn parsed<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Option<T>,
        fault: &str,
    ) -> Result<Option<T>, Problem> {
        let parsed = self.one(name)?.map(|text| parse(&text));
        match parsed {
            Some(None) => Err(Self::invalid(name, fault)),
            parsed => Ok(parsed.flatten()),
        }
    }

    pub(crate) fn invalid(name: &str, fault: &str) -> Problem {
        Problem::new(Code::InvalidParameter, format!("{name} {fault}."))
    }
}

/// Whether a key is this name. Only a key that can become the name is decoded, since a query may have
/// thousands of keys.
fn is_named(key: &str, name: &str) -> bool {
    let may_be_encoded = (name.len() + 1..=3 * name.len()).contains(&key.len());
    key == name || may_be_encoded && decode(key).is_some_and(|key| key == name)
}

/// Decodes a name or a value. `None` if it is not valid UTF-8.
fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    decoded.ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_decoded_strictly() {
        let query = Query("a=1&b=x+y%2Bz&c=%FF&a=2&d&%65=e".to_owned());
        assert_eq!(query.all("a").unwrap(), ["1", "2"]);
        assert_eq!(query.one("a").unwrap_err().code(), Code::InvalidParameter);
        assert_eq!(query.one("b").unwrap().as_deref(), Some("x y+z"));
        assert_eq!(query.one("c").unwrap_err().code(), Code::InvalidParameter);
        assert_eq!(query.one("d").unwrap().as_deref(), Some(""));
        assert_eq!(query.one("e").unwrap().as_deref(), Some("e"));
        assert_eq!(query.one("f").unwrap(), None);
    }
}
