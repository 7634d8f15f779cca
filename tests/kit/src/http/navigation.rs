//! What pages tell of each other: lists of posts, links to what a reader looks for, languages, and errors.

use handbill::KeyRequests;
use serde_json::json;

use super::markup::{Tag, meta, pieces, tags};
use super::posts_pages::related;
use super::{Address, App, Kind, Mount, TestResponse};

/// The texts of all elements of this name.
fn texts(page: &TestResponse, name: &str) -> Vec<String> {
    let pieces = pieces(page).into_iter().filter(|(tag, _)| tag == name);
    pieces.map(|(_, text)| text).collect()
}

/// The links of a page in its `main` element.
pub(super) fn links_in_main(page: &TestResponse) -> Vec<Tag> {
    let all = tags(page).into_iter();
    let inside = all.skip_while(|tag| tag.name != "main");
    inside
        .take_while(|tag| tag.name != "footer")
        .filter(|tag| tag.name == "a")
        .collect()
}

/// A post without title and headings is shown as a note: its text once, not as the heading of itself.
pub async fn a_list_shows_a_note_as_its_text(mount: &Mount) {
    let app = App::new(mount).await;
    app.create_body("A first sentence. And a second one.").await;
    let list = app.get("/").await;
    list.expect_text("class=\"note\"");
    assert_eq!(
        list.text().matches("A first sentence.").count(),
        1,
        "{list}"
    );
    assert_eq!(
        list.text().matches("And a second one.").count(),
        1,
        "{list}"
    );
    app.create(&json!({ "title": "Titled", "body": "A text." }))
        .await;
    let list = app.get("/").await;
    assert_eq!(list.text().matches("class=\"note\"").count(), 2, "{list}");
}

/// The first page leads with the description of the site. Other pages of the list have a title and a
/// description of their own.
pub async fn each_page_of_the_list_has_its_own_title_and_description(mount: &Mount) {
    let app = App::new(mount).await;
    let app = app
        .set(|service| service.with_description("All about the city"))
        .await;
    for n in 0..3 {
        app.create(&json!({ "body": format!("Number {n}"), "tags": "t" }))
            .await;
    }
    let mut seen = Vec::new();
    for path in ["/?per_page=1", "/?per_page=1&page=2", "/?per_page=1&tag=t"] {
        let page = app.get(path).await;
        let title = texts(&page, "title").concat();
        let description = meta(&page, "description").unwrap_or_default();
        let is_new = !seen.iter().any(|(t, d)| *t == title || *d == description);
        assert!(is_new, "{page}: titled {title}, described as {description}");
        seen.push((title, description));
    }
    let first = app.get("/").await;
    first.expect_text(">All about the city</p>");
}

/// A page that exists in several languages names its versions, each of which is its own canonical address.
pub async fn pages_in_several_languages_name_each_other(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = json!({ "body": "x", "tags": "t" });
    app.create(&fields).await;
    let post = app.create(&fields).await;
    let in_each_language = |address: &Address| matches!(address.kind, Kind::List | Kind::Document);
    let mut paths = app.paths(&post, in_each_language).await;
    paths.extend(["/?page=2&per_page=1", "/?tag=t"].map(str::to_owned));
    for path in paths {
        let page = app.get(&path).await;
        let all = tags(&page);
        let versions = all.iter().filter(|tag| {
            tag.name == "link"
                && tag
                    .attribute("hreflang")
                    .is_some_and(|tag| tag != "x-default")
        });
        let versions: Vec<_> = versions.collect();
        assert!(versions.len() >= 2, "{page}: it names no other language");
        for version in versions {
            let address = version.attribute("href").unwrap_or_default();
            let there = app.follow(address).await;
            let language = version.attribute("hreflang").unwrap_or_default();
            there.expect_text(&format!("<html lang=\"{language}\">"));
            let canonical = related(&there, "canonical");
            assert_eq!(canonical, address, "{there}: its canonical address");
        }
    }
}

