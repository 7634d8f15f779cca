//! Posts that imports and jobs create once, whatever interrupts them.

use handbill_sql::SqliteStore;
use tokio::task::JoinSet;

use super::*;
use crate::listener::heard;

async fn code(creating: impl Future<Output = Result<CreatedPost, Problem>>) -> Code {
    creating.await.unwrap_err().code()
}

async fn total(handbill: &Handbill) -> u64 {
    let first = PageRequest::new(1, 20).unwrap();
    handbill.posts().list(first).await.unwrap().total
}

#[tokio::test]
async fn a_key_creates_one_post_whatever_the_draft_is_later() {
    let store = MemoryStore::new();
    let (handbill, mut heard) = heard(Handbill::new(BASE, store.clone()).unwrap());
    let posts = handbill.posts();
    let owner: Owner = "user:42".parse().unwrap();
    let draft = Draft::new().title("First").body("One.");
    let first = posts.create_once("article:1", draft.owner(owner)).await;
    let first = first.unwrap();
    assert_eq!(first.url, posts.url(first.id));
    posts
        .update(first.id, Draft::new().title("Changed"))
        .await
        .unwrap();

    // Another process, later.
    let later = Handbill::new(BASE, store).unwrap();
    let draft = Draft::new().body("Two.");
    let repeated = later.posts().create_once("article:1", draft).await.unwrap();
    assert_eq!(repeated.id, first.id);
    assert_eq!(repeated.edit.token.expose(), first.edit.token.expose());
    let other = posts.create_once("article:2", Draft::new().body("One."));
    let other = other.await.unwrap();
    assert_ne!(other.id, first.id);
    assert_ne!(other.edit.token.expose(), first.edit.token.expose());

    let post = posts.read(first.id).await.unwrap();
    assert_eq!(post.summary.title.as_deref(), Some("Changed"));
    assert_eq!(post.body, "One.");
    assert_eq!(
        post.summary.owner.as_ref().map(Owner::as_str),
        Some("user:42")
    );
    let mut names = Vec::new();
    for _ in 0..3 {
        names.push(heard.recv().await.unwrap().name());
    }
    assert_eq!(names, ["post.created", "post.updated", "post.created"]);
}

#[tokio::test]
async fn a_key_stays_used_after_its_post_was_deleted() {
    let handbill = handbill();
    let posts = handbill.posts();
    let create = async || {
        let draft = Draft::new().body("x").visibility(Visibility::Draft);
        posts.create_once("job", draft).await.unwrap()
    };
    let first = create().await;
    posts.delete(first.id).await.unwrap();
    let again = create().await;
    assert_eq!(again.id, first.id);
    assert_eq!(posts.read(again.id).await.unwrap_err().code(), Code::Gone);
}

#[tokio::test]
async fn a_key_whose_post_has_another_edit_token_says_so() {
    let handbill = handbill();
    let posts = handbill.posts();
    let create = || posts.create_once("job", Draft::new().body("x"));
    assert_eq!(posts.find_created("job").await.unwrap(), None);
    let first = create().await.unwrap();
    posts.replace_edit_token(first.id).await.unwrap();
    assert_eq!(code(create()).await, Code::EditTokenReplaced);
    assert_eq!(posts.find_created("job").await.unwrap(), Some(first.id));
    posts.delete(first.id).await.unwrap();
    assert_eq!(code(create()).await, Code::EditTokenReplaced);
    assert_eq!(posts.find_created("job").await.unwrap(), Some(first.id));
    assert_eq!(posts.find_created("other").await.unwrap(), None);
}

#[tokio::test]
async fn a_key_has_1_to_255_visible_ascii_characters() {
    let handbill = handbill();
    let create = |key: &str| {
        let (handbill, key) = (handbill.clone(), key.to_owned());
        async move {
            handbill
                .posts()
                .create_once(&key, Draft::new().body("x"))
                .await
        }
    };
    for valid in ["1", &"x".repeat(255), "!~\"'\\%_$1"] {
        assert!(create(valid).await.is_ok(), "{valid}");
    }
    for invalid in [
        "",
        &"x".repeat(256),
        "two words",
        "é",
        "a\n",
        "a\0",
        "\u{7f}",
    ] {
        assert_eq!(code(create(invalid)).await, Code::InvalidIdempotencyKey);
    }
    assert_eq!(total(&handbill).await, 3);
}

#[tokio::test]
async fn a_draft_that_is_not_valid_uses_no_key() {
    let handbill = handbill();
    let posts = handbill.posts();
    let faulty = || posts.create_once("job", Draft::new().title("x".repeat(201)));
    let problem = faulty().await.unwrap_err();
    assert_eq!(problem.code(), Code::InvalidPost);
    assert_eq!(problem.errors().len(), 2);
    let created = posts.create_once("job", Draft::new().body("x")).await;
    assert!(created.is_ok());
    assert_eq!(code(faulty()).await, Code::InvalidPost);
}

/// Clients choose their keys, and may guess those of the host.
#[tokio::test]
async fn a_client_s_idempotency_key_never_finds_the_hosts_post() {
    let handbill = handbill();
    let draft = Draft::new().body("x");
    let hosts = handbill.posts().create_once("job", draft).await.unwrap();
    let key = handbill.keys().issue(None, None).await.unwrap().key;
    let request = Request::post("/api/posts")
        .header("x-api-key", key.expose())
        .header("idempotency-key", "job")
        .header("content-type", "application/json");
    let request = request.body(Full::from(r#"{"body":"x"}"#)).unwrap();
    let clients: Value = serde_json::from_slice(send(&handbill, request).await.body()).unwrap();
    assert_ne!(clients["id"], hosts.id.as_str());
    assert_ne!(clients["edit_token"], hosts.edit.token.expose());
}

#[tokio::test]
async fn of_concurrent_calls_with_one_key_one_creates_the_post() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("posts.db");
    let memory = MemoryStore::new();
    let stores: [[Arc<dyn Store>; 2]; 2] = [
        [Arc::new(memory.clone()), Arc::new(memory)],
        [
            Arc::new(SqliteStore::open(&file).await.unwrap()),
            Arc::new(SqliteStore::open(&file).await.unwrap()),
        ],
    ];
    for stores in stores {
        let services = stores.map(|store| Handbill::new(BASE, store).unwrap());
        let mut calls = JoinSet::new();
        for call in 0..16 {
            let handbill = services[call % 2].clone();
            calls.spawn(async move {
                let draft = Draft::new().body(format!("Of call {call}."));
                let created = handbill.posts().create_once("job", draft).await.unwrap();
                (created.id, created.edit.token.expose().to_owned())
            });
        }
        let created = calls.join_all().await;
        assert!(created.iter().all(|one| *one == created[0]), "{created:?}");
        assert_eq!(total(&services[1]).await, 1);
    }
}
