//! The owners of posts and keys, and what a key of the owner may do.

use handbill::host::KeyGrant;
use handbill::{Draft, KeyRequests, Owner};
use serde_json::{Value, json};

use super::lists::links;
use super::{App, Call, Created, Mount, TestResponse};
use crate::check::setup;

const OWN: &str = "/api/keys/current/posts";

fn owner(text: &str) -> Owner {
    text.parse().expect("visible ASCII characters")
}

/// The same service with a new key of this owner.
async fn key_of(app: &App, text: &str) -> App {
    let issued = setup(app.service.keys().issue(None, Some(owner(text)))).await;
    app.with_key(issued.expect("a key").key.expose())
}

fn with_key(app: &App, method: &str, path: &str) -> Call {
    app.call(method, path).header("x-api-key", &*app.key)
}

#[track_caller]
fn ids(list: &TestResponse) -> Vec<String> {
    let list = list.ok();
    let posts = list["posts"].as_array().cloned().unwrap_or_default();
    let ids = posts.iter().map(|post| post["id"].as_str());
    ids.map(|id| id.unwrap_or_default().to_owned()).collect()
}

/// A key lists all posts of its owner, whichever of the owner's keys created them: drafts and unlisted ones
/// too, the latest created first, and no other owner's. Parameters and shape are those of `GET /api/posts`.
pub async fn a_key_lists_all_posts_of_its_owner(mount: &Mount) {
    let app = App::new(mount).await;
    let (ann, again, bob) = (
        key_of(&app, "ann").await,
        key_of(&app, "ann").await,
        key_of(&app, "bob").await,
    );
    let mut own: Vec<Created> = Vec::new();
    for (number, visibility) in ["public", "draft", "unlisted", "public"].iter().enumerate() {
        let tag = ["even", "odd"][number % 2];
        let fields = json!({ "body": "x", "tags": tag, "visibility": visibility });
        let key = if number < 2 { &ann } else { &again };
        own.insert(0, key.create(&fields).await);
        bob.create(&fields).await;
    }
    // A later publication does not move a post in its owner's list.
    app.update(&own[2], &json!({ "visibility": "public" }))
        .await;
    app.update(&own[2], &json!({ "visibility": "draft" })).await;
    let expected: Vec<_> = own.iter().map(|post| post.id.clone()).collect();
    for app in [&ann, &again] {
        let list = with_key(app, "GET", OWN).await;
        assert_eq!(ids(&list), expected, "{list}");
        list.expect_header("cache-control", "private, no-store");
        assert_eq!(list.ok()["total"], 4, "{list}");
    }
    let odd = with_key(&ann, "GET", &format!("{OWN}?tag=ODD")).await;
    assert_eq!(ids(&odd), [&*own[0].id, &*own[2].id], "{odd}");
    let with_bodies = with_key(&ann, "GET", &format!("{OWN}?include=body")).await;
    let draft = with_bodies.ok()["posts"][2].clone();
    let read = with_key(&ann, "GET", &own[2].path()).await.ok();
    assert_eq!(draft, read, "a draft in the list, and as it is read");

    let nobody = key_of(&app, "nobody").await;
    let none = with_key(&nobody, "GET", OWN).await.ok();
    let expected = json!({
        "posts": [], "page": 1, "per_page": 20, "total": 0, "total_pages": 0,
    });
    assert_eq!(none, expected, "the posts of nobody");
}

/// An owner's list has pages with links, an entity tag and named faults like other lists. It needs a key.
pub async fn an_owners_list_has_pages_and_an_etag(mount: &Mount) {
    let app = key_of(&App::new(mount).await, "ann").await;
    for _ in 0..3 {
        let draft = json!({ "body": "x", "visibility": "draft" });
        app.create(&draft).await;
    }
    let second = with_key(&app, "GET", &format!("{OWN}?page=2&per_page=1")).await;
    let address = |page| format!("{OWN}?page={page}&per_page=1");
    let found = links(&app, &second);
    for (relation, page) in [("first", 1), ("prev", 1), ("next", 3), ("last", 3)] {
        let link = found.get(relation).cloned().unwrap_or_default();
        assert!(
            link.ends_with(&address(page)),
            "{second}: {relation} is {link}"
        );
    }
    let known = || with_key(&app, "GET", OWN);
    let etag = known().await.etag();
    let unchanged = known().header("if-none-match", &etag).await;
    unchanged.expect_status(304);
    unchanged.expect_header("cache-control", "private, no-store");
    let draft = json!({ "body": "x", "visibility": "draft" });
    app.create(&draft).await;
    let changed = known().header("if-none-match", &etag).await;
    changed.expect_status(200);

    for query in ["page=0", "per_page=51", "page=x"] {
        let call = with_key(&app, "GET", &format!("{OWN}?{query}"));
        call.await.problem("invalid_parameter");
    }
    app.get(OWN).await.problem("missing_api_key");
    let wrong = app.get(OWN).header("x-api-key", "nonsense").await;
    wrong.problem("invalid_api_key");
}

