//! The pages, as far as no browser is needed.

use serde_json::json;

use crate::app::{Answer, App, BASE, Created, NO_POST, NO_TOKEN};
use crate::form::{FORM, submit};
use crate::html::{Element, elements};

/// Breaks out of wherever it is put without being escaped.
const HOSTILE: &str =
    r#"--></title></textarea></pre>"'><script>alert(1)</script><img src=x onerror=a>"#;

fn of_name<'a>(page: &'a [Element], name: &str) -> Vec<&'a Element> {
    page.iter().filter(|element| element.name == name).collect()
}

/// What a form's field holds; of a text area, nothing.
fn field(answer: &Answer, name: &str) -> String {
    let page = elements(answer.text());
    let input = page
        .iter()
        .find(|element| element.attribute("name") == Some(name));
    input.unwrap().attribute("value").unwrap().to_owned()
}

#[tokio::test]
async fn each_page_protects_its_reader() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let gone = app.create_body("x").await;
    app.delete(&gone).await;
    for (path, status) in [
        ("/".to_owned(), 200),
        (format!("/p/{}", post.id), 200),
        (post.edit_page(), 200),
        ("/keys".to_owned(), 200),
        ("/docs/errors".to_owned(), 200),
        ("/?page=0".to_owned(), 400),
        (format!("/p/{NO_POST}"), 404),
        (format!("/p/{}", gone.id), 410),
        (format!("/e/{NO_TOKEN}"), 404),
        ("/nothing".to_owned(), 404),
    ] {
        let answer = app.get(&path).header("accept", "text/html,*/*;q=0.8").await;
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(
            answer.header("content-type"),
            Some("text/html; charset=utf-8"),
            "{path}"
        );
        let policy = answer.header("content-security-policy").unwrap();
        let directives: Vec<_> = policy.split(';').map(str::trim).collect();
        for directive in [
            "default-src 'none'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            assert!(directives.contains(&directive), "{path}: {policy}");
        }
        assert!(
            directives
                .iter()
                .any(|directive| directive.starts_with("form-action "))
        );
        assert!(
            !policy.contains("unsafe") && !policy.contains(" data:"),
            "{policy}"
        );
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert!(answer.header("referrer-policy").is_some());

        let page = elements(answer.text());
        assert!(answer.text().starts_with("<!doctype html>"), "{path}");
        assert!(of_name(&page, "html")[0].attribute("lang").is_some());
        assert_eq!(of_name(&page, "title").len(), 1, "{path}");
        assert_eq!(of_name(&page, "main").len(), 1, "{path}");
        for element in &page {
            assert!(element.name != "style" && element.attribute("style").is_none());
            assert!(
                element.name != "script" || element.attribute("src").is_some(),
                "{path}"
            );
            let mut names = element.attributes.iter().map(|(name, _)| name);
            assert!(!names.any(|name| name.starts_with("on")), "{element:?}");
            if element.name == "link" && element.attribute("rel") == Some("stylesheet") {
                assert_eq!(element.attribute("href"), Some("/blog/style.css"));
            }
        }
    }
    let style = app.get("/style.css").await;
    assert_eq!(
        style.header("content-type"),
        Some("text/css; charset=utf-8")
    );
}

#[tokio::test]
async fn pages_with_secrets_are_neither_kept_nor_indexed_nor_named() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let edit = post.edit_page();
    let conflict = [("revision", "9"), ("body", "y")];
    for answer in [
        app.get(&edit).await,
        app.get("/keys").await,
        submit(&app, "/keys", &[("label", "")]).await,
        submit(&app, &edit, &[("body", " ")]).await,
        submit(&app, &edit, &conflict).await,
        submit(&app, &edit, &[("body", "z")]).await,
        app.get(&format!("/e/{NO_TOKEN}"))
            .header("accept", "text/html")
            .await,
    ] {
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("etag"), None);
        if answer.status != 303 {
            assert_eq!(answer.header("x-robots-tag"), Some("noindex"));
        }
    }
    for public in ["/".to_owned(), format!("/p/{}", post.id)] {
        let answer = app.get(&public).await;
        assert_eq!(answer.header("x-robots-tag"), None);
        assert_eq!(answer.header("cache-control"), Some("public, no-cache"));
        assert!(!answer.text().contains(&post.token));
    }
}

