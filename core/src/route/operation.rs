//! What the reference says of an operation of the API. A test compares it with `openapi.json`.

use crate::post::TextField;
use crate::problem::Code;

#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Operation {
    /// Its `operationId`.
    pub(crate) id: &'static str,
    /// The names of the credentials that it needs, each of which is sufficient.
    pub(crate) credentials: &'static [&'static str],
    /// The names of the other parameters and request headers.
    pub(crate) parameters: &'static [&'static str],
    /// The fields of the request's body.
    pub(crate) takes: Fields,
    pub(crate) returns: &'static [Output],
    /// Its problems, in groups that operations have in common.
    pub(crate) problems: &'static [&'static [Code]],
}

/// A response that is no problem.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Output {
    pub(crate) status: u16,
    pub(crate) fields: Fields,
    /// The headers besides `Cache-Control`.
    pub(crate) headers: &'static [&'static str],
}

/// The fields of a body.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Fields {
    None,
    /// Those of a new post, or of a change.
    Draft,
    Post,
    Named(&'static [&'static str]),
}

impl Operation {
    /// Its problems, in the order of their statuses.
    pub(crate) fn codes(&self) -> impl Iterator<Item = Code> {
        let all = Code::ALL.iter().copied();
        all.filter(|code| self.problems.iter().any(|codes| codes.contains(code)))
    }
}

impl Output {
    pub(crate) const fn new(status: u16, fields: Fields, headers: &'static [&'static str]) -> Self {
        Self {
            status,
            fields,
            headers,
        }
    }
}

impl Fields {
    pub(crate) fn names(self) -> Vec<&'static str> {
        let (first, last): (&[&str], &[&str]) = match self {
            Self::None => return Vec::new(),
            Self::Named(names) => return names.to_vec(),
            Self::Draft => (
                &["body", "title", "tags"],
                &["visibility", "publish_at", "expires_at"],
            ),
            Self::Post => (
                &["id", "url", "title", "excerpt", "tags"],
                &[
                    "visibility",
                    "created_at",
                    "published_at",
                    "updated_at",
                    "publish_at",
                    "expires_at",
                    "body",
                    "html",
                ],
            ),
        };
        let texts = TextField::ALL_BUT_TITLE.iter().map(|field| field.name());
        let names = first.iter().copied().chain(texts);
        names.chain(last.iter().copied()).collect()
    }
}
