//! Lists of posts: order, pages and links between pages.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{App, Mount, TestResponse};

fn ids(list: &Value) -> Vec<String> {
    let posts = list["posts"].as_array().unwrap().iter();
    posts
        .map(|post| post["id"].as_str().unwrap().to_owned())
        .collect()
}

/// The relations of a `Link` header and their targets, relative to the service.
#[track_caller]
pub(super) fn links(app: &App, response: &TestResponse) -> BTreeMap<String, String> {
    let header = response.header("link").unwrap_or_default();
    let links = header.split(", ").filter(|link| !link.is_empty());
    let links = links.map(|link| {
        let parts = link.strip_prefix('<');
        let parts = parts.and_then(|link| link.split_once(">; rel=\""));
        let (address, relation) = parts.unwrap_or_else(|| panic!("{response}: Link is {header}"));
        let relation = relation.trim_end_matches('"').to_owned();
        (relation, app.path_of(address))
    });
    links.collect()
}

/// Lists show the newest post first and each post on exactly one page, whatever the page size.
/// `next` leads through all pages.
pub async fn posts_are_listed_newest_first_and_on_one_page_each(mount: &Mount) {
    let app = App::new(mount).await;
    let mut created = Vec::new();
    for n in 0..23_u64 {
        created.push(app.create_body(&n.to_string()).await.id);
    }
    created.reverse();
    for per_page in [1, 7, 20, 50] {
        let total_pages = 23_u64.div_ceil(per_page);
        let mut found = Vec::new();
        let mut path = format!("/api/posts?per_page={per_page}");
        for page in 1..=total_pages {
            let response = app.get(&path).await;
            let mut list = response.ok();
            found.extend(ids(&list));
            let posts = list["posts"].take();
            let is_full = posts.as_array().unwrap().len() as u64 <= per_page;
            assert!(is_full, "{response}: more than {per_page} posts");
            let expected = json!({
                "posts": null, "page": page, "per_page": per_page, "total": 23,
                "total_pages": total_pages,
            });
            assert_eq!(list, expected, "{response}: the list without its posts");
            let next = links(&app, &response).remove("next");
            assert_eq!(next.is_some(), page < total_pages, "{response}: `next`");
            path = next.unwrap_or_default();
        }
        assert_eq!(found, created, "all posts, {per_page} a page");
    }
}

/// A page past the end returns 200 without posts.
pub async fn a_page_past_the_end_has_no_posts(mount: &Mount) {
    let app = App::new(mount).await;
    app.create_body("x").await;
    for page in [2, u64::MAX] {
        let list = app.get(&format!("/api/posts?page={page}")).await;
        let expected = json!({
            "posts": [], "page": page, "per_page": 20, "total": 1, "total_pages": 1,
        });
        assert_eq!(list.ok(), expected, "{list}");
        app.get(&format!("/?page={page}")).await.expect_status(200);
    }
}

/// Lists are ordered by creation, so an update does not move a post.
pub async fn updating_a_post_does_not_move_it(mount: &Mount) {
    let app = App::new(mount).await;
    let first = app.create_body("first").await;
    let second = app.create_body("second").await;
    app.update(&first, &json!({ "body": "changed" })).await;
    let list = app.get("/api/posts").await.ok();
    assert_eq!(ids(&list), [second.id, first.id], "{list}");
    assert_eq!(list["posts"][1]["excerpt"], "changed", "{list}");
}

/// Lists show posts without `body` and `html`. `include=body` adds both.
pub async fn a_list_shows_what_a_read_does_without_body_and_html(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app
        .create(&json!({ "body": "*x*", "title": "t", "tags": "a" }))
        .await;
    let whole = app.read(&post).await;
    let with_bodies = app.get("/api/posts?include=body").await;
    assert_eq!(with_bodies.ok()["posts"], json!([whole]), "{with_bodies}");
    let mut summary = whole;
    let fields = summary.as_object_mut().unwrap();
    fields.retain(|name, _| name != "body" && name != "html");
    for query in ["", "?include=", "?unknown=1&include"] {
        let response = app.get(&format!("/api/posts{query}")).await;
        let expected = json!({
            "posts": [summary], "page": 1, "per_page": 20, "total": 1, "total_pages": 1,
        });
        assert_eq!(response.ok(), expected, "{response}");
        response
            .expect_header("content-type", "application/json")
            .expect_header("cache-control", "public, no-cache");
    }
}

