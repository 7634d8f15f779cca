//! What a webhook gets: events as Standard Webhooks 1.0 says.

use bytes::Bytes;
use handbill::{Actor, Change, ChangeNote, Event, Revision};
use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use serde::Serialize;

use crate::secret::Secret;
use crate::sender::Sender;
use crate::webhook::now;

const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// The secrets that events are signed with: the one of now, and the one before.
#[derive(Clone, Debug)]
pub(crate) struct Secrets {
    pub(crate) now: Secret,
    pub(crate) old: Option<Secret>,
}

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

impl Secrets {
    pub(crate) async fn send_change(
        &self,
        sender: &Sender,
        change: &Change,
        base_url: &str,
    ) -> Result<StatusCode, String> {
        let is_post = !matches!(change.event, Event::KeyIssued { .. } | Event::KeyRevoked(_));
        let url = is_post.then(|| format!("{base_url}/p/{}", change.event.subject()));
        let payload = Payload {
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
        };
        let id = format!("evt_{}_{}", change.number, change.at.as_micros());
        self.send(sender, &id, &payload).await
    }

    pub(crate) async fn send_test(&self, sender: &Sender) -> Result<StatusCode, String> {
        let now = now();
        let payload = Payload {
            kind: "test",
            timestamp: now.to_rfc3339(),
            data: serde_json::Map::new(),
        };
        let id = format!("test_{}", now.as_micros());
        self.send(sender, &id, &payload).await
    }

    async fn send(
        &self,
        sender: &Sender,
        id: &str,
        payload: &impl Serialize,
    ) -> Result<StatusCode, String> {
        let body = serde_json::to_vec(payload);
        let body = body.unwrap_or_else(|_| unreachable!("it has string keys and cannot fail"));
        let headers = self.signed(id, now().as_micros() / 1_000_000, &body);
        let mut request = sender.request("application/json", Bytes::from(body));
        request.headers_mut().extend(headers);
        sender.send(request).await
    }

    fn signed(&self, id: &str, timestamp: i64, body: &[u8]) -> HeaderMap {
        let secrets = [Some(&self.now), self.old.as_ref()];
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
