//! Conditional requests (RFC 9110, section 13): entity tags and what they decide.

use http::StatusCode;
use http::header::{self, HeaderName, HeaderValue};
use sha2::{Digest, Sha256};

use crate::post::Revision;
use crate::problem::{Code, Problem};
use crate::request::Head;
use crate::response::{self, Response};
use crate::time::Timestamp;

/// A strong entity tag, quotes included.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ETag(String);

/// Makes entity tags that change with whatever else the bytes depend on: the base URL, and the
/// release, since another one may render otherwise.
#[derive(Clone, Debug)]
pub(crate) struct ETagMaker {
    salt: String,
}

impl ETagMaker {
    pub(crate) fn new(base_url: &str) -> Self {
        let seed = format!("{} {base_url}", env!("CARGO_PKG_VERSION"));
        Self {
            salt: hex(&Sha256::digest(seed)[..4]),
        }
    }

    /// The tag of one post, whole, in this revision. One that no reader sees gets a new tag too,
    /// which costs a reader one more read.
    pub(crate) fn of_revision(&self, revision: Revision) -> ETag {
        ETag(["\"", &revision.number().to_string(), "-", &self.salt, "\""].concat())
    }

    /// The tag of what shows one post in a language.
    pub(crate) fn of_revision_in(&self, revision: Revision, language: &str) -> ETag {
        ETag(format!(
            "\"{}-{}-{language}\"",
            revision.number(),
            self.salt
        ))
    }

    /// The tag of a representation by its bytes, or by all that these depend on.
    pub(crate) fn of_bytes(&self, bytes: &[u8]) -> ETag {
        ETag(format!(
            "\"{}-{}\"",
            hex(&Sha256::digest(bytes)[..16]),
            self.salt
        ))
    }
}

impl ETag {
    pub(crate) fn header(&self) -> HeaderValue {
        response::ascii(&self.0)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The conditions that a request sets.
#[derive(Debug, Default)]
pub(crate) struct Conditions<'a> {
    if_match: Option<Tags<'a>>,
    if_none_match: Option<Tags<'a>>,
    if_modified_since: Option<Timestamp>,
    if_unmodified_since: Option<Timestamp>,
}

#[derive(Debug)]
enum Tags<'a> {
    Any,
    Listed(Vec<ListedTag<'a>>),
}

#[derive(Debug)]
struct ListedTag<'a> {
    weak: bool,
    tag: &'a [u8],
}

impl<'a> Conditions<'a> {
    /// Reads the conditions. Dates that are none are passed over, as section 13.1.3 demands.
    pub(crate) fn of(head: &'a Head) -> Result<Self, Problem> {
        const NAMES: [HeaderName; 4] = [
            header::IF_MATCH,
            header::IF_NONE_MATCH,
            header::IF_MODIFIED_SINCE,
            header::IF_UNMODIFIED_SINCE,
        ];
        if !NAMES.iter().any(|name| head.headers().contains_key(name)) {
            return Ok(Self::default());
        }
        let tags = |name| head.single_header(name)?.map(Tags::parse).transpose();
        let date = |name| {
            let value = head.single_header(name)?;
            let date = value.and_then(|value| Timestamp::from_http_date(value.to_str().ok()?));
            Ok::<_, Problem>(date)
        };
        let [
            if_match,
            if_none_match,
            if_modified_since,
            if_unmodified_since,
        ] = NAMES;
        Ok(Self {
            if_match: tags(if_match)?,
            if_none_match: tags(if_none_match)?,
            if_modified_since: date(if_modified_since)?,
            if_unmodified_since: date(if_unmodified_since)?,
        })
    }

    /// Whether the client that reads has these bytes already.
    pub(crate) fn are_current(&self, etag: &ETag, modified: Option<Timestamp>) -> bool {
        match (&self.if_none_match, self.if_modified_since, modified) {
            (Some(tags), ..) => tags.contain(etag, Compare::Weakly),
            (None, Some(since), Some(modified)) => !modified.is_in_a_later_second_than(since),
            _ => false,
        }
    }