#[tokio::test]
async fn the_index_shows_posts_by_page_and_by_tag() {
    let app = App::new().await;
    for n in 0..5 {
        let tag = if n % 2 == 0 { "even & so on" } else { "odd" };
        app.create(&json!({ "body": "x", "title": format!("Title {n}"), "tags": [tag] }))
            .await;
    }
    let titles = |answer: &Answer| -> Vec<usize> {
        let mut found: Vec<_> = (0..5)
            .filter_map(|n| Some((answer.text().find(&format!(">Title {n}<"))?, n)))
            .collect();
        found.sort();
        found.into_iter().map(|(_, n)| n).collect()
    };
    let first = app.get("/?per_page=2").await;
    assert_eq!(titles(&first), [4, 3]);
    let page = elements(first.text());
    let next = page
        .iter()
        .find(|element| element.attribute("rel") == Some("next"))
        .unwrap();
    let next = next
        .attribute("href")
        .unwrap()
        .strip_prefix("/blog")
        .unwrap();
    assert_eq!(titles(&app.get(&next.replace("&amp;", "&")).await), [2, 1]);
    let even = app.get("/?tag=Even+%26+so+on").await;
    assert_eq!(titles(&even), [4, 2, 0]);
    assert_eq!(titles(&app.get("/?page=9").await), [0_usize; 0]);

    let post = app.get("/api/posts?per_page=1").await.ok()["posts"][0].clone();
    let shown = app
        .get(&format!("/p/{}", post["id"].as_str().unwrap()))
        .await;
    let page = elements(shown.text());
    let tag = page
        .iter()
        .find(|element| element.attribute("rel") == Some("tag"))
        .unwrap();
    let tag = tag
        .attribute("href")
        .unwrap()
        .strip_prefix("/blog")
        .unwrap();
    assert_eq!(titles(&app.get(tag).await), [4, 2, 0]);
}

#[tokio::test]
async fn a_post_s_page_names_it_for_machines_too() {
    let app = App::new().await;
    let post = app
        .create(&json!({ "title": "T", "body": "*Words*.", "focus_keyword": "key word" }))
        .await;
    let answer = app.get(&format!("/p/{}", post.id)).await;
    assert!(
        answer.text().contains("<title>T</title>"),
        "{}",
        answer.text()
    );
    assert!(
        answer.text().contains("<p><em>Words</em>.</p>"),
        "{}",
        answer.text()
    );
    let page = elements(answer.text());
    let meta = |name: &str| {
        let found = page
            .iter()
            .find(|element| element.attribute("name") == Some(name));
        found
            .and_then(|element| element.attribute("content"))
            .map(str::to_owned)
    };
    assert_eq!(meta("description").as_deref(), Some("Words."));
    assert_eq!(meta("keywords").as_deref(), Some("key word"));
    let canonical = page
        .iter()
        .find(|element| element.attribute("rel") == Some("canonical"));
    let address = format!("{BASE}/p/{}", post.id);
    assert_eq!(canonical.unwrap().attribute("href"), Some(&*address));
    assert!(answer.header("last-modified").is_some());
}

