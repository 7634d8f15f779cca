//! How much of everything a client may send.

use crate::field::{FieldError, FieldFault};

/// Bounds of what a client may send. Each is inclusive; characters are Unicode scalar values,
/// counted after normalisation.
///
/// ```
/// let mut limits = handbill::Limits::default();
/// limits.title = 80;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Characters of a title: 200.
    pub title: usize,
    /// Characters of a body: 100,000.
    pub body: usize,
    /// Tags of a post: 20.
    pub tags: usize,
    /// Characters of a tag: 50.
    pub tag: usize,
    /// Characters of a focus keyword: 100.
    pub focus_keyword: usize,
    /// Characters of an API key's label: 100.
    pub label: usize,
    /// Bytes of a request's body: 1 MiB.
    pub request: usize,
}

impl Limits {
    /// The bound that a field's fault speaks of: of characters, or of items.
    pub(crate) fn of(&self, error: &FieldError) -> usize {
        match (error.field.as_str(), error.code) {
            ("title", _) => self.title,
            ("tags", FieldFault::TooMany) => self.tags,
            ("tags", _) => self.tag,
            ("focus_keyword", _) => self.focus_keyword,
            ("label", _) => self.label,
            _ => self.body,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            title: 200,
            body: 100_000,
            tags: 20,
            tag: 50,
            focus_keyword: 100,
            label: 100,
            request: 1024 * 1024,
        }
    }
}
