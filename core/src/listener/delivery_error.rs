//! What a durable listener asks for when it fails.

use std::error::Error;
use std::fmt;
use std::time::Duration;

/// The error of a durable listener that wants something other than the default pauses. The listener returns it like any
/// other error.
///
/// ```
/// use std::time::Duration;
///
/// use handbill::{DeliveryError, Handbill, MemoryStore};
/// # async fn post(_: handbill::Change) -> Result<u16, std::io::Error> { Ok(200) }
///
/// let handbill = Handbill::new("https://example.org", MemoryStore::new())?
///     .with_durable_listener("hook", |change| async move {
///         match post(change).await? {
///             200 => Ok(()),
///             410 => Err(DeliveryError::end("the receiver is gone").into()),
///             status => {
///                 let (first, longest) = (Duration::from_secs(5), Duration::from_secs(3600));
///                 Err(DeliveryError::retry(first, longest, format!("status {status}")).into())
///             }
///         }
///     })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DeliveryError {
    pub(super) next: AfterFailure,
    error: Box<dyn Error + Send + Sync>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum AfterFailure {
    Retry { first: Duration, longest: Duration },
    End,
}

impl DeliveryError {
    /// The change is to come again: after the pause `first`, and then after pauses that double up to `longest`, which
    /// is 23 hours at most.
    pub fn retry(
        first: Duration,
        longest: Duration,
        error: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self {
            next: AfterFailure::Retry { first, longest },
            error: error.into(),
        }
    }

    /// The listener wants no changes any more. It is removed from the store with all that waits for it, and the log
    /// says so. A service that is started with it later adds it again.
    pub fn end(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            next: AfterFailure::End,
            error: error.into(),
        }
    }
}

impl fmt::Display for DeliveryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for DeliveryError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}
