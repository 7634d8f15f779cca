//! Feeds, the sitemap, and the Markdown source of a post.

use handbill::Limits;
use std::iter;

use serde_json::{Value, json};

use super::app::HTML;
use super::cors::from_elsewhere;
use super::markup::tags;
use super::{App, Created, HOST, Kind, Mount, TestResponse};

const FEEDS: [&str; 2] = ["/feed.atom", "/feed.json"];
const EXPORTS: [&str; 3] = ["/feed.atom", "/feed.json", "/sitemap.xml"];
const ATOM: &str = "application/atom+xml; charset=utf-8";
const JSON_FEED: &str = "application/feed+json";

/// The texts of all elements of this name in the service's own XML, as written.
fn texts<'a>(xml: &'a TestResponse, name: &str) -> Vec<&'a str> {
    let (start, end) = (format!("<{name}>"), format!("</{name}>"));
    let inside = xml.text().split(&start).skip(1);
    inside
        .map(|rest| rest.split(&end).next().unwrap_or_default())
        .collect()
}

/// The addresses of all posts in a feed.
fn entries(feed: &TestResponse) -> Vec<String> {
    if feed.header("content-type") == Some(ATOM) {
        let ids = texts(feed, "id").into_iter().skip(1);
        return ids.map(str::to_owned).collect();
    }
    let items = feed.ok()["items"].take();
    let items = items.as_array().into_iter().flatten();
    items
        .map(|item| item["id"].as_str().unwrap_or_default().to_owned())
        .collect()
}

fn urls<'a>(app: &App, posts: impl IntoIterator<Item = &'a Created>) -> Vec<String> {
    let posts = posts.into_iter();
    posts
        .map(|post| format!("{}{}", app.base(), post.page()))
        .collect()
}

/// Feeds show the latest 50 posts, newest first, at their public addresses.
pub async fn feeds_show_the_latest_50_posts_newest_first(mount: &Mount) {
    let app = App::new(mount).await;
    for path in FEEDS {
        let empty = app.get(path).await;
        empty.expect_status(200);
        assert_eq!(entries(&empty), [""; 0], "{empty}");
    }
    let mut posts = Vec::new();
    for n in 0..52 {
        posts.push(app.create_body(&format!("number {n}")).await);
    }
    app.update(&posts[0], &json!({ "title": "changed" })).await;
    let expected = urls(&app, posts.iter().rev().take(50));
    for (path, media_type) in iter::zip(FEEDS, [ATOM, JSON_FEED]) {
        let feed = app.get(path).await;
        feed.expect_status(200)
            .expect_header("content-type", media_type)
            .expect_header("cache-control", "public, no-cache");
        assert_eq!(entries(&feed), expected, "{feed}: its posts");
    }
}

/// `?tag=` works as it does for lists: feeds show the posts with that tag.
pub async fn a_feed_of_a_tag_shows_the_posts_that_carry_it(mount: &Mount) {
    let app = App::new(mount).await;
    let tagged = app.create(&json!({ "body": "x", "tags": "a & b" })).await;
    app.create(&json!({ "body": "y", "tags": "other" })).await;
    for path in FEEDS {
        let address = format!("{}{path}?tag=a+%26+b", app.base());
        for query in ["?tag=a+%26+b", "?unknown=1&tag=%23A%20%20%26+B&page=x"] {
            let feed = app.get(&format!("{path}{query}")).await;
            assert_eq!(entries(&feed), urls(&app, [&tagged]), "{feed}: its posts");
            // A quotation mark ends the address in either format.
            feed.expect_text(&format!("{address}\""));
        }
        let none = app.get(&format!("{path}?tag=none")).await;
        assert_eq!(entries(&none), [""; 0], "{none}");
        let all = app.get(&format!("{path}?tag=")).await;
        assert_eq!(entries(&all).len(), 2, "{all}: its posts");
        for query in ["?tag=a,b", "?tag=a&tag=b", "?tag=%FF"] {
            let refused = app.get(&format!("{path}{query}")).await;
            refused.problem("invalid_parameter");
        }
    }
}

