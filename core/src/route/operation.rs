//! What the reference says of an operation of the API. A test compares it with `openapi.json`.

use crate::problem::Code;

#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Operation {
    /// Its `operationId`.
    pub(crate) id: &'static str,
    /// The names of the credentials that it needs, each of which is sufficient.
    pub(crate) credentials: &'static [&'static str],
    /// The names of the other parameters and request headers.
    pub(crate) parameters: Names,
    /// The fields of the request's body.
    pub(crate) takes: Names,
    pub(crate) returns: &'static [Output],
    /// Its problems, in groups that operations have in common.
    pub(crate) problems: &'static [&'static [Code]],
}

/// A response that is no problem.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Output {
    pub(crate) status: u16,
    pub(crate) fields: Names,
    /// The headers besides `Cache-Control`.
    pub(crate) headers: &'static [&'static str],
}

/// Names that spaces separate. `texts` stands for all [`TextField`](crate::post::TextField)s but the title.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Names(pub(crate) &'static str);

impl Output {
    pub(crate) const fn new(status: u16, fields: Names, headers: &'static [&'static str]) -> Self {
        Self {
            status,
            fields,
            headers,
        }
    }
}

impl Names {
    pub(crate) const NONE: Self = Self("");
    /// The fields of a new post, or of a change.
    pub(crate) const DRAFT: Self = Self("body title tags texts visibility publish_at expires_at");
    pub(crate) const POST: Self = Self(
        "id url title excerpt tags texts visibility created_at published_at updated_at publish_at \
         expires_at body html",
    );
}
