//! Conditional requests (RFC 9110, section 13).

use std::future::IntoFuture;

use serde_json::json;

use crate::app::{App, NO_POST};

/// What is not a list of entity tags.
const MALFORMED: [&str; 8] = [
    "", ",", "abc", "\"a", "\"a\"b\"", "w/\"a\"", "\"a b\"", "*, \"a\"",
];

#[tokio::test]
async fn a_read_that_changes_nothing_for_the_client_is_304() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    for path in [
        post.path(),
        "/api/posts?per_page=1".to_owned(),
        "/openapi.json".to_owned(),
        "/".to_owned(),
        format!("/p/{}", post.id),
        "/docs/errors".to_owned(),
        "/style.css".to_owned(),
    ] {
        let whole = app.get(&path).await;
        assert_eq!(whole.status, 200);
        let etag = whole.header("etag").unwrap();
        assert!(etag.starts_with('"'), "{path}: {etag} is strong");
        for current in [
            etag.to_owned(),
            format!("W/{etag}"),
            format!("\"x\", {etag},"),
            "*".to_owned(),
        ] {
            for method in ["GET", "HEAD"] {
                let call = app.call(method, &path);
                let answer = call.header("if-none-match", &current).await;
                assert_eq!(answer.status, 304, "{method} {path} {current}");
                assert_eq!(answer.header("etag"), Some(etag));
                let kept = answer.header("cache-control");
                assert_eq!(kept, Some("public, no-cache"));
                assert_eq!(
                    answer.header("last-modified"),
                    whole.header("last-modified")
                );
                assert_eq!(answer.header("link"), whole.header("link"));
            }
        }
        for other in ["\"x\"", "W/\"x\""] {
            let answer = app.get(&path).header("if-none-match", other).await;
            assert_eq!((answer.status, &answer.body), (whole.status, &whole.body));
        }
        for malformed in MALFORMED {
            let answer = app.get(&path).header("if-none-match", malformed).await;
            answer.problem("invalid_header");
        }
        let twice = app.get(&path).header("if-none-match", etag);
        twice
            .header("if-none-match", etag)
            .await
            .problem("invalid_header");
    }
}

#[tokio::test]
async fn a_read_follows_the_date_where_there_is_no_tag() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let modified = app.get(&post.path()).await;
    let modified = modified.header("last-modified").unwrap();
    let read = |since: &str| app.get(&post.path()).header("if-modified-since", since);
    assert_eq!(read(modified).await.status, 304);
    assert_eq!(read("Fri, 01 Jan 2100 00:00:00 GMT").await.status, 304);
    assert_eq!(read("Thu, 01 Jan 1970 00:00:00 GMT").await.status, 200);
    // Section 13.1.3: what is no date is passed over, and so is the date beside a tag.
    assert_eq!(read("yesterday").await.status, 200);
    assert_eq!(
        read(modified).header("if-none-match", "\"x\"").await.status,
        200
    );
    let twice = read(modified).header("if-modified-since", modified).await;
    twice.problem("invalid_header");
}

#[tokio::test]
async fn an_update_is_refused_where_its_condition_fails() {
    let app = App::new().await;
    let post = app.create_body("first").await;
    let second = app.put(&post, &json!({ "body": "second" })).await;
    let current = second.header("etag").unwrap().to_owned();
    for (name, value) in [
        ("if-match", &*post.etag),
        ("if-match", "\"x\""),
        ("if-match", &format!("W/{current}")),
        ("if-none-match", "*"),
        ("if-none-match", &current),
        ("if-none-match", &format!("W/{current}")),
        ("if-unmodified-since", "Thu, 01 Jan 1970 00:00:00 GMT"),
    ] {
        for fields in [json!({ "body": "third" }), json!({})] {
            let update = app.put(&post, &fields).header(name, value).await;
            update.problem("precondition_failed");
        }
        let delete = app.delete(&post).header(name, value).await;
        delete.problem("precondition_failed");
    }
    assert_eq!(app.read(&post).await["body"], "second");
}

#[tokio::test]
async fn an_update_goes_through_where_its_condition_holds() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let mut etag = post.etag.clone();
    for n in 0..4 {
        let list = [
            etag.clone(),
            "*".into(),
            format!("\"x\", {etag}"),
            format!("W/\"y\",{etag}"),
        ];
        let update = app.put(&post, &json!({ "title": n.to_string() }));
        let answer = update.header("if-match", &list[n]).await;
        assert_eq!(answer.ok()["title"], n.to_string());
        etag = answer.header("etag").unwrap().to_owned();
    }
    let update = app
        .put(&post, &json!({ "title": "5" }))
        .header("if-none-match", "\"x\"");
    let update = update.header("if-unmodified-since", "Fri, 01 Jan 2100 00:00:00 GMT");
    etag = update.await.header("etag").unwrap().to_owned();
    assert_eq!(app.delete(&post).header("if-match", etag).await.status, 204);
}

#[tokio::test]
async fn a_malformed_condition_is_refused_whatever_the_state() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    for name in ["if-match", "if-none-match"] {
        for malformed in MALFORMED {
            let update = app
                .put(&post, &json!({ "body": "y" }))
                .header(name, malformed);
            update.await.problem("invalid_header");
            let delete = app.delete(&post).header(name, malformed).await;
            delete.problem("invalid_header");
        }
        let twice = app.delete(&post).header(name, "*").header(name, "*");
        twice.await.problem("invalid_header");
    }
    assert_eq!(app.read(&post).await["body"], "x");
    let unknown = app.call("DELETE", &format!("/api/posts/{NO_POST}"));
    let unknown = unknown
        .header("x-edit-token", &post.token)
        .header("if-match", "*");
    unknown.await.problem("not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_concurrent_updates_on_one_state_one_is_applied() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..32 {
        let call = app.put(&post, &json!({ "title": n.to_string() }));
        tasks.spawn(call.header("if-match", &post.etag).into_future());
    }
    let answers = tasks.join_all().await;
    let applied: Vec<_> = answers
        .iter()
        .filter(|answer| answer.status == 200)
        .collect();
    assert_eq!(applied.len(), 1);
    assert_eq!(app.read(&post).await, applied[0].json());
    let refused = answers.iter().filter(|answer| answer.status != 200);
    refused.for_each(|answer| drop(answer.problem("precondition_failed")));
}

#[tokio::test]
async fn a_list_has_a_tag_of_what_it_shows() {
    let app = App::new().await;
    let post = app.create(&json!({ "body": "x", "tags": "a" })).await;
    app.create(&json!({ "body": "y", "tags": "b" })).await;
    let tag_of = async |query: &str| {
        let answer = app.get(&format!("/api/posts{query}")).await;
        answer.header("etag").unwrap().to_owned()
    };
    let before = [tag_of("").await, tag_of("?tag=b").await];
    assert_eq!(tag_of("").await, before[0]);
    app.update(&post, &json!({ "title": "new" })).await;
    assert_ne!(tag_of("").await, before[0]);
    assert_eq!(tag_of("?tag=b").await, before[1]);
}
