//! The addresses of the service, how requests reach them, and that generated addresses lead back to
//! it.

use handbill::KeyRequests;
use std::sync::{Arc, Mutex};

use serde_json::json;

use super::app::{HTML, NO_POST, NO_TOKEN};
use super::lists::links;
use super::markup::{Tag, tags};
use super::{Address, App, Kind, Mount};

/// The mount point responds with and without a trailing slash, also with a query.
pub async fn the_mount_point_responds_with_and_without_a_slash(mount: &Mount) {
    let app = App::new(mount).await;
    for n in 0..2 {
        app.create_body(&format!("number {n}")).await;
    }
    for query in ["", "?", "?per_page=1&page=2"] {
        let without = app.get(query).await;
        let with = app.get(&format!("/{query}")).await;
        for response in [&without, &with] {
            response
                .expect_status(200)
                .expect_header("content-type", HTML);
        }
        assert_eq!(without.body, with.body, "{without}; with a slash: {with}");
    }
    for path in ["", "/"] {
        app.call("HEAD", path).await.expect_status(200);
        app.call("OPTIONS", path).await.expect_status(204);
        app.call("PUT", path).await.problem("method_not_allowed");
        let response = app.get(&format!("{path}?page=0")).await;
        response.problem("invalid_parameter");
    }
}

/// Elsewhere a trailing slash makes a different path: 404, and no redirect.
pub async fn a_trailing_slash_makes_another_path(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for path in app.paths(&post, |address| address.path != "/").await {
        for method in ["GET", "POST", "OPTIONS"] {
            let call = app.call(method, &format!("{path}/"));
            call.await.problem("not_found");
        }
    }
}

/// Paths reach the service as the client sent them, not decoded: an encoded letter differs from the
/// letter, and an encoded slash does not end a segment.
pub async fn percent_encoded_paths_arrive_as_they_were_sent(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let encoded = format!("%{:02x}{}", post.id.as_bytes()[0], &post.id[1..]);
    for path in [
        "/api/posts/%2F",
        "/api/posts/%00",
        "/api/posts%2F",
        "/api%2Fposts",
        "/%61pi/posts",
        "/%6Beys",
        "/api/posts/bcdfghjkl%00",
        "/api/posts/bcdfghjk%2F",
        "/p/%C3%A9",
        &format!("/api/posts/{encoded}"),
        &format!("/p/{encoded}"),
        &format!("/p/{}%20", post.id),
        &format!("/p/{}%2F", post.id),
        &format!("/p%2F{}", post.id),
        &format!("/e/{}%00", &post.token[1..]),
    ] {
        for method in ["GET", "POST"] {
            app.call(method, path).await.problem("not_found");
        }
    }
}

/// Repeated slashes and dots make different paths: the mount does not normalise them.
pub async fn paths_are_not_normalised(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for path in [
        "/api//posts",
        "/api/posts/..",
        "/api/./posts",
        "/keys/../keys",
        &format!("/p//{}", post.id),
    ] {
        app.get(path).await.problem("not_found");
    }
}

/// Every other path returns 404 to every method, as problem details.
pub async fn every_other_path_is_not_found(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for path in [
        "/nothing",
        "/api",
        "/API/posts",
        "/api/posts;x=y",
        "/api/posts/aaaaaaaaaa",
        "/api/keys/other",
        "/p",
        "/e",
        "/index.html",
        "/assets/page.css",
        &format!("/api/posts/{NO_POST}"),
        &format!("/api/posts/{}", post.id.to_uppercase()),
        &format!("{}/other", post.path()),
        &format!("/p/{NO_POST}"),
        &format!("/e/{NO_TOKEN}"),
        &format!("/e/{}", &post.token[1..]),
        &format!("/e/{}0", post.token),
        &format!("/{}", "x/".repeat(200)),
    ] {
        app.get(path).await.problem("not_found");
    }
    for path in ["/nothing", "/api", "/x/y/z"] {
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            app.call(method, path).await.problem("not_found");
        }
        app.call("HEAD", path).await.expect_status(404);
    }
}

