//! Probes and the OpenAPI document.

use std::collections::BTreeSet;

use serde_json::json;

use super::{ADDRESSES, App, Kind, Mount};

/// `GET /livez`, and `/readyz` and `/healthz` if the store answers, return 200 with one word.
pub async fn the_probes_report_ok(mount: &Mount) {
    let app = App::new(mount).await;
    for path in ["/livez", "/readyz", "/healthz"] {
        let response = app.get(path).await;
        let health = response.expect_header("cache-control", "no-store").ok();
        assert_eq!(health, json!({ "status": "ok" }), "{response}");
        let browser = app.get(path).header("accept", "text/html").await;
        browser.ok();
    }
}

/// `GET /openapi.json` describes the API in OpenAPI 3.1, with the address of this mount.
pub async fn the_api_is_described_at_the_address_of_the_mount(mount: &Mount) {
    let app = App::new(mount).await;
    let response = app.get("/openapi.json").await;
    response
        .expect_header("content-type", "application/json")
        .expect_header("cache-control", "public, no-cache");
    let document = response.ok();
    let version = document["openapi"].as_str().unwrap_or_default();
    assert!(version.starts_with("3.1."), "OpenAPI {version}");
    let servers = &document["servers"];
    assert_eq!(servers[0]["url"], app.base(), "servers: {servers}");
    let described = document["paths"].as_object().unwrap().keys();
    let described: BTreeSet<_> = described.map(String::as_str).collect();
    let operations = ADDRESSES.iter().filter(|address| address.kind == Kind::Api);
    let expected: BTreeSet<_> = operations.map(|address| address.path).collect();
    assert_eq!(described, expected, "the addresses that are described");
}
