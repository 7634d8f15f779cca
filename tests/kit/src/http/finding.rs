//! How people and programs find posts: the page with the tags, `llms.txt`, and sources of posts for clients
//! that prefer them.

use serde_json::json;

use super::markup::pieces;
use super::navigation::links_in_main;
use super::{App, Mount, TestResponse};

/// The tags on the page, each with its number of posts.
fn counted(page: &TestResponse) -> Vec<(String, u64)> {
    let pieces = pieces(page);
    let mut found = Vec::new();
    for (at, (name, text)) in pieces.iter().enumerate() {
        if name == "bdi" {
            let mut rest = pieces[at..].iter().filter(|(name, _)| name == "span");
            let number = rest.next().and_then(|(_, text)| text.parse().ok());
            found.push((text.clone(), number.unwrap_or_default()));
        }
    }
    found
}

/// `GET /tags` lists the tags of public posts with how many have each, by name and by number, and
/// links to the posts with each.
pub async fn the_tags_page_counts_the_posts_of_each_tag(mount: &Mount) {
    let app = App::new(mount).await;
    let empty = app.get("/tags").await;
    empty.expect_status(200);
    assert_eq!(counted(&empty), [], "{empty}: tags of no posts");
    let mut last = None;
    for tags in [&["zebra", "é & e"][..], &["zebra", "apple"], &["zebra"]] {
        let fields = json!({ "body": "x", "tags": tags });
        last = Some(app.create(&fields).await);
    }
    for visibility in ["unlisted", "draft"] {
        let hidden = json!({ "body": "x", "tags": "apple, hidden", "visibility": visibility });
        app.create(&hidden).await;
    }
    let expected = |tags: &[(&str, u64)]| -> Vec<_> {
        let owned = tags.iter().map(|(tag, posts)| ((*tag).to_owned(), *posts));
        owned.collect()
    };
    let by_name = expected(&[("apple", 1), ("é & e", 1), ("zebra", 3)]);
    for path in ["/tags", "/tags?sort=name"] {
        let page = app.get(path).await;
        assert_eq!(counted(&page), by_name, "{page}");
    }
    let by_posts = app.get("/tags?sort=posts").await;
    let most_first = expected(&[("zebra", 3), ("apple", 1), ("é & e", 1)]);
    assert_eq!(counted(&by_posts), most_first, "{by_posts}");
    for link in links_in_main(&by_posts) {
        if link.attribute("rel") == Some("tag") {
            let list = app.follow(link.attribute("href").unwrap_or_default());
            list.await.expect_text("class=\"posts\"");
        }
    }
    app.get("/tags?sort=x").await.problem("invalid_parameter");
    app.delete(&last.unwrap()).await.expect_status(204);
    let fewer = app.get("/tags").await;
    let left = expected(&[("apple", 1), ("é & e", 1), ("zebra", 2)]);
    assert_eq!(counted(&fewer), left, "{fewer}: after a deletion");
}

/// `GET /llms.txt` says what the site is, lists the latest posts with the addresses of their
/// sources, and names the description of the API.
pub async fn llms_txt_lists_the_latest_posts(mount: &Mount) {
    let app = App::new(mount).await;
    let app = app
        .set(|service| service.with_name("Kö_ln").with_description("# News"))
        .await;
    let mut addresses = Vec::new();
    for n in 0..52 {
        let post = app.create_body(&format!("Number {n}. More.")).await;
        addresses.push(format!("{}{}.md", app.base(), post.page()));
    }
    let file = app.get("/llms.txt").await;
    file.expect_status(200)
        .expect_header("content-type", "text/plain; charset=utf-8")
        .expect_header("cache-control", "public, no-cache");
    let mut lines = file.text().lines();
    assert_eq!(lines.next(), Some("# Kö\\_ln"), "{file}: its name");
    assert_eq!(lines.nth(1), Some("> \\# News"), "{file}: its description");
    let listed: Vec<_> = lines
        .filter_map(|line| line.strip_prefix("- [Number ")?.split_once("]("))
        .collect();
    assert_eq!(listed.len(), 50, "{file}: posts");
    for ((name, rest), (n, address)) in listed.iter().zip(addresses.iter().enumerate().rev()) {
        assert_eq!(*name, format!("{n}."), "{file}: a name");
        let expected = format!("{address}): Number {n}. More.");
        assert_eq!(*rest, expected, "{file}: an address");
    }
    app.follow(&addresses[9]).await.expect_text("Number 9.");
    for path in [
        "/openapi.json",
        "/docs",
        "/api/posts",
        "/feed.atom",
        "/feed.json",
    ] {
        file.expect_text(&format!("]({}{path})", app.base()));
    }
    let french = app.get("/llms.txt").header("accept-language", "fr").await;
    french.expect_header("vary", "Accept-Language");
    assert_ne!(french.etag(), file.etag(), "{french}: its ETag");
}