#[tokio::test]
async fn what_a_client_wrote_is_text_wherever_a_page_shows_it() {
    let app = App::new().await;
    let hostile_tag = r#"'"></bdi><script>alert(1)</script>"#;
    let mut shapes = Vec::new();
    for (text, tag) in [("harmless text", "tag"), (HOSTILE, hostile_tag)] {
        let fields = json!({ "title": text, "focus_keyword": text, "body": "x", "tags": tag });
        let post = app.create(&fields).await;
        assert_eq!(app.read(&post).await["tags"], json!([tag]));
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
        let answers = [
            app.get(&format!("/p/{}", post.id)).await,
            app.get(&edit).await,
            app.get(&format!("/?tag={in_query}")).await,
            app.get(&format!("/?include={in_query}"))
                .header("accept", "text/html")
                .await,
            submit(&app, &edit, &changed).await,
            submit(&app, &edit, &invalid).await,
            submit(&app, "/keys", &[("label", &label)]).await,
        ];
        let shape = |answer: &Answer| -> (u16, Vec<String>) {
            assert!(
                !answer.text().contains("<script>alert"),
                "{}",
                answer.text()
            );
            let page = elements(answer.text());
            (
                answer.status.as_u16(),
                page.iter().map(Element::shape).collect(),
            )
        };
        shapes.push(answers.each_ref().map(shape));
        if text == HOSTILE {
            assert_eq!(field(&answers[1], "title"), HOSTILE);
        }
        assert_eq!(app.delete(&post).await.status, 204);
    }
    assert_eq!(shapes[0], shapes[1]);
    assert_eq!(
        shapes[0].each_ref().map(|(status, _)| *status),
        [200, 200, 200, 400, 412, 422, 422]
    );
}

#[tokio::test]
async fn a_body_or_its_excerpt_is_text_wherever_it_stands_raw() {
    let app = App::new().await;
    let mut shapes = Vec::new();
    for body in ["harmless text", HOSTILE] {
        let post = app.create_body(body).await;
        let mut pages = Vec::new();
        for path in [format!("/p/{}", post.id), post.edit_page(), "/".to_owned()] {
            let answer = app.get(&path).await;
            assert!(
                !answer.text().contains("<script>alert"),
                "{}",
                answer.text()
            );
            let page = elements(answer.text());
            pages.push(page.iter().map(Element::shape).collect::<Vec<_>>());
        }
        shapes.push(pages);
        app.delete(&post).await;
    }
    assert_eq!(shapes[0], shapes[1]);
}

