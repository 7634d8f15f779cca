//! Creating, reading and deleting a post.

use std::collections::HashSet;

use handbill::store::TextField;
use serde_json::json;

use super::app::{FORM, NO_POST, NO_TOKEN};
use super::{App, Mount};
use crate::samples::texts;

/// A creation returns 201 with `Location`, `ETag` and `{id, url, edit_url, edit_token}` in the
/// formats of the contract, and may not be cached.
pub async fn a_creation_returns_addresses_and_secrets(mount: &Mount) {
    let app = App::new(mount).await;
    let response = app.post(&json!({ "body": "Some *Markdown*." })).await;
    let post = response.created();
    let expected = json!({
        "id": post.id,
        "url": format!("{}/p/{}", app.base(), post.id),
        "edit_url": format!("{}/e/{}", app.base(), post.token),
        "edit_token": post.token,
    });
    assert_eq!(response.json(), expected, "{response}");
    let location = format!("{}/api/posts/{}", app.base(), post.id);
    response
        .expect_header("location", &location)
        .expect_header("cache-control", "no-store")
        .expect_header("content-type", "application/json");
    let read = app.get(&post.path()).await;
    read.expect_header("etag", &post.etag);

    let is_consonant = |letter: char| letter.is_ascii_lowercase() && !"aeiou".contains(letter);
    let is_id = post.id.len() == 10 && post.id.chars().all(is_consonant);
    assert!(is_id, "`{}` is not 10 lowercase consonants", post.id);
    let is_token = post.token.len() == 43 && post.token.bytes().all(|b| b.is_ascii_alphanumeric());
    assert!(is_token, "`{}` is not 43 of base62", post.token);
}

/// A read returns 200 with all fields, a strong `ETag`, `Last-Modified` and `public, no-cache`.
pub async fn a_post_is_read_as_the_contract_shows_it(mount: &Mount) {
    let app = App::new(mount).await;
    let mut fields = json!({ "body": "Some *Markdown*.", "tags": "rust, web" });
    for (name, text) in texts(1) {
        fields[name] = json!(text);
    }
    let post = app.create(&fields).await;
    let response = app.get(&post.path()).await;
    let read = response.ok();
    let created_at = read["created_at"].as_str().unwrap_or_default();
    let mut expected = json!({
        "id": post.id,
        "url": format!("{}/p/{}", app.base(), post.id),
        "body": "Some *Markdown*.",
        "html": "<p>Some <em>Markdown</em>.</p>\n",
        "excerpt": "Some Markdown.",
        "tags": ["rust", "web"],
        "visibility": "public",
        "created_at": created_at,
        "published_at": created_at,
        "updated_at": created_at,
        "publish_at": null,
        "expires_at": null,
    });
    for (name, text) in texts(1) {
        expected[name] = json!(text);
    }
    assert_eq!(read, expected, "{response}");
    let shape: String = created_at
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    assert_eq!(shape, "0000-00-00T00:00:00.000Z", "the shape of a time");
    response
        .expect_header("content-type", "application/json")
        .expect_header("cache-control", "public, no-cache");
    let etag = response.etag();
    let is_strong = etag.starts_with('"') && etag.ends_with('"');
    assert!(is_strong, "{response}: {etag} is no strong entity tag");
    let modified = response.header("last-modified").unwrap_or_default();
    assert!(
        modified.ends_with(" GMT"),
        "{response}: {modified} is no date"
    );
}

/// All fields are always present. An unset field is `null`, and unset tags are an empty array.
pub async fn unset_fields_are_null(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let read = app.read(&post).await;
    let texts = texts(1).map(|(name, _)| (name, json!(null)));
    for (name, expected) in texts.chain([("visibility", json!("public")), ("tags", json!([]))]) {
        assert_eq!(read.get(name), Some(&expected), "{name} in {read}");
    }
    let count = 12 + TextField::ALL.len();
    assert_eq!(read.as_object().unwrap().len(), count, "fields of {read}");
}

/// A body is returned as the client sent it, byte for byte.
pub async fn a_body_is_stored_byte_for_byte(mount: &Mount) {
    let app = App::new(mount).await;
    for body in [
        "  leading and trailing  \n",
        "\r\n\ttabs\r\nand\rline ends\n\n",
        "e\u{301} is not \u{e9}",
        "\u{202E}direction\u{202C} \u{1F468}\u{200D}\u{1F469} \u{FEFF}\u{1}\u{7F}\u{FFFF}",
        "\u{2028}x\u{2029}",
    ] {
        let post = app.create_body(body).await;
        assert_eq!(
            app.read(&post).await["body"],
            body,
            "the body that was sent"
        );
    }
}