/// `include=body` adds `body` and `html` as long as they fit 2 MiB in all. In the posts after that,
/// both are null.
pub async fn a_list_has_two_mebibytes_of_bodies_and_html_at_most(mount: &Mount) {
    let app = App::new(mount).await;
    let short = app.create_body("short").await;
    for _ in 0..11 {
        app.create_body(&"x".repeat(100_000)).await;
    }
    let list = app.get("/api/posts?include=body").await.ok();
    let sizes = list["posts"].as_array().unwrap().iter().map(|post| {
        let post = post.as_object().unwrap();
        let [body, html] = ["body", "html"].map(|name| match &post[name] {
            Value::Null => None,
            text => text.as_str().map(str::len),
        });
        (body, html)
    });
    let mut expected = vec![(Some(100_000), Some(100_008)); 10];
    expected.extend([(None, None); 2]);
    assert_eq!(
        sizes.collect::<Vec<_>>(),
        expected,
        "the sizes of body and html"
    );

    let last = app.get("/api/posts?include=body&page=12&per_page=1").await;
    let expected = json!([app.read(&short).await]);
    assert_eq!(last.ok()["posts"], expected, "{last}");
}

/// A list without posts has no pages and no links to pages.
pub async fn an_empty_list_has_no_pages(mount: &Mount) {
    let app = App::new(mount).await;
    let response = app.get("/api/posts").await;
    let expected = json!({ "posts": [], "page": 1, "per_page": 20, "total": 0, "total_pages": 0 });
    assert_eq!(response.ok(), expected, "{response}");
    response.expect_no_header("link");
}

/// `Link` (RFC 8288) has those of `first`, `prev`, `next` and `last` that exist, and preserves the
/// other parameters.
pub async fn links_lead_to_the_other_pages_with_the_same_parameters(mount: &Mount) {
    let app = App::new(mount).await;
    for n in 0..5 {
        app.create(&json!({ "body": n.to_string(), "tags": "C++ & co" }))
            .await;
    }
    let page = |number: u64| {
        format!("/api/posts?page={number}&per_page=2&tag=c%2B%2B+%26+co&include=body")
    };
    for (number, relations, posts) in [
        (1, &[("first", 1), ("next", 2), ("last", 3)][..], 2),
        (2, &[("first", 1), ("prev", 1), ("next", 3), ("last", 3)], 2),
        (3, &[("first", 1), ("prev", 2), ("last", 3)], 1),
        (9, &[("first", 1), ("prev", 3), ("last", 3)], 0),
    ] {
        let response = app.get(&page(number)).await;
        let expected: BTreeMap<String, String> = relations
            .iter()
            .map(|(name, number)| ((*name).to_owned(), page(*number)))
            .collect();
        assert_eq!(links(&app, &response), expected, "{response}: Link");
        let found = response.ok()["posts"].as_array().unwrap().len();
        assert_eq!(found, posts, "{response}: posts");
    }
}

/// A parameter out of bounds returns 400 with its name, in the API and on the page.
pub async fn a_parameter_that_is_not_valid_is_named(mount: &Mount) {
    let app = App::new(mount).await;
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
        ("page", "%201"),
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
        let query = format!("?{name}={value}");
        let response = app.get(&format!("/api/posts{query}")).await;
        let problem = response.problem("invalid_parameter");
        let detail = problem["detail"].as_str().unwrap_or_default();
        let is_named = detail.starts_with(&format!("{name} "));
        assert!(is_named, "{response}: `{name}` is not named");
        let page = app.get(&format!("/{query}")).await;
        page.problem("invalid_parameter");
    }
}

/// Unknown and empty parameters are ignored.
pub async fn unknown_parameters_are_ignored(mount: &Mount) {
    let app = App::new(mount).await;
    app.create_body("x").await;
    for query in [
        "?",
        "?page=01",
        "?per_page=50",
        "?per_page=1",
        "?unknown=%FF",
        "?Page=0",
        "?&&=&x",
        "?tag=",
    ] {
        let list = app.get(&format!("/api/posts{query}")).await;
        assert_eq!(list.ok()["total"], 1, "{list}");
    }
}

