//! The pages, without a browser.

use serde_json::json;

use super::app::{HTML, NO_POST, NO_TOKEN};
use super::markup::{Tag, field, tags};
use super::posts_pages::related;
use super::{Address, App, Kind, Mount, TestResponse};

const BROWSER: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

/// Breaks out of every context that does not escape it.
const HOSTILE: &str =
    r#"--></title></textarea></pre>"'><script>alert(1)</script><img src=x onerror=a>"#;

/// The media type of structured data in pages, which browsers do not execute.
fn is_data(script: &Tag) -> bool {
    script.attribute("type") == Some("application/ld+json")
}

fn of_name<'a>(page: &'a [Tag], name: &str) -> Vec<&'a Tag> {
    page.iter().filter(|tag| tag.name == name).collect()
}

/// A page of each kind with its status, including errors.
async fn pages(app: &App) -> Vec<TestResponse> {
    let post = app.create_body("x").await;
    let gone = app.create_body("x").await;
    app.delete(&gone).await.expect_status(204);
    let mut responses = Vec::new();
    let whole = app.paths(&post, |address| address.kind.is_page()).await;
    let errors = [
        ("/?page=0".to_owned(), 400),
        (format!("/p/{NO_POST}"), 404),
        (gone.page(), 410),
        (gone.edit_page(), 410),
        (format!("/e/{NO_TOKEN}"), 404),
        ("/nothing".to_owned(), 404),
    ];
    let whole = whole.into_iter().map(|path| (path, 200));
    for (path, status) in whole.chain(errors) {
        let response = app.get(&path).header("accept", BROWSER).await;
        response
            .expect_status(status)
            .expect_header("content-type", HTML);
        responses.push(response);
    }
    responses
}

/// Each page has a CSP without `unsafe-inline` and a `Referrer-Policy`, and cannot be framed.
pub async fn each_page_protects_its_reader(mount: &Mount) {
    let app = App::new(mount).await;
    for page in pages(&app).await {
        page.expect_header("x-frame-options", "DENY");
        let policy = page.header("content-security-policy").unwrap_or_default();
        let directives: Vec<_> = policy.split(';').map(str::trim).collect();
        for directive in [
            "default-src 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            let is_there = directives.contains(&directive);
            assert!(is_there, "{page}: {directive} is not in its CSP: {policy}");
        }
        let is_open = policy.contains("unsafe") || policy.contains(" data:");
        assert!(!is_open, "{page}: its CSP is {policy}");
        let referrer = page.header("referrer-policy");
        assert!(referrer.is_some(), "{page}: no Referrer-Policy");
    }
}

/// Everything but a page has a CSP that lets a browser load and run nothing in it, and cannot be framed
/// or taken for another media type.
pub async fn responses_other_than_pages_load_nothing(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let mut paths = app.paths(&post, |address| !address.kind.is_page()).await;
    paths.push("/api/nothing".to_owned());
    for path in paths {
        let response = app.get(&path).await;
        response.expect_header("x-content-type-options", "nosniff");
        let policy = response.header("content-security-policy");
        let directives = policy.unwrap_or_default().split(';').map(str::trim);
        let directives: Vec<_> = directives.collect();
        for directive in ["default-src 'none'", "frame-ancestors 'none'"] {
            let is_there = directives.contains(&directive);
            assert!(
                is_there,
                "{response}: {directive} is not in its CSP: {policy:?}"
            );
        }
        assert!(
            !policy.unwrap_or_default().contains("unsafe"),
            "{response}: {policy:?}"
        );
    }
}

/// Each page has a language, one title and one main element, and contains no inline scripts or
/// styles, which its CSP forbids.
pub async fn each_page_is_complete_and_has_no_inline_scripts_or_styles(mount: &Mount) {
    let app = App::new(mount).await;
    for page in pages(&app).await {
        let is_html = page.text().starts_with("<!doctype html>");
        assert!(is_html, "{page}: it does not begin as HTML");
        let all = tags(&page);
        let languages = of_name(&all, "html");
        let has_language = languages.iter().all(|tag| tag.attribute("lang").is_some());
        assert!(has_language, "{page}: it names no language");
        for name in ["html", "title", "main"] {
            assert_eq!(of_name(&all, name).len(), 1, "{page}: tags <{name}>");
        }
        for tag in &all {
            let names = tag.attributes.iter().map(|(name, _)| &**name);
            let is_inline = tag.name == "style"
                || tag.name == "script" && tag.attribute("src").is_none() && !is_data(tag)
                || names.clone().any(|name| name == "style")
                || names.clone().any(|name| name.starts_with("on"));
            assert!(!is_inline, "{page}: {tag:?}");
        }
    }
}

