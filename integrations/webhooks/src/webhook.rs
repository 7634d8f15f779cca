//! [`Webhook`]: tells another program what happens, by a durable listener.

use parking_lot::Mutex;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use handbill::{Change, DeliveryError, DurableListenerError, Handbill, Timestamp};
use http::StatusCode;

use crate::event::Secrets;
#[cfg(feature = "hub")]
use crate::hub;
use crate::secret::Secret;
use crate::sender::Sender;
use crate::url::WebhookUrl;

/// The longest time of a request, from the lookup of the name to the end of the response.
const MAX_TIMEOUT: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);
/// How old an event may be when it is tried again.
const MAX_AGE: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// Sends each event to an address: signed, at least once, and in order for each post. Or tells a hub of what is new.
///
/// A response of 2xx within 10 s is success, and 410 ends the webhook, unless it is a hub. After everything else,
/// redirects too, the event is sent again after 5 s, and then after pauses that grow to an hour, for three days. Then
/// it is dropped, counted and logged. A clone is the same webhook.
#[derive(Clone, Debug)]
pub struct Webhook {
    url: WebhookUrl,
    name: String,
    content: Content,
    allows_private: bool,
    timeout: Duration,
    counts: Arc<Mutex<Counts>>,
}

/// What a receiver gets.
#[derive(Clone, Debug)]
enum Content {
    Events(Secrets),
    /// Notices of the feeds that have changed.
    #[cfg(feature = "hub")]
    Feeds,
}

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

/// Why a test event got no response.
#[derive(Clone, Debug)]
pub struct SendError(String);

impl Webhook {
    /// Events for the receiver at this address, signed with this secret.
    #[must_use]
    pub fn new(url: WebhookUrl, secret: Secret) -> Self {
        let secrets = Secrets {
            now: secret,
            old: None,
        };
        Self::with_content("webhook", url, Content::Events(secrets))
    }

    /// Notices for the WebSub hub at this address, which is named in the feeds: of each new or changed public post, so
    /// that the hub sends the feeds to their subscribers at once ([WebSub](https://www.w3.org/TR/websub/), section 7).
    ///
    /// It gets `hub.mode=publish` and `hub.url`, once for each feed that the post is in: all posts, and those with
    /// each of its tags, as Atom and as JSON. If that takes longer than 50 s, it has failed. Nothing is signed. 410 is
    /// a failure like others, since the feeds go on naming the hub. Other changes count as delivered.
    #[cfg(feature = "hub")]
    #[cfg_attr(docsrs, doc(cfg(feature = "hub")))]
    #[must_use]
    pub fn hub(url: WebhookUrl) -> Self {
        Self::with_content("hub", url, Content::Feeds)
    }

    fn with_content(kind: &str, url: WebhookUrl, content: Content) -> Self {
        Self {
            name: url.listener(kind),
            url,
            content,
            allows_private: false,
            timeout: MAX_TIMEOUT,
            counts: Arc::default(),
        }
    }

    /// Signs with a second secret as well: the one before, as long as the receiver may verify with it. A hub has no
    /// secret.
    #[must_use]
    pub fn with_old_secret(mut self, secret: Secret) -> Self {
        match &mut self.content {
            Content::Events(secrets) => secrets.old = Some(secret),
            #[cfg(feature = "hub")]
            Content::Feeds => {}
        }
        self
    }

    /// Sets whether the receiver may be on this machine or in a private network. By default, it may not: who names
    /// the address could reach what is protected by being there. Each address is judged after its name was looked up,
    /// when it is connected to.
    #[must_use]
    pub fn with_private_addresses(mut self, allowed: bool) -> Self {
        self.allows_private = allowed;
        self
    }

    /// Sets how long a request may take, up to 10 s, which is the default.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout.min(MAX_TIMEOUT);
        self
    }

    /// The name of its listener: `webhook:` or `hub:`, the host and a hash of the address, whose path may be secret.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What became of its deliveries in this process.
    #[must_use]
    pub fn counts(&self) -> Counts {
        *self.counts.lock()
    }

    /// Adds it to a service, as a [durable listener](Handbill::with_durable_listener).
    ///
    /// # Errors
    /// If the service's store has no outbox.
    pub fn add_to(&self, handbill: Handbill) -> Result<Handbill, DurableListenerError> {
        let base_url: Arc<str> = handbill.base_url().into();
        let shared = Arc::new((self.clone(), self.sender()));
        let handbill = match self.content {
            Content::Events(_) => handbill,
            #[cfg(feature = "hub")]
            Content::Feeds => handbill.with_hub(&self.url.text),
        };
        handbill.with_durable_listener(self.name(), move |change| {
            let (shared, base_url) = (Arc::clone(&shared), Arc::clone(&base_url));
            async move {
                let (webhook, sender) = &*shared;
                let sent = match &webhook.content {
                    Content::Events(secrets) => {
                        secrets.send_change(sender, &change, &base_url).await
                    }
                    #[cfg(feature = "hub")]
                    Content::Feeds => hub::publish(sender, &change, &base_url).await,
                };
                webhook.outcome(&change, sent)
            }
        })
    }

    /// Sends an event of the type `test` now, once. Returns the status of the response.
    ///
    /// # Errors
    /// If there was no response in time, and for a hub, which gets no events.
    pub async fn send_test(&self) -> Result<StatusCode, SendError> {
        let sent = match &self.content {
            Content::Events(secrets) => secrets.send_test(&self.sender()).await,
            #[cfg(feature = "hub")]
            Content::Feeds => Err("a hub gets no events".to_owned()),
        };
        sent.map_err(SendError)
    }

    fn sender(&self) -> Sender {
        Sender::new(self.url.clone(), self.allows_private, self.timeout)
    }

    /// What the listener returns after an attempt to deliver a change.
    fn outcome(
        &self,
        change: &Change,
        sent: Result<StatusCode, String>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let error = match sent {
            Ok(status) if status.is_success() => {
                self.counts.lock().delivered += 1;
                return Ok(());
            }
            Ok(StatusCode::GONE) => {
                self.counts.lock().dropped += 1;
                return Err(DeliveryError::end("status 410").into());
            }
            Ok(status) => format!("status {}", status.as_u16()),
            Err(error) => error,
        };
        let age = now().as_micros().saturating_sub(change.at.as_micros());
        if Duration::from_micros(age.max(0).cast_unsigned()) > MAX_AGE {
            self.counts.lock().dropped += 1;
            let (name, number) = (&*self.name, change.number);
            tracing::error!(listener = name, change = number, %error, "an event was dropped after three days");
            return Ok(());
        }
        self.counts.lock().failed += 1;
        Err(DeliveryError::retry(FIRST_PAUSE, LONGEST_PAUSE, error).into())
    }
}

pub(crate) fn now() -> Timestamp {
    Timestamp::from(SystemTime::now())
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for SendError {}