    /// Lets a write through, or refuses it because what it would write over has changed.
    pub(crate) fn allow_write(&self, etag: &ETag, modified: Timestamp) -> Result<(), Problem> {
        let stale = match (&self.if_match, self.if_unmodified_since) {
            (Some(tags), _) => !tags.contain(etag, Compare::Strongly),
            (None, Some(since)) => modified.is_in_a_later_second_than(since),
            (None, None) => false,
        };
        let taken = self.if_none_match.as_ref();
        if stale || taken.is_some_and(|tags| tags.contain(etag, Compare::Weakly)) {
            let detail = "the post is not as the condition demands; read it again";
            return Err(Problem::new(Code::PreconditionFailed, detail));
        }
        Ok(())
    }
}

enum Compare {
    Strongly,
    Weakly,
}

impl<'a> Tags<'a> {
    /// `*`, or entity tags separated by commas (section 8.8.3).
    fn parse(value: &'a HeaderValue) -> Result<Self, Problem> {
        let malformed = || {
            Problem::new(
                Code::InvalidHeader,
                "a condition is `*` or entity tags in quotes",
            )
        };
        let mut rest = value.as_bytes().trim_ascii();
        if rest == b"*" {
            return Ok(Self::Any);
        }
        let mut listed = Vec::new();
        while !rest.is_empty() {
            if let Some(after_comma) = rest.strip_prefix(b",") {
                rest = after_comma.trim_ascii();
                continue;
            }
            let weak = rest.starts_with(b"W/");
            let quoted = if weak { &rest[2..] } else { rest };
            let opened = quoted.strip_prefix(b"\"").ok_or_else(malformed)?;
            let end = opened
                .iter()
                .position(|byte| *byte == b'"')
                .ok_or_else(malformed)?;
            let tag = &opened[..end];
            if !tag
                .iter()
                .all(|byte| matches!(byte, 0x21 | 0x23..=0x7E | 0x80..))
            {
                return Err(malformed());
            }
            listed.push(ListedTag { weak, tag });
            rest = opened[end + 1..].trim_ascii();
            if !rest.is_empty() && !rest.starts_with(b",") {
                return Err(malformed());
            }
        }
        if listed.is_empty() {
            Err(malformed())
        } else {
            Ok(Self::Listed(listed))
        }
    }

    fn contain(&self, etag: &ETag, compare: Compare) -> bool {
        let opaque = etag.0.trim_matches('"').as_bytes();
        match self {
            Self::Any => true,
            Self::Listed(tags) => tags.iter().any(|listed| {
                let comparable = !listed.weak || matches!(compare, Compare::Weakly);
                comparable && listed.tag == opaque
            }),
        }
    }
}

/// A read's answer: the whole of it, or 304 where the client has it already. The validators stand
/// on both.
pub(crate) fn answer(
    conditions: &Conditions,
    etag: &ETag,
    modified: Option<Timestamp>,
    whole: impl FnOnce() -> Response,
) -> Response {
    if conditions.are_current(etag, modified) {
        return not_modified(etag, modified);
    }
    validated(whole(), etag, modified)
}

/// The answer for whoever has what is asked for.
pub(crate) fn not_modified(etag: &ETag, modified: Option<Timestamp>) -> Response {
    validated(response::empty(StatusCode::NOT_MODIFIED), etag, modified)
}

/// A read's answer with its validators.
pub(crate) fn validated(
    mut response: Response,
    etag: &ETag,
    modified: Option<Timestamp>,
) -> Response {
    response::set(&mut response, header::ETAG, etag.header());
    if let Some(modified) = modified {
        let date = response::ascii(&modified.to_http_date());
        response::set(&mut response, header::LAST_MODIFIED, date);
    }
    response::keep(&mut response, response::Keep::Revalidated);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entity_tags_are_compared_as_their_condition_demands() {
        let etag = ETag("\"a,b\"".to_owned());
        for (text, strongly, weakly) in [
            ("*", true, true),
            ("\"a,b\"", true, true),
            ("W/\"a,b\"", false, true),
            (", \"x\" ,, \"a,b\",", true, true),
            ("\"x\"", false, false),
        ] {
            let value = HeaderValue::from_static(text);
            let tags = Tags::parse(&value).unwrap();
            assert_eq!(tags.contain(&etag, Compare::Strongly), strongly, "{text}");
            assert_eq!(tags.contain(&etag, Compare::Weakly), weakly, "{text}");
        }
        for malformed in [
            "", ",", "a", "\"a", "\"a\"b\"", "w/\"a\"", "\"a b\"", "*, \"a\"",
        ] {
            let value = HeaderValue::from_static(malformed);
            assert!(Tags::parse(&value).is_err(), "{malformed}");
        }
    }
}
