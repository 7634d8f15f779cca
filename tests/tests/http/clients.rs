//! Rate limits per client, with client addresses that no other test uses.

use std::future::ready;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use handbill::{Handbill, KeyRequests, Rate, RateLimits};
use handbill_testing::http::App;
use handbill_tests::bare;

/// The service for clients at each of these addresses.
async fn clients<const N: usize>(limits: &RateLimits, addresses: [&str; N]) -> [App; N] {
    let app = crate::app().await;
    let service = app.service.clone().with_rate_limits(limits.clone());
    let mut apps = Vec::new();
    for address in addresses {
        let mount = bare::mount_for(address.parse().unwrap());
        apps.push(App::of(&mount, service.clone(), &app.key).await);
    }
    apps.try_into().unwrap()
}

/// A rate that allows this many requests at once, and no more for as long as a test runs.
fn burst(times: u32) -> Option<Rate> {
    let rate = Rate::new(NonZeroU32::MIN, Duration::from_secs(86_400));
    Some(rate.with_burst(NonZeroU32::new(times)?))
}

async fn request_key(app: &App) -> u16 {
    app.call("POST", "/api/keys").await.status.as_u16()
}

#[tokio::test]
async fn each_address_is_a_separate_client() {
    let mut limits = RateLimits::off();
    limits.key_requests = burst(1);
    let addresses = ["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"];
    let [one, mapped, other] = clients(&limits, addresses).await;
    assert_eq!(request_key(&one).await, 201);
    assert_eq!(request_key(&one).await, 429);
    assert_eq!(request_key(&mapped).await, 429);
    assert_eq!(request_key(&other).await, 201);
}

#[tokio::test]
async fn previews_count_per_client_and_changes_per_post() {
    let mut limits = RateLimits::off();
    limits.previews = burst(1);
    limits.changes = burst(1);
    let [one, other] = clients(&limits, ["192.0.2.1", "192.0.2.2"]).await;
    let post = one.create_body("x").await;
    for app in [&one, &other] {
        let preview = async || {
            let fields = [("action", "preview"), ("body", "y")];
            app.submit(&post.edit_page(), &fields).await.status.as_u16()
        };
        assert_eq!(preview().await, 200);
        assert_eq!(preview().await, 429);
    }
    let fields = serde_json::json!({ "title": "t" });
    one.update(&post, &fields).await;
    let second = other.put(&post, &fields).await;
    second.problem("too_many_requests");
}

#[tokio::test]
async fn posts_without_a_key_count_per_client() {
    let mut limits = RateLimits::off();
    limits.creations = burst(1);
    let clients = clients(&limits, ["192.0.2.1", "192.0.2.2"]).await;
    for app in &clients {
        let write = async || app.submit("/write", &[("body", "x")]).await.status.as_u16();
        assert_eq!(write().await, 303);
        assert_eq!(write().await, 429);
    }
}

#[tokio::test]
async fn a_host_does_not_decide_on_a_post_that_is_over_the_limit() {
    let mut limits = RateLimits::off();
    limits.creations = burst(1);
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let policy = KeyRequests::decided_by(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        ready(true)
    });
    let [app] = clients(&limits, ["192.0.2.1"]).await;
    let set = |service: Handbill| service.with_key_requests(policy);
    let app = app.set(set).await;
    let write = async || app.submit("/write", &[("body", "x")]).await;
    write().await.expect_status(303);
    write().await.problem("too_many_requests");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn an_ipv6_client_has_a_whole_64_to_itself() {
    let mut limits = RateLimits::off();
    limits.key_requests = burst(2);
    let addresses = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"];
    let [one, neighbour, other] = clients(&limits, addresses).await;
    assert_eq!(request_key(&one).await, 201);
    assert_eq!(request_key(&neighbour).await, 201);
    assert_eq!(request_key(&one).await, 429);
    assert_eq!(request_key(&other).await, 201);
}

#[tokio::test]
async fn wrong_credentials_count_per_client_and_creations_per_key() {
    let mut limits = RateLimits::off();
    limits.wrong_credentials = burst(1);
    limits.creations = burst(1);
    let [one, other] = clients(&limits, ["192.0.2.1", "192.0.2.2"]).await;
    for app in [&one, &other] {
        let wrong = async || app.with_key("x").post_as().json(&"".into()).await;
        wrong().await.problem("invalid_api_key");
        wrong().await.problem("too_many_requests");
    }
    one.create_body("x").await;
    let second = other.post(&serde_json::json!({ "body": "x" })).await;
    second.problem("too_many_requests");
}
