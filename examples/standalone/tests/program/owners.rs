//! `handbill owners`.

use handbill_tests::load::{get, post_json};

use crate::place::{Place, send, stderr, stdout};

/// Also while the program serves.
#[tokio::test]
async fn an_owner_is_erased_when_the_operator_confirms_it() {
    let (place, program) = Place::started().await;
    let mut ids = Vec::new();
    let mut last_key = String::new();
    for (owner, posts) in [("user:42", 2), ("user:4", 1)] {
        let key = place.keys(&["issue", "--owner", owner]).await;
        last_key = format!("X-Api-Key: {}\r\n", stdout(&key).trim());
        for _ in 0..posts {
            let create = post_json("/api/posts", &last_key, r#"{"body":"x"}"#);
            let created = send(&program, &create).await.json();
            ids.push(created["id"].as_str().unwrap().to_owned());
        }
    }
    let deleted = place.run(&["posts", "delete", &ids[0], "--yes"]).await;
    assert!(deleted.status.success(), "{deleted:?}");
    let archive = async || stdout(&place.run(&["export"]).await).to_owned();
    assert_eq!(archive().await.matches("user:42").count(), 3);

    let would = place.run(&["owners", "erase", "user:42"]).await;
    assert!(would.status.success());
    assert_eq!(
        stderr(&would),
        "1 posts would be deleted, 1 keys revoked, and the owner removed from deleted posts; do it with --yes\n"
    );
    assert_eq!(
        archive().await.matches("user:42").count(),
        3,
        "nothing was done"
    );

    for expected in [
        "deleted 1 posts, revoked 1 keys; no deleted post names the owner\n",
        "deleted 0 posts, revoked 0 keys; no deleted post names the owner\n",
    ] {
        let done = place.run(&["owners", "erase", "user:42", "--yes"]).await;
        assert!(done.status.success());
        assert_eq!(stderr(&done), expected);
        let archive = archive().await;
        assert!(!archive.contains("user:42"), "{archive}");
    }
    let kept = send(&program, &get(&format!("/p/{}", ids[2]))).await;
    assert_eq!(kept.status, 200);
    let create = post_json("/api/posts", &last_key, r#"{"body":"x"}"#);
    assert_eq!(send(&program, &create).await.status, 201);
}

/// Also while the program serves, by its own process.
#[tokio::test]
async fn an_owner_is_banned_until_that_is_taken_back() {
    let (place, program) = Place::started().await;
    let issue = async || {
        let key = place.keys(&["issue", "--owner", "user:42"]).await;
        (
            key.status.success(),
            format!("X-Api-Key: {}\r\n", stdout(&key).trim()),
        )
    };
    let (_, key) = issue().await;
    let create = post_json("/api/posts", &key, r#"{"body":"x"}"#);
    let created = send(&program, &create).await.json();
    let edit = format!("/api/posts/{}", created["id"].as_str().unwrap());
    let ban = &["owners", "ban", "user:42"][..];
    for (arguments, said) in [
        (
            ban,
            "1 keys would be revoked, the private links of 1 posts ended, and nothing accepted from the owner; do it \
             with --yes\n",
        ),
        (
            &["owners", "ban", "user:42", "--yes"],
            "revoked 1 keys, ended the private links of 1 posts; nothing is accepted from the owner\n",
        ),
    ] {
        let done = place.run(arguments).await;
        assert!(done.status.success());
        assert_eq!(stderr(&done), said);
    }
    assert_eq!(send(&program, &create).await.status, 401);
    assert_eq!(send(&program, &get(&edit)).await.status, 200);
    assert!(!issue().await.0, "nothing is written for the owner");
    for said in [
        "the owner is not banned any more\n",
        "the owner was not banned\n",
    ] {
        let done = place.run(&["owners", "unban", "user:42"]).await;
        assert_eq!((done.status.success(), stderr(&done)), (true, said));
    }
    let (_, key) = issue().await;
    let create = post_json("/api/posts", &key, r#"{"body":"x"}"#);
    assert_eq!(send(&program, &create).await.status, 201);
}

#[tokio::test]
async fn an_owner_is_named_and_well_formed() {
    let place = Place::new();
    assert!(place.keys(&["issue"]).await.status.success());
    for arguments in [
        &["owners", "erase", "--yes"][..],
        &["owners", "erase", "two words", "--yes"],
        &["owners", "erase", "", "--yes"],
    ] {
        let refused = place.run(arguments).await;
        assert!(!refused.status.success(), "{arguments:?}");
        assert_eq!(stderr(&refused).lines().count(), 1, "{refused:?}");
    }
}