/// `/e/`, `/write` and `/keys` are `no-store` and `noindex` and send no referrer, whatever the
/// response is.
pub async fn pages_with_secrets_are_neither_cached_nor_indexed_nor_sent_as_referrer(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let edit = post.edit_page();
    let unknown = app.get(&format!("/e/{NO_TOKEN}"));
    let forms = app.paths(&post, |address| address.kind.is_private_page());
    let forms = forms.await.into_iter().map(|path| app.get(&path));
    for call in forms.chain([
        app.submit("/write", &[("body", " ")]),
        app.submit("/write", &[("body", "x")]),
        app.submit("/keys", &[("label", "")]),
        app.submit(&edit, &[("body", " ")]),
        app.submit(&edit, &[("revision", "9"), ("body", "y")]),
        app.submit(&edit, &[("body", "z")]),
        unknown.header("accept", BROWSER),
    ]) {
        let response = call.await;
        response
            .expect_header("cache-control", "no-store")
            .expect_header("referrer-policy", "no-referrer")
            .expect_no_header("etag");
        if response.status != 303 {
            response.expect_header("x-robots-tag", "noindex");
        }
    }
}

/// Public pages may be cached and indexed, and contain no edit token.
pub async fn public_pages_are_cached_with_revalidation(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let public = |address: &Address| address.kind.is_public_page();
    for path in app.paths(&post, public).await {
        let page = app.get(&path).await;
        page.expect_status(200)
            .expect_header("content-type", HTML)
            .expect_header("cache-control", "public, no-cache")
            .expect_no_header("x-robots-tag")
            .expect_no_text(&post.token);
        page.etag();
    }
    let page = app.get(&post.page()).await;
    let modified = page.header("last-modified");
    assert!(modified.is_some(), "{page}: it has no Last-Modified");
}

/// The language that a page declares.
fn language(page: &TestResponse) -> String {
    let all = tags(page);
    let html = of_name(&all, "html");
    html[0].attribute("lang").unwrap_or_default().to_owned()
}

/// Pages use the language that `Accept-Language` prefers or `?lang=` names, and their links
/// preserve it.
pub async fn each_page_speaks_the_language_of_its_reader(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create(&json!({ "body": "x", "tags": "t" })).await;
    let mut paths = app.paths(&post, |address| address.kind.is_page()).await;
    paths.push("/nothing".to_owned());
    for path in paths {
        let read = |query: &str, accepted: &str| {
            let call = app.get(&format!("{path}{query}"));
            call.header("accept", BROWSER)
                .header("accept-language", accepted)
        };
        for (query, accepted, spoken) in [
            ("", "fr-CH, fr;q=0.9, en;q=0.8", "fr"),
            ("", "de, en;q=0.5, fr;q=0.1", "en"),
            ("", "tlh", "en"),
            ("?lang=fr", "en", "fr"),
            ("?lang=en", "fr", "en"),
            ("?lang=tlh", "fr", "fr"),
        ] {
            let page = read(query, accepted).await;
            assert_eq!(language(&page), spoken, "{page}, accepting {accepted}");
            let varies = page.header("vary").unwrap_or_default();
            let varies = varies
                .split(',')
                .any(|name| name.trim() == "Accept-Language");
            assert!(varies, "{page}: its Vary has no Accept-Language");
        }
        let chosen = read("?lang=fr", "en").await;
        let all = tags(&chosen);
        let links = of_name(&all, "a").into_iter();
        let ours = links.filter(|link| link.attribute("hreflang").is_none());
        for link in ours.filter_map(|link| link.attribute("href")) {
            let path = link.split('#').next().unwrap_or_default();
            let speaks = ![".md", ".json", ".atom", ".xml"]
                .iter()
                .any(|end| path.ends_with(end));
            let stays = path.is_empty() || !speaks || path.contains("lang=fr");
            assert!(stays, "{chosen}: {link} leads out of the language");
        }
    }
    let (english, french) = (app.get("/"), app.get("/"));
    let english = english.header("accept-language", "en").await;
    let french = french.header("accept-language", "fr").await;
    assert_ne!(english.etag(), french.etag(), "{english}: its ETag");
}

/// Assets may be cached forever, since their name changes with their content.
pub async fn assets_may_be_cached_for_ever(mount: &Mount) {
    let app = App::new(mount).await;
    for page in [app.get("/").await, app.get("/keys").await] {
        let all = tags(&page);
        let links = all.iter().filter(|tag| {
            tag.attribute("rel") == Some("stylesheet") || tag.attribute("src").is_some()
        });
        let mut count = 0;
        for link in links {
            let address = link.attribute("href").or(link.attribute("src"));
            let asset = app.follow(address.unwrap_or_default()).await;
            asset
                .expect_status(200)
                .expect_header("cache-control", "public, max-age=31536000, immutable");
            count += 1;
        }
        assert!(count > 0, "{page}: it loads nothing");
    }
}

