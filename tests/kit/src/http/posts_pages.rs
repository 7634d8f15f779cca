//! Pages of posts: the index, a post's page, and its source.

use serde_json::{Value, json};

use super::app::NO_POST;
use super::markup::{meta, tags};
use super::{App, HOST, Mount, TestResponse};

/// `GET /p/{id}.md` returns the source as the client sent it, with conditional requests.
pub async fn the_source_of_a_post_is_served_byte_for_byte(mount: &Mount) {
    let app = App::new(mount).await;
    let body = "# Über\r\n\n<b>raw</b>\n";
    let post = app.create_body(body).await;
    let path = format!("{}.md", post.page());
    let source = app.get(&path).await;
    source
        .expect_status(200)
        .expect_header("content-type", "text/markdown; charset=utf-8")
        .expect_header("cache-control", "public, no-cache");
    assert_eq!(source.text(), body, "{source}");
    let known = app.get(&path).header("if-none-match", source.etag()).await;
    known.expect_status(304);
    app.delete(&post).await.expect_status(204);
    app.get(&path).await.problem("gone");
    let unknown = app.get(&format!("/p/{NO_POST}.md")).await;
    unknown.problem("not_found");
}

/// The numbers in the titles on an index page.
fn numbers(page: &TestResponse) -> Vec<usize> {
    let mut found: Vec<_> = (0..5)
        .filter_map(|n| Some((page.text().find(&format!(">Title {n}<"))?, n)))
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, n)| n).collect()
}

/// The address of the first tag with this `rel`.
#[track_caller]
pub(super) fn related(page: &TestResponse, relation: &str) -> String {
    let tags = tags(page);
    let mut related = tags
        .iter()
        .filter(|tag| tag.attribute("rel") == Some(relation));
    let address = related.next().and_then(|tag| tag.attribute("href"));
    address
        .unwrap_or_else(|| panic!("{page}: it has no link `{relation}`"))
        .to_owned()
}

/// `GET /` shows the latest posts in pages, `?tag=` those of a tag, and links to other pages.
pub async fn the_index_shows_posts_by_page_and_by_tag(mount: &Mount) {
    let app = App::new(mount).await;
    let mut post = None;
    for n in 0..5 {
        let tag = if n % 2 == 0 { "even & so on" } else { "odd" };
        let fields = json!({ "body": "x", "title": format!("Title {n}"), "tags": [tag] });
        post = Some(app.create(&fields).await);
    }
    let first = app.get("/?per_page=2").await;
    assert_eq!(numbers(&first), [4, 3], "{first}: posts");
    let second = app.follow(&related(&first, "next")).await;
    assert_eq!(numbers(&second), [2, 1], "{second}: posts");
    let back = app.follow(&related(&second, "prev")).await;
    assert_eq!(numbers(&back), [4, 3], "{back}: posts");
    let odd = app.get("/?tag=ODD").await;
    assert_eq!(numbers(&odd), [3, 1], "{odd}: posts");
    let shown = app.get(&post.unwrap().page()).await;
    let tagged = app.follow(&related(&shown, "tag")).await;
    assert_eq!(numbers(&tagged), [4, 2, 0], "{tagged}: posts");
}

/// `GET /` shows the first image of a post that previews on other sites can show, if its address is no longer than 500
/// bytes.
pub async fn the_index_shows_the_picture_of_a_post(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create(&json!({ "body": "x", "tags": "a" })).await;
    let first = "https://example.com/a.png";
    let address = |length: usize| format!("https://example.com/{}", "x".repeat(length - 20));
    let (longest, too_long) = (address(500), address(501));
    for (body, picture) in [
        (
            format!("![x]({first}) ![y](https://example.com/b.png)"),
            Some(first),
        ),
        (format!("![x]({too_long})"), None),
        (format!("![x]({longest})"), Some(&*longest)),
        (
            "![x](http://example.com/a.png) ![x](data:image/png;base64,AA) ![x](a.png) \
             ![x](https://example.com/a.svg)"
                .to_owned(),
            None,
        ),
    ] {
        app.update(&post, &json!({ "body": body })).await;
        for path in ["/", "/?tag=a"] {
            let list = app.get(path).await;
            let tags = tags(&list);
            let mut images = tags.iter().filter(|tag| tag.name == "img");
            let shown = images.next();
            let address = shown.and_then(|image| image.attribute("src"));
            assert_eq!(address, picture, "{list}: the picture of {body}");
            let text = shown.and_then(|image| image.attribute("alt"));
            assert_eq!(
                text,
                picture.and(Some("")),
                "{list}: its title names the post"
            );
            assert!(images.next().is_none(), "{list}: one picture at most");
        }
    }
}

/// `GET /?month=2026-11` shows the posts of that month, in UTC.
pub async fn the_index_shows_posts_by_month(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = json!({ "body": "x", "title": "Title 3", "tags": "three" });
    let post = app.create(&fields).await;
    let post = app.read(&post).await;
    let month = &post["published_at"].as_str().unwrap()[..7];
    for query in [format!("month={month}"), format!("month={month}&tag=three")] {
        let page = app.get(&format!("/?{query}")).await;
        assert_eq!(numbers(&page), [3], "{page}: posts");
    }
    for query in [
        "month=2001-12".to_owned(),
        format!("month={month}&tag=four"),
    ] {
        let page = app.get(&format!("/?{query}")).await;
        page.expect_status(200);
        assert_eq!(numbers(&page), [0; 0], "{page}: posts");
    }
    for wrong in ["2026", "2026-13", "2026-11-01", "x"] {
        let refused = app.get(&format!("/?month={wrong}")).await;
        refused.expect_status(400);
    }
}