/// An excerpt is plain text. If it is cut, it ends after a word and with `…`.
pub async fn an_excerpt_is_plain_text_of_at_most_200_characters(mount: &Mount) {
    let app = App::new(mount).await;
    let long = format!("# Title\n\n**start** {}", "wörd ".repeat(100));
    let post = app.create_body(&long).await;
    let read = app.read(&post).await;
    let excerpt = read["excerpt"].as_str().unwrap_or_default();
    let is_cut = excerpt.starts_with("start wörd wörd") && excerpt.ends_with("wörd…");
    assert!(is_cut, "the excerpt is `{excerpt}`");
    let length = excerpt.chars().count();
    assert!((190..=200).contains(&length), "{length} characters");
}

/// An excerpt is the prose of paragraphs, list items and quotations, with a space between blocks.
/// Headings, code, tables and alternative texts are in it only if there is nothing else.
pub async fn an_excerpt_is_prose_if_there_is_any(mount: &Mount) {
    let app = App::new(mount).await;
    for (body, excerpt) in [
        ("# Head\n\nOne *two*.\n\nThree", "One two. Three"),
        ("- a\n- b\n\n> c\n> d", "a b c d"),
        ("x\n\n```\ncode\n```\n\ny `z`", "x y z"),
        ("|t|\n|-|\n|u|\n\nwords", "words"),
        ("![alternative](/i.png)\n\nwords", "words"),
        ("# Only a heading", "Only a heading"),
        ("![alternative](/i.png)", "alternative"),
    ] {
        let read = app.read(&app.create_body(body).await).await;
        assert_eq!(read["excerpt"], excerpt, "the excerpt of {body:?}");
    }
}

/// Links and images have only allowed addresses, and raw HTML is text.
pub async fn links_and_images_are_made_safe(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app
        .create_body(
            "[a](https://a.example) [b](javascript:alert(1)) [c](../c)\n\n\
             ![i](https://i.example/i.png) ![j](http://j.example/j.png) ![k](//k.example/k.png)\n\n\
             [l](/\\l.example) [m](</\t/m.example>) ![n](&#92;&#92;n.example) [o](&Tab;javascript:x)\n\n\
             <script>x</script>",
        )
        .await;
    let read = app.read(&post).await;
    let html = read["html"].as_str().unwrap_or_default();
    for wanted in [
        r#"<a href="https://a.example" rel="nofollow ugc noopener noreferrer">"#,
        r#"href="../c""#,
        r#"src="https://i.example/i.png""#,
        r#"src="https://k.example/k.png""#,
        // Encoded, so that a browser does not take what follows for a host or a scheme.
        r#"href="/%5Cl.example""#,
        r#"href="/%09/m.example""#,
        r#"src="%5C%5Cn.example""#,
        r#"href="%09javascript:x""#,
        r#"loading="lazy""#,
        r#"referrerpolicy="no-referrer""#,
        "&lt;script&gt;x&lt;/script&gt;",
    ] {
        assert!(html.contains(wanted), "`{wanted}` is not in {html}");
    }
    for unwanted in ["\"javascript:", "j.example", "<script"] {
        assert!(!html.contains(unwanted), "`{unwanted}` is in {html}");
    }
}

