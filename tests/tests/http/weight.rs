//! The size of a page, together with all style sheets and scripts that it loads, uncompressed.

use handbill_testing::http::App;
use serde_json::json;

use crate::html::{Element, elements};

const MAX_BYTES: usize = 20_000;

fn loaded(element: &Element) -> Option<&str> {
    let attribute = |name: &str| {
        let mut attributes = element.attributes.iter();
        attributes.find_map(|(known, value)| (known == name).then_some(&**value))
    };
    match &*element.name {
        "link" if attribute("rel") == Some("stylesheet") => attribute("href"),
        "script" => attribute("src"),
        _ => None,
    }
}

#[tokio::test]
async fn a_page_weighs_at_most_20_000_bytes_with_what_it_loads() {
    let app = crate::app().await;
    let fields = json!({ "title": "Hello", "body": "Some *Markdown*.", "tags": "a, b" });
    let post = app.create(&fields).await;
    for path in [
        "/".to_owned(),
        post.page(),
        post.edit_page(),
        "/keys".to_owned(),
        "/docs".to_owned(),
        "/docs/errors".to_owned(),
        "/nothing".to_owned(),
    ] {
        for language in ["en", "fr"] {
            let weight = weight(&app, &format!("{path}?lang={language}")).await;
            assert!(weight <= MAX_BYTES, "{path} in {language}: {weight} bytes");
        }
    }
}

async fn weight(app: &App, path: &str) -> usize {
    let page = app.get(path).header("accept", "text/html").await;
    let mut weight = page.body.len();
    for address in elements(page.text()).iter().filter_map(loaded) {
        let file = app.follow(address).await;
        weight += file.expect_status(200).body.len();
    }
    weight
}
