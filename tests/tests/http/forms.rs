//! Forms that come back, and what the pages' own scripts read.

use http::header::ACCEPT_ENCODING;
use serde_json::json;

/// A field comes back whole while a person can make use of it. What is too long stays too long.
#[tokio::test]
async fn a_form_that_comes_back_has_a_limit() {
    const MAX_BODY: usize = 100_000;
    let app = crate::app().await;
    let unknown = format!("/e/{}", "x".repeat(43));
    for path in ["/write", &unknown] {
        for field in ["body", "title", "tags", "lines", "opened_by"] {
            let fields = [("body", " "), (field, &*"\"".repeat(300_000))];
            let fields = &fields[usize::from(field == "body")..];
            let page = app.submit(path, fields).header("accept", "text/html").await;
            let (most, len) = (6 * 2 * MAX_BODY, page.body.len());
            assert!(len < most, "{path}, {field}: {len} bytes");
        }
    }
    let whole = format!("Begin{}end.", " long".repeat(30_000));
    let page = app.submit("/write", &[("body", &*whole)]).await;
    page.expect_status(422).expect_text(&whole);
    let cut = "x".repeat(5 * MAX_BODY);
    let page = app.submit("/write", &[("body", &*cut)]).await;
    page.expect_status(422)
        .expect_text(&"x".repeat(2 * MAX_BODY));
}

/// The page of a post names no neighbours, so that it stays as it is. Its script asks for their names.
#[tokio::test]
async fn a_script_learns_the_names_of_neighbours() {
    let app = crate::app().await;
    let older = app.create(&json!({ "title": "One", "body": "x" })).await;
    let newer = app.create(&json!({ "title": "<Two>", "body": "x" })).await;
    let go = |page: String, side: &str| {
        let call = app.get(&format!("{page}?go={side}"));
        call.header("accept", "application/json")
    };
    let found = go(older.page(), "newer").await.ok();
    assert_eq!(found["title"], "<Two>");
    assert!(found["url"].as_str().unwrap().ends_with(&newer.page()));
    for (page, side) in [(newer.page(), "newer"), (older.page(), "older")] {
        go(page, side).await.expect_status(204);
    }
}

/// Each file of the pages is compressed once, for all clients.
#[tokio::test]
async fn assets_are_compressed() {
    let app = crate::app().await;
    let app = app.set(|service| service.with_compression()).await;
    let page = app.get("/write").await;
    let (_, style) = page.text().split_once("/assets/editor-").unwrap();
    let name = style.split('"').next().unwrap();
    let path = format!("/assets/editor-{name}");
    let plain = app.get(&path).await;
    let compressed = app.get(&path).header(ACCEPT_ENCODING.as_str(), "br").await;
    compressed
        .expect_header("content-encoding", "br")
        .expect_header("cache-control", "public, max-age=31536000, immutable");
    assert!(3 * compressed.body.len() < plain.body.len());
    // A form may have a secret beside what a visitor chose.
    let form = app.get("/write").header(ACCEPT_ENCODING.as_str(), "br");
    form.await.expect_no_header("content-encoding");
}