/// An item of the JSON feed shows its post as the API does.
pub async fn an_item_of_the_json_feed_shows_its_post(mount: &Mount) {
    let app = App::new(mount).await;
    let bare = app.create_body("Only *words*, and [a link](x).").await;
    let fields = json!({
        "title": "T <&>", "body": "*B*", "tags": "a, b", "author": "Ann", "language": "de",
    });
    let post = app.create(&fields).await;
    let item = |post: Value| {
        let html = post["html"].as_str().unwrap_or_default();
        let html = html.replace("href=\"x\"", &format!("href=\"{}/p/x\"", app.base()));
        json!({
            "id": post["url"], "url": post["url"], "title": post["title"],
            "content_html": html, "summary": post["excerpt"], "tags": post["tags"],
            "date_published": post["published_at"], "date_modified": post["updated_at"],
            "authors": [{ "name": post["author"] }], "language": post["language"],
        })
    };
    let mut without_title = item(app.read(&bare).await);
    let optional = without_title.as_object_mut().unwrap();
    let absent = ["tags", "authors", "language"];
    optional.retain(|name, _| !absent.contains(&name.as_str()));
    optional["title"] = json!("Only words, and a link.");
    let feed = app.get("/feed.json").await;
    let expected = json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": HOST,
        "home_page_url": format!("{}/", app.base()),
        "feed_url": format!("{}/feed.json", app.base()),
        "items": [item(app.read(&post).await), without_title],
    });
    let mut shown = feed.ok();
    for name in ["icon", "favicon"] {
        let icon = shown[name].take();
        let icon = app.follow(icon.as_str().unwrap_or_default()).await;
        icon.expect_status(200)
            .expect_header("content-type", "image/png");
    }
    let members = shown.as_object_mut().unwrap();
    members.retain(|name, _| !name.ends_with("icon"));
    assert_eq!(shown, expected, "{feed}");
}

