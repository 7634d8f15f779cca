//! Creating, reading and deleting a post.

use serde_json::json;

use crate::app::{App, BASE, NO_POST, NO_TOKEN};

#[tokio::test]
async fn a_new_post_is_answered_with_its_addresses_and_secrets() {
    let app = App::new().await;
    let answer = app.post(&json!({ "body": "Some *Markdown*." })).await;
    let post = answer.created();
    assert_eq!(
        answer.json(),
        json!({
            "id": post.id,
            "url": format!("{BASE}/p/{}", post.id),
            "edit_url": format!("{BASE}/e/{}", post.token),
            "edit_token": post.token,
        })
    );
    let location = format!("{BASE}/api/posts/{}", post.id);
    assert_eq!(answer.header("location"), Some(&*location));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(
        app.get(&post.path()).await.header("etag"),
        Some(&*post.etag)
    );

    assert_eq!(post.id.len(), 10);
    let is_consonant = |letter: char| letter.is_ascii_lowercase() && !"aeiouy".contains(letter);
    assert!(post.id.chars().all(is_consonant), "{}", post.id);
    assert_eq!(post.token.len(), 43);
    assert!(post.token.bytes().all(|byte| byte.is_ascii_alphanumeric()));
}

#[tokio::test]
async fn a_post_is_read_as_the_contract_shows_it() {
    let app = App::new().await;
    let post = app
        .create(&json!({
            "title": "Hello", "body": "Some *Markdown*.", "tags": "rust, web",
            "focus_keyword": "hello",
        }))
        .await;
    let answer = app.get(&post.path()).await;
    let read = answer.ok();
    let created_at = read["created_at"].as_str().unwrap();
    assert_eq!(
        read,
        json!({
            "id": post.id,
            "url": format!("{BASE}/p/{}", post.id),
            "title": "Hello",
            "body": "Some *Markdown*.",
            "html": "<p>Some <em>Markdown</em>.</p>\n",
            "excerpt": "Some Markdown.",
            "tags": ["rust", "web"],
            "focus_keyword": "hello",
            "created_at": created_at,
            "updated_at": created_at,
        })
    );
    let shape: String = created_at
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    assert_eq!(shape, "0000-00-00T00:00:00.000Z");
    assert_eq!(answer.header("cache-control"), Some("public, no-cache"));
    let etag = answer.header("etag").unwrap();
    assert!(
        etag.starts_with('"') && etag.ends_with('"'),
        "strong: {etag}"
    );
    assert!(answer.header("last-modified").unwrap().ends_with(" GMT"));
}

#[tokio::test]
async fn fields_that_are_not_set_are_null_and_there() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let read = app.read(&post).await;
    assert_eq!(read["title"], json!(null));
    assert_eq!(read["focus_keyword"], json!(null));
    assert_eq!(read["tags"], json!([]));
    assert_eq!(read.as_object().unwrap().len(), 10);
}

#[tokio::test]
async fn a_body_is_stored_byte_for_byte() {
    let app = App::new().await;
    for body in [
        "  leading and trailing  \n",
        "\r\n\ttabs\r\nand\rline ends\n\n",
        "e\u{301} is not \u{e9}",
        "\u{202E}direction\u{202C} \u{1F468}\u{200D}\u{1F469} \u{FEFF}\u{1}\u{7F}\u{FFFF}",
        "\u{2028}x\u{2029}",
    ] {
        let post = app.create_body(body).await;
        assert_eq!(app.read(&post).await["body"], body);
    }
}

#[tokio::test]
async fn an_excerpt_is_plain_text_of_at_most_200_characters() {
    let app = App::new().await;
    let long = format!("# Title\n\n**start** {}", "wörd ".repeat(100));
    let post = app.create_body(&long).await;
    let read = app.read(&post).await;
    let excerpt = read["excerpt"].as_str().unwrap();
    assert!(excerpt.starts_with("Title start wörd wörd"), "{excerpt}");
    assert!(excerpt.ends_with("wörd…"), "{excerpt}");
    let length = excerpt.chars().count();
    assert!((190..=200).contains(&length), "{length}");
}

