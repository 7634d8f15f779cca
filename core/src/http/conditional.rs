//! Conditional requests (RFC 9110, section 13): entity tags, and the conditions in request headers.

use http::header::{self, HeaderValue};
use sha2::{Digest, Sha256};

use crate::host::base_url::BaseUrl;
use crate::http::coding::Coding;
use crate::http::{Head, Response, response};
use crate::post::{List, ListedPost, PageRequest, PostList, PostSummary, Revision, Timestamp, hex};
use crate::problem::{Code, Problem};

/// A strong entity tag, without its quotes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ETag(pub(crate) String);

/// Makes entity tags. They contain a hash of the base URL, the version of this crate and settings, since these
/// influence the bytes of a response.
#[derive(Clone, Debug)]
pub(crate) struct ETagMaker {
    salt: String,
}

impl ETagMaker {
    pub(crate) fn new(base_url: &BaseUrl, settings: &str) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let seed = format!("{version} {} {settings}", base_url.as_str());
        Self {
            salt: hex::encode(&Sha256::digest(seed)[..4]),
        }
    }

    /// The tag of a post in its first revision. There is one, since an identifier is used once.
    pub(crate) fn of_new_post(&self) -> ETag {
        ETag(format!("{}-{}", Revision::FIRST.number(), self.salt))
    }

    /// The tag of one post. A revision that readers do not see changes the tag, too; a client then reads
    /// the post once more. Later revisions may exist twice, if a backup was restored in between. The time of the
    /// change tells these apart.
    pub(crate) fn of_post(&self, post: &PostSummary) -> ETag {
        if post.revision == Revision::FIRST {
            return self.of_new_post();
        }
        let (revision, changed) = (post.revision.number(), post.updated_at.as_micros());
        ETag(format!("{revision}-{changed:x}-{}", self.salt))
    }

    /// The tag of one page of a list in a format. It depends on the revisions of all listed posts, and on the
    /// times of their changes, as [`of_post`](Self::of_post). It tells nothing of the list's owner.
    pub(crate) fn of_list(&self, format: &str, page: &PageRequest, found: &PostList) -> ETag {
        let mut hash = Sha256::new();
        let page = page.clone().with_list(List::Public);
        let (total, is_incomplete) = (found.total, found.is_incomplete);
        hash.update(format!("{format} {page:?} {total} {is_incomplete}"));
        for ListedPost { summary, .. } in found.posts.iter() {
            hash.update(summary.id.as_str());
            hash.update(summary.revision.number().to_be_bytes());
            hash.update(summary.updated_at.as_micros().to_be_bytes());
        }
        self.of_hash(&hash.finalize())
    }

    /// The tag of a representation that only its bytes identify.
    pub(crate) fn of_bytes(&self, bytes: &[u8]) -> ETag {
        self.of_hash(&Sha256::digest(bytes))
    }

    fn of_hash(&self, hash: &[u8]) -> ETag {
        ETag(format!("{}-{}", hex::encode(&hash[..16]), self.salt))
    }
}

impl ETag {
    pub(crate) fn header(&self) -> HeaderValue {
        response::ascii(format!("\"{}\"", self.0))
    }

    pub(crate) fn coded(&self, coding: Coding) -> HeaderValue {
        response::ascii(format!("\"{}+{}\"", self.0, coding.name()))
    }

    /// Sets the validators of a representation (section 8.8): this tag, and when it was changed.
    pub(crate) fn set_validators(&self, response: &mut Response, modified: Option<Timestamp>) {
        response::set(response, header::ETAG, self.header());
        if let Some(modified) = modified {
            let modified = response::ascii(modified.to_http_date());
            response::set(response, header::LAST_MODIFIED, modified);
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Conditions<'a> {
    if_match: Option<EntityTags<'a>>,
    if_none_match: Option<EntityTags<'a>>,
    if_modified_since: Option<Timestamp>,
    if_unmodified_since: Option<Timestamp>,
}

#[derive(Debug)]
enum EntityTags<'a> {
    Any,
    Listed(Vec<ListedTag<'a>>),
}

#[derive(Debug)]
struct ListedTag<'a> {
    weak: bool,
    /// Without the coding.
    tag: &'a [u8],
    /// If it is the tag of a compressed form.
    coding: Option<Coding>,
}

/// Splits off the entity tag at the beginning of a list. `None` if it is malformed.
fn split_tag(text: &[u8]) -> Option<(ListedTag<'_>, &[u8])> {
    let quoted = text.strip_prefix(b"W/");
    let weak = quoted.is_some();
    let opened = quoted.unwrap_or(text).strip_prefix(b"\"")?;
    let is_in_tag = |byte: u8| byte > b' ' && byte != b'"' && byte != 0x7F;
    let end = opened.iter().position(|byte| !is_in_tag(*byte))?;
    let (tag, closed) = opened.split_at(end);
    let after = closed.strip_prefix(b"\"")?.trim_ascii_start();
    let is_well_formed = after.is_empty() || after.starts_with(b",");
    let (tag, coding) = Coding::split_off(tag);
    is_well_formed.then_some((ListedTag { weak, tag, coding }, after))
}

impl<'a> Conditions<'a> {
    /// Reads the conditions. Malformed dates are ignored, as section 13.1.3 requires.
    pub(crate) fn of(head: &'a Head) -> Result<Self, Problem> {
        let tags = |name| head.single_header(name)?.map(EntityTags::parse).transpose();
        let date = |name| {
            let value = head.single_header(name)?;
            let date = value.and_then(|value| Timestamp::from_http_date(value.to_str().ok()?));
            Ok::<_, Problem>(date)
        };
        Ok(Self {
            if_match: tags(&header::IF_MATCH)?,
            if_none_match: tags(&header::IF_NONE_MATCH)?,
            if_modified_since: date(&header::IF_MODIFIED_SINCE)?,
            if_unmodified_since: date(&header::IF_UNMODIFIED_SINCE)?,
        })
    }

