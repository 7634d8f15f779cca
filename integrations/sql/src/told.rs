//! What durable listeners will hear of a change, as the columns of a row.

use handbill::store::NewChange;

#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) change: NewChange,
    pub(crate) text: String,
}

impl Told {
    pub(crate) fn subject(&self) -> &str {
        self.change.subject()
    }

    /// In microseconds.
    pub(crate) fn made_at(&self) -> i64 {
        self.change.at().as_micros()
    }
}

impl From<NewChange> for Told {
    fn from(change: NewChange) -> Self {
        let text = change.to_text();
        Self { change, text }
    }
}
