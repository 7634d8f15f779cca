//! Updating a post.

use serde_json::{Value, json};

use crate::app::{App, Created, NO_TOKEN};

const FULL: &str = r##"{"title":"T","body":"B","tags":["a","b"],"focus_keyword":"k"}"##;

async fn full(app: &App) -> Created {
    app.create(&serde_json::from_str(FULL).unwrap()).await
}

#[tokio::test]
async fn fields_that_are_omitted_are_kept() {
    let app = App::new().await;
    let post = full(&app).await;
    let mut expected = app.read(&post).await;
    for (name, value) in [
        ("title", json!("T2")),
        ("tags", json!(["c"])),
        ("focus_keyword", json!("k2")),
    ] {
        let updated = app.update(&post, &json!({ name: value })).await;
        expected[name] = value;
        expected["updated_at"] = updated["updated_at"].clone();
        assert_eq!(updated, expected);
        assert_eq!(app.read(&post).await, expected);
    }
    let updated = app.update(&post, &json!({ "body": "*B2*" })).await;
    assert_eq!(updated["html"], "<p><em>B2</em></p>\n");
    assert_eq!(updated["excerpt"], "B2");
    assert_eq!(updated["title"], "T2");
}

#[tokio::test]
async fn null_or_an_empty_string_clears_all_but_the_body() {
    let app = App::new().await;
    for empty in [json!(null), json!("")] {
        for method in ["PUT", "PATCH"] {
            let post = full(&app).await;
            for (name, cleared) in [
                ("title", json!(null)),
                ("focus_keyword", json!(null)),
                ("tags", json!([])),
            ] {
                let call = app.call(method, &post.path());
                let call = call.header("x-edit-token", &post.token);
                let updated = call.json(&json!({ name: empty })).await.ok();
                assert_eq!(updated[name], cleared);
            }
            let answer = app.put(&post, &json!({ "body": empty })).await;
            assert_eq!(answer.faulty_fields(), ["body"]);
            assert_eq!(app.read(&post).await["body"], "B");
        }
    }
}

#[tokio::test]
async fn what_was_read_can_be_sent_back() {
    let app = App::new().await;
    let post = full(&app).await;
    let before = app.get(&post.path()).await;
    let answer = app.put(&post, &before.ok()).await;
    assert_eq!(answer.ok(), before.ok());
    assert_eq!(answer.header("etag"), before.header("etag"));
    let listed = app.get("/api/posts").await.ok()["posts"][0].clone();
    assert_eq!(app.update(&post, &listed).await, before.ok());
}

#[tokio::test]
async fn an_update_that_changes_nothing_leaves_time_and_etag() {
    let app = App::new().await;
    let post = full(&app).await;
    let before = app.get(&post.path()).await;
    for same in [
        json!({}),
        json!({ "title": " T " }),
        json!({ "tags": "A, #b,a" }),
        json!({ "body": "B" }),
        serde_json::from_str(FULL).unwrap(),
    ] {
        let answer = app.put(&post, &same).await;
        assert_eq!(answer.ok(), before.ok());
        assert_eq!(answer.header("etag"), before.header("etag"));
    }
}

#[tokio::test]
async fn each_change_is_shown_to_be_later_and_has_a_new_etag() {
    let app = App::new().await;
    let post = full(&app).await;
    let mut last = app.read(&post).await["updated_at"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut etags = vec![post.etag.clone()];
    for n in 0..50 {
        let answer = app.put(&post, &json!({ "title": n.to_string() })).await;
        let updated = answer.ok();
        let at = updated["updated_at"].as_str().unwrap().to_owned();
        assert!(at > last, "{at} is not after {last}");
        assert!(updated["created_at"].as_str().unwrap() < &*at);
        last = at;
        let etag = answer.header("etag").unwrap().to_owned();
        assert_eq!(app.get(&post.path()).await.header("etag"), Some(&*etag));
        assert!(!etags.contains(&etag));
        etags.push(etag);
    }
}

#[tokio::test]
async fn merge_patch_is_for_patch_alone() {
    let app = App::new().await;
    let post = full(&app).await;
    let change = json!({ "title": null, "focus_keyword": "n" }).to_string();
    for (method, media_type, status) in [
        ("PATCH", "application/merge-patch+json", 200),
        ("PATCH", "application/json", 200),
        ("PUT", "application/json; charset=UTF-8", 200),
        ("PUT", "application/merge-patch+json", 415),
        ("PATCH", "application/json-patch+json", 415),
    ] {
        let call = app
            .call(method, &post.path())
            .header("x-edit-token", &post.token);
        let answer = call.body(media_type, change.clone()).await;
        assert_eq!(answer.status, status, "{method} {media_type}");
    }
    let create = app
        .call("POST", "/api/posts")
        .header("x-api-key", &*app.key);
    let create = create.body("application/merge-patch+json", FULL).await;
    create.problem("unsupported_media_type");
}

#[tokio::test]
async fn the_edit_token_comes_in_the_header_or_the_query() {
    let app = App::new().await;
    let post = full(&app).await;
    let token = &*post.token;
    let update = |query: &str, headers: &[&str]| {
        let mut call = app.call("PATCH", &format!("{}{query}", post.path()));
        for header in headers {
            call = call.header("x-edit-token", header);
        }
        call.json(&json!({ "title": "new" }))
    };
    let in_query = format!("?token={token}");
    update("", &[token]).await.ok();
    update(&in_query, &[]).await.ok();
    update(&in_query, &[token]).await.ok();
    update(&in_query, &[""]).await.ok();
    update(&format!("{in_query}&token={token}&x=1"), &[])
        .await
        .ok();

    let conflicting = "conflicting_edit_tokens";
    update(&in_query, &[NO_TOKEN]).await.problem(conflicting);
    update(&format!("?token={NO_TOKEN}"), &[token])
        .await
        .problem(conflicting);
    update(&format!("{in_query}&token=x"), &[])
        .await
        .problem(conflicting);

    update("", &[token, token]).await.problem("invalid_header");
    update("?token=%FF", &[]).await.problem("invalid_parameter");
    update("", &[]).await.problem("missing_edit_token");
    update("?token=", &[]).await.problem("missing_edit_token");
    update("?token", &[""]).await.problem("missing_edit_token");
    update(&format!("?token={token}x"), &[])
        .await
        .problem("invalid_edit_token");
    update(&format!("?Token={token}"), &[])
        .await
        .problem("missing_edit_token");
}

#[tokio::test]
async fn an_api_key_is_neither_needed_nor_checked() {
    let app = App::new().await;
    let post = full(&app).await;
    for key in ["", "nonsense", &*app.key] {
        let call = app.put(&post, &json!({ "title": key }));
        call.header("x-api-key", key).await.ok();
    }
    let key_alone = app.call("PUT", &post.path()).header("x-api-key", &*app.key);
    let key_alone = key_alone.json(&json!({ "title": "x" })).await;
    key_alone.problem("missing_edit_token");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_changes_are_all_applied_one_after_the_other() {
    let app = App::new().await;
    let post = full(&app).await;
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..32 {
        let (app, post) = (app.clone(), post.clone());
        tasks.spawn(async move { app.update(&post, &json!({ "title": n.to_string() })).await });
    }
    let answers = tasks.join_all().await;
    let mut times: Vec<_> = answers
        .iter()
        .map(|post: &Value| post["updated_at"].to_string())
        .collect();
    times.sort();
    times.dedup();
    assert_eq!(times.len(), 32);
    assert_eq!(app.read(&post).await["updated_at"].to_string(), times[31]);
}