/// An entry of the Atom feed has what RFC 4287 demands, and the post's HTML as text.
pub async fn an_entry_of_the_atom_feed_shows_its_post(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = json!({
        "title": "T", "body": "*B* [l](x)", "tags": "a, b", "author": "Ann & Co", "language": "de",
    });
    let post = app.create(&fields).await;
    app.update(&post, &json!({ "title": "T <&>" })).await;
    let post = app.read(&post).await;
    let text = |name: &str| post[name].as_str().unwrap_or_default().to_owned();
    let (base, url, changed) = (app.base(), text("url"), text("updated_at"));
    let feed = app.get("/feed.atom").await;
    for (element, expected) in [
        ("id", [&*format!("{base}/feed.atom"), &url]),
        ("title", [HOST, "T &lt;&amp;&gt;"]),
        ("updated", [&changed, &changed]),
    ] {
        assert_eq!(texts(&feed, element), expected, "{feed}: {element}");
    }
    for (element, expected) in [
        ("published", &*text("published_at")),
        ("summary", "B l"),
        ("generator", "Handbill"),
    ] {
        assert_eq!(texts(&feed, element), [expected], "{feed}: {element}");
    }
    assert_eq!(
        texts(&feed, "name"),
        [HOST, "Ann &amp; Co"],
        "{feed}: names"
    );
    feed.expect_text(r#"<entry xml:lang="de">"#);
    for element in [
        format!(r#"<link rel="self" type="application/atom+xml" href="{base}/feed.atom"/>"#),
        format!(r#"<link rel="alternate" type="text/html" href="{base}/"/>"#),
        format!(r#"<link rel="alternate" type="text/html" href="{url}"/>"#),
        r#"<category term="a"/>"#.to_owned(),
        format!(r#"<content type="html" xml:base="{url}">&lt;p&gt;&lt;em&gt;B&lt;/em&gt; "#),
    ] {
        feed.expect_text(&element);
    }
}

/// Feeds are read away from the post's page, so relative addresses in a post's HTML become
/// absolute.
pub async fn addresses_in_feeds_are_absolute(mount: &Mount) {
    let app = App::new(mount).await;
    let body = "[a](x?a&b) [b](#x) [c](https://example.com) ![d](/y) [e](z \"<a href=\")";
    app.create_body(body).await;
    let (base, root) = (app.base(), format!("http://{HOST}"));
    let feed = app.get("/feed.json").await;
    let items = feed.ok()["items"].take();
    let json = items[0]["content_html"].as_str().unwrap_or_default();
    let feed = app.get("/feed.atom").await;
    let (_, atom) = feed.text().split_once("<content").unwrap_or_default();
    let atom = atom.replace("&amp;", "&");
    for html in [json, &*atom] {
        for attribute in [
            &*format!("href=\"{base}/p/x?a&amp;b\""),
            "href=\"#x\"",
            "href=\"https://example.com\"",
            &*format!("src=\"{root}/y\""),
            &*format!("href=\"{base}/p/z\""),
        ] {
            assert!(html.contains(attribute), "{attribute} is not in {html}");
        }
    }
}

/// Client input is text in feeds too. Characters that XML does not allow are left out.
pub async fn client_text_is_escaped_in_feeds(mount: &Mount) {
    let app = App::new(mount).await;
    let hostile = r#"]]>--></title></entry>"'><script>&nothing;"#;
    let (body, title) = (
        format!("{hostile}\u{1}\u{B}\u{1B}\u{FFFE}."),
        format!("{hostile}\u{FFFF}"),
    );
    let tag = format!("{hostile}\u{FFFE}");
    let fields = json!({ "title": title, "body": body, "tags": [tag, "\u{FFFF}"] });
    app.create(&fields).await;
    app.create_body(&body).await;
    let encoded: String = tag.bytes().map(|byte| format!("%{byte:02X}")).collect();
    for query in ["", &*format!("?tag={encoded}")] {
        let feed = app.get(&format!("/feed.atom{query}")).await;
        feed.expect_status(200);
        for part in ["<script", "&nothing;", "]]>", "<!--"] {
            feed.expect_no_text(part);
        }
        for character in ["\u{1}", "\u{B}", "\u{1B}", "\u{FFFE}", "\u{FFFF}"] {
            feed.expect_no_text(character);
        }
        let entries = feed.text().matches("</entry>").count();
        assert_eq!(feed.text().matches("<entry>").count(), entries, "{feed}");
        let feed = app.get(&format!("/feed.json{query}")).await;
        let items = feed.ok()["items"].take();
        let last = items.as_array().and_then(|items| items.last());
        let last = last.unwrap_or_else(|| panic!("{feed}: no items"));
        assert_eq!(last["title"], title, "{feed}");
        assert_eq!(last["tags"][0], tag, "{feed}");
    }
}

/// A feed contains the HTML of its posts up to a limit, and then only excerpts: large posts do not
/// make it grow.
pub async fn feeds_have_the_html_of_posts_up_to_a_bound(mount: &Mount) {
    let mut limits = Limits::default();
    limits.body = 500_000;
    let app = App::new(mount).await;
    let app = app.set(|service| service.with_limits(limits)).await;
    let body = "word ".repeat(100_000);
    for _ in 0..6 {
        app.create_body(&body).await;
    }
    let feed = app.get("/feed.json").await;
    let items = feed.ok()["items"].take();
    let items = items.as_array().into_iter().flatten();
    let has_html: Vec<_> = items
        .map(|item| {
            let (html, text) = (&item["content_html"], &item["content_text"]);
            let has_text = !text.is_null() && *text == item["summary"];
            assert_ne!(
                html.is_string(),
                has_text,
                "an item has its HTML or its excerpt"
            );
            html.is_string()
        })
        .collect();
    let expected = [true, true, true, true, false, false];
    assert_eq!(has_html, expected, "items with HTML, newest first");
    let feed = app.get("/feed.atom").await;
    assert_eq!(
        feed.text().matches("<content").count(),
        4,
        "posts with HTML"
    );
    assert_eq!(texts(&feed, "summary").len(), 6, "posts with a summary");
}

/// Feeds and the sitemap have an entity tag, and return 304 if unchanged. A change, a new post and
/// a deletion show at once.
pub async fn feeds_and_the_sitemap_follow_each_change(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create(&json!({ "body": "x", "tags": "t" })).await;
    let other = app.create_body("y").await;
    let tagged = app.get("/feed.atom?tag=t").await.etag();
    let mut known = Vec::new();
    for step in 0..4 {
        match step {
            1 => drop(app.create_body("z").await),
            2 => drop(app.update(&other, &json!({ "title": "new" })).await),
            3 => drop(app.delete(&other).await),
            _ => {}
        }
        for path in EXPORTS {
            let whole = app.get(path).await;
            let etag = whole.expect_status(200).etag();
            let is_new = !known.contains(&etag);
            assert!(is_new, "{whole}: after a change it has the tag of before");
            for method in ["GET", "HEAD"] {
                let again = app.call(method, path).header("if-none-match", &etag);
                again
                    .await
                    .expect_status(304)
                    .expect_header("etag", &etag)
                    .expect_header("cache-control", "public, no-cache");
            }
            let again = app.get(path).header("if-none-match", "\"x\"").await;
            assert_eq!(again.body, whole.body, "{again}: the second response");
            let shown = whole.text().matches(&other.page()).count();
            assert_eq!(shown == 0, step == 3, "{whole}: the post in it");
            known.push(etag);
        }
    }
    let again = app.get("/feed.atom?tag=t").await.etag();
    assert_eq!(again, tagged, "the tag of a feed without the changed posts");
    app.update(&post, &json!({ "title": "new" })).await;
    let changed = app.get("/feed.atom?tag=t").await.etag();
    assert_ne!(changed, tagged, "the tag of a feed of a changed post");
}

/// The sitemap lists each post with the time of its last change. Without posts it lists the mount
/// point (sitemaps.org).
pub async fn the_sitemap_has_the_address_of_each_post(mount: &Mount) {
    let app = App::new(mount).await;
    let home = format!("{}/", app.base());
    for query in ["", "?page=1"] {
        let empty = app.get(&format!("/sitemap.xml{query}")).await;
        assert_eq!(texts(&empty, "loc"), [&*home], "{empty}");
    }
    let mut posts = Vec::new();
    for n in 0..60 {
        posts.push(app.create_body(&format!("number {n}")).await);
    }
    let changed = app.update(&posts[59], &json!({ "title": "new" })).await;
    let sitemap = app.get("/sitemap.xml").await;
    sitemap
        .expect_status(200)
        .expect_header("content-type", "application/xml; charset=utf-8")
        .expect_header("cache-control", "public, no-cache");
    let expected = urls(&app, posts.iter().rev());
    assert_eq!(texts(&sitemap, "loc"), expected, "{sitemap}");
    let times = texts(&sitemap, "lastmod");
    assert_eq!(times.len(), 60, "{sitemap}: times");
    assert_eq!(changed["updated_at"], times[0], "{sitemap}: the first time");
    app.follow(texts(&sitemap, "loc")[7])
        .await
        .expect_status(200);
    for page in ["2", "18446744073709551615"] {
        let past_the_end = app.get(&format!("/sitemap.xml?page={page}")).await;
        past_the_end.problem("not_found");
    }
    for page in ["0", "", "x", "-1", "1&page=1", "18446744073709551616"] {
        let refused = app.get(&format!("/sitemap.xml?page={page}")).await;
        refused.problem("invalid_parameter");
    }
}

/// These addresses support `HEAD`, `OPTIONS` and `Allow` like all others. Their errors are pages for
/// browsers only, and their policy forbids scripts.
pub async fn feeds_and_the_sitemap_are_addresses_like_others(mount: &Mount) {
    let app = App::new(mount).await;
    app.create_body("x").await;
    for path in EXPORTS {
        let get = app.get(path).await;
        let policy = get.header("content-security-policy").unwrap_or_default();
        let is_closed = policy.split(';').any(|part| part == "default-src 'none'");
        assert!(is_closed, "{get}: its policy is `{policy}`");
        let head = app.call("HEAD", path).await;
        for name in ["content-length", "content-type", "etag", "cache-control"] {
            assert_eq!(head.header(name), get.header(name), "{head}: {name}");
        }
        let allow = "GET, HEAD, OPTIONS";
        let options = app.call("OPTIONS", path).await;
        options.expect_status(204).expect_header("allow", allow);
        let refused = app.call("POST", path).await;
        refused.problem("method_not_allowed");
        refused.expect_header("allow", allow);
        app.get(&format!("{path}/")).await.problem("not_found");
        let faulty = |accept| {
            let call = app.get(&format!("{path}?tag=a,b&page=0"));
            call.header("accept", accept)
        };
        faulty("*/*").await.problem("invalid_parameter");
        let page = faulty("text/html,*/*;q=0.8").await;
        page.expect_status(400).expect_header("content-type", HTML);
    }
}

/// Other origins may read feeds, the sitemap and sources, including errors, unless the host
/// disables CORS.
pub async fn feeds_and_sources_may_be_read_from_other_origins(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let closed = app.set(|service| service.with_cors(false)).await;
    for path in app
        .paths(&post, |address| address.kind == Kind::Export)
        .await
    {
        for method in ["GET", "HEAD", "OPTIONS", "PUT"] {
            let response = from_elsewhere(&app, method, &path).await;
            response.expect_header("access-control-allow-origin", "*");
            let response = from_elsewhere(&closed, method, &path).await;
            response.expect_no_header("access-control-allow-origin");
        }
    }
}

/// Pages link to their feeds, so that feed readers can find them.
pub async fn pages_name_their_feeds(mount: &Mount) {
    let app = App::new(mount).await;
    let tagged = app.create(&json!({ "body": "x", "tags": "a & b" })).await;
    let other = app.create_body("y").await;
    let (all, one) = (urls(&app, [&other, &tagged]), urls(&app, [&tagged]));
    for (path, expected) in [("/", &all), (&tagged.page(), &all), ("/?tag=A+%26+b", &one)] {
        let page = app.get(path).await;
        for media_type in ["application/atom+xml", JSON_FEED] {
            let all_tags = tags(&page);
            let mut links = all_tags.iter().filter(|tag| {
                tag.attribute("rel") == Some("alternate")
                    && tag.attribute("type") == Some(media_type)
            });
            let link = links.next();
            let link = link.unwrap_or_else(|| panic!("{page}: it names no {media_type}"));
            assert!(link.attribute("title").is_some(), "{page}: {link:?}");
            let feed = app.follow(link.attribute("href").unwrap_or_default()).await;
            assert_eq!(entries(&feed), *expected, "{page}: {link:?}");
        }
    }
}
