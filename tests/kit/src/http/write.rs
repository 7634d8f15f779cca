//! `/write`: a new post in the browser.

use handbill::host::KeyGrant;
use handbill::{KeyRequests, Owner};
use serde_json::{Value, json};

use super::markup::{field, tags};
use super::{App, Created, Mount, TestResponse};
use crate::samples::texts;

const POST: [(&str, &str); 4] = [
    ("title", "A first post"),
    ("body", "Some *text*.\r\nMore."),
    ("tags", "#New, b"),
    ("visibility", "unlisted"),
];

async fn with_key_requests(mount: &Mount, policy: KeyRequests) -> App {
    let app = App::new(mount).await;
    app.set(|service| service.with_key_requests(policy)).await
}

/// The post that a form made: from the page that the response leads to.
#[track_caller]
fn edit_path(app: &App, response: &TestResponse) -> String {
    let location = response.expect_status(303).header("location");
    let path = app.path_of(location.unwrap_or_default());
    assert!(path.starts_with("/e/"), "{response}: it leads to {path}");
    path
}

/// The address of the post on the page of a post that was just published.
#[track_caller]
fn published(app: &App, page: &TestResponse) -> Created {
    let tags = tags(page.expect_status(200));
    let links = tags.iter().filter_map(|tag| tag.attribute("href"));
    let mut whole = links.filter(|link| link.starts_with(&app.base()));
    let mut path = |start: &str| {
        let link = whole.find_map(|link| app.path_of(link).strip_prefix(start).map(str::to_owned));
        link.unwrap_or_else(|| panic!("{page}: it has no address {start}"))
    };
    Created {
        id: path("/p/"),
        token: path("/e/"),
        etag: String::new(),
    }
}

#[track_caller]
fn has_key_field(page: &TestResponse) -> bool {
    let tags = tags(page);
    let mut names = tags.iter().filter_map(|tag| tag.attribute("name"));
    names.any(|name| name == "api_key")
}

async fn expect_no_post(app: &App) {
    let list = app.get("/api/posts").await.ok();
    assert_eq!(list["total"], 0, "posts that there are");
}

async fn own_posts(app: &App) -> Vec<Value> {
    let list = app.get("/api/keys/current/posts");
    let list = list.header("x-api-key", &*app.key).await.ok();
    let posts = list["posts"].as_array().unwrap().iter();
    posts.map(|post| post["id"].clone()).collect()
}

