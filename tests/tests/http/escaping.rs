//! Whatever clients write, a browser finds the same tags with the same attributes in a page.

use handbill::store::TextField;
use handbill_testing::http::{App, TestResponse};
use serde_json::json;

use crate::html::{Element, elements};

/// Would break out of any context that does not escape it.
const HOSTILE: &str =
    r#"--></title></textarea></pre>"'><script>alert(1)</script><img src=x onerror=a>"#;

/// The status, and the tags without the values of their attributes.
fn shape(response: &TestResponse) -> (u16, Vec<String>) {
    response.expect_no_text("<script>alert");
    let page = elements(response.text());
    let tags = page.iter().map(Element::shape).collect();
    (response.status.as_u16(), tags)
}

/// Every page that shows a client's text in a line.
async fn of_lines(app: &App, text: &str, tag: &str) -> Vec<(u16, Vec<String>)> {
    let tags = [tag, "b", "c", "d", "e", "f"];
    let mut fields = json!({ "body": "x", "tags": tags });
    // A language tag has letters and digits only.
    let texts = TextField::ALL.iter();
    for field in texts.filter(|field| **field != TextField::Language) {
        fields[field.name()] = json!(text);
    }
    let post = app.create(&fields).await;
    assert_eq!(app.read(&post).await["tags"], json!(tags));
    let in_query: String = tag.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let edit = post.edit_page();
    let changed = [
        ("revision", "9"),
        ("title", text),
        ("body", text),
        ("tags", tag),
    ];
    let invalid = [("title", "x\u{1}"), ("body", text), ("focus_keyword", text)];
    let label = format!("{text}\u{1}");
    let include = app.get(&format!("/?include={in_query}"));
    let mut shapes = Vec::new();
    for call in [
        app.get(&post.page()),
        app.get(&edit),
        app.get("/"),
        app.get(&format!("/?tag={in_query}")),
        app.get("/tags"),
        app.get(&format!("/follow?tag={in_query}")),
        include.header("accept", "text/html"),
        app.submit(&edit, &changed),
        app.submit(&edit, &invalid),
        app.submit("/write", &invalid),
        app.submit("/keys", &[("label", &label)]),
    ] {
        shapes.push(shape(&call.await));
    }
    app.delete(&post).await.expect_status(204);
    shapes
}

#[tokio::test]
async fn pages_show_client_input_as_text() {
    let app = crate::app().await;
    let hostile_tag = r#"'"></bdi><script>alert(1)</script>"#;
    let harmless = of_lines(&app, "harmless text", "tag").await;
    let hostile = of_lines(&app, HOSTILE, hostile_tag).await;
    assert_eq!(harmless, hostile);
    let statuses: Vec<_> = hostile.iter().map(|(status, _)| *status).collect();
    assert_eq!(
        statuses,
        [200, 200, 200, 200, 200, 200, 400, 412, 422, 422, 422]
    );
}

/// Its title counts as empty, and readers could not see a link whose text is its body.
#[tokio::test]
async fn a_post_that_shows_nothing_is_named_untitled() {
    let app = crate::app().await;
    let fields = json!({ "title": "\u{3164}", "body": "\u{200B}" });
    let post = app.create(&fields).await;
    for path in ["/", &*post.page(), "/feed.atom"] {
        app.get(path).await.expect_text("Untitled");
    }
}

#[tokio::test]
async fn pages_escape_bodies_and_excerpts_that_are_not_rendered() {
    let app = crate::app().await;
    let mut shapes = Vec::new();
    for body in ["harmless text", HOSTILE] {
        let post = app.create_body(body).await;
        let mut pages = Vec::new();
        for path in [&*post.page(), &*post.edit_page(), "/"] {
            pages.push(shape(&app.get(path).await));
        }
        shapes.push(pages);
        app.delete(&post).await.expect_status(204);
    }
    assert_eq!(shapes[0], shapes[1]);
}
