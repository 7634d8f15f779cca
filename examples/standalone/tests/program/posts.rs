//! `handbill posts`.

use std::time::SystemTime;

use handbill::{Store, Timestamp};
use handbill_sql::SqliteStore;
use handbill_tests::load::{get, post_json};
use handbill_tests::program::Program;
use serde_json::Value;

use crate::place::{Place, issued_key, new_key, send, stderr, stdout};

async fn create(program: &Program, key: &str, post: &str) -> String {
    let headers = format!("X-Api-Key: {key}\r\n");
    let created = send(program, &post_json("/api/posts", &headers, post)).await;
    assert_eq!(created.status, 201);
    created.json()["id"].as_str().unwrap().to_owned()
}

async fn status(program: &Program, id: &str) -> u16 {
    send(program, &get(&format!("/p/{id}"))).await.status.into()
}

#[tokio::test]
async fn posts_of_an_owner_are_unlisted_and_deleted_while_the_program_serves() {
    let (place, program) = Place::started().await;
    let spammer = place.keys(&["issue", "--owner", "spammer"]).await;
    let spammer = stdout(&spammer).trim();
    let other = new_key(&program).await;
    let other = create(&program, &other, r#"{"body":"Kept."}"#).await;
    let spam = create(&program, spammer, r#"{"title":"Buy this","body":"Spam."}"#).await;
    let draft = create(
        &program,
        spammer,
        r#"{"body":"Draft.","visibility":"draft"}"#,
    )
    .await;

    let listed = place.run(&["posts", "list", "--owner", "spammer"]).await;
    let lines: Vec<Vec<_>> = stdout(&listed)
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(lines.len(), 2, "{listed:?}");
    assert_eq!(
        [lines[0][0], lines[0][2], lines[0][3]],
        [&*draft, "draft", "spammer"]
    );
    assert_eq!(
        [lines[1][0], lines[1][2], lines[1][4]],
        [&*spam, "public", "Buy this"]
    );
    let all = place.run(&["posts", "list"]).await;
    assert_eq!(stdout(&all).lines().count(), 3);

    let would = place.run(&["posts", "unlist", "--owner", "spammer"]).await;
    assert_eq!(
        stderr(&would),
        "1 public posts would be unlisted, and the private links of 2 posts would end; do it with --yes\n"
    );
    let list = async || send(&program, &get("/api/posts")).await.json()["total"].clone();
    assert_eq!(list().await, 2);
    let done = place
        .run(&["posts", "unlist", "--owner", "spammer", "--yes"])
        .await;
    assert_eq!(
        stderr(&done),
        "unlisted 1 posts, and ended the private links of 2 posts\n\
         1 keys of their owners can make them public again; `keys list` shows them, and `keys revoke` ends one\n"
    );
    shows(async || list().await == 1).await;
    assert_eq!(status(&program, &spam).await, 200);
    assert_eq!(status(&program, &draft).await, 404, "a draft stays one");

    let would = place.run(&["posts", "delete", "--owner", "spammer"]).await;
    assert!(
        stderr(&would).contains("2 posts would be deleted"),
        "{would:?}"
    );
    let done = place
        .run(&["posts", "delete", "--owner", "spammer", "--yes"])
        .await;
    assert_eq!(stderr(&done), "deleted 2 posts\n");
    shows(async || status(&program, &spam).await == 410).await;
    assert_eq!(status(&program, &other).await, 200);
}

/// Other processes see a change within 50 ms.
async fn shows(is_there: impl AsyncFn() -> bool) {
    let shown = async {
        while !is_there().await {
            tokio::task::yield_now().await;
        }
    };
    let limit = std::time::Duration::from_secs(30);
    tokio::time::timeout(limit, shown).await.unwrap();
}

#[tokio::test]
async fn posts_are_named_by_tag_by_time_and_by_id() {
    let (place, program) = Place::started().await;
    let key = new_key(&program).await;
    let tagged = create(
        &program,
        &key,
        r#"{"body":"x","tags":"Spam","visibility":"unlisted"}"#,
    )
    .await;
    let other = create(&program, &key, r#"{"body":"x"}"#).await;
    let ids = async |arguments: &[&str]| {
        let listed = place.run(&[&["posts", "list"], arguments].concat()).await;
        let ids = stdout(&listed).lines().map(|line| line[..10].to_owned());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(ids(&["--tag", "#spam"]).await, [&*tagged]);
    assert_eq!(
        ids(&["--tag", "spam", "--since", "2099-01-01"]).await,
        [""; 0]
    );
    assert_eq!(
        ids(&["--since", "2020-01-01T00:00:00Z"]).await,
        [&*other, &tagged]
    );
    assert_eq!(ids(&[&*other]).await, [&*other]);

    let done = place
        .run(&["posts", "delete", &tagged, &tagged, "--yes"])
        .await;
    assert_eq!(stderr(&done), "deleted 1 posts\n");
    // A mistyped id is named before anything is done.
    let failed = place
        .run(&["posts", "delete", &other, &tagged, "--yes"])
        .await;
    assert!(!failed.status.success());
    assert!(
        stderr(&failed).contains(&format!("no post {tagged}; nothing was done")),
        "{failed:?}"
    );
    assert_eq!(status(&program, &other).await, 200);
}

#[tokio::test]
async fn nothing_is_deleted_unless_posts_are_named() {
    let place = Place::new();
    assert!(place.keys(&["issue"]).await.status.success());
    for arguments in [
        &["posts", "delete", "--yes"][..],
        &["posts", "unlist", "--yes"],
        &["posts", "delete", "kqzvbnmtrd", "--owner", "x", "--yes"],
        &["posts", "delete", "--since", "soon", "--yes"],
        &["posts", "delete", "--tag", "", "--yes"],
        &["posts", "delete", "--owner", "two words", "--yes"],
        &["posts", "delete", "no-id", "--yes"],
    ] {
        let refused = place.run(arguments).await;
        assert!(!refused.status.success(), "{arguments:?}");
        assert_eq!(stderr(&refused).lines().count(), 1, "{refused:?}");
    }
}

/// Also while the program serves.
#[tokio::test]
async fn a_post_gets_a_new_private_link_which_ends_the_old_one() {
    let (place, program) = Place::started().await;
    let key = new_key(&program).await;
    let header = format!("X-Api-Key: {}\r\n", key);
    let create = post_json("/api/posts", &header, r#"{"body":"Whose link was lost."}"#);
    let created = send(&program, &create).await.json();
    let edit_page = async |token: &str| {
        let page = send(&program, &get(&format!("/e/{token}"))).await;
        page.status.as_u16()
    };
    let id = created["id"].as_str().unwrap();
    let arguments = [
        "posts",
        "edit-address",
        id,
        "--base-url",
        "https://blog.example",
    ];
    let renewed = place.run(&arguments).await;
    let address = stdout(&renewed).trim();
    let token = address.strip_prefix("https://blog.example/e/");
    let token = token.unwrap_or_else(|| panic!("{renewed:?}"));
    assert_eq!(edit_page(token).await, 200);
    assert_eq!(
        edit_page(created["edit_token"].as_str().unwrap()).await,
        404
    );

    let unknown = place.run(&["posts", "edit-address", "kqzvbnmtrd"]).await;
    assert!(!unknown.status.success());
    assert_eq!(stderr(&unknown).lines().count(), 1, "{unknown:?}");
}

/// The status of a request that makes a post public with its edit token.
async fn publish(program: &Program, post: &Value) -> u16 {
    let body = r#"{"visibility":"public"}"#;
    let request = format!(
        "PATCH /api/posts/{} HTTP/1.1\r\nHost: x\r\nX-Edit-Token: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        post["id"].as_str().unwrap(),
        post["edit_token"].as_str().unwrap(),
        body.len(),
    );
    send(program, request.as_bytes()).await.status.into()
}

#[tokio::test]
async fn unlisted_posts_come_back_only_if_their_private_links_are_left() {
    let (place, program) = Place::started().await;
    let key = issued_key(&program).await;
    let headers = format!("X-Api-Key: {}\r\n", key["api_key"].as_str().unwrap());
    let create = async |post: &str| {
        let created = send(&program, &post_json("/api/posts", &headers, post)).await;
        created.json()
    };
    let post = create(r#"{"body":"x","tags":"spam"}"#).await;
    let draft = create(r#"{"body":"x","tags":"spam","visibility":"draft"}"#).await;
    assert!(
        place
            .keys(&["revoke", key["id"].as_str().unwrap()])
            .await
            .status
            .success()
    );

    let would = place
        .run(&["posts", "unlist", "--tag", "spam", "--keep-links"])
        .await;
    assert_eq!(
        stderr(&would),
        "1 public posts would be unlisted; do it with --yes\n"
    );
    let done = place
        .run(&["posts", "unlist", "--tag", "spam", "--keep-links", "--yes"])
        .await;
    assert_eq!(
        stderr(&done),
        "unlisted 1 posts; who has their private links can make them public again\n"
    );
    assert_eq!(publish(&program, &post).await, 200);

    let done = place
        .run(&["posts", "unlist", "--tag", "spam", "--yes"])
        .await;
    assert_eq!(
        stderr(&done),
        "unlisted 1 posts, and ended the private links of 2 posts\n"
    );
    assert_eq!(publish(&program, &post).await, 403);
    assert_eq!(publish(&program, &draft).await, 404);
    assert_eq!(status(&program, post["id"].as_str().unwrap()).await, 200);

    let renewed = place
        .run(&["posts", "edit-address", post["id"].as_str().unwrap()])
        .await;
    let (_, token) = stdout(&renewed).trim().rsplit_once('/').unwrap();
    let renewed = serde_json::json!({ "id": post["id"], "edit_token": token });
    assert_eq!(publish(&program, &renewed).await, 200);
}

#[tokio::test]
async fn durable_listeners_hear_that_the_operator_did_it() {
    let place = Place::new();
    let issued = place.keys(&["issue"]).await;
    assert!(issued.status.success(), "{issued:?}");
    let store = SqliteStore::open(place.file("posts.db")).await.unwrap();
    let outbox = store.outbox().unwrap();
    outbox.add_listener("audit").await.unwrap();
    let issued = place.keys(&["issue", "--label", "ci"]).await;
    assert!(issued.status.success(), "{issued:?}");
    let now = Timestamp::from(SystemTime::now());
    let due = outbox.due_changes("audit", now, 10).await.unwrap();
    let [change] = &due[..] else {
        panic!("{due:?}");
    };
    assert!(
        change.text.contains(r#""by":"operator""#),
        "{}",
        change.text
    );
    assert!(change.text.contains(r#""label":"ci""#), "{}", change.text);
}
