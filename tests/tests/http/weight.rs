//! The size of a page, together with all style sheets and scripts that it loads, uncompressed.

use handbill_testing::http::{App, Kind};
use serde_json::json;

use crate::html::{Element, elements};

const MAX_BYTES: usize = 20_000;
/// The same for the documents of the API, which name all that it has.
const MAX_DOCUMENT_BYTES: usize = 24_000;
/// The same for the editor.
const MAX_EDITOR_BYTES: usize = 40_000;

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
async fn a_page_weighs_at_most_20_000_bytes_with_what_it_loads_a_document_24_000_and_the_editor_40_000()
 {
    let app = crate::app().await;
    let fields = json!({ "title": "Hello", "body": "Some *Markdown*.", "tags": "a, b" });
    let post = app.create(&fields).await;
    let mut paths = vec![("/nothing".to_owned(), MAX_BYTES)];
    for (kind, max) in [
        (Kind::List, MAX_BYTES),
        (Kind::Post, MAX_BYTES),
        (Kind::Form, MAX_BYTES),
        (Kind::Document, MAX_DOCUMENT_BYTES),
        (Kind::Editor, MAX_EDITOR_BYTES),
    ] {
        let of_kind = app.paths(&post, |address| address.kind == kind).await;
        paths.extend(of_kind.into_iter().map(|path| (path, max)));
    }
    for (path, max) in paths {
        for language in ["en", "fr"] {
            let weight = weight(&app, &in_language(&path, language)).await;
            assert!(weight <= max, "{path} in {language}: {weight} bytes");
        }
    }
}

fn in_language(path: &str, language: &str) -> String {
    let sign = if path.contains('?') { '&' } else { '?' };
    format!("{path}{sign}lang={language}")
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