/// Where key requests are open, `/write` publishes a post without a key: 303 to the edit page, which says
/// so and shows both addresses. The post has no owner.
pub async fn the_write_page_publishes_a_post(mount: &Mount) {
    let app = App::new(mount).await;
    let form = app.get("/write").await;
    form.expect_status(200).expect_text("<form");
    assert!(!has_key_field(&form), "{form}: it has a field for a key");
    let texts: Vec<_> = texts(1).filter(|(name, _)| *name != "title").collect();
    let texts = texts.iter().map(|(name, text)| (*name, text.as_str()));
    let fields: Vec<_> = POST.into_iter().chain(texts.clone()).collect();
    for (name, _) in &fields {
        form.expect_text(&format!("name=\"{name}\""));
    }
    let sent = app.submit("/write", &fields).await;
    let page = app.get(&edit_path(&app, &sent)).await;
    page.expect_text(r#"role="status""#);
    let post = published(&app, &page);

    let read = app.read(&post).await;
    let texts = texts.map(|(name, text)| (name, json!(text)));
    for (name, value) in texts.chain([
        ("title", json!("A first post")),
        ("body", json!("Some *text*.\nMore.")),
        ("tags", json!(["new", "b"])),
        ("visibility", json!("unlisted")),
    ]) {
        assert_eq!(read[name], value, "{name} of the new post");
    }
    app.update(&post, &json!({ "title": "changed" })).await;
    assert!(own_posts(&app).await.is_empty(), "the post has an owner");

    // A form needs no field but the text. Each time, there is another post.
    for action in [&[("action", "publish")][..], &[]] {
        let fields = [&[("body", "x")], action].concat();
        edit_path(&app, &app.submit("/write?lang=fr", &fields).await);
    }
    let list = app.get("/api/posts").await.ok();
    assert_eq!(list["total"], 2, "public posts");
}

/// A script that sends the form of a page and prefers JSON gets what the API responds, or the problem.
pub async fn a_script_that_sends_a_form_gets_json(mount: &Mount) {
    let app = App::new(mount).await;
    let send = |path: &str, fields: &[(&str, &str)]| {
        let call = app.submit(path, fields);
        call.header("accept", "application/json")
    };
    let created = send("/write", &POST).await.created();
    assert_eq!(app.read(&created).await["title"], "A first post");
    send("/write", &[("body", " ")])
        .await
        .problem("invalid_post");
    let edit = created.edit_page();
    let opened = field(&app.get(&edit).await, "revision");
    let saved = send(&edit, &[("revision", &opened), ("body", "New.")]).await;
    saved.expect_header("cache-control", "no-store");
    assert_eq!(saved.ok(), app.read(&created).await, "the saved post");
    send(&edit, &[("body", " ")]).await.problem("invalid_post");
    let stale = send(&edit, &[("revision", &opened), ("body", "Newer.")]);
    stale.await.problem("precondition_failed");

    let closed = with_key_requests(mount, KeyRequests::Closed).await;
    let send = |key| {
        let call = closed.submit("/write", &[("body", "x"), ("api_key", key)]);
        call.header("accept", "application/json")
    };
    send("").await.problem("missing_api_key");
    send("hb_wrong").await.problem("invalid_api_key");
    let created = send(&closed.key).await.created();
    assert_eq!(
        own_posts(&closed).await,
        [&*created.id],
        "the posts of the key"
    );
}

/// A form that is sent twice, for example by a double click without scripts, makes one post. With another
/// text, or after the page was opened again, it makes another.
pub async fn a_form_that_is_sent_twice_makes_one_post(mount: &Mount) {
    let app = App::new(mount).await;
    let opened = field(&app.get("/write").await, "idempotency_key");
    let send = async |key: &str, body: &str| {
        let fields = [("idempotency_key", key), ("body", body)];
        edit_path(&app, &app.submit("/write", &fields).await)
    };
    let first = send(&opened, "x").await;
    assert_eq!(send(&opened, "x").await, first, "the post of the same form");
    let changed = send(&opened, "y").await;
    let again = send(&field(&app.get("/write").await, "idempotency_key"), "x").await;
    assert!(changed != first && again != first && again != changed);
    // The key survives a preview and a fault.
    for fields in [
        [("body", ""), ("action", "publish")],
        [("body", "z"), ("action", "preview")],
    ] {
        let fields = [&[("idempotency_key", &*opened)][..], &fields].concat();
        let page = app.submit("/write", &fields).await;
        assert_eq!(field(&page, "idempotency_key"), opened, "{page}: the key");
    }
    let list = app.get("/api/posts").await.ok();
    assert_eq!(list["total"], 3, "posts");
    // A key that others could guess is not accepted.
    let weak = [("idempotency_key", "x"), ("body", "x")];
    app.submit("/write", &weak)
        .await
        .problem("invalid_parameter");
}

/// Where key requests are closed, `/write` needs an API key, and the post belongs to the key's owner. A
/// key that is missing or wrong is a fault of its field, and never repeated. Then the content is neither
/// checked nor rendered.
pub async fn the_write_page_needs_a_key_where_requests_are_closed(mount: &Mount) {
    let app = with_key_requests(mount, KeyRequests::Closed).await;
    let form = app.get("/write").await;
    assert!(has_key_field(&form), "{form}: it has no field for a key");
    let send = |key: &str| app.submit("/write", &[&POST[..], &[("api_key", key)]].concat());
    let revoked = app.with_another_key().await;
    let revoke = app.call("DELETE", "/api/keys/current");
    let revoke = revoke.header("x-api-key", &*revoked.key).await;
    revoke.expect_status(204);
    for key in ["", " ", "hb_wrong", &*revoked.key] {
        let page = send(key).await;
        page.expect_status(422)
            .expect_text(r#"id="api_key-error""#)
            .expect_text("Some *text*.")
            .expect_no_text("<em>text</em>");
        assert_eq!(field(&page, "title"), "A first post", "{page}: the title");
        if !key.trim().is_empty() {
            page.expect_no_text(key);
        }
    }
    let without = app.submit("/write", &POST).await;
    without.expect_status(422);
    let both = app.submit("/write", &[("body", " ")]).await;
    both.expect_status(422)
        .expect_no_text(r#"id="body-error""#)
        .expect_text(r#"id="api_key-error""#);
    assert!(own_posts(&app).await.is_empty(), "the posts of the key");

    let sent = send(&app.key).await;
    let page = app.get(&edit_path(&app, &sent)).await;
    let post = published(&app, &page);
    assert_eq!(own_posts(&app).await, [&*post.id], "the posts of the key");
}

/// A key that is sent where none is needed is used: the post belongs to its owner.
pub async fn a_key_that_the_write_page_does_not_need_is_used(mount: &Mount) {
    let app = App::new(mount).await;
    let send = |key: &str| app.submit("/write", &[("body", "x"), ("api_key", key)]);
    let page = send("x").await;
    page.expect_status(422).expect_text(r#"id="api_key-error""#);
    expect_no_post(&app).await;
    let sent = send(&app.key).await;
    let post = published(&app, &app.get(&edit_path(&app, &sent)).await);
    assert_eq!(own_posts(&app).await, [&*post.id], "the posts of the key");
}

/// Where the host decides on key requests, it also decides who writes without a key, and who the owner
/// of the post is.
pub async fn a_host_decides_who_writes_without_a_key(mount: &Mount) {
    let policy = KeyRequests::decided_by(async |request| {
        let visitor = request.headers.get("x-visitor");
        match visitor.and_then(|name| name.to_str().ok()?.parse::<Owner>().ok()) {
            Some(owner) => KeyGrant::GrantedTo(owner),
            None => KeyGrant::Refused,
        }
    });
    let app = with_key_requests(mount, policy).await;
    let form = app.get("/write").await;
    assert!(has_key_field(&form), "{form}: for a stranger");
    let form = app.get("/write").header("x-visitor", "ann").await;
    assert!(!has_key_field(&form), "{form}: for a known visitor");

    let send = || app.submit("/write", &[("body", "x")]);
    send().await.expect_status(422);
    expect_no_post(&app).await;
    let sent = send().header("x-visitor", "ann").await;
    let post = published(&app, &app.get(&edit_path(&app, &sent)).await);
    let key = app.call("POST", "/api/keys").header("x-visitor", "ann");
    let key = key.await.expect_status(201).json();
    let app = app.with_key(key["api_key"].as_str().unwrap());
    assert_eq!(own_posts(&app).await, [&*post.id], "the posts of the owner");
}

/// `/write` reports all invalid fields, and preserves what was typed.
pub async fn the_write_page_names_errors_and_preserves_what_was_typed(mount: &Mount) {
    let app = App::new(mount).await;
    let title = "x".repeat(201);
    let fields = [("title", &*title), ("body", " "), ("tags", "typed")];
    let page = app.submit("/write?lang=en", &fields).await;
    page.expect_status(422)
        .expect_text(r#"id="title-error""#)
        .expect_text("Title must be 200 characters or fewer; it has 201.")
        .expect_text(r#"id="body-error""#)
        .expect_text("<title>Error: ");
    assert_eq!(field(&page, "tags"), "typed", "{page}: tags");
    assert_eq!(field(&page, "title"), title, "{page}: title");
    let empty = app.submit("/write", &[]).await;
    empty.expect_status(422);
    let other = app.submit("/write", &[("action", "save"), ("body", "x")]);
    other.await.problem("invalid_parameter");
    expect_no_post(&app).await;
}

/// `/write` shows a preview and publishes nothing.
pub async fn the_write_page_previews_what_would_be_published(mount: &Mount) {
    for policy in [KeyRequests::Open, KeyRequests::Closed] {
        let app = with_key_requests(mount, policy).await;
        let fields = [
            ("action", "preview"),
            ("title", "New"),
            ("body", "Some *new* text."),
            ("tags", "#New tag"),
            ("api_key", "a secret"),
        ];
        let preview = app.submit("/write", &fields).await;
        for shown in ["<p>Some <em>new</em> text.</p>", ">New</h1>", "new tag"] {
            preview.expect_status(200).expect_text(shown);
        }
        preview.expect_no_text("a secret");
        assert_eq!(field(&preview, "tags"), "#New tag", "{preview}: the tags");
        expect_no_post(&app).await;
    }
}