    /// Whether the client's copy is current, so that a read returns 304.
    pub(crate) fn are_current(&self, etag: &ETag, modified: Option<Timestamp>) -> bool {
        match (&self.if_none_match, self.if_modified_since, modified) {
            (Some(tags), ..) => tags.contain(etag, false),
            (None, Some(since), Some(modified)) => !modified.is_later_second(since),
            _ => false,
        }
    }

    /// The tag of a compressed form of the response with this tag, if the client has it.
    pub(crate) fn coded_tag(&self, etag: &ETag) -> Option<HeaderValue> {
        let Some(EntityTags::Listed(tags)) = &self.if_none_match else {
            return None;
        };
        let of_it = tags.iter().filter(|listed| listed.tag == etag.0.as_bytes());
        let codings: Vec<_> = of_it.filter_map(|listed| listed.coding).collect();
        let best = Coding::ALL
            .into_iter()
            .find(|coding| codings.contains(coding))?;
        Some(etag.coded(best))
    }

    /// Whether the request may change the post in this state.
    pub(crate) fn allow_change(&self, etags: &ETagMaker, post: &PostSummary) -> bool {
        let etag = etags.of_post(post);
        let is_unmodified = |since| !post.updated_at.is_later_second(since);
        let is_expected = match &self.if_match {
            Some(tags) => tags.contain(&etag, true),
            // Section 13.1.4: ignored beside If-Match.
            None => self.if_unmodified_since.is_none_or(is_unmodified),
        };
        let is_refused = |tags: &EntityTags<'_>| tags.contain(&etag, false);
        is_expected && !self.if_none_match.as_ref().is_some_and(is_refused)
    }
}

impl<'a> EntityTags<'a> {
    /// Parses `*` or a comma-separated list of at least one entity tag (section 8.8.3).
    fn parse(value: &'a HeaderValue) -> Result<Self, Problem> {
        let mut rest = value.as_bytes().trim_ascii();
        if rest == b"*" {
            return Ok(Self::Any);
        }
        let malformed = || {
            let detail =
                "If-Match and If-None-Match must be `*` or a list of entity tags in quotes.";
            Problem::new(Code::InvalidHeader, detail)
        };
        let mut tags = Vec::new();
        loop {
            while let Some(after_comma) = rest.strip_prefix(b",") {
                rest = after_comma.trim_ascii_start();
            }
            if rest.is_empty() {
                break;
            }
            let (tag, after) = split_tag(rest).ok_or_else(malformed)?;
            tags.push(tag);
            rest = after;
        }
        if tags.is_empty() {
            return Err(malformed());
        }
        Ok(Self::Listed(tags))
    }

    /// By strong or weak comparison (section 8.8.3.2).
    fn contain(&self, etag: &ETag, strongly: bool) -> bool {
        let is_it =
            |listed: &ListedTag<'_>| !(strongly && listed.weak) && listed.tag == etag.0.as_bytes();
        match self {
            Self::Any => true,
            Self::Listed(tags) => tags.iter().any(is_it),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entity_tags_are_compared_strongly_or_weakly() {
        let etags = ETagMaker::new(&BaseUrl::parse("https://example.org").unwrap(), "");
        let etag = etags.of_new_post();
        let ETag(tag) = &etag;
        for (text, strongly, weakly) in [
            ("*".to_owned(), true, true),
            (format!("\"{tag}\""), true, true),
            (format!("W/\"{tag}\""), false, true),
            (format!(", \"x\" ,, \"{tag}\","), true, true),
            (
                format!("\"0{tag}\", \"+{tag}\", \"{tag}x\", \"x\""),
                false,
                false,
            ),
        ] {
            let value = HeaderValue::try_from(&text).unwrap();
            let tags = EntityTags::parse(&value).unwrap();
            assert_eq!(tags.contain(&etag, true), strongly, "{text}");
            assert_eq!(tags.contain(&etag, false), weakly, "{text}");
        }
        for malformed in [
            "", ",", "a", "\"a", "\"a\"b\"", "w/\"a\"", "\"a b\"", "*, \"a\"",
        ] {
            let value = HeaderValue::from_static(malformed);
            assert!(EntityTags::parse(&value).is_err(), "{malformed}");
        }
    }
}
