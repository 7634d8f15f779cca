//! The posts of users, and what a moderator does.

use futures_util::TryStreamExt;
use handbill::host::{Author, AuthorKey, Verdict};
use handbill::{
    Actor, Code, Draft, FieldError, List, Owner, PageRequest, PostSelection, Tag, Timestamp,
    Visibility,
};
use http::Request;

use super::{Failure, handbill, send};

struct YourUser {
    owner: Owner,
    login: String,
    name: String,
}

fn user() -> YourUser {
    YourUser {
        owner: "user:42".parse().unwrap(),
        login: "ada".to_owned(),
        name: "Ada Lovelace".to_owned(),
    }
}

#[tokio::test]
async fn the_host_writes_for_a_user_and_lists_their_posts() -> Result<(), Failure> {
    let (handbill, user) = (handbill(), user());
    let draft = Draft::new()
        .body("Not finished yet.")
        .visibility(Visibility::Draft)
        .owner(user.owner.clone());
    let created = handbill.posts().create(draft).await?;

    let theirs = PageRequest::new(1, 20)?.with_list(List::AllOf(user.owner.clone()));
    let theirs = handbill.posts().list(theirs).await?;
    assert_eq!(theirs.total, 1);
    assert_eq!(theirs.posts[0].summary.id, created.id);
    let all = handbill.posts().list(PageRequest::new(1, 20)?).await?;
    assert_eq!(all.total, 0, "a draft is in no public list");

    let key = handbill.keys().issue(None, Some(user.owner)).await?.key;
    let read = Request::get(format!("/api/posts/{}", created.id));
    let with_key = || Request::get("/api/keys/current/posts").header("x-api-key", key.expose());
    let read = read.header("x-api-key", key.expose());
    assert_eq!(
        send(&handbill, read.body(Default::default())?)
            .await
            .status(),
        200
    );
    let theirs = send(&handbill, with_key().body(Default::default())?).await;
    assert!(theirs.body().contains(created.id.as_str()));
    Ok(())
}

async fn your_user_with_login(login: &str) -> Result<Option<YourUser>, Failure> {
    Ok((login == "ada").then(user))
}

async fn your_user_with_owner(_: &Owner) -> Result<Option<YourUser>, Failure> {
    Ok(Some(user()))
}

#[tokio::test]
async fn an_author_has_a_page() -> Result<(), Failure> {
    let handbill = handbill();
    let handbill = handbill.with_authors(|key| async move {
        let user = match key {
            AuthorKey::Slug(slug) => your_user_with_login(&slug).await?,
            AuthorKey::Owner(owner) => your_user_with_owner(&owner).await?,
        };
        let Some(user) = user else {
            return Ok(None);
        };
        Ok(Some(Author::new(user.owner, &user.login, &user.name)?))
    });
    for (path, status) in [("/by/ada", 200), ("/by/bob", 404)] {
        let request = Request::get(path).body(Default::default())?;
        assert_eq!(send(&handbill, request).await.status(), status);
    }
    Ok(())
}

#[tokio::test]
async fn a_review_decides_on_each_post() -> Result<(), Failure> {
    let handbill = handbill();
    let handbill = handbill.with_review(|submission| async move {
        if matches!(submission.by, Actor::Host | Actor::Staff(_) | Actor::Job(_)) {
            return Verdict::Accept;
        }
        if submission.body.contains("casino") {
            let words = "Please write without the word casino.";
            return Verdict::Refuse(vec![FieldError::refused("body", words)]);
        }
        let before = submission.before.as_ref();
        let was_public = before.is_some_and(|post| post.published_at.is_some());
        match submission.post.visibility {
            Visibility::Public if !was_public => Verdict::Hold,
            _ => Verdict::Accept,
        }
    });
    let user = handbill.by(Actor::SignedIn("user:42".parse()?));
    let posts = user.posts();
    let refused = posts.create(Draft::new().body("A casino.")).await;
    assert_eq!(refused.unwrap_err().code(), Code::Refused);
    let held = posts.create(Draft::new().body("My first post.")).await?;
    let held = posts.summary(held.id).await?;
    assert_eq!(held.visibility, Visibility::Draft);
    handbill
        .posts()
        .create(Draft::new().body("A casino."))
        .await?;
    Ok(())
}

#[tokio::test]
async fn a_banned_user_does_not_come_back() -> Result<(), Failure> {
    let (handbill, user) = (handbill(), user());
    let draft = Draft::new().body("Spam.").owner(user.owner.clone());
    let created = handbill.posts().create(draft).await?;
    let key = handbill
        .keys()
        .issue(None, Some(user.owner.clone()))
        .await?
        .key;

    handbill.ban(&user.owner).await?;
    let theirs = PostSelection::of_owner(user.owner.clone());
    handbill.posts().unlist_all(&theirs).await?;

    let publish = |name: &str, secret: &str| {
        Request::patch(format!("/api/posts/{}", created.id))
            .header("content-type", "application/json")
            .header(name, secret)
            .body(r#"{"visibility":"public"}"#.into())
    };
    let by_token = publish("x-edit-token", created.edit.token.expose())?;
    assert_eq!(send(&handbill, by_token).await.status(), 403);
    let by_key = publish("x-api-key", key.expose())?;
    assert_eq!(send(&handbill, by_key).await.status(), 401);
    let post = handbill.posts().summary(created.id).await?;
    assert_eq!(post.visibility, Visibility::Unlisted);
    let draft = Draft::new().body("Again.").owner(user.owner.clone());
    let refused = handbill.posts().create(draft).await.unwrap_err();
    assert_eq!(refused.code(), Code::Refused);
    assert!(handbill.unban(&user.owner).await?);
    Ok(())
}

#[tokio::test]
async fn a_wave_of_spam_is_deleted() -> Result<(), Failure> {
    let handbill = handbill();
    let [ham, spam] = [Draft::new().body("Ham."), Draft::new().body("Spam.")];
    let ham = handbill.posts().create(ham).await?.id;
    let spam = handbill.posts().create(spam.tags(["casino"])).await?.id;

    let since: Timestamp = "2026-11-20T08:00:00Z".parse()?;
    let tag: Tag = "casino".parse()?;
    let wave = PostSelection::all().with_tag(tag).with_since(since);
    let mut posts = handbill.posts().visit(&wave);
    while let Some(post) = posts.try_next().await? {
        println!("{} {}", post.id, post.name().unwrap_or_default());
    }
    let deleted = handbill.posts().delete_all(&wave).await?;

    assert_eq!(deleted, 1);
    assert!(handbill.posts().read(ham).await.is_ok());
    let gone = handbill.posts().read(spam).await.unwrap_err();
    assert_eq!(gone.code(), Code::Gone);
    Ok(())
}