/// The service receives the request as the client sent it, with the path relative to the mount
/// point: method, query, and headers with all their lines.
pub async fn a_request_reaches_the_service_as_it_was_sent(mount: &Mount) {
    let seen = Arc::new(Mutex::new(None));
    let stored = Arc::clone(&seen);
    let policy = KeyRequests::decided_by(move |request| {
        *stored.lock().unwrap() = Some(request);
        async { true }
    });
    let app = App::new(mount).await;
    let app = app.set(|service| service.with_key_requests(policy)).await;
    let query = "tag=%23rust&plus=a+b%2Bc&empty=&&twice=1&twice=2&bare&slash=/%2f&utf8=%C3%A9";
    let call = app.call("POST", &format!("/api/keys?{query}"));
    let call = call
        .header("x-twice", "one, two")
        .header("x-twice", "three");
    let call = call.header("x-empty", "").header("cookie", "a=b; c=d");
    call.json(&json!({})).await.expect_status(201);
    let request = seen.lock().unwrap().take();
    let request = request.expect("the key request reaches the host");
    assert_eq!(request.method, "POST", "the method that arrived");
    assert_eq!(request.uri.path(), "/api/keys", "the path that arrived");
    assert_eq!(request.uri.query(), Some(query), "the query that arrived");
    for (name, sent) in [
        ("x-twice", &["one, two", "three"][..]),
        ("x-empty", &[""]),
        ("cookie", &["a=b; c=d"]),
        ("content-type", &["application/json"]),
        ("content-length", &["2"]),
        ("host", &[super::HOST]),
    ] {
        let arrived: Vec<_> = request.headers.get_all(name).iter().collect();
        assert_eq!(arrived, sent, "lines of {name} that arrived");
    }
}

/// `url`, `edit_url` and `Location` of a new post lead to it.
pub async fn the_addresses_of_a_new_post_lead_to_it(mount: &Mount) {
    let app = App::new(mount).await;
    let response = app.post(&json!({ "body": "at its addresses" })).await;
    response.created();
    let created = response.json();
    let url = created["url"].as_str().unwrap_or_default();
    let edit_url = created["edit_url"].as_str().unwrap_or_default();
    for address in [url, edit_url] {
        let page = app.follow(address).await;
        page.expect_status(200)
            .expect_header("content-type", HTML)
            .expect_text("at its addresses");
    }
    let location = response.header("location").unwrap_or_default();
    let read = app.follow(location).await.ok();
    assert_eq!(read["id"], created["id"], "the post at Location");
    let read_url = read["url"].as_str();
    assert_eq!(read_url, Some(url), "the url of the post that is read");
}

/// The addresses in `Link` lead to pages of the list.
pub async fn the_links_of_a_list_lead_back(mount: &Mount) {
    let app = App::new(mount).await;
    for _ in 0..3 {
        app.create(&json!({ "body": "x", "tags": "a & b" })).await;
    }
    let path = "/api/posts?page=2&per_page=1&tag=A+%26+b";
    let response = app.get(path).await;
    let mut pages = Vec::new();
    for (relation, path) in links(&app, &response) {
        let list = app.get(&path).await.ok();
        assert_eq!(list["total"], 3, "posts at `{relation}`, {path}");
        pages.push((relation, list["page"].as_u64().unwrap_or_default()));
    }
    let expected = [("first", 1), ("last", 3), ("next", 3), ("prev", 1)];
    let expected = expected.map(|(relation, page)| (relation.to_owned(), page));
    assert_eq!(pages, expected, "{response}: the pages that Link leads to");
}

