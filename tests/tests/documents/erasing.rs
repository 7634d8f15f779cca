//! Erasing a user who leaves.

use handbill::{Code, Draft, Owner, Visibility};

use super::{Failure, handbill};

struct YourUser {
    owner: Owner,
}

#[tokio::test]
async fn nothing_of_a_user_is_left() -> Result<(), Failure> {
    let handbill = handbill();
    let user = YourUser {
        owner: "user:4711".parse()?,
    };
    let draft = || Draft::new().body("Mine.").owner(user.owner.clone());
    let posts = handbill.posts();
    let public = posts.create(draft()).await?.id;
    posts.create(draft().visibility(Visibility::Draft)).await?;
    let deleted = posts.create(draft()).await?.id;
    posts.delete(deleted).await?;
    handbill
        .keys()
        .issue(None, Some(user.owner.clone()))
        .await?;

    let erased = handbill.erase_owner(&user.owner).await?;
    tracing::info!(erased.posts, erased.keys, "erased a user");

    assert_eq!((erased.posts, erased.keys), (2, 1));
    let gone = posts.read(public).await.unwrap_err();
    assert_eq!(gone.code(), Code::Gone);
    let mut archive = Vec::new();
    handbill.archive().export(&mut archive).await?;
    assert!(!String::from_utf8(archive)?.contains("user:4711"));
    let again = handbill.erase_owner(&user.owner).await?;
    assert_eq!((again.posts, again.keys), (0, 0));
    Ok(())
}