/// Pages lead to writing, tags and following. They offer keys only where there are keys.
pub async fn pages_lead_to_what_readers_and_writers_look_for(mount: &Mount) {
    let app = App::new(mount).await;
    let closed = app
        .set(|service| service.with_key_requests(KeyRequests::Closed))
        .await;
    let leads_to = |page: &TestResponse, path: &str| {
        let all = tags(page);
        all.iter().any(|tag| {
            let address = tag.attribute("href").unwrap_or_default();
            tag.name == "a" && address.ends_with(path)
        })
    };
    for path in ["/", "/tags"] {
        for (app, offers_keys) in [(&app, true), (&closed, false)] {
            let page = app.get(path).await;
            for wanted in ["/write", "/tags", "/follow", "/docs"] {
                assert!(leads_to(&page, wanted), "{page}: no link to {wanted}");
            }
            let offered = leads_to(&page, "/keys");
            assert_eq!(offered, offers_keys, "{page}: a link to /keys");
        }
    }
}

/// `GET /follow` shows the addresses of the feeds, of all posts or of those with a tag, which lead there.
pub async fn the_follow_page_shows_the_addresses_of_the_feeds(mount: &Mount) {
    let app = App::new(mount).await;
    app.create(&json!({ "body": "x", "tags": "a & b" })).await;
    for (query, feed_query) in [("", ""), ("?tag=A+%26+b", "?tag=a+%26+b")] {
        let page = app.get(&format!("/follow{query}")).await;
        for feed in ["/feed.atom", "/feed.json"] {
            let address = format!("{}{feed}{feed_query}", app.base());
            let is_shown = texts(&page, "code").contains(&address);
            assert!(is_shown, "{page}: it does not show {address}");
            app.follow(&address).await.expect_status(200);
        }
    }
    app.get("/follow?tag=a,b")
        .await
        .problem("invalid_parameter");
}

/// An error page speaks the language of its reader, and only that.
pub async fn an_error_page_speaks_one_language(mount: &Mount) {
    let app = App::new(mount).await;
    let gone = app.create_body("x").await;
    app.delete(&gone).await.expect_status(204);
    let replaced = app.create_body("x").await;
    let path = format!("{}/edit_token", replaced.path());
    let answer = app
        .call("POST", &path)
        .header("x-edit-token", &replaced.token);
    answer.await.expect_status(200);
    for path in [
        "/nothing",
        &*gone.page(),
        "/?page=x",
        &*replaced.edit_page(),
    ] {
        let problem = app.get(path).await;
        let detail = problem.json()["detail"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(!detail.is_empty(), "{problem}: its detail");
        let mut pages = Vec::new();
        for language in ["en", "fr"] {
            let page = app.get(path).header("accept", "text/html");
            let page = page.header("accept-language", language).await;
            page.expect_no_text(&detail);
            pages.push(texts(&page, "p"));
        }
        assert_ne!(pages[0], pages[1], "{path}: what the pages say");
    }
    let page = app
        .get(&replaced.edit_page())
        .header("accept", "text/html")
        .await;
    page.expect_text("This edit link does not work");
}

/// In a post that is written from right to left, a date reads in the direction of the page's language.
pub async fn dates_keep_their_order_in_posts_from_right_to_left(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = json!({ "title": "مرحبا", "body": "نص قصير.", "language": "ar" });
    let post = app.create(&fields).await;
    for path in ["/", &*post.page()] {
        let page = app.get(path).await;
        let all = tags(&page);
        assert!(
            all.iter().any(|tag| tag.attribute("dir") == Some("rtl")),
            "{page}"
        );
        let times: Vec<_> = all.iter().filter(|tag| tag.name == "time").collect();
        assert!(!times.is_empty(), "{page}: it has no date");
        for time in times {
            assert_eq!(time.attribute("dir"), Some("ltr"), "{page}: {time:?}");
        }
    }
}
