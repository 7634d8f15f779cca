//! Changes that the host makes to a post as it knows it.

use handbill::Revision;
use handbill_sql::SqliteStore;
use tokio::task::JoinSet;

use super::*;

#[tokio::test]
async fn a_change_of_a_revision_that_was_replaced_is_refused() {
    let handbill = handbill();
    let posts = handbill.posts();
    let created = posts
        .create(Draft::new().title("A").body("x"))
        .await
        .unwrap();
    let first = posts.summary(created.id).await.unwrap().revision;
    let update = async |expected: Revision, title: &str| {
        let draft = Draft::new().title(title);
        let updated = posts.update_if(created.id, expected, draft).await;
        updated
            .map(|post| post.summary.revision)
            .map_err(|problem| problem.code())
    };
    let second = update(first, "B").await.unwrap();
    assert_ne!(second, first);
    for title in ["C", "B"] {
        assert_eq!(update(first, title).await, Err(Code::PreconditionFailed));
    }
    assert_eq!(update(second, "B").await, Ok(second), "nothing to change");

    // Another edit token is another revision, which readers do not see.
    posts.replace_edit_token(created.id).await.unwrap();
    assert_eq!(update(second, "D").await, Err(Code::PreconditionFailed));
    let third = posts.summary(created.id).await.unwrap();
    assert_eq!(third.title.as_deref(), Some("B"));
    assert_eq!(update(third.revision, "").await.map(|_| ()), Ok(()));
    assert_eq!(posts.summary(created.id).await.unwrap().title, None);
    let never = Revision::from_number(1000);
    assert_eq!(update(never, "E").await, Err(Code::PreconditionFailed));
}

#[tokio::test]
async fn a_change_of_no_post_and_a_faulty_one_are_named() {
    let handbill = handbill();
    let posts = handbill.posts();
    let created = posts.create(Draft::new().body("x")).await.unwrap();
    let revision = posts.summary(created.id).await.unwrap().revision;
    let update = async |id: PostId, title: &str| {
        let updated = posts
            .update_if(id, revision, Draft::new().title(title))
            .await;
        updated.unwrap_err().code()
    };
    let long = "x".repeat(201);
    assert_eq!(update(created.id, &long).await, Code::InvalidPost);
    assert_eq!(update(PostId::generate(), "x").await, Code::NotFound);
    posts.delete(created.id).await.unwrap();
    assert_eq!(update(created.id, "x").await, Code::Gone);
}

#[tokio::test]
async fn of_concurrent_changes_of_one_revision_one_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteStore::open(folder.path().join("posts.db")).await;
    let stores: [Arc<dyn Store>; 2] = [Arc::new(MemoryStore::new()), Arc::new(sqlite.unwrap())];
    for store in stores {
        let handbill = Handbill::new(BASE, store).unwrap();
        let created = handbill.posts().create(Draft::new().body("0")).await;
        let id = created.unwrap().id;
        for round in 1..=10 {
            let before = handbill.posts().summary(id).await.unwrap().revision;
            let mut calls = JoinSet::new();
            for call in 0..8 {
                let handbill = handbill.clone();
                calls.spawn(async move {
                    let draft = Draft::new().body(format!("Call {call} of round {round}"));
                    let updated = handbill.posts().update_if(id, before, draft).await;
                    updated
                        .map(|post| post.body)
                        .map_err(|problem| problem.code())
                });
            }
            let (made, refused): (Vec<_>, Vec<_>) =
                calls.join_all().await.into_iter().partition(Result::is_ok);
            assert_eq!(made.len(), 1, "{made:?}");
            let refusal = Err(Code::PreconditionFailed);
            assert!(
                refused.iter().all(|outcome| *outcome == refusal),
                "{refused:?}"
            );
            let body = handbill.posts().read(id).await.unwrap().body;
            assert_eq!(made, [Ok(body)]);
        }
    }
}

#[tokio::test]
async fn a_summary_is_what_a_read_has_without_the_body() {
    let handbill = handbill();
    let posts = handbill.posts();
    for visibility in Visibility::ALL {
        let draft = Draft::new()
            .title("Hello")
            .body("# One\n\nTwo.")
            .tags(["a"]);
        let draft = draft
            .owner("user:42".parse().unwrap())
            .visibility(visibility);
        let id = posts.create(draft).await.unwrap().id;
        let summary = posts.summary(id).await.unwrap();
        assert_eq!(summary, posts.read(id).await.unwrap().summary);
        posts.delete(id).await.unwrap();
        assert_eq!(posts.summary(id).await.unwrap_err().code(), Code::Gone);
    }
    let unknown = posts.summary(PostId::generate()).await.unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound);
}
