//! Feeds, as an independent XML parser reads them: everything that clients wrote is text.

use handbill_testing::http::{App, TestResponse};
use roxmltree::{Document, Node};
use serde_json::{Value, json};

/// Would break out of any context that does not escape it.
const HOSTILE: &str = r#"]]>--></title></entry>"'><script>alert(1)</script>&amp;&nothing;%x;"#;
const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";

/// Each element with the names of its attributes.
fn shape(feed: &TestResponse) -> Vec<String> {
    let document = Document::parse(feed.text()).unwrap();
    let elements = document.descendants().filter(Node::is_element);
    elements
        .map(|element| {
            let names = element.attributes().map(|attribute| attribute.name());
            let name = element.tag_name().name();
            [name]
                .into_iter()
                .chain(names)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}

/// The entries of a feed.
fn entries<'a, 'input>(document: &'a Document<'input>) -> Vec<Node<'a, 'input>> {
    let children = document.root_element().children();
    children
        .filter(|child| child.has_tag_name("entry"))
        .collect()
}

fn text<'a>(entry: Node<'a, '_>, name: &str) -> &'a str {
    let mut children = entry.children();
    let child = children.find(|child| child.tag_name().name() == name);
    child.unwrap().text().unwrap_or_default()
}

/// The characters of a text that XML 1.0 allows (section 2.2).
fn carried(text: &Value) -> String {
    let is_carried = |c: &char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..);
    text.as_str().unwrap().chars().filter(is_carried).collect()
}

/// Compares the only entry of the Atom feed with the post in the API.
async fn is_shown(app: &App, fields: &Value) {
    let post = app.create(fields).await;
    let read = app.read(&post).await;
    let feed = app.get("/feed.atom").await;
    let document = Document::parse(feed.text()).unwrap();
    let [entry] = entries(&document)[..] else {
        panic!("{feed} does not have one entry");
    };
    for (name, field) in [("summary", "excerpt"), ("content", "html"), ("id", "url")] {
        assert_eq!(text(entry, name), carried(&read[field]), "{name}");
    }
    let name = text(entry, "title");
    if read["title"].is_null() {
        let is_first_sentence = carried(&read["excerpt"]).starts_with(name.trim_end_matches('…'));
        assert!(is_first_sentence && !name.is_empty(), "{feed}: {name:?}");
    } else {
        assert_eq!(name, carried(&read["title"]));
    }
    let terms = entry.children().filter_map(|child| child.attribute("term"));
    let tags = read["tags"].as_array().unwrap().iter().map(carried);
    let tags = tags.filter(|tag| !tag.is_empty());
    assert!(terms.eq(tags.collect::<Vec<_>>()), "{feed}: its tags");
    let content = entry.children().find(|child| child.has_tag_name("content"));
    let base = content.unwrap().attribute((XML_NAMESPACE, "base"));
    assert_eq!(base, read["url"].as_str());
    app.delete(&post).await.expect_status(204);
}

#[tokio::test]
async fn feeds_show_client_input_as_text() {
    let app = crate::app().await;
    let mut shapes = Vec::new();
    for text in ["harmless text", HOSTILE] {
        let tag: String = text.chars().take(50).collect();
        let post = app
            .create(&json!({ "title": text, "body": text, "tags": tag }))
            .await;
        let encoded: String = tag.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let mut found = vec![shape(&app.get("/feed.atom").await)];
        found.push(shape(&app.get(&format!("/feed.atom?tag={encoded}")).await));
        found.push(shape(&app.get("/sitemap.xml").await));
        shapes.push(found);
        app.delete(&post).await.expect_status(204);
    }
    assert_eq!(shapes[0], shapes[1]);
}

#[tokio::test]
async fn a_feed_shows_every_character_that_xml_allows() {
    let app = crate::app().await;
    is_shown(&app, &json!({ "body": HOSTILE, "tags": "a & b, <c>" })).await;
    is_shown(
        &app,
        &json!({ "body": "x", "title": HOSTILE, "tags": ["\u{FFFF}", "d\u{FFFE}"] }),
    )
    .await;
    let all: String = ('\u{1}'..='\u{FFFF}').collect();
    let chunks: Vec<char> = all.chars().collect();
    for chunk in chunks.chunks(8192) {
        let body: String = chunk.iter().collect();
        is_shown(
            &app,
            &json!({ "body": format!("x{body}\u{10000}\u{10FFFF}") }),
        )
        .await;
    }
}
