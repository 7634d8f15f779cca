//! Lists of posts, their order, their pages and the links between those.

use std::collections::BTreeMap;

use handbill::SqliteStore;
use serde_json::{Value, json};

use crate::app::{Answer, App, BASE};

fn ids(list: &Value) -> Vec<String> {
    let posts = list["posts"].as_array().unwrap().iter();
    posts
        .map(|post| post["id"].as_str().unwrap().to_owned())
        .collect()
}

/// The relations of a `Link` header and where they lead, relative to the service.
fn links(answer: &Answer) -> BTreeMap<String, String> {
    let link = answer.header("link").unwrap_or_default();
    let links = link
        .split(", ")
        .filter(|link| !link.is_empty())
        .map(|link| {
            let (address, relation) = link
                .split_once(">; rel=\"")
                .expect("a link and its relation");
            let path = address
                .strip_prefix(&format!("<{BASE}"))
                .expect("an absolute address");
            (relation.trim_end_matches('"').to_owned(), path.to_owned())
        });
    links.collect()
}

async fn posts_in_order_on_pages(app: App) {
    let mut created = Vec::new();
    for n in 0..60 {
        created.push(app.create_body(&n.to_string()).await.id);
    }
    created.reverse();
    for per_page in [1, 7, 20, 50] {
        let mut found = Vec::new();
        let mut path = format!("/api/posts?per_page={per_page}");
        let mut pages = 0;
        loop {
            let answer = app.get(&path).await;
            let list = answer.ok();
            pages += 1;
            assert_eq!(list["page"], pages);
            assert_eq!(list["per_page"], per_page);
            assert_eq!(list["total"], 60);
            assert_eq!(list["total_pages"], 60_u64.div_ceil(per_page));
            assert!(ids(&list).len() as u64 <= per_page);
            found.extend(ids(&list));
            match links(&answer).remove("next") {
                Some(next) => path = next,
                None => break,
            }
        }
        assert_eq!(pages, 60_u64.div_ceil(per_page));
        assert_eq!(found, created, "{per_page} a page");
    }
    let past = app
        .get("/api/posts?page=18446744073709551615&per_page=50")
        .await;
    let list = past.ok();
    assert_eq!((&list["posts"], &list["total"]), (&json!([]), &json!(60)));
    assert_eq!(list["page"], u64::MAX);
}

#[tokio::test]
async fn posts_stand_newest_first_and_on_one_page_each() {
    posts_in_order_on_pages(App::new().await).await;
}

#[tokio::test]
async fn posts_stand_newest_first_and_on_one_page_each_in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("lists.db"))
        .await
        .unwrap();
    posts_in_order_on_pages(App::over(store).await).await;
}

#[tokio::test]
async fn updating_a_post_does_not_move_it() {
    let app = App::new().await;
    let first = app.create_body("first").await;
    let second = app.create_body("second").await;
    app.update(&first, &json!({ "body": "changed" })).await;
    let list = app.get("/api/posts").await.ok();
    assert_eq!(ids(&list), [second.id, first.id]);
    assert_eq!(list["posts"][1]["excerpt"], "changed");
}

#[tokio::test]
async fn a_list_shows_what_a_read_does_without_body_and_html() {
    let app = App::new().await;
    let post = app
        .create(&json!({ "body": "*x*", "title": "t", "tags": "a" }))
        .await;
    let whole = app.read(&post).await;
    let with_bodies = app.get("/api/posts?include=body").await.ok();
    assert_eq!(with_bodies["posts"], json!([whole]));
    let mut summary = whole;
    summary
        .as_object_mut()
        .unwrap()
        .retain(|name, _| name != "body" && name != "html");
    for query in ["", "?include=", "?unknown=1&include"] {
        let answer = app.get(&format!("/api/posts{query}")).await;
        assert_eq!(
            answer.ok(),
            json!({
                "posts": [summary], "page": 1, "per_page": 20, "total": 1, "total_pages": 1,
            })
        );
        assert_eq!(answer.header("cache-control"), Some("public, no-cache"));
    }
}

#[tokio::test]
async fn an_empty_list_has_no_pages() {
    let app = App::new().await;
    let answer = app.get("/api/posts").await;
    assert_eq!(
        answer.ok(),
        json!({ "posts": [], "page": 1, "per_page": 20, "total": 0, "total_pages": 0 })
    );
    assert_eq!(answer.header("link"), None);
}