#[tokio::test]
async fn the_edit_page_saves_what_stands_in_its_form() {
    let app = App::new().await;
    let post = app
        .create(&json!({ "title": "T", "body": "B", "tags": "a,b", "focus_keyword": "k" }))
        .await;
    let form = app.get(&post.edit_page()).await;
    assert_eq!(field(&form, "title"), "T");
    assert_eq!(field(&form, "tags"), "a, b");
    assert_eq!(field(&form, "focus_keyword"), "k");
    let revision = field(&form, "revision");
    let fields = [
        ("revision", &*revision),
        ("title", "New \u{e9} & \u{1F389}"),
        ("body", "one\r\ntwo\r\n\r\nthree"),
        ("tags", "c, #D"),
        ("focus_keyword", ""),
    ];
    let saved = submit(&app, &post.edit_page(), &fields).await;
    assert_eq!(saved.status, 303);
    let location = saved.header("location").unwrap();
    let location = location.strip_prefix("/blog").unwrap();
    assert!(location.starts_with(&post.edit_page()), "{location}");
    let after = app.get(location).await;
    assert_eq!(after.status, 200);
    assert!(
        after.text().contains(r#"role="status""#),
        "{}",
        after.text()
    );

    let read = app.read(&post).await;
    assert_eq!(read["title"], "New \u{e9} & \u{1F389}");
    assert_eq!(read["body"], "one\ntwo\n\nthree");
    assert_eq!(read["tags"], json!(["c", "d"]));
    assert_eq!(read["focus_keyword"], json!(null));
}

#[tokio::test]
async fn a_field_that_a_form_does_not_have_stays_as_it_is() {
    let app = App::new().await;
    let post = app
        .create(&json!({ "title": "T", "body": "B", "tags": "a", "focus_keyword": "k" }))
        .await;
    let saved = submit(&app, &post.edit_page(), &[("body", "other")]).await;
    assert_eq!(saved.status, 303);
    let read = app.read(&post).await;
    assert_eq!(read["body"], "other");
    assert_eq!(read["title"], "T");
    assert_eq!(read["tags"], json!(["a"]));
    assert_eq!(read["focus_keyword"], "k");
}

#[tokio::test]
async fn the_edit_page_shows_a_change_from_elsewhere_instead_of_overwriting_it() {
    let app = App::new().await;
    let post = app.create_body("first").await;
    let opened = field(&app.get(&post.edit_page()).await, "revision");
    app.update(
        &post,
        &json!({ "body": "from elsewhere", "title": "theirs" }),
    )
    .await;

    let mine = |revision: &str| {
        let fields = [
            ("revision", revision),
            ("body", "my own"),
            ("title", "mine"),
        ];
        submit(&app, &post.edit_page(), &fields)
    };
    let conflict = mine(&opened).await;
    assert_eq!(conflict.status, 412);
    assert!(conflict.text().contains(r#"role="alert""#));
    for shown in ["from elsewhere", "theirs", "my own"] {
        assert!(conflict.text().contains(shown), "{shown}");
    }
    assert_eq!(field(&conflict, "title"), "mine");
    assert_eq!(app.read(&post).await["body"], "from elsewhere");

    assert_eq!(mine(&field(&conflict, "revision")).await.status, 303);
    assert_eq!(app.read(&post).await["body"], "my own");
    for malformed in ["", "x", "-1", "1.5", "18446744073709551616"] {
        mine(malformed).await.problem("invalid_parameter");
    }
}

#[tokio::test]
async fn the_edit_page_names_what_is_faulty_and_keeps_what_was_typed() {
    let app = App::new().await;
    let post = app.create_body("kept").await;
    let title = "x".repeat(201);
    let fields = [("title", &*title), ("body", " "), ("tags", "typed")];
    let answer = submit(&app, &post.edit_page(), &fields).await;
    assert_eq!(answer.status, 422);
    assert_eq!(field(&answer, "tags"), "typed");
    assert_eq!(field(&answer, "title"), title);
    for named in ["<bdi>title</bdi>", "<bdi>body</bdi>"] {
        assert!(answer.text().contains(named), "{}", answer.text());
    }
    assert_eq!(app.read(&post).await["body"], "kept");
    let twice = submit(&app, &post.edit_page(), &[("body", "a"), ("body", "b")]).await;
    twice.problem("invalid_parameter");
}

#[tokio::test]
async fn a_form_from_another_site_is_refused() {
    let app = App::new().await;
    let post = app.create_body("kept").await;
    let sent = |path: &str, headers: &[(&str, &str)]| {
        let mut call = app.call("POST", path);
        for (name, value) in headers {
            call = call.header(name, value);
        }
        call.body(FORM, "body=stolen&label=stolen")
    };
    let edit = post.edit_page();
    for path in [&*edit, "/keys"] {
        for headers in [
            &[("sec-fetch-site", "cross-site")][..],
            &[("sec-fetch-site", "same-site")],
            &[("sec-fetch-site", "")],
            &[
                ("sec-fetch-site", "cross-site"),
                ("origin", "https://example.org"),
            ],
            &[("origin", "https://other.example")],
            &[("origin", "https://example.org.other.example")],
            &[("origin", "http://example.org")],
            &[("origin", "https://example.org:8443")],
            &[("origin", "null")],
            &[("origin", "")],
        ] {
            sent(path, headers).await.problem("cross_origin_form");
        }
        let twice = sent(path, &[("origin", "https://example.org"); 2]).await;
        twice.problem("invalid_header");
    }
    assert_eq!(app.read(&post).await["body"], "kept");
    assert_eq!(app.service.keys().list().await.unwrap().len(), 1);
    for headers in [
        &[("sec-fetch-site", "same-origin")][..],
        &[("sec-fetch-site", "none")],
        &[("sec-fetch-site", "same-origin"), ("origin", "null")],
        &[("origin", "https://example.org")],
        &[],
    ] {
        assert_eq!(sent(&edit, headers).await.status, 303);
    }
    assert_eq!(app.read(&post).await["body"], "stolen");
}

#[tokio::test]
async fn forms_are_forms_and_json_is_for_the_api() {
    let app = App::new().await;
    let post = app.create_body("kept").await;
    let edit = post.edit_page();
    for path in [&*edit, "/keys"] {
        for media_type in [
            "application/json",
            "multipart/form-data; boundary=x",
            "text/plain",
        ] {
            let call = app.call("POST", path).body(media_type, "body=x");
            call.await.problem("unsupported_media_type");
        }
        app.call("POST", path)
            .await
            .problem("unsupported_media_type");
        let broken = app
            .call("POST", path)
            .body(FORM, &b"body=\xFF&label=\xFF"[..]);
        broken.await.problem("invalid_parameter");
        let broken = app.call("POST", path).body(FORM, "body=%FF&label=%FF");
        broken.await.problem("invalid_parameter");
    }
    let api = app
        .call("POST", "/api/posts")
        .header("x-api-key", &*app.key);
    api.body(FORM, "body=x")
        .await
        .problem("unsupported_media_type");
    assert_eq!(app.read(&post).await["body"], "kept");
}

#[tokio::test]
async fn the_keys_page_shows_a_key_once() {
    let app = App::new().await;
    let asking = app.get("/keys").await;
    assert!(asking.text().contains("<form"), "{}", asking.text());
    let answer = submit(&app, "/keys", &[("label", "My laptop")]).await;
    assert_eq!(answer.status, 200);
    let at = answer.text().find(">hb_").expect("a key") + 1;
    let key = &answer.text()[at..at + 52];
    let call = app.get("/api/keys/current").header("x-api-key", key).await;
    assert_eq!(call.ok()["label"], "My laptop");
    assert!(!app.get("/keys").await.text().contains("hb_"));

    let long = "x".repeat(101);
    let refused = submit(&app, "/keys", &[("label", &long)]).await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.text().contains("at most 100 characters"),
        "{}",
        refused.text()
    );
    assert!(!refused.text().contains("hb_"));
}

#[tokio::test]
async fn errors_are_pages_for_browsers_alone() {
    let app = App::new().await;
    let html = "text/html,application/xhtml+xml";
    for path in ["/nothing", &*format!("/p/{NO_POST}"), "/?page=x"] {
        let page = app.get(path).header("accept", html).await;
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        assert_eq!(page.header("cache-control"), Some("no-store"));
        for accept in ["application/json", "*/*", ""] {
            let answer = app.get(path).header("accept", accept).await;
            assert!(answer.is_problem(), "{path} {accept}");
            assert_eq!(answer.status, page.status);
        }
    }
    let page = app.call("BREW", "/").header("accept", html).await;
    assert_eq!(page.status, 405);
    assert_eq!(page.header("allow"), Some("GET, HEAD, OPTIONS"));
    // The API answers problems whoever asks.
    for path in [
        "/api/posts?page=0",
        "/api/keys/current",
        &*format!("/api/posts/{NO_POST}"),
    ] {
        assert!(
            app.get(path).header("accept", html).await.is_problem(),
            "{path}"
        );
    }
}

#[tokio::test]
async fn the_page_of_errors_explains_each_type() {
    let app = App::new().await;
    let answer = app.get("/docs/errors").await;
    let page = elements(answer.text());
    for code in handbill::Code::ALL {
        let anchor = code.as_str().replace('_', "-");
        let found = page
            .iter()
            .filter(|element| element.attribute("id") == Some(&*anchor));
        assert_eq!(found.count(), 1, "{anchor}");
        assert!(
            answer
                .text()
                .contains(&*code.title().replace('\'', "&#39;")),
            "{anchor}"
        );
    }
}

#[tokio::test]
async fn a_host_can_switch_all_pages_off() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let without = app.set(|service| service.with_pages(false));
    let pages = |post: &Created| {
        let own = [format!("/p/{}", post.id), post.edit_page()];
        let common = ["/", "/keys", "/docs/errors", "/style.css"].map(str::to_owned);
        [&own[..], &common].concat()
    };
    for path in pages(&post) {
        for method in ["GET", "HEAD", "POST", "OPTIONS", "BREW"] {
            let call = without.call(method, &path).header("accept", "text/html");
            let answer = call.await;
            assert_eq!(answer.status, 404, "{method} {path}");
            assert!(answer.is_problem(), "{method} {path}");
        }
    }
    assert_eq!(without.read(&post).await["body"], "x");
}