/// Every link, style sheet and form of a page leads into the mount.
pub async fn every_link_of_a_page_works(mount: &Mount) {
    let app = App::new(mount).await;
    let mut post = None;
    for n in 0..3 {
        let title = format!("Number {n}");
        let fields = json!({ "title": title, "body": "x", "tags": "a & b, c" });
        post = Some(app.create(&fields).await);
    }
    let post = post.unwrap();
    let edit = post.edit_page();
    let invalid = app.submit(&edit, &[("body", "")]);
    let nothing = app.get("/nothing").header("accept", "text/html");
    let saved = app.submit(&edit, &[("body", "y")]).await;
    let saved = saved.expect_status(303).header("location");
    let pages = app.paths(&post, |address| address.kind.is_page()).await;
    let pages = pages.iter().map(|path| (&**path, app.get(path)));
    for (path, call) in pages.chain([
        ("/", app.get("/?per_page=1&page=2")),
        ("/", app.get("/?lang=fr&tag=c")),
        (&*edit, app.follow(saved.unwrap_or_default())),
        (&*edit, invalid),
        ("/tags", app.get("/tags?sort=posts&lang=fr")),
        ("/follow", app.get("/follow?tag=a+%26+b")),
        ("/", nothing),
    ]) {
        let page = call.await;
        let mut has_style = false;
        for tag in tags(&page) {
            for address in leads(&app, &tag) {
                let there = match address.strip_prefix('?') {
                    Some(query) => app.get(&format!("{path}?{query}")).await,
                    None => app.follow(address).await,
                };
                // From a post to its neighbour.
                let there = match there.status.as_u16() {
                    303 => {
                        app.follow(there.header("location").unwrap_or_default())
                            .await
                    }
                    _ => there,
                };
                assert_eq!(there.status, 200, "{page}: it leads to {there}");
                if tag.attribute("rel") == Some("stylesheet") {
                    there.expect_header("content-type", "text/css; charset=utf-8");
                    has_style = true;
                }
            }
        }
        assert!(has_style, "{page}: it has no style sheet");
    }
}

/// The address that a tag links to, unless it is a fragment of the same page.
fn leads<'a>(app: &App, tag: &'a Tag) -> Vec<&'a str> {
    let mut found: Vec<_> = ["href", "src", "action"]
        .into_iter()
        .filter_map(|name| tag.attribute(name))
        .filter(|address| !address.starts_with('#'))
        .collect();
    let content = tag.attribute("content");
    found.extend(content.filter(|content| content.starts_with(&app.base())));
    found
}

/// The `type` of a problem is the address of its documentation (RFC 9457, section 3.1.1).
pub async fn the_type_of_a_problem_leads_to_its_explanation(mount: &Mount) {
    let app = App::new(mount).await;
    let problem = app.get("/nothing").await.problem("not_found");
    let address = problem["type"].as_str().unwrap_or_default();
    let page = app.follow(address).await;
    page.expect_status(200);
    let fragment = address.split_once('#').map(|(_, fragment)| fragment);
    let ids: Vec<_> = tags(&page)
        .iter()
        .filter_map(|tag| tag.attribute("id").map(str::to_owned))
        .collect();
    let is_there = ids.iter().any(|id| Some(&**id) == fragment);
    assert!(is_there, "{page}: nothing there has the id in {address}");
}

/// Addresses use the base URL, never the host that a request names.
pub async fn the_host_of_a_request_is_in_no_address(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let is_text = |address: &Address| address.is_read() && address.kind != Kind::Card;
    let reads = app.paths(&post, is_text).await;
    let reads = reads.iter().map(|path| app.get(path));
    for call in reads.chain([app.post(&json!({ "body": "x" })), app.get("/nothing")]) {
        let call = call.host("evil.example");
        let call = call.header("x-forwarded-host", "evil.example");
        let response = call.header("forwarded", "host=evil.example").await;
        response.expect_no_text("evil.example");
        let headers = format!("{:?}", response.headers);
        let is_named = headers.contains("evil.example");
        assert!(!is_named, "{response}: the headers are {headers}");
    }
}
