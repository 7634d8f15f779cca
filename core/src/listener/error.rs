//! Why a durable listener was not added.

use std::error::Error;
use std::fmt;

use crate::observe::measured_store::MeasuredStore;

/// A durable listener cannot have this name, or not with this store.
///
/// ```
/// use handbill::{Handbill, MemoryStore};
///
/// let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
/// let refused = handbill.with_durable_listener("a name", |_| async { Ok(()) });
/// let error = refused.unwrap_err().to_string();
/// assert!(error.ends_with("its name must have 1 to 100 visible ASCII characters"));
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurableListenerError(&'static str);

impl DurableListenerError {
    /// The name, if it is valid and the store has an outbox.
    pub(crate) fn check(name: &str, store: &MeasuredStore) -> Result<String, Self> {
        let is_valid =
            (1..=100).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_graphic());
        if !is_valid {
            return Err(Self("its name must have 1 to 100 visible ASCII characters"));
        }
        if store.outbox().is_none() {
            return Err(Self("the store has no outbox for durable listeners"));
        }
        Ok(name.to_owned())
    }
}

impl fmt::Display for DurableListenerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the durable listener was not added: {}", self.0)
    }
}

impl Error for DurableListenerError {}