/// A host can put its own frame around each page. Its nonce is on everything that the page loads.
pub async fn a_host_puts_its_own_frame_around_each_page(mount: &Mount) {
    let app = App::new(mount).await;
    let app = app
        .set(|service| {
            service.with_frame(|page| {
                format!(
                    "<!doctype html><html lang=\"{}\"><head><title>{} | host</title>{}{}</head>\
                     <body><h2>By {}</h2><main>{}</main></body></html>",
                    page.language,
                    page.title,
                    page.style,
                    page.head,
                    page.request.method,
                    page.main
                )
            })
        })
        .await;
    for page in pages(&app).await {
        page.expect_text(" | host</title>")
            .expect_text("By GET")
            .expect_text("class=\"handbill\"")
            .expect_no_text("class=\"skip\"");
        if page.status == 200 && page.header("etag").is_some() {
            page.expect_header("cache-control", "private, no-cache");
        }
    }
    let post = app.create(&json!({ "title": "T", "body": "*x*" })).await;
    let page = app.get(&post.page()).await;
    page.expect_text("<title>T | host</title>")
        .expect_text("<p><em>x</em></p>");
    assert_eq!(
        related(&page, "canonical"),
        format!("{}{}", app.base(), post.page())
    );
    let known = app.get(&post.page()).header("if-none-match", page.etag());
    known.await.expect_status(304);
}

/// Client input is text on every page that shows it.
pub async fn client_text_is_escaped_on_every_page(mount: &Mount) {
    let app = App::new(mount).await;
    let tag = r#"'"></bdi><script>alert(1)</script>"#;
    let fields =
        json!({ "title": HOSTILE, "focus_keyword": HOSTILE, "body": HOSTILE, "tags": tag });
    let post = app.create(&fields).await;
    let encoded: String = tag.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let edit = post.edit_page();
    let include = app.get(&format!("/?include={encoded}"));
    let label = format!("{HOSTILE}\u{1}");
    for (call, status) in [
        (app.get("/"), 200),
        (app.get(&post.page()), 200),
        (app.get(&edit), 200),
        (app.get(&format!("/?tag={encoded}")), 200),
        (include.header("accept", BROWSER), 400),
        (
            app.submit(
                &edit,
                &[("revision", "9"), ("title", HOSTILE), ("body", "other")],
            ),
            412,
        ),
        (
            app.submit(&edit, &[("title", "\u{1}"), ("body", HOSTILE)]),
            422,
        ),
        (
            app.submit("/write", &[("title", "\u{1}"), ("body", HOSTILE)]),
            422,
        ),
        (app.submit("/keys", &[("label", &label)]), 422),
    ] {
        let page = call.await;
        page.expect_status(status);
        for tag in ["<script>alert", "<img src=x"] {
            page.expect_no_text(tag);
        }
    }
    let title = field(&app.get(&edit).await, "title");
    assert_eq!(title, HOSTILE, "the title in the form");
}

/// Errors are pages for browsers that request a page, and problem details for all other clients.
/// The API always returns problem details.
pub async fn errors_are_pages_only_for_browsers(mount: &Mount) {
    let app = App::new(mount).await;
    for path in ["/nothing", &*format!("/p/{NO_POST}"), "/?page=x"] {
        let page = app.get(path).header("accept", BROWSER).await;
        page.expect_header("content-type", HTML)
            .expect_header("cache-control", "no-store");
        for accept in ["application/json", "*/*", ""] {
            let response = app.get(path).header("accept", accept).await;
            let is_same = response.is_problem() && response.status == page.status;
            assert!(is_same, "{response}, accepting `{accept}`");
        }
    }
    let page = app.call("DELETE", "/").header("accept", BROWSER).await;
    page.expect_status(405)
        .expect_header("allow", "GET, HEAD, OPTIONS");
    for path in [
        "/api/posts?page=0",
        "/api/keys/current",
        "/api/nothing",
        &*format!("/api/posts/{NO_POST}"),
    ] {
        let response = app.get(path).header("accept", BROWSER).await;
        assert!(response.is_problem(), "{response}: the API has no pages");
    }
}

/// A host can disable all pages, and with them the feeds, the sitemap and the sources of posts: they return 404 as
/// problem details, and the API still works.
pub async fn a_host_can_switch_all_pages_off(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let mut paths = app.paths(&post, |address| address.kind != Kind::Api).await;
    paths.push(String::new());
    let app = app.set(|service| service.with_pages(false)).await;
    for path in paths {
        for method in ["GET", "POST", "OPTIONS", "DELETE"] {
            let call = app.call(method, &path).header("accept", BROWSER);
            call.await.problem("not_found");
        }
        app.call("HEAD", &path).await.expect_status(404);
    }
    app.read(&post).await;
}
