//! One post, as requests that are handled one after the other see it.

use http::HeaderValue;

/// A post.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Not yet created.
    Absent,
    /// Live, with this content. The entity tag is unknown if no response named it.
    Live {
        /// A number, different for each creation and each change.
        content: u64,
        /// The entity tag.
        etag: Option<HeaderValue>,
    },
    /// Deleted.
    Gone,
}

/// A request and its response. A write without a response has no entity tag.
#[derive(Clone, Debug)]
pub enum Event {
    /// Created, now or by an earlier request with the same `Idempotency-Key`.
    Creates {
        /// The content of the new post.
        content: u64,
        /// The entity tag of the new post.
        etag: Option<HeaderValue>,
    },
    /// Changed.
    Changes {
        /// The value of `If-Match`.
        expected: Option<HeaderValue>,
        /// The new content.
        content: u64,
        /// The new entity tag.
        etag: Option<HeaderValue>,
    },
    /// Deleted.
    Deletes {
        /// The value of `If-Match`.
        expected: Option<HeaderValue>,
    },
    /// Refused because the entity tag is another one than in `If-Match`.
    Differs(HeaderValue),
    /// Not read, because the entity tag is still that of `If-None-Match`.
    StillHas(HeaderValue),
    /// Read.
    Shows(State),
    /// A response that is never right.
    IsWrong(String),
}

impl Event {
    /// The post after this call. `None` if a correct service does not respond like that.
    pub(super) fn apply(&self, post: &State) -> Option<State> {
        use State::{Absent, Gone, Live};

        let (content_now, etag_now) = match post {
            Live { content, etag } => (*content, etag),
            _ => {
                return match self {
                    Self::Creates { content, etag } if *post == Absent => Some(Live {
                        content: *content,
                        etag: etag.clone(),
                    }),
                    Self::Creates { .. } => Some(Gone),
                    Self::Shows(shown) => (shown == post).then(|| post.clone()),
                    _ => None,
                };
            }
        };
        let may_be = |etag: &HeaderValue| etag_now.as_ref().is_none_or(|now| now == etag);
        let holds = |expected: &Option<HeaderValue>| expected.as_ref().is_none_or(may_be);
        let is_new = |etag: &HeaderValue| etag_now.as_ref() != Some(etag);
        let live = |content, etag: &Option<HeaderValue>| Live {
            content,
            etag: etag.clone(),
        };
        match self {
            Self::Creates { .. } => Some(post.clone()),
            Self::Changes {
                expected,
                content,
                etag,
            } => {
                (holds(expected) && etag.as_ref().is_none_or(is_new)).then(|| live(*content, etag))
            }
            Self::Deletes { expected } => holds(expected).then_some(Gone),
            Self::Differs(expected) => is_new(expected).then(|| post.clone()),
            Self::StillHas(etag) => may_be(etag).then(|| live(content_now, &Some(etag.clone()))),
            Self::Shows(Live { content, etag }) => {
                (*content == content_now && holds(etag)).then(|| live(*content, etag))
            }
            Self::Shows(_) | Self::IsWrong(_) => None,
        }
    }
}
