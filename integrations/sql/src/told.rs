//! What durable listeners will hear of a change, as the columns of a row.

use handbill::store::NewChange;

#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) subject: String,
    /// In microseconds.
    pub(crate) made_at: i64,
    pub(crate) text: String,
}

impl From<&NewChange> for Told {
    fn from(change: &NewChange) -> Self {
        Self {
            subject: change.subject().to_owned(),
            made_at: change.at().as_micros(),
            text: change.to_text(),
        }
    }
}
