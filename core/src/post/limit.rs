//! Limits on what clients may send.

/// Limits on what clients may send. Each limit is inclusive. Characters are Unicode scalar values and
/// are counted after normalisation.
///
/// ```
/// let mut limits = handbill::Limits::default();
/// limits.title = 80;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Characters in a title; 200 by default.
    pub title: usize,
    /// Characters in a body; 100,000 by default. A body whose HTML would have more than 1 MiB is refused
    /// whatever its length.
    pub body: usize,
    /// Tags on a post; 20 by default.
    pub tags: usize,
    /// Characters in a tag; 50 by default.
    pub tag: usize,
    /// Characters in a focus keyword; 100 by default.
    pub focus_keyword: usize,
    /// Characters in the name of an author; 100 by default.
    pub author: usize,
    /// Characters in the label of an API key; 100 by default.
    pub label: usize,
    /// Bytes in a request body; 1 MiB by default.
    pub request: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            title: 200,
            body: 100_000,
            tags: 20,
            tag: 50,
            focus_keyword: 100,
            author: 100,
            label: 100,
            request: 1024 * 1024,
        }
    }
}
