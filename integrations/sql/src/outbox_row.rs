//! A change as a row of the outbox.

use handbill::store::NewChange;

#[derive(Clone, Debug)]
pub(crate) struct OutboxRow {
    pub(crate) subject: String,
    /// In microseconds.
    pub(crate) made_at: i64,
    pub(crate) text: String,
}

impl From<&NewChange> for OutboxRow {
    fn from(change: &NewChange) -> Self {
        Self {
            subject: change.subject().to_owned(),
            made_at: change.at().as_micros(),
            text: change.to_text(),
        }
    }
}
