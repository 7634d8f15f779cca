//! What a host does against a user, and what the user can still do.

use std::convert::Infallible;

use futures_util::stream;
use handbill::host::Verdict;
use handbill::{Actor, EditToken, List, PostSelection, SignedIn};
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

/// A request of `/write` by this visitor, and its body.
pub(crate) fn form_of(name: &str) -> (http::request::Builder, String) {
    let request = signed_in::request("POST", "/write", Some(name));
    let request = request.header("content-type", signed_in::FORM);
    (request, "action=publish&body=Typed.".to_owned())
}

/// Sends a request, with something that happens before its body arrives. A client may send that for as long as the
/// server lets it. Returns the status and the response's body.
pub(crate) async fn send_during(
    handbill: &Handbill,
    (request, body): (http::request::Builder, String),
    during: impl Future<Output = ()> + Send + 'static,
) -> (u16, String) {
    let body = stream::once(Box::pin(async move {
        during.await;
        Ok::<_, Infallible>(Frame::data(Bytes::from(body)))
    }));
    let request = request.body(StreamBody::new(body)).unwrap();
    let response = handbill.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

/// Each way in which a user can write, with what a ban in the meantime makes of it.
async fn ways_of(handbill: &Handbill, user: &str) -> Vec<(http::request::Builder, String, u16)> {
    let (id, token) = posts_of(handbill, user).await.remove(0);
    let key = handbill.keys().issue(None, Some(owner(user))).await;
    let key = key.unwrap().key;
    let json = |method: &str, path: &str, name: &str, credential: &str| {
        let request = Request::builder().method(method).uri(path);
        let request = request.header(name, credential);
        request.header("content-type", "application/json")
    };
    let post = format!("/api/posts/{id}");
    let edit = signed_in::request("POST", &format!("/p/{id}/edit"), Some(user));
    let (write, typed) = form_of(user);
    let body = r#"{"body":"Typed."}"#.to_owned();
    let of_key = |method, path| json(method, path, "x-api-key", key.expose());
    vec![
        (of_key("POST", "/api/posts"), body.clone(), 401),
        (of_key("PATCH", &post), body.clone(), 401),
        (of_key("PUT", &post), body.clone(), 401),
        (
            json("PATCH", &post, "x-edit-token", token.expose()),
            body,
            403,
        ),
        (write, typed, 422),
        (
            edit.header("content-type", signed_in::FORM),
            "action=save&body=Typed.".to_owned(),
            422,
        ),
    ]
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

    let done = handbill.ban(&owner("user:42")).await.unwrap();
    assert_eq!((done.keys, done.edit_tokens), (1, 3));
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

/// Of the host's own code, what it does in the name of the owner is refused.
#[tokio::test]
async fn the_hosts_code_writes_nothing_in_the_name_of_a_banned_owner() {
    let handbill = handbill();
    let (id, _) = posts_of(&handbill, "user:42").await.remove(0);
    handbill.ban(&owner("user:42")).await.unwrap();
    let draft = || Draft::new().body("New.").owner(owner("user:42"));
    let change = || Draft::new().body("Changed.");
    let by_user = handbill.by(Actor::SignedIn(owner("user:42")));
    let refused = |code: Option<Problem>| assert_eq!(code.unwrap().code(), Code::Refused);
    refused(handbill.posts().create(draft()).await.err());
    refused(handbill.posts().create_once("1", draft()).await.err());
    refused(
        handbill
            .keys()
            .issue(None, Some(owner("user:42")))
            .await
            .err(),
    );
    refused(by_user.posts().update(id, change()).await.err());
    refused(by_user.posts().replace_edit_token(id).await.err());
    refused(by_user.posts().delete(id).await.err());

    let staff = handbill.by(Actor::Staff(owner("user:1")));
    for host in [&handbill, &staff] {
        host.posts().update(id, change()).await.unwrap();
        host.posts().replace_edit_token(id).await.unwrap();
    }
    let posts_of_staff = SignedIn::new(owner("user:1")).with_all_posts();
    let form = Request::post(format!("/p/{id}/edit")).extension(posts_of_staff);
    let form = form.header("content-type", signed_in::FORM);
    let saved = send(&handbill, form.body(Full::from("body=Of+staff.")).unwrap());
    assert_eq!(saved.await.status(), 303);

    assert!(handbill.unban(&owner("user:42")).await.unwrap());
    assert!(!handbill.unban(&owner("user:42")).await.unwrap());
    handbill.posts().create(draft()).await.unwrap();
    by_user.posts().delete(id).await.unwrap();
}

#[tokio::test]
async fn a_key_that_is_revoked_or_a_user_who_is_banned_while_a_request_arrives_is_refused() {
    let handbill = handbill();
    for way in 0..6 {
        let user = format!("user:{way}");
        let (request, body, status) = ways_of(&handbill, &user).await.swap_remove(way);
        let bans = handbill.clone();
        let banned = owner(&user);
        let during = async move {
            match status {
                401 => assert_eq!(bans.keys().revoke_all(&banned).await.unwrap(), 1),
                _ => assert_eq!(bans.ban(&banned).await.unwrap().keys, 1),
            }
        };
        let (found, body) = send_during(&handbill, (request, body), during).await;
        assert_eq!(found, status, "{way}: {body}");
        assert_eq!(status == 422, body.contains("Typed."), "{way}: {body}");
        nothing_was_typed(&handbill, &user).await;
    }
}

/// Between the decision of the host's review and the write.
#[tokio::test]
async fn a_ban_during_a_review_refuses_what_is_reviewed() {
    let store = MemoryStore::new();
    let bans = Handbill::new(BASE, store.clone()).unwrap();
    let handbill = bans.clone().with_rate_limits(RateLimits::off());
    for way in 0..6 {
        let user = format!("user:{way}");
        let (request, body, status) = ways_of(&handbill, &user).await.swap_remove(way);
        let (bans, banned) = (bans.clone(), owner(&user));
        let reviewed = handbill.clone().with_review(move |_| {
            let (bans, banned) = (bans.clone(), banned.clone());
            async move {
                bans.ban(&banned).await.unwrap();
                Verdict::Accept
            }
        });
        let (found, body) = send_during(&reviewed, (request, body), async {}).await;
        // A ban has replaced the edit token, which is known to be barred at once.
        let status = if status == 403 { 422 } else { status };
        assert_eq!(found, status, "{way}: {body}");
        nothing_was_typed(&handbill, &user).await;
    }
}

/// No post of the owner has what was sent.
async fn nothing_was_typed(handbill: &Handbill, user: &str) {
    let page = PageRequest::new(1, 50).unwrap();
    let page = page.with_list(List::AllOf(owner(user))).with_bodies(true);
    let theirs = handbill.posts().list(page).await.unwrap();
    let bodies = theirs.posts.iter().map(|post| post.body.as_deref());
    assert!(bodies.eq([Some("A post."); 3]), "{theirs:?}");
}

/// What one of them did, the other did not do again.
#[tokio::test]
async fn two_bans_at_once_do_together_what_one_does() {
    let handbill = handbill();
    let user = owner("user:42");
    for _ in 0..20 {
        handbill
            .keys()
            .issue(None, Some(user.clone()))
            .await
            .unwrap();
    }
    let (one, other) = tokio::join!(handbill.ban(&user), handbill.ban(&user));
    assert_eq!(one.unwrap().keys + other.unwrap().keys, 20);
    assert_eq!(handbill.keys().list_of(&user).await.unwrap(), []);
}

/// Of a bar, 2 keys and 8 posts. From the first write on, nothing is written in the owner's name.
#[tokio::test]
async fn a_ban_that_is_killed_half_way_holds_and_is_completed_by_another() {
    let user = owner("user:42");
    for writes in 0..=11 {
        let store = MemoryStore::new();
        let handbill = Handbill::new(BASE, store.clone()).unwrap();
        let handbill = handbill.with_rate_limits(RateLimits::off());
        erasing::populate(&handbill, &user).await;
        let tokens = posts_of(&handbill, "user:42").await;
        let killed = Handbill::new(BASE, erasing::FailsAfter::new(&store, writes)).unwrap();
        assert_eq!(killed.ban(&user).await.is_ok(), writes >= 11, "{writes}");

        let draft = Draft::new().body("Again.").owner(user.clone());
        let created = handbill.posts().create(draft).await;
        assert_eq!(created.is_ok(), writes == 0, "{writes}");
        let done = handbill.ban(&user).await.unwrap();
        assert_eq!(done.keys, 2 - writes.saturating_sub(1).min(2), "{writes}");
        for (id, token) in tokens {
            let status = publish(&handbill, id, "x-edit-token", token.expose()).await;
            assert!([403, 404].contains(&status.as_u16()), "{status}");
        }
    }
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
