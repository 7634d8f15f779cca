//! What webhooks and hubs have in common: the settings of a receiver, and what becomes of a delivery.

use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use handbill::{Change, DeliveryError, Timestamp};
use http::StatusCode;

use crate::sender::Sender;
use crate::url::WebhookUrl;

/// The longest time of a delivery, from the lookup of the name to the end of the response.
pub(crate) const MAX_TIMEOUT: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);
/// How old an event may be when it is tried again.
const MAX_AGE: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// What became of deliveries, in this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Events that the receiver accepted.
    pub delivered: u64,
    /// Attempts that failed, after which the event is tried again.
    pub failed: u64,
    /// Events that were given up: after three days, or because the receiver has ended the webhook.
    pub dropped: u64,
}

/// A receiver. All clones share the counts.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    pub(crate) url: WebhookUrl,
    pub(crate) name: String,
    pub(crate) allows_private: bool,
    pub(crate) timeout: Duration,
    counts: Arc<Mutex<Counts>>,
}

impl Receiver {
    pub(crate) fn new(kind: &str, url: WebhookUrl) -> Self {
        Self {
            name: url.listener(kind),
            url,
            allows_private: false,
            timeout: MAX_TIMEOUT,
            counts: Arc::default(),
        }
    }

    pub(crate) fn sender(&self) -> Sender {
        Sender::new(self.url.clone(), self.allows_private, self.timeout)
    }

    pub(crate) fn counts(&self) -> Counts {
        *self.lock_counts()
    }

    fn lock_counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the listener returns after an attempt to deliver a change.
    pub(crate) fn outcome(
        &self,
        change: &Change,
        sent: Result<StatusCode, String>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let error = match sent {
            Ok(status) if status.is_success() => {
                self.lock_counts().delivered += 1;
                return Ok(());
            }
            Ok(StatusCode::GONE) => {
                self.lock_counts().dropped += 1;
                return Err(DeliveryError::end("status 410").into());
            }
            Ok(status) => format!("status {}", status.as_u16()),
            Err(error) => error,
        };
        let now = Timestamp::from(SystemTime::now());
        let age = now.as_micros().saturating_sub(change.at.as_micros());
        if Duration::from_micros(age.max(0).cast_unsigned()) > MAX_AGE {
            self.lock_counts().dropped += 1;
            let (name, number) = (&*self.name, change.number);
            tracing::error!(listener = name, change = number, %error, "an event was dropped after three days");
            return Ok(());
        }
        self.lock_counts().failed += 1;
        Err(DeliveryError::retry(FIRST_PAUSE, LONGEST_PAUSE, error).into())
    }
}
