//! `handbill owners`: what operators do about users.

use std::error::Error;

use futures_util::TryStreamExt;
use handbill::{Handbill, Owner, PostSelection};

use crate::command::OwnersCommand;

pub(crate) async fn run(
    command: &OwnersCommand,
    handbill: &Handbill,
) -> Result<(), Box<dyn Error>> {
    match command {
        OwnersCommand::Erase { owner, yes: false } => announce(owner, handbill).await,
        OwnersCommand::Erase { owner, yes: true } => {
            let erased = handbill.erase_owner(owner).await?;
            let (posts, keys) = (erased.posts, erased.keys);
            eprintln!(
                "deleted {posts} posts, revoked {keys} keys; no deleted post names the owner"
            );
            Ok(())
        }
    }
}

async fn announce(owner: &Owner, handbill: &Handbill) -> Result<(), Box<dyn Error>> {
    let keys = handbill.keys().list_of(owner).await?.len();
    let theirs = PostSelection::of_owner(owner.clone());
    let mut posts = handbill.posts().visit(&theirs);
    let mut count = 0;
    while posts.try_next().await?.is_some() {
        count += 1;
    }
    eprintln!(
        "{count} posts would be deleted, {keys} keys revoked, and the owner removed from deleted posts; do it with --yes"
    );
    Ok(())
}
