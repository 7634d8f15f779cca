//! [`Hub`]: notifies a WebSub hub of new posts.

use std::sync::Arc;
use std::time::Duration;

use form_urlencoded::Serializer;
use handbill::{Change, DurableListenerError, Event, Handbill, Visibility};
use http::StatusCode;
use tokio::time::timeout;

use crate::receiver::{Counts, Receiver};
use crate::sender::Sender;
use crate::url::WebhookUrl;

/// How long the requests for one change may take: less than a durable listener may.
const MAX_TIME: Duration = Duration::from_secs(50);

/// Notifies a hub of each new or changed public post, so that it sends the feeds to their subscribers at once
/// ([WebSub](https://www.w3.org/TR/websub/), section 7), and names the hub in the feeds.
///
/// It gets `hub.mode=publish` and `hub.url`, once for each feed that the post is in: all posts, and those with
/// each of its tags, as Atom and as JSON. If that takes longer than 50 s, it has failed. Retries and refused addresses
/// are those of a [`Webhook`](crate::Webhook).
#[derive(Clone, Debug)]
pub struct Hub {
    receiver: Receiver,
    url: String,
}

impl Hub {
    /// The hub at this address.
    ///
    /// # Errors
    /// If it is not an address of `http` or `https`, or has a user or a fragment.
    pub fn new(url: &str) -> Result<Self, crate::InvalidUrl> {
        Ok(Self {
            receiver: Receiver::new("hub", url.parse::<WebhookUrl>()?),
            url: url.to_owned(),
        })
    }

    /// Sets whether the hub may be on this machine or in a private network. By default, it may not.
    #[must_use]
    pub fn with_private_addresses(mut self, allowed: bool) -> Self {
        self.receiver.allows_private = allowed;
        self
    }

    /// The name of its listener: `hub:`, the host and a hash of the address.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.receiver.name
    }

    /// Whether its host is an IP address that is not public, as [`WebhookUrl::is_private`] says.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.receiver.url.is_private()
    }

    /// What became of its deliveries in this process. Changes that no public post is in count as delivered.
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
        let shared = Arc::new((self.receiver.clone(), self.receiver.sender()));
        let handbill = handbill.with_hub(&self.url);
        handbill.with_durable_listener(self.name(), move |change| {
            let (shared, base_url) = (Arc::clone(&shared), Arc::clone(&base_url));
            async move {
                let (receiver, sender) = &*shared;
                let feeds = feeds(&change, &base_url);
                let published = timeout(MAX_TIME, publish(sender, &feeds)).await;
                let late = |_| Err(format!("it took longer than {MAX_TIME:?}"));
                receiver.outcome(&change, published.unwrap_or_else(late))
            }
        })
    }
}

/// Notifies the hub of feeds, up to the first one that it does not accept.
async fn publish(sender: &Sender, feeds: &[String]) -> Result<StatusCode, String> {
    for feed in feeds {
        let body = Serializer::new(String::new())
            .append_pair("hub.mode", "publish")
            .append_pair("hub.url", feed)
            .finish();
        let request = sender.request("application/x-www-form-urlencoded", body.into());
        let status = sender.send(request).await?;
        if !status.is_success() {
            return Ok(status);
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

/// The addresses of the feeds in which a change is seen.
fn feeds(change: &Change, base_url: &str) -> Vec<String> {
    let post = match &change.event {
        Event::PostCreated(post) | Event::PostUpdated(post) => post,
        _ => return Vec::new(),
    };
    if post.visibility != Visibility::Public {
        return Vec::new();
    }
    let of_all = std::iter::once(String::new());
    let of_tags = post.tags.iter().map(|tag| {
        let mut query = Serializer::for_suffix("?".to_owned(), 1);
        query.append_pair("tag", tag.as_str()).finish()
    });
    let of = |query: String| ["atom", "json"].map(|form| format!("{base_url}/feed.{form}{query}"));
    of_all.chain(of_tags).flat_map(of).collect()
}