/// `from` and `before` leave the posts published in that time, `from` included, with every other parameter as usual.
pub async fn a_list_can_be_limited_to_a_time(mount: &Mount) {
    let app = App::new(mount).await;
    let get = |path: &str| app.get(path).header("x-api-key", &*app.key);
    let mut published = Vec::new();
    for n in 0..6 {
        let tag = if n % 2 == 0 { "even" } else { "odd" };
        let post = app.create(&json!({ "body": "x", "tags": tag })).await;
        let post = app.read(&post).await;
        let time = post["published_at"].as_str().unwrap().to_owned();
        published.push((time, post["id"].as_str().unwrap().to_owned()));
    }
    let in_time = |from: Option<&str>, before: Option<&str>| {
        let posts = published.iter().rev().filter(|(time, _)| {
            from.is_none_or(|from| from <= &**time) && before.is_none_or(|before| &**time < before)
        });
        posts.map(|(_, id)| id.clone()).collect::<Vec<_>>()
    };
    let (early, late) = (&*published[1].0, &*published[4].0);
    for (query, expected) in [
        (format!("from={early}"), in_time(Some(early), None)),
        (format!("before={late}"), in_time(None, Some(late))),
        (
            format!("from={early}&before={late}"),
            in_time(Some(early), Some(late)),
        ),
        (format!("from={late}&before={early}"), vec![]),
        (
            "before=9999-12-31T23:59:59Z".to_owned(),
            in_time(None, None),
        ),
        (
            "from=2001-01-01T00:00:00%2B01:00".to_owned(),
            in_time(None, None),
        ),
        ("before=2001-01-01T00:00:00Z".to_owned(), vec![]),
    ] {
        for path in ["/api/posts", "/api/keys/current/posts"] {
            let mut found = Vec::new();
            for page in 1..=3 {
                let path = format!("{path}?{query}&per_page=2&page={page}");
                let list = get(&path).await;
                assert_eq!(list.ok()["total"], expected.len(), "{list}: total");
                found.extend(ids(&list.ok()));
                let next = links(&app, &list).remove("next");
                assert_eq!(next.is_some(), page * 2 < expected.len(), "{list}: next");
                if let Some(next) = next {
                    let next = get(&next).await;
                    assert_eq!(next.ok()["total"], expected.len(), "{next}: total");
                }
            }
            assert_eq!(found, expected, "{path}?{query}");
        }
    }
    let odd = app.get(&format!("/api/posts?tag=odd&from={early}")).await;
    assert!(
        odd.ok()["posts"]
            .as_array()
            .unwrap()
            .iter()
            .all(|post| post["tags"][0] == "odd")
    );
    for wrong in [
        "from=",
        "from=yesterday",
        "before=2026-11-20",
        "from=2026-11-20T10:00:00",
        "from=20261120T100000Z",
        "from=1&from=2",
    ] {
        let refused = app.get(&format!("/api/posts?{wrong}")).await;
        refused.problem("invalid_parameter");
    }
}

/// `tag` is normalised like the tags of posts and then compared as a whole.
pub async fn a_tag_parameter_is_normalised(mount: &Mount) {
    let app = App::new(mount).await;
    let tags = "Caf\u{e9} Noir, web, c++";
    let post = app.create(&json!({ "body": "x", "tags": tags })).await;
    app.create(&json!({ "body": "y", "tags": "web" })).await;
    for (tag, total) in [
        ("caf%C3%A9%20noir", 1),
        ("%23CAFE%CC%81++Noir%20", 1),
        ("web", 2),
        ("Web", 2),
        ("%23web", 2),
        ("c%2B%2B", 1),
        ("c++", 0),
        ("we", 0),
        ("caf%C3%A9", 0),
        ("", 2),
        ("%23", 2),
        ("'%20OR%201=1--", 0),
        ("%25", 0),
        ("_eb", 0),
    ] {
        let list = app.get(&format!("/api/posts?tag={tag}")).await;
        assert_eq!(list.ok()["total"], total, "{list}");
    }
    app.update(&post, &json!({ "tags": "other" })).await;
    let old = app.get("/api/posts?tag=web").await;
    assert_eq!(old.ok()["total"], 1, "after the tag was dropped: {old}");
    let renamed = app.get("/api/posts?tag=OTHER").await;
    assert_eq!(ids(&renamed.ok()), [&*post.id], "{renamed}");
    app.delete(&post).await;
    let deleted = app.get("/api/posts?tag=other").await;
    assert_eq!(deleted.ok()["total"], 0, "after a deletion: {deleted}");
}