#[tokio::test]
async fn links_lead_to_the_other_pages_and_keep_the_parameters() {
    let app = App::new().await;
    for n in 0..5 {
        app.create(&json!({ "body": n.to_string(), "tags": "C++ & co" }))
            .await;
    }
    let page = |number: u64| {
        format!("/api/posts?page={number}&per_page=2&tag=c%2B%2B+%26+co&include=body")
    };
    let expect = |relations: &[(&str, u64)]| -> BTreeMap<String, String> {
        let links = relations
            .iter()
            .map(|(name, number)| ((*name).to_owned(), page(*number)));
        links.collect()
    };
    for (number, relations) in [
        (1, vec![("first", 1), ("next", 2), ("last", 3)]),
        (2, vec![("first", 1), ("prev", 1), ("next", 3), ("last", 3)]),
        (3, vec![("first", 1), ("prev", 2), ("last", 3)]),
        (9, vec![("first", 1), ("prev", 3), ("last", 3)]),
    ] {
        let answer = app.get(&page(number)).await;
        assert_eq!(links(&answer), expect(&relations), "page {number}");
        let on_it = answer.ok()["posts"].as_array().unwrap().len();
        assert_eq!(
            on_it,
            [2, 2, 1].get(number as usize - 1).copied().unwrap_or(0)
        );
    }
}

#[tokio::test]
async fn a_parameter_that_is_not_valid_is_named() {
    let app = App::new().await;
    app.create_body("x").await;
    for (name, value) in [
        ("page", "0"),
        ("page", ""),
        ("page", "-1"),
        ("page", "%2B1"),
        ("page", "1.0"),
        ("page", "1e3"),
        ("page", "0x1"),
        ("page", "%D9%A1"),
        ("page", " 1"),
        ("page", "18446744073709551616"),
        ("page", "99999999999999999999999999999999"),
        ("page", "1&page=1"),
        ("page", "%FF"),
        ("per_page", "0"),
        ("per_page", "51"),
        ("per_page", "1e3"),
        ("per_page", "4294967297"),
        ("per_page", "18446744073709551617"),
        ("per_page", "x"),
        ("per_page", "1&per%5Fpage=2"),
        ("tag", "a,b"),
        ("tag", "%00"),
        ("tag", "%E2%80%AE"),
        ("tag", "%C3%28"),
        ("tag", "a&tag=b"),
        ("tag", &"x".repeat(51)),
        ("include", "html"),
        ("include", "body,html"),
        ("include", "body&include=body"),
    ] {
        let query = format!("?{name}={value}").replace(' ', "%20");
        let problem = app.get(&format!("/api/posts{query}")).await;
        let detail = problem.problem("invalid_parameter")["detail"].to_string();
        assert!(
            detail.starts_with(&format!("\"{name} ")),
            "{query}: {detail}"
        );
        app.get(&format!("/{query}"))
            .await
            .problem("invalid_parameter");
    }
    for valid in [
        "?page=01",
        "?per_page=50",
        "?per_page=1",
        "?unknown=%FF",
        "?&&=&x",
        "?tag=",
    ] {
        assert_eq!(
            app.get(&format!("/api/posts{valid}")).await.ok()["total"],
            1,
            "{valid}"
        );
    }
}

#[tokio::test]
async fn a_tag_is_looked_for_as_posts_have_it() {
    let app = App::new().await;
    let post = app
        .create(&json!({ "body": "x", "tags": "Caf\u{e9} Noir, web" }))
        .await;
    app.create(&json!({ "body": "y", "tags": "web" })).await;
    for (tag, total) in [
        ("caf%C3%A9%20noir", 1),
        ("%23CAFE%CC%81++Noir%20", 1),
        ("web", 2),
        ("Web", 2),
        ("we", 0),
        ("caf%C3%A9", 0),
        ("", 2),
        ("%23", 2),
        ("'%20OR%201=1--", 0),
        ("%25", 0),
        ("_eb", 0),
    ] {
        let list = app.get(&format!("/api/posts?tag={tag}")).await.ok();
        assert_eq!(list["total"], total, "{tag}");
    }
    app.update(&post, &json!({ "tags": "other" })).await;
    assert_eq!(app.get("/api/posts?tag=web").await.ok()["total"], 1);
    let renamed = app.get("/api/posts?tag=OTHER").await.ok();
    assert_eq!(ids(&renamed), [&*post.id]);
    app.delete(&post).await;
    assert_eq!(app.get("/api/posts?tag=other").await.ok()["total"], 0);
}