/// Any key of a post's owner changes and deletes the post and replaces its edit token. A key of another
/// owner may not, nor any key if the post has no owner, and a request without credentials is challenged.
pub async fn a_key_of_the_owner_changes_posts(mount: &Mount) {
    let app = App::new(mount).await;
    let (ann, again, bob) = (
        key_of(&app, "ann").await,
        key_of(&app, "ann").await,
        key_of(&app, "bob").await,
    );
    let post = ann.create_body("x").await;
    let (draft, of_nobody) = (
        Draft::new().body("x").owner(owner("ann")),
        Draft::new().body("x"),
    );
    let posts = app.service.posts();
    let by_host = setup(posts.create(draft)).await.expect("a post").id;
    let of_nobody = setup(posts.create(of_nobody)).await.expect("a post").id;
    let change = json!({ "title": "changed" });
    let calls = |app: &App, id: &str| {
        let path = format!("/api/posts/{id}");
        [
            with_key(app, "PUT", &path).json(&change),
            with_key(app, "PATCH", &path).json(&change),
            with_key(app, "POST", &format!("{path}/edit_token")),
            with_key(app, "DELETE", &path),
        ]
    };
    for (app, id) in [(&bob, &*post.id), (&ann, of_nobody.as_str())] {
        for call in calls(app, id) {
            call.await.problem("not_the_owner");
        }
    }
    let revoked = key_of(&app, "ann").await;
    let revoke = with_key(&revoked, "DELETE", "/api/keys/current").await;
    revoke.expect_status(204);
    for call in calls(&revoked, &post.id) {
        call.await.problem("invalid_api_key");
    }
    let missing = app.call("PUT", &post.path()).json(&change).await;
    missing.problem("missing_edit_token");
    // An empty key is none.
    let empty = app.call("PUT", &post.path()).header("x-api-key", "");
    empty.json(&change).await.problem("missing_edit_token");
    for id in [&*post.id, by_host.as_str()] {
        for call in calls(&again, id) {
            let response = call.await;
            let is_done = response.status.is_success();
            assert!(is_done, "{response}, with another key of the owner");
        }
    }
}

/// The host's decision on a key request can name the owner of the key. A key for which the host named none
/// belongs to itself: `key:` and its identifier. Readers never see an owner.
pub async fn a_host_names_the_owner_of_a_key(mount: &Mount) {
    let app = App::new(mount).await;
    let current = async |app: &App| with_key(app, "GET", "/api/keys/current").await.ok();
    let own = current(&app).await;
    let id = own["id"].as_str().unwrap_or_default();
    assert_eq!(own["owner"], format!("key:{id}"), "the owner in {own}");

    let decided = KeyRequests::decided_by(async |_| KeyGrant::GrantedTo(owner("user:42")));
    let app = app.set(|service| service.with_key_requests(decided)).await;
    let issued = app.call("POST", "/api/keys").await;
    let issued = issued.expect_status(201).json();
    let app = app.with_key(issued["api_key"].as_str().unwrap_or_default());
    assert_eq!(current(&app).await["owner"], "user:42", "the owner");
    let post = app.create_body("x").await;
    assert_eq!(ids(&with_key(&app, "GET", OWN).await), [&*post.id]);
    for path in [
        post.path(),
        post.page(),
        format!("{}.md", post.page()),
        "/api/posts".to_owned(),
        "/".to_owned(),
        "/feed.atom".to_owned(),
        "/feed.json".to_owned(),
    ] {
        app.get(&path).await.expect_no_text("user:42");
    }
    let updated: Value = app.update(&post, &json!({ "title": "t" })).await;
    assert_eq!(updated.get("owner"), None, "fields of {updated}");
}
