//! The rates that clients are held to. The rates here are so slow that no test waits for them.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use handbill::{ClientAddr, Handbill, MemoryStore, Rate, RateLimits};
use serde_json::json;

use crate::app::{App, BASE, Call, NO_TOKEN};

/// So many at once, and none more for as long as a test can take.
fn burst(times: u32) -> Option<Rate> {
    Some(Rate {
        times: NonZeroU32::MIN,
        period: Duration::from_secs(86_400),
        burst: NonZeroU32::new(times).unwrap(),
    })
}

async fn app(set: impl FnOnce(&mut RateLimits)) -> App {
    let mut limits = RateLimits::off();
    set(&mut limits);
    App::new()
        .await
        .set(|service| service.with_rate_limits(&limits))
}

fn from(call: Call, address: &str) -> Call {
    call.extension(ClientAddr(address.parse::<IpAddr>().unwrap()))
}

#[tokio::test]
async fn creating_is_limited_for_each_key() {
    let app = app(|limits| limits.creations = burst(3)).await;
    let other = App::of(app.service.clone()).await;
    let fields = json!({ "body": "x" });
    for _ in 0..3 {
        app.post(&fields).await.created();
    }
    for address in ["192.0.2.1", "192.0.2.2"] {
        from(app.post(&fields), address)
            .await
            .problem("too_many_requests");
    }
    other.post(&fields).await.created();
    let list = app.get("/api/posts").await.ok();
    assert_eq!(list["total"], 4);
}

#[tokio::test]
async fn asking_for_keys_is_limited_for_each_address() {
    let app = app(|limits| limits.key_requests = burst(2)).await;
    let api = || app.call("POST", "/api/keys");
    let page = || {
        app.call("POST", "/keys")
            .body("application/x-www-form-urlencoded", "label=")
    };
    assert_eq!(from(api(), "192.0.2.1").await.status, 201);
    assert_eq!(from(page(), "192.0.2.1").await.status, 200);
    from(api(), "192.0.2.1").await.problem("too_many_requests");
    from(page(), "192.0.2.1").await.problem("too_many_requests");
    from(api(), "::ffff:192.0.2.1")
        .await
        .problem("too_many_requests");
    // The address is what the host says, and nothing that a client can.
    let forged = from(api(), "192.0.2.1").header("x-forwarded-for", "192.0.2.9");
    forged.await.problem("too_many_requests");
    assert_eq!(from(api(), "192.0.2.2").await.status, 201);

    // A client has a whole /64 of IPv6 to itself.
    assert_eq!(from(api(), "2001:db8::1").await.status, 201);
    assert_eq!(from(api(), "2001:db8::2").await.status, 201);
    from(api(), "2001:db8::3")
        .await
        .problem("too_many_requests");
    assert_eq!(from(api(), "2001:db8:0:1::1").await.status, 201);
}

#[tokio::test]
async fn wrong_credentials_are_limited_for_each_address() {
    let app = app(|limits| limits.wrong_credentials = burst(4)).await;
    let post = app.create_body("x").await;
    let wrong_token = || {
        app.call("DELETE", &post.path())
            .header("x-edit-token", NO_TOKEN)
    };
    let wrong_key = || app.post(&json!({ "body": "x" })).header("x-api-key", "x");
    let wrong_page = || app.get(&format!("/e/{NO_TOKEN}"));
    let here = "192.0.2.1";
    from(wrong_token(), here)
        .await
        .problem("invalid_edit_token");
    let mut key_call = app
        .call("GET", "/api/keys/current")
        .header("x-api-key", "x");
    from(key_call, here).await.problem("invalid_api_key");
    from(wrong_page(), here).await.problem("not_found");
    key_call = app
        .call("POST", "/api/posts")
        .header("x-api-key", "x")
        .json(&json!({}));
    from(key_call, here).await.problem("invalid_api_key");
    for call in [wrong_token(), wrong_page()] {
        from(call, here).await.problem("too_many_requests");
    }
    // Two keys are a fault of the header, and no guess.
    from(wrong_key(), here).await.problem("invalid_header");
    // What is right goes on working, and other clients guess for themselves.
    from(app.put(&post, &json!({ "title": "t" })), here)
        .await
        .ok();
    from(wrong_token(), "192.0.2.2")
        .await
        .problem("invalid_edit_token");
}

#[tokio::test]
async fn rates_are_on_unless_a_host_says_otherwise() {
    let service = Handbill::new(BASE, MemoryStore::new()).unwrap();
    let app = App::of(service).await;
    for _ in 0..10 {
        assert_eq!(app.call("POST", "/api/keys").await.status, 201);
    }
    let answer = app.call("POST", "/api/keys").await;
    answer.problem("too_many_requests");
    let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=361).contains(&seconds), "{seconds}");
}
