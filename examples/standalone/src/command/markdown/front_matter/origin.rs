//! The names that only Handbill has, and the post that a file is.

// The names that only Handbill has begin alike, so that they mean nothing else to others.
pub(super) const SERVER: &str = "handbill_server";
pub(super) const ID: &str = "handbill_id";
pub(super) const ETAG: &str = "handbill_etag";
pub(super) const HASH: &str = "handbill_hash";
pub(crate) const VISIBILITY: &str = "handbill_visibility";
pub(super) const FOCUS_KEYWORD: &str = "handbill_focus_keyword";

/// Which post of which server a file is, as `handbill post` and `handbill get` write it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Origin {
    pub(crate) server: Option<String>,
    pub(crate) id: Option<String>,
    /// The entity tag of the post when it was last written or read.
    pub(crate) etag: Option<String>,
    /// The hash of what the post was then.
    pub(crate) hash: Option<String>,
}

impl Origin {
    /// The names that have a value, with their values.
    pub(crate) fn lines(&self) -> Vec<(&'static str, &str)> {
        let names = [SERVER, ID, ETAG, HASH].into_iter();
        let values = [&self.server, &self.id, &self.etag, &self.hash];
        let lines = names.zip(values);
        lines
            .filter_map(|(name, value)| Some((name, value.as_deref()?)))
            .collect()
    }
}
