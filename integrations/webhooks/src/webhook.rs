//! [`Webhook`]: sends events as Standard Webhooks 1.0 says.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use handbill::{
    Actor, Change, ChangeNote, DurableListenerError, Event, Handbill, Revision, Timestamp,
};
use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use serde::Serialize;

use crate::receiver::{Counts, MAX_TIMEOUT, Receiver};
use crate::secret::Secret;
use crate::sender::Sender;
use crate::url::WebhookUrl;

const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// Sends each event to an address: signed, at least once, and in order for each post.
///
/// A response of 2xx within 10 s is success, and 410 ends the webhook. After everything else, redirects too, the event
/// is sent again after 5 s, and then after pauses that grow to an hour, for three days. Then it is dropped, counted and
/// logged. A clone is the same webhook.
#[derive(Clone, Debug)]
pub struct Webhook {
    receiver: Receiver,
    secret: Secret,
    old_secret: Option<Secret>,
}

/// Why a test event got no response.
#[derive(Clone, Debug)]
pub struct SendError(String);

/// The body of a delivery.
#[derive(Serialize)]
struct Payload<D> {
    #[serde(rename = "type")]
    kind: &'static str,
    timestamp: String,
    data: D,
}

/// An event, as a durable listener receives it, with the address of its post.
#[derive(Serialize)]
struct Data<'a> {
    number: u64,
    by: &'a Actor,
    revision: Option<u64>,
    request: Option<&'a str>,
    note: Option<&'a ChangeNote>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(flatten)]
    event: &'a Event,
}

impl Webhook {
    /// Events for the receiver at this address, signed with this secret.
    #[must_use]
    pub fn new(url: WebhookUrl, secret: Secret) -> Self {
        Self {
            receiver: Receiver::new("webhook", url),
            secret,
            old_secret: None,
        }
    }

    /// Signs with a second secret as well: the one before, as long as the receiver may verify with it.
    #[must_use]
    pub fn with_old_secret(self, secret: Secret) -> Self {
        let old_secret = Some(secret);
        Self { old_secret, ..self }
    }

    /// Sets whether the receiver may be on this machine or in a private network. By default, it may not: who names
    /// the address could reach what is protected by being there. Each address is judged after its name was looked up,
    /// when it is connected to.
    #[must_use]
    pub fn with_private_addresses(mut self, allowed: bool) -> Self {
        self.receiver.allows_private = allowed;
        self
    }

    /// Sets how long a delivery may take, up to 10 s, which is the default.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.receiver.timeout = timeout.min(MAX_TIMEOUT);
        self
    }

    /// The name of its listener: `webhook:`, the host and a hash of the address, whose path may be secret.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.receiver.name
    }

    /// What became of its deliveries in this process.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.receiver.counts()
    }

    /// Adds it to a service, as a [durable listener](Handbill::with_durable_listener).
    ///
    /// # Errors
    /// If the service's store has no outbox.
    pub fn add_to(&self, handbill: Handbill) -> Result<Handbill, DurableListenerError> {
        let base_url: Arc<str> = handbill.base_url().into();
        let shared = Arc::new((self.clone(), self.receiver.sender()));
        handbill.with_durable_listener(self.name(), move |change| {
            let (shared, base_url) = (Arc::clone(&shared), Arc::clone(&base_url));
            async move {
                let (webhook, sender) = &*shared;
                let id = format!("evt_{}_{}", change.number, change.at.as_micros());
                let sent = webhook.send(sender, &id, payload(&change, &base_url)).await;
                webhook.receiver.outcome(&change, sent)
            }
        })
    }

    /// Sends an event of the type `test` now, once. Returns the status of the response.
    ///
    /// # Errors
    /// If there was no response in time.
    pub async fn send_test(&self) -> Result<StatusCode, SendError> {
        let now = Timestamp::from(SystemTime::now());
        let body = json(&Payload {
            kind: "test",
            timestamp: now.to_rfc3339(),
            data: serde_json::Map::new(),
        });
        let id = format!("test_{}", now.as_micros());
        let sent = self.send(&self.receiver.sender(), &id, body).await;
        sent.map_err(SendError)
    }

    async fn send(&self, sender: &Sender, id: &str, body: Bytes) -> Result<StatusCode, String> {
        let now = Timestamp::from(SystemTime::now()).as_micros() / 1_000_000;
        let headers = self.signed(id, now, &body);
        let mut request = sender.request("application/json", body);
        request.headers_mut().extend(headers);
        sender.send(request).await
    }

    fn signed(&self, id: &str, timestamp: i64, body: &[u8]) -> HeaderMap {
        let secrets = [Some(&self.secret), self.old_secret.as_ref()];
        let signatures = secrets.into_iter().flatten();
        let signatures: Vec<_> = signatures.map(|by| by.sign(id, timestamp, body)).collect();
        let value = |text: &str| {
            HeaderValue::from_str(text).unwrap_or_else(|_| unreachable!("it is visible ASCII"))
        };
        HeaderMap::from_iter([
            (ID, value(id)),
            (TIMESTAMP, timestamp.into()),
            (SIGNATURE, value(&signatures.join(" "))),
        ])
    }
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for SendError {}

fn payload(change: &Change, base_url: &str) -> Bytes {
    let is_post = !matches!(change.event, Event::KeyIssued { .. } | Event::KeyRevoked(_));
    let url = is_post.then(|| format!("{base_url}/p/{}", change.event.subject()));
    json(&Payload {
        kind: change.event.name(),
        timestamp: change.at.to_rfc3339(),
        data: Data {
            number: change.number,
            by: &change.by,
            revision: change.revision.map(Revision::number),
            request: change.request.as_deref(),
            note: change.note.as_ref(),
            url,
            event: &change.event,
        },
    })
}

fn json(payload: &impl Serialize) -> Bytes {
    let json = serde_json::to_vec(payload);
    json.unwrap_or_else(|_| unreachable!("it has string keys and cannot fail"))
        .into()
}
