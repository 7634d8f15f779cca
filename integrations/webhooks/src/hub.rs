//! What a WebSub hub gets: notices of the feeds that have changed.

use std::time::Duration;

use form_urlencoded::Serializer;
use handbill::{Change, Event, Visibility};
use http::StatusCode;
use tokio::time::timeout;

use crate::sender::Sender;

/// How long the requests for one change may take: less than a durable listener may.
const MAX_TIME: Duration = Duration::from_secs(50);

/// Notifies the hub of the feeds in which a change is seen, up to the first one that it does not accept.
pub(crate) async fn publish(
    sender: &Sender,
    change: &Change,
    base_url: &str,
) -> Result<StatusCode, String> {
    let notices = async {
        for feed in feeds(change, base_url) {
            let body = Serializer::new(String::new())
                .append_pair("hub.mode", "publish")
                .append_pair("hub.url", &feed)
                .finish();
            let request = sender.request("application/x-www-form-urlencoded", body.into());
            let status = sender.send(request).await?;
            // No status ends a hub, because the feeds would still name it.
            if !status.is_success() {
                return Err(format!("status {}", status.as_u16()));
            }
        }
        Ok(StatusCode::NO_CONTENT)
    };
    let late = |_| Err(format!("it took longer than {MAX_TIME:?}"));
    timeout(MAX_TIME, notices).await.unwrap_or_else(late)
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
