//! Cards: the images that other sites show with a link to a post.

use handbill_testing::http::{App, Created};
use serde_json::json;

async fn create(app: &App, title: &str) -> Created {
    app.create(&json!({ "title": title, "body": "Some *Markdown*." }))
        .await
}

/// The address of the image that the page of a post names for links to it.
async fn image_of(app: &App, post: &Created) -> String {
    let page = app.get(&post.page()).await;
    let (_, rest) = page.text().split_once("og:image\" content=\"").unwrap();
    rest.split_once('"').unwrap().0.to_owned()
}

#[tokio::test]
async fn a_post_has_a_card_with_its_name() {
    let app = crate::app().await;
    let posts = [create(&app, "One").await, create(&app, "Another").await];
    let mut cards = Vec::new();
    for post in &posts {
        let address = image_of(&app, post).await;
        assert!(
            address.ends_with(&format!("/p/{}.png", post.id)),
            "{address}"
        );
        let card = app.follow(&address).await;
        card.expect_status(200);
        assert_eq!(card.header("content-type"), Some("image/png"));
        assert_eq!(card.body[..8], *b"\x89PNG\r\n\x1a\n");
        // The header chunk begins with the width and the height (PNG, section 11.2.1).
        assert_eq!(
            card.body[16..24],
            [0, 0, 4, 176, 0, 0, 2, 118],
            "1200 × 630"
        );
        assert!(card.body.len() < 30_000, "{} bytes", card.body.len());
        cards.push(card);
    }
    assert_ne!(cards[0].body, cards[1].body);

    let path = format!("{}.png", posts[0].page());
    let known = app.get(&path).header("if-none-match", cards[0].etag());
    known.await.expect_status(304);
    app.update(&posts[0], &json!({ "title": "Another" })).await;
    assert_eq!(app.get(&path).await.body, cards[1].body, "the new name");
}

#[tokio::test]
async fn a_name_in_a_script_that_the_font_lacks_has_the_plain_card() {
    let app = crate::app().await;
    let mut plain = Vec::new();
    for title in ["عنوان", "東京の夏"] {
        let post = create(&app, title).await;
        let address = image_of(&app, &post).await;
        assert!(address.contains("/assets/card-"), "{address}");
        plain.push(app.follow(&address).await.expect_status(200).body.clone());
        plain.push(app.get(&format!("{}.png", post.page())).await.body);
    }
    assert!(plain.iter().all(|card| *card == plain[0]));
}

#[tokio::test]
async fn an_image_in_the_post_comes_before_the_card() {
    let app = crate::app().await;
    let body = json!({ "title": "One", "body": "![a](https://example.com/a.png)" });
    let post = app.create(&body).await;
    assert_eq!(image_of(&app, &post).await, "https://example.com/a.png");
}

#[tokio::test]
async fn a_card_is_as_visible_as_its_post() {
    let app = crate::app().await;
    let post = create(&app, "One").await;
    let card = format!("{}.png", post.page());
    app.update(&post, &json!({ "visibility": "unlisted" }))
        .await;
    assert_eq!(app.get(&card).await.header("x-robots-tag"), Some("noindex"));
    app.update(&post, &json!({ "visibility": "draft" })).await;
    app.get(&card).await.problem("not_found");
    app.update(&post, &json!({ "visibility": "public" })).await;
    app.get(&card).await.expect_status(200);
    app.delete(&post).await;
    app.get(&card).await.problem("gone");
}

/// Web Application Manifest: the icons that it names are there, in the sizes that it names.
#[tokio::test]
async fn the_site_has_icons_for_phones() {
    let app = crate::app().await;
    let home = app.get("/").await;
    let linked = |relation: &str| {
        let (_, rest) = home.text().split_once(relation).unwrap();
        let (_, rest) = rest.split_once("href=\"").unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    };
    let touch = app.follow(&linked("apple-touch-icon")).await;
    assert_eq!(
        touch.expect_status(200).body[16..24],
        [0, 0, 0, 180, 0, 0, 0, 180]
    );
    let manifest = app.follow(&linked("rel=\"manifest\"")).await;
    assert_eq!(
        manifest.header("content-type"),
        Some("application/manifest+json")
    );
    let manifest = manifest.ok();
    assert_eq!(manifest["name"], "handbill.test");
    for icon in manifest["icons"].as_array().unwrap() {
        let file = app.follow(icon["src"].as_str().unwrap()).await;
        let file = &file.expect_status(200).body;
        let width = u32::from_be_bytes(file[16..20].try_into().unwrap());
        assert_eq!(icon["sizes"], format!("{width}x{width}"));
    }
}
