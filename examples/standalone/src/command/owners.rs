//! `handbill owners`: what operators do about users.

use std::error::Error;

use futures_util::TryStreamExt;
use handbill::{Erased, Handbill, Owner, PostSelection};

use crate::command::OwnersCommand;

pub(crate) async fn run(
    command: &OwnersCommand,
    handbill: &Handbill,
) -> Result<(), Box<dyn Error>> {
    match command {
        OwnersCommand::Ban { owner, yes: false } => {
            let (posts, keys) = find(owner, handbill).await?;
            eprintln!(
                "{keys} keys would be revoked, the private links of {posts} posts ended, and nothing accepted from the \
                 owner; do it with --yes"
            );
        }
        OwnersCommand::Ban { owner, yes: true } => {
            let banned = handbill.ban(owner).await?;
            let (keys, links) = (banned.keys, banned.edit_tokens);
            eprintln!(
                "revoked {keys} keys, ended the private links of {links} posts; nothing is accepted from the owner"
            );
        }
        OwnersCommand::Unban { owner } => match handbill.unban(owner).await? {
            true => eprintln!("the owner is not banned any more"),
            false => eprintln!("the owner was not banned"),
        },
        OwnersCommand::Erase { owner, yes: false } => {
            let (posts, keys) = find(owner, handbill).await?;
            eprintln!(
                "{posts} posts would be deleted, {keys} keys revoked, and the owner removed from deleted posts; do it \
                 with --yes"
            );
        }
        OwnersCommand::Erase { owner, yes: true } => {
            let Erased { posts, keys, .. } = handbill.erase_owner(owner).await?;
            eprintln!(
                "deleted {posts} posts, revoked {keys} keys; no deleted post names the owner"
            );
        }
    }
    Ok(())
}

/// How many posts and keys an owner has.
async fn find(owner: &Owner, handbill: &Handbill) -> Result<(usize, usize), Box<dyn Error>> {
    let keys = handbill.keys().list_of(owner).await?.len();
    let theirs = PostSelection::of_owner(owner.clone());
    let posts: Vec<_> = handbill
        .posts()
        .visit(&theirs)
        .map_ok(drop)
        .try_collect()
        .await?;
    Ok((posts.len(), keys))
}