/// A post's page has its title, its HTML, a description, a canonical address and its focus keyword.
pub async fn a_post_page_links_to_its_machine_readable_forms(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app
        .create(&json!({ "title": "T", "body": "*Words*.", "focus_keyword": "key word" }))
        .await;
    let page = app.get(&post.page()).await;
    page.expect_text("<title>T</title>")
        .expect_text("<p><em>Words</em>.</p>");
    let all = tags(&page);
    let meta = |name: &str| {
        let mut metas = all.iter().filter(|tag| tag.attribute("name") == Some(name));
        metas.next().and_then(|tag| tag.attribute("content"))
    };
    assert_eq!(meta("description"), Some("Words."), "{page}: description");
    assert_eq!(meta("keywords"), Some("key word"), "{page}: keywords");
    let address = format!("{}/p/{}", app.base(), post.id);
    assert_eq!(related(&page, "canonical"), address, "{page}: canonical");
}

/// A post's page has metadata for search engines and link previews: Open Graph and JSON-LD.
pub async fn a_post_page_has_open_graph_and_json_ld(mount: &Mount) {
    let app = App::new(mount).await;
    let title = "</script><script>alert(1)</script> & \"so on\"";
    let picture = "https://example.com/a.png";
    let body = format!("Words.\n\n![x](y.png) ![x](https://example.com/b.svg) ![x]({picture})");
    let fields = json!({
        "title": title, "body": body, "tags": "a, b",
        "focus_keyword": "key word", "author": "Ann <Ex>", "language": "pt-br",
    });
    let post = app.create(&fields).await;
    let read = app.read(&post).await;
    let page = app.get(&post.page()).await;
    let all = tags(&page);
    let property = |name: &str| {
        let mut found = all
            .iter()
            .filter(|tag| tag.attribute("property") == Some(name));
        let content = found.next().and_then(|tag| tag.attribute("content"));
        content.unwrap_or_else(|| panic!("{page}: it has no {name}"))
    };
    let address = read["url"].as_str().unwrap_or_default();
    for (name, value) in [
        ("og:type", "article"),
        ("og:title", title),
        ("og:description", "Words."),
        ("og:url", address),
        ("og:image", picture),
        ("og:image:alt", title),
        ("article:tag", "a"),
        ("og:locale", "pt_BR"),
    ] {
        assert_eq!(property(name), value, "{page}: {name}");
    }
    let data = page
        .text()
        .split("<script type=\"application/ld+json\">")
        .nth(1);
    let data = data.and_then(|data| data.split("</script>").next());
    let data: Value = serde_json::from_str(data.unwrap_or_default()).unwrap();
    for (name, value) in [
        ("@context", json!("https://schema.org")),
        ("@type", json!("BlogPosting")),
        ("headline", json!(title)),
        ("description", json!("Words.")),
        ("url", json!(address)),
        ("image", json!(picture)),
        ("keywords", json!("key word, a, b")),
        ("datePublished", read["created_at"].clone()),
        ("dateModified", read["updated_at"].clone()),
        ("author", json!({ "@type": "Person", "name": "Ann <Ex>" })),
        ("inLanguage", json!("pt-BR")),
        (
            "publisher",
            json!({
                "@type": "Organization",
                "name": HOST,
                "url": format!("{}/", app.base()),
            }),
        ),
    ] {
        assert_eq!(data[name], value, "{page}: {name}");
    }
    let author = all
        .iter()
        .find(|tag| tag.attribute("name") == Some("author"));
    let author = author.and_then(|tag| tag.attribute("content"));
    assert_eq!(author, Some("Ann <Ex>"), "{page}: author");
    page.expect_text("lang=\"pt-BR\"");
    let card = meta(&page, "twitter:card");
    assert_eq!(card.as_deref(), Some("summary_large_image"), "{page}");
    let long = app
        .create(&json!({ "title": "word ".repeat(30), "body": "x" }))
        .await;
    let long = app.get(&long.page()).await;
    long.expect_text(&format!("\"headline\":\"{}…\"", "word ".repeat(22).trim()));
    let picture = app.create_body("![](https://example.com/a.png)").await;
    let picture = app.get(&picture.page()).await;
    for absent in ["name=\"description\"", "og:description", "\"description\""] {
        picture.expect_no_text(absent);
    }
    let bare = app.get(&app.create_body("x").await.page()).await;
    let card = meta(&bare, "og:image").unwrap_or_default();
    let card = app.follow(&card).await;
    card.expect_status(200)
        .expect_header("content-type", "image/png");
}

/// Without a title, a post is named by its first heading, or else by its first sentence, of at most
/// 70 characters: in its page and on the index.
pub async fn a_post_without_a_title_is_named_by_its_heading_or_first_sentence(mount: &Mount) {
    let app = App::new(mount).await;
    let long = format!("# {}", "wörd ".repeat(40));
    for (body, name) in [
        ("Words first.\n\n## Head *two*\n\n# Head three", "Head two"),
        ("One sentence here. Another one.", "One sentence here."),
        (
            "On 3. October Dr. Smith came. Then he left.",
            "On 3. October Dr. Smith came.",
        ),
        (&*long, "wörd wörd"),
    ] {
        let post = app.create_body(body).await;
        let page = app.get(&post.page()).await;
        let title = page.text().split("<title>").nth(1);
        let title = title.and_then(|rest| rest.split("</title>").next());
        let title = title.unwrap_or_default();
        assert!(title.starts_with(name), "{page}: named {title}");
        assert_eq!(page.text().matches("<h1").count(), 1, "{page}");
        assert!(title.chars().count() <= 70, "{page}: named {title}");
        app.get("/").await.expect_text(&format!(">{name}"));
    }
}
