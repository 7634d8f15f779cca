//! The keys of the cache: what was asked for.

use super::Subject;

/// What a read asks for. With what is stored, it determines the bytes of the response.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CacheKey {
    route: &'static str,
    pub(super) subject: Subject,
    /// The parameters that matter, written in one way. What else is in the query makes no difference.
    pub(super) query: String,
    pub(crate) variant: Variant,
}

/// Which of the responses with this address fits the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    /// The tag of the page's language.
    pub(crate) language: &'static str,
    /// Whether links on the page have to name the language.
    pub(crate) is_chosen: bool,
    pub(crate) is_markdown: bool,
}

impl CacheKey {
    pub(crate) fn new(route: &'static str, subject: Subject) -> Self {
        Self {
            route,
            subject,
            query: String::new(),
            variant: Variant::default(),
        }
    }

    pub(crate) fn with_query(self, query: String) -> Self {
        Self { query, ..self }
    }
}
