//! What a host does against a user, and what the user can still do.

use std::convert::Infallible;

use futures_util::stream;
use handbill::{EditToken, PostSelection, SignedIn};
use http_body::Frame;
use http_body_util::StreamBody;

use super::*;

fn owner(text: &str) -> Owner {
    text.parse().unwrap()
}

/// The posts of this owner, of each visibility, with their edit tokens.
async fn posts_of(handbill: &Handbill, name: &str) -> Vec<(PostId, EditToken)> {
    let mut posts = Vec::new();
    for visibility in Visibility::ALL {
        let draft = Draft::new().body("A post.").owner(owner(name));
        let created = handbill.posts().create(draft.visibility(visibility)).await;
        let created = created.unwrap();
        posts.push((created.id, created.edit.token));
    }
    posts
}

/// The status of a request that makes a post public.
async fn publish(handbill: &Handbill, id: PostId, name: &str, credential: &str) -> StatusCode {
    let request = Request::patch(format!("/api/posts/{id}"))
        .header(name, credential)
        .header("content-type", "application/json");
    let request = request
        .body(Full::from(r#"{"visibility":"public"}"#))
        .unwrap();
    send(handbill, request).await.status()
}

#[tokio::test]
async fn a_banned_user_does_not_come_back() {
    let handbill = handbill();
    let theirs = posts_of(&handbill, "user:42").await;
    let others = posts_of(&handbill, "user:43").await;
    let keys = handbill.keys();
    let key = keys.issue(None, Some(owner("user:42"))).await.unwrap().key;
    let banned = PostSelection::of_owner(owner("user:42"));

    // Unlisting alone takes nothing away.
    assert_eq!(handbill.posts().unlist_all(&banned).await.unwrap(), 1);
    let (id, token) = &theirs[0];
    assert_eq!(
        publish(&handbill, *id, "x-edit-token", token.expose()).await,
        200
    );

    assert_eq!(keys.revoke_all(&owner("user:42")).await.unwrap(), 1);
    let revoked = handbill.posts().revoke_edit_tokens(&banned).await;
    assert_eq!(revoked.unwrap(), 3);
    assert_eq!(handbill.posts().unlist_all(&banned).await.unwrap(), 1);
    for (id, token) in &theirs {
        let status = publish(&handbill, *id, "x-edit-token", token.expose()).await;
        assert!([403, 404].contains(&status.as_u16()), "{status}");
        assert_eq!(
            publish(&handbill, *id, "x-api-key", key.expose()).await,
            401
        );
        let page = Request::get(format!("/e/{}", token.expose()));
        assert_eq!(status_of(&handbill, page).await, 404);
        assert!(handbill.posts().read(*id).await.is_ok());
    }
    for (id, token) in &others {
        assert_eq!(
            publish(&handbill, *id, "x-edit-token", token.expose()).await,
            200
        );
    }
}

/// A client may send a body for as long as the server lets it.
#[tokio::test]
async fn a_key_that_is_revoked_while_a_request_arrives_is_refused() {
    let handbill = handbill();
    let (id, _) = posts_of(&handbill, "user:42").await.remove(0);
    let before = handbill.posts().read(id).await.unwrap();
    for (method, path) in [
        ("POST", "/api/posts".to_owned()),
        ("PUT", format!("/api/posts/{id}")),
        ("PATCH", format!("/api/posts/{id}")),
    ] {
        let key = handbill.keys().issue(None, Some(owner("user:42"))).await;
        let request = Request::builder()
            .method(method)
            .uri(&path)
            .header("x-api-key", key.unwrap().key.expose())
            .header("content-type", "application/json");
        let bans = handbill.clone();
        let body = stream::once(Box::pin(async move {
            bans.keys().revoke_all(&owner("user:42")).await.unwrap();
            Ok::<_, Infallible>(Frame::data(Bytes::from(r#"{"body":"Too late."}"#)))
        }));
        let request = request.body(StreamBody::new(body)).unwrap();
        let response = handbill.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 401, "{method} {path}");
    }
    assert_eq!(handbill.posts().read(id).await.unwrap(), before);
    let all = PageRequest::new(1, 10).unwrap();
    assert_eq!(handbill.posts().list(all).await.unwrap().total, 1);
}

#[tokio::test]
async fn a_key_and_a_login_of_the_owner_outlive_the_edit_tokens() {
    let handbill = handbill();
    let theirs = posts_of(&handbill, "user:42").await;
    let key = handbill.keys().issue(None, Some(owner("user:42"))).await;
    let key = key.unwrap().key;
    let ids = PostSelection::of_ids(theirs.iter().map(|(id, _)| *id));
    assert_eq!(handbill.posts().revoke_edit_tokens(&ids).await.unwrap(), 3);
    for (id, _) in &theirs {
        let form = Request::get(format!("/p/{id}/edit")).extension(SignedIn::new(owner("user:42")));
        assert_eq!(status_of(&handbill, form).await, 200);
        assert_eq!(
            publish(&handbill, *id, "x-api-key", key.expose()).await,
            200
        );
    }
}

#[tokio::test]
async fn the_author_of_a_post_gets_a_new_token_after_the_old_one_was_revoked() {
    let handbill = handbill();
    let mut tokens = posts_of(&handbill, "user:42").await;
    for number in 0..200 {
        let draft = Draft::new().body("x").tags([format!("tag {number}")]);
        let created = handbill.posts().create(draft).await.unwrap();
        tokens.push((created.id, created.edit.token));
    }
    let all = PostSelection::all();
    assert_eq!(
        handbill.posts().revoke_edit_tokens(&all).await.unwrap(),
        203
    );
    assert_eq!(
        handbill.posts().revoke_edit_tokens(&all).await.unwrap(),
        203
    );
    for (id, old) in tokens {
        let new = handbill.posts().replace_edit_token(id).await.unwrap();
        let status = publish(&handbill, id, "x-edit-token", new.token.expose()).await;
        assert_eq!(status, 200);
        let status = publish(&handbill, id, "x-edit-token", old.expose()).await;
        assert_eq!(status, 403);
    }
    let none = PostSelection::of_owner(owner("nobody"));
    assert_eq!(handbill.posts().revoke_edit_tokens(&none).await.unwrap(), 0);
}

#[tokio::test]
async fn the_keys_of_an_owner_are_listed_and_revoked_together() {
    let handbill = handbill();
    let keys = handbill.keys();
    let mut expected = Vec::new();
    for number in 0..3 {
        let label = format!("key {number}");
        let issued = keys.issue(Some(&label), Some(owner("user:42"))).await;
        expected.push(issued.unwrap().record);
        keys.issue(None, Some(owner("user:4"))).await.unwrap();
    }
    let own = keys.issue(None, None).await.unwrap().record;
    assert_eq!(keys.list_of(&owner("user:42")).await.unwrap(), expected);
    let of_itself = keys.list_of(&own.owner).await.unwrap();
    assert_eq!(of_itself.as_slice(), std::slice::from_ref(&own));
    assert_eq!(keys.list_of(&owner("USER:42")).await.unwrap(), []);

    assert_eq!(keys.revoke_all(&owner("user:42")).await.unwrap(), 3);
    assert_eq!(keys.revoke_all(&owner("user:42")).await.unwrap(), 0);
    assert_eq!(keys.list_of(&owner("user:42")).await.unwrap(), []);
    assert_eq!(keys.list().await.unwrap().len(), 4);
    assert_eq!(keys.revoke_all(&own.owner).await.unwrap(), 1);
}

/// Each key is revoked by one of the callers.
#[tokio::test]
async fn concurrent_callers_revoke_each_key_once() {
    let handbill = handbill();
    for _ in 0..50 {
        handbill
            .keys()
            .issue(None, Some(owner("user:42")))
            .await
            .unwrap();
    }
    let revoke = || {
        let handbill = handbill.clone();
        tokio::spawn(async move { handbill.keys().revoke_all(&owner("user:42")).await.unwrap() })
    };
    let callers = [revoke(), revoke()];
    let mut revoked = 0;
    for caller in callers {
        revoked += caller.await.unwrap();
    }
    assert_eq!(revoked, 50);
}