/// The language of code is a class, and only if it has no other characters than `A-Z a-z 0-9 + # .
/// _ -`: it can't name a second class, which a host's style sheet might give a meaning.
pub async fn a_code_language_is_a_class_of_safe_characters_alone(mount: &Mount) {
    let app = App::new(mount).await;
    for (info, class) in [
        ("rust", r#" class="language-rust""#),
        ("c++ ignored", r#" class="language-c++""#),
        ("a.b_c-d#1", r#" class="language-a.b_c-d#1""#),
        ("x\tnotice", ""),
        ("x&#9;notice", ""),
        ("x&#10;notice", ""),
        ("x&#12;notice", ""),
        ("x&nbsp;notice", ""),
        ("x&quot;onclick=a", ""),
        ("\u{e9}", ""),
    ] {
        let post = app.create_body(&format!("```{info}\ncode\n```\n")).await;
        let read = app.read(&post).await;
        let expected = format!("<pre><code{class}>code\n</code></pre>\n");
        assert_eq!(read["html"], expected, "the HTML of code in {info:?}");
    }
}

/// A deletion returns 204. After it, all addresses of the post return 410 to every method that they
/// support, and no list has the post.
pub async fn a_deleted_post_is_gone_at_all_its_addresses(mount: &Mount) {
    let app = App::new(mount).await;
    let (post, other) = (app.create_body("x").await, app.create_body("y").await);
    app.delete(&post).await.expect_status(204);

    let change = json!({ "body": "x" });
    let replace = || app.call("POST", &format!("{}/edit_token", post.path()));
    for call in [
        app.get(&post.path()),
        app.get(&post.page()),
        app.get(&post.edit_page()),
        app.call("POST", &post.edit_page()).body(FORM, "body=x"),
        app.put(&post, &change),
        app.edit("PATCH", &post).json(&change),
        app.delete(&post),
        replace().header("x-edit-token", &post.token),
        replace().header("x-api-key", &*app.key),
    ] {
        call.await.problem("gone");
    }
    app.call("HEAD", &post.path()).await.expect_status(410);

    let list = app.get("/api/posts").await.ok();
    assert_eq!(list["total"], 1, "posts in {list}");
    assert_eq!(list["posts"][0]["id"], other.id, "the post in {list}");
}

/// Another post's token or an invalid token returns 403 and changes nothing.
pub async fn an_edit_token_is_valid_for_its_own_post_only(mount: &Mount) {
    let app = App::new(mount).await;
    let mine = app.create_body("mine").await;
    let theirs = app.create_body("theirs").await;
    let long = "x".repeat(4_000);
    for token in [&*mine.token, NO_TOKEN, "short", &long, "\u{e9}"] {
        let with_token = |method| {
            let call = app.call(method, &theirs.path());
            call.header("x-edit-token", token)
        };
        let stolen = json!({ "body": "stolen" });
        for call in [
            with_token("PUT").json(&stolen),
            with_token("PATCH").json(&stolen),
            with_token("DELETE"),
        ] {
            call.await.problem("invalid_edit_token");
        }
    }
    assert_eq!(app.read(&theirs).await["body"], "theirs", "the post's body");
}

/// An unknown identifier returns 404, even with a wrong token.
pub async fn an_unknown_post_is_not_found_whatever_the_token(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let path = format!("/api/posts/{NO_POST}");
    app.get(&path).await.problem("not_found");
    for token in [&*post.token, NO_TOKEN] {
        let with_token = |method, path: &str| app.call(method, path).header("x-edit-token", token);
        let change = json!({ "body": "x" });
        for call in [
            with_token("PUT", &path).json(&change),
            with_token("DELETE", &path),
            with_token("POST", &format!("{path}/edit_token")),
        ] {
            call.await.problem("not_found");
        }
    }
    let edit = app.get(&format!("/e/{NO_TOKEN}")).await;
    edit.problem("not_found");
}

/// Identifiers and edit tokens are random.
pub async fn identifiers_and_tokens_do_not_repeat(mount: &Mount) {
    let app = App::new(mount).await;
    let (mut ids, mut tokens) = (HashSet::new(), HashSet::new());
    for _ in 0..50 {
        let post = app.create_body("the same").await;
        assert!(ids.insert(post.id), "duplicate identifier");
        assert!(tokens.insert(post.token), "duplicate token");
    }
}

/// Edit tokens and API keys are never shown to others.
pub async fn secrets_are_in_no_read_list_error_or_public_page(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let with_token = |token: &str| {
        let call = app.call("PUT", &post.path());
        call.header("x-edit-token", token).json(&json!({}))
    };
    let wrong_key = app.call("POST", "/api/posts").json(&json!({}));
    let both = app.call("PUT", &format!("{}?token={}", post.path(), post.token));
    let names = format!(r#"{{"body":"x","{}":1,"{}":2"#, post.token, app.key);
    for call in [
        app.get(&post.path()),
        app.get("/api/posts?include=body"),
        app.get("/"),
        app.get(&post.page()),
        app.get("/openapi.json"),
        app.put(&post, &json!({ "title": "new" })),
        with_token(&format!("{}x", post.token)),
        wrong_key.header("x-api-key", format!("{}x", app.key)),
        both.header("x-edit-token", NO_TOKEN).json(&json!({})),
        app.post_as().body("application/json", names),
        app.get(&format!("{}/", post.edit_page())),
        app.call("PUT", &post.edit_page()),
    ] {
        let response = call.await;
        let headers = format!("{:?}", response.headers);
        for secret in [&*post.token, &*app.key] {
            response.expect_no_text(secret);
            assert!(!headers.contains(secret), "{response}: {headers}");
        }
    }
    let debug = format!("{:?}", app.service);
    assert!(!debug.contains(&*app.key), "the key is in {debug}");
}