#[tokio::test]
async fn links_and_images_of_a_post_are_tamed() {
    let app = App::new().await;
    let post = app
        .create_body(
            "[a](https://a.example) [b](javascript:alert(1)) [c](../c)\n\n\
             ![i](https://i.example/i.png) ![j](http://j.example/j.png)\n\n<script>x</script>",
        )
        .await;
    let read = app.read(&post).await;
    let html = read["html"].as_str().unwrap();
    assert!(
        html.contains(r#"<a href="https://a.example" rel="nofollow ugc noopener noreferrer">"#)
    );
    assert!(html.contains(r#"href="../c""#), "{html}");
    assert!(!html.contains("javascript:"), "{html}");
    assert!(html.contains(r#"src="https://i.example/i.png""#), "{html}");
    assert!(html.contains(r#"loading="lazy""#), "{html}");
    assert!(html.contains(r#"referrerpolicy="no-referrer""#), "{html}");
    assert!(!html.contains("j.example"), "{html}");
    assert!(html.contains("&lt;script&gt;x&lt;/script&gt;"), "{html}");
}

#[tokio::test]
async fn a_deleted_post_is_gone_at_all_its_addresses() {
    let app = App::new().await;
    let (post, other) = (app.create_body("x").await, app.create_body("y").await);
    let page = format!("/p/{}", post.id);

    let answer = app.delete(&post).await;
    assert_eq!(answer.status, 204);

    app.get(&post.path()).await.problem("gone");
    app.get(&page).await.problem("gone");
    app.get(&post.edit_page()).await.problem("gone");
    let form = app.call("POST", &post.edit_page());
    let form = form.body("application/x-www-form-urlencoded", "body=x");
    form.await.problem("gone");
    app.put(&post, &json!({ "body": "x" }))
        .await
        .problem("gone");
    app.delete(&post).await.problem("gone");
    let replace = app.call("POST", &format!("{}/edit_token", post.path()));
    replace
        .header("x-edit-token", &post.token)
        .await
        .problem("gone");
    let replace = app.call("POST", &format!("{}/edit_token", post.path()));
    replace.header("x-api-key", &*app.key).await.problem("gone");
    assert_eq!(app.call("HEAD", &post.path()).await.status, 410);

    let list = app.get("/api/posts").await.ok();
    assert_eq!(list["total"], 1);
    assert_eq!(list["posts"][0]["id"], other.id);
}

#[tokio::test]
async fn a_token_of_one_post_is_a_wrong_one_for_every_other() {
    let app = App::new().await;
    let (mine, theirs) = (
        app.create_body("mine").await,
        app.create_body("theirs").await,
    );
    for token in [
        &*mine.token,
        NO_TOKEN,
        "short",
        &"x".repeat(10_000),
        "\u{e9}",
    ] {
        let put = app
            .call("PUT", &theirs.path())
            .header("x-edit-token", token);
        let put = put.json(&json!({ "body": "stolen" })).await;
        put.problem("invalid_edit_token");
        let delete = app
            .call("DELETE", &theirs.path())
            .header("x-edit-token", token);
        delete.await.problem("invalid_edit_token");
    }
    assert_eq!(app.read(&theirs).await["body"], "theirs");
}

#[tokio::test]
async fn an_unknown_post_is_not_found_whatever_the_token() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let path = format!("/api/posts/{NO_POST}");
    app.get(&path).await.problem("not_found");
    for token in [&*post.token, NO_TOKEN] {
        let put = app.call("PUT", &path).header("x-edit-token", token);
        put.json(&json!({ "body": "x" })).await.problem("not_found");
        let delete = app.call("DELETE", &path).header("x-edit-token", token);
        delete.await.problem("not_found");
        let replace = app.call("POST", &format!("{path}/edit_token"));
        replace
            .header("x-edit-token", token)
            .await
            .problem("not_found");
    }
    app.get(&format!("/e/{NO_TOKEN}"))
        .await
        .problem("not_found");
}

#[tokio::test]
async fn identifiers_and_tokens_do_not_repeat() {
    let app = App::new().await;
    let (mut ids, mut tokens) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        let post = app.create_body("the same").await;
        ids.push(post.id);
        tokens.push(post.token);
    }
    for all in [&mut ids, &mut tokens] {
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 200);
    }
}

#[tokio::test]
async fn secrets_are_in_no_read_list_error_or_public_page() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let wrong = app
        .call("PUT", &post.path())
        .header("x-edit-token", format!("{}x", post.token));
    let wrong_key = app
        .call("POST", "/api/posts")
        .header("x-api-key", format!("{}x", app.key));
    let both = app.call("PUT", &format!("{}?token={}", post.path(), post.token));
    let invalid = format!(r#"{{"body":"x","{}":1,"{}":2"#, post.token, app.key);
    for answer in [
        app.get(&post.path()).await,
        app.get("/api/posts?include=body").await,
        app.get("/").await,
        app.get(&format!("/p/{}", post.id)).await,
        app.get("/openapi.json").await,
        app.put(&post, &json!({ "title": "new" })).await,
        wrong.json(&json!({})).await,
        wrong_key.json(&json!({})).await,
        both.header("x-edit-token", NO_TOKEN).json(&json!({})).await,
        app.post(&json!({})).body("application/json", invalid).await,
        app.get(&format!("/e/{}/", post.token)).await,
        app.call("PUT", &post.edit_page()).await,
    ] {
        let headers = format!("{:?}", answer.headers);
        for secret in [&*post.token, &*app.key] {
            assert!(!answer.text().contains(secret), "{}", answer.text());
            assert!(!headers.contains(secret), "{headers}");
        }
    }
    assert!(!format!("{:?}", app.service).contains(&*app.key));
}
