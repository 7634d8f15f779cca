//! A WebSub hub is named in the feeds, and told of what is new in them.

use std::collections::HashSet;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use tower::ServiceExt;

use super::*;

fn hub(url: &str) -> Webhook {
    Webhook::hub(url.parse().unwrap()).with_private_addresses(true)
}

#[tokio::test]
async fn a_hub_is_told_of_the_feeds_that_a_public_post_is_in() {
    let mut receiver = Receiver::with_status(202).await;
    let url = format!("{}/\"quoted\"", receiver.url);
    let hub = hub(&url);
    let handbill = hub.add_to(service(MemoryStore::new())).unwrap();
    let posts = handbill.posts();
    let draft = Draft::new().body("x").tags(["a b"]);
    let hidden = draft.clone().visibility(Visibility::Unlisted);
    posts.create(hidden).await.unwrap();
    let id = posts.create(draft).await.unwrap().id;
    handbill.flush().await.unwrap();
    let told: HashSet<_> = receiver
        .rest()
        .iter()
        .map(|told| {
            assert_eq!(
                told.header("content-type"),
                "application/x-www-form-urlencoded"
            );
            let form: Vec<_> = url::form_urlencoded::parse(&told.body)
                .into_owned()
                .collect();
            let [(mode, publish), (url, feed)] = form.try_into().unwrap();
            assert_eq!(
                [&*mode, &*publish, &*url],
                ["hub.mode", "publish", "hub.url"]
            );
            feed
        })
        .collect();
    let feeds = [
        "feed.atom",
        "feed.json",
        "feed.atom?tag=a+b",
        "feed.json?tag=a+b",
    ];
    assert_eq!(told, feeds.map(|feed| format!("{BASE}/{feed}")).into());
    posts.delete(id).await.unwrap();
    handbill.flush().await.unwrap();
    assert!(receiver.rest().is_empty());
    assert_eq!(hub.counts().delivered, 3);

    let atom = read(&handbill, "/feed.atom?tag=a+b").await;
    let quoted = url.replace('"', "&quot;");
    let link = format!("<link rel=\"hub\" href=\"{quoted}\"/>");
    assert!(atom.contains(&link), "{atom}");
    let json: serde_json::Value =
        serde_json::from_str(&read(&handbill, "/feed.json").await).unwrap();
    assert_eq!(json["hubs"], json!([{"type": "WebSub", "url": url}]));
    let without = service(MemoryStore::new());
    assert!(!read(&without, "/feed.atom").await.contains("hub"));
    assert!(!read(&without, "/feed.json").await.contains("hub"));
}

#[tokio::test]
async fn a_response_of_410_does_not_end_a_hub() {
    let receiver = Receiver::with_status(410).await;
    assert_eq!(failure(&hub(&receiver.url)).await, "status 410");
}

async fn read(handbill: &Handbill, path: &str) -> String {
    let request = Request::get(path).body(Full::<Bytes>::default()).unwrap();
    let response = handbill.clone().oneshot(request).await.unwrap();
    let body = response.into_body().collect().await.unwrap();
    String::from_utf8(body.to_bytes().to_vec()).unwrap()
}
