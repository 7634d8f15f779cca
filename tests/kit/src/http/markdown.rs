//! What Markdown becomes.

use std::collections::HashSet;

use serde_json::json;

use super::{App, Mount};

async fn html_of(app: &App, body: &str) -> String {
    let post = app.create(&json!({ "body": body })).await;
    let read = app.read(&post).await;
    read["html"].as_str().unwrap_or_default().to_owned()
}

/// The values of an attribute, in order.
fn values<'h>(html: &'h str, attribute: &str) -> Vec<&'h str> {
    let opening = format!(" {attribute}=\"");
    let parts = html.split(&*opening).skip(1);
    parts
        .map(|part| part.split('"').next().unwrap_or_default())
        .collect()
}

/// Bare `http`, `https` and `www.` addresses are links, without the punctuation after them, and not
/// in code.
pub async fn bare_addresses_are_links(mount: &Mount) {
    let app = App::new(mount).await;
    for (body, links) in [
        (
            "See https://a.example/b_c?d=e.",
            vec!["https://a.example/b_c?d=e"],
        ),
        (
            "http://a.example, (www.b.example/c_(d)).",
            vec!["http://a.example", "http://www.b.example/c_(d)"],
        ),
        ("`https://a.example` and ftp://a.example", vec![]),
        ("```\nwww.a.example\n```", vec![]),
        ("[www.a.example](/b)", vec!["/b"]),
        ("![www.a.example](/b)", vec![]),
    ] {
        let html = html_of(&app, body).await;
        assert_eq!(values(&html, "href"), links, "links of {body:?}: {html}");
        let relations = html.matches(r#" rel="nofollow ugc noopener noreferrer">"#);
        assert_eq!(
            relations.count(),
            links.len(),
            "relations of links in {html}"
        );
    }
}

/// A heading has an id of `h-` and a slug of its text. No two are the same.
pub async fn headings_have_ids_of_their_own(mount: &Mount) {
    let app = App::new(mount).await;
    let body = "# Hello, *World*!\n\n## Hello World\n\n# Hello World 2\n\n### Ünï 日本\n\nText";
    let html = html_of(&app, body).await;
    let ids = values(&html, "id");
    assert_eq!(ids.len(), 4, "ids in {html}");
    assert_eq!(ids[0], "h-hello-world", "the id of the first heading");
    assert_eq!(
        ids[1], "h-hello-world-2",
        "the id of a heading that is like it"
    );
    assert_eq!(ids[3], "h-ünï-日本", "the id of a heading in other scripts");
    let different: HashSet<_> = ids.iter().collect();
    assert_eq!(different.len(), ids.len(), "different ids in {html}");
}

/// A reference leads to its footnote after the text, and from there back. A reference without a
/// footnote is text. Neither is in the excerpt.
pub async fn footnotes_are_linked_both_ways(mount: &Mount) {
    let app = App::new(mount).await;
    let body = "One[^a] two[^none].\n\n[^a]: The *note*.\n\nThree[^a].";
    let html = html_of(&app, body).await;
    assert!(html.contains("two[^none]."), "a reference in {html}");
    let note = html.find("The <em>note</em>.");
    assert!(note > html.find("Three"), "the footnote is last in {html}");
    let (ids, links) = (values(&html, "id"), values(&html, "href"));
    assert_eq!((ids.len(), links.len()), (3, 4), "ids and links in {html}");
    for link in links {
        let id = link.strip_prefix('#').unwrap_or_default();
        assert!(ids.contains(&id), "{link} leads nowhere in {html}");
    }
    let post = app
        .create(&json!({ "body": "One[^a].\n\n[^a]: Two." }))
        .await;
    let read = app.read(&post).await;
    assert_eq!(
        read["excerpt"], "One.",
        "the excerpt of a post with a footnote"
    );
}

/// Quotes and dashes stay as they were typed, since posts are in many languages.
pub async fn quotes_and_dashes_stay_as_they_were_typed(mount: &Mount) {
    let app = App::new(mount).await;
    let html = html_of(&app, "\"a\" 'b' -- c --- d... $e$").await;
    assert_eq!(html, "<p>\"a\" 'b' -- c --- d... $e$</p>\n");
}