/// The text of a post is text in `llms.txt`, too: it adds no line, no link and no markup.
pub async fn client_text_is_escaped_in_llms_txt(mount: &Mount) {
    let app = App::new(mount).await;
    app.create(&json!({ "title": "Harmless", "body": "x" }))
        .await;
    let count = |file: &TestResponse| {
        let links = file.text().matches("](").count();
        (file.text().lines().count(), links)
    };
    let harmless = count(&app.get("/llms.txt").await);
    let hostile = r"a](http://evil.example) [b](http://evil.example) <http://evil.example> \";
    let body = "- [a](http://evil.example)\n\n`](http://evil.example)`\n\n## b\n\n\\[c\\](d)";
    app.create(&json!({ "title": hostile, "body": body })).await;
    let file = app.get("/llms.txt").await;
    let (lines, links) = harmless;
    let own = file
        .text()
        .lines()
        .find(|line| line.contains("evil.example"));
    let own = own.unwrap_or_else(|| panic!("{file}: the post is not in it"));
    // An escaped bracket ends no link text.
    let real = own
        .replace("\\\\", "")
        .replace("\\]", "")
        .matches("](")
        .count();
    assert_eq!(real, 1, "{file}: links in {own}");
    assert_eq!(count(&file).0, lines + 1, "{file}: lines");
    assert!(count(&file).1 > links, "{file}: links");
    file.expect_no_text(" <http");
}

/// `GET` and `HEAD /p/{id}` return the source to a client that prefers `text/markdown`, and the
/// page to all others (RFC 9110, section 12.5.1).
pub async fn a_client_that_prefers_markdown_gets_the_source_of_a_post(mount: &Mount) {
    let app = App::new(mount).await;
    let body = "# Über\r\n\n<b>raw</b>\n";
    let post = app.create_body(body).await;
    let page = app.get(&post.page()).await;
    for (accept, is_source) in [
        ("text/markdown", true),
        ("text/markdown, text/html;q=0.9, */*;q=0.1", true),
        ("text/html;q=0.5, Text/Markdown", true),
        ("text/markdown, */*;q=0.8", true),
        ("text/html, text/markdown;q=0.9", false),
        ("text/markdown;q=0", false),
        ("text/html,application/xhtml+xml,*/*;q=0.8", false),
        ("*/*", false),
        ("text/*", false),
        ("", false),
    ] {
        for method in ["GET", "HEAD"] {
            let shown = app
                .call(method, &post.page())
                .header("accept", accept)
                .await;
            let media_type = match is_source {
                true => "text/markdown; charset=utf-8",
                false => "text/html; charset=utf-8",
            };
            shown.expect_status(200);
            let found = shown.header("content-type");
            assert_eq!(found, Some(media_type), "{shown}, accepting `{accept}`");
            let varies = shown.header("vary").unwrap_or_default();
            let has_accept = varies.split(',').any(|name| name.trim() == "Accept");
            assert!(has_accept, "{shown}: its Vary is {varies}");
            assert_eq!(shown.etag() == page.etag(), !is_source, "{shown}: its ETag");
            if method == "GET" && is_source {
                assert_eq!(shown.text(), body, "{shown}");
            }
            let known = app.call(method, &post.page()).header("accept", accept);
            let known = known.header("if-none-match", shown.etag()).await;
            known.expect_status(304);
            assert_eq!(known.header("vary"), shown.header("vary"), "{known}: Vary");
        }
    }
    let changed = app.get(&post.page()).header("accept", "text/markdown");
    let changed = changed.header("if-none-match", page.etag()).await;
    changed.expect_status(200);
}
