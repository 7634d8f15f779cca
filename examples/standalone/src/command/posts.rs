//! `handbill posts`: what operators do to posts, for example after a wave of spam.

use std::collections::BTreeSet;
use std::error::Error;
use std::io::{self, BufWriter, Write};

use futures_util::TryStreamExt;
use handbill::{Handbill, Owner, PostId, PostSelection, PostSummary, Timestamp, Visibility};

use crate::command::{PostsCommand, Selected};
use crate::terminal::printable;

pub(crate) async fn run(command: &PostsCommand, handbill: &Handbill) -> Result<(), Box<dyn Error>> {
    match command {
        PostsCommand::List(selected) => list(&selected.selection(), handbill).await,
        PostsCommand::Unlist {
            selected,
            keep_links,
            yes,
        } => unlist(selected, *keep_links, *yes, handbill).await,
        PostsCommand::Delete { selected, yes } => {
            let Named { posts, .. } = named(selected, handbill).await?;
            if !yes {
                eprintln!("{posts} posts would be deleted; do it with --yes");
                return Ok(());
            }
            let deleted = handbill.posts().delete_all(&selected.selection()).await?;
            eprintln!("deleted {deleted} posts");
            Ok(())
        }
        PostsCommand::EditAddress { id } => {
            let access = handbill.posts().replace_edit_token(*id).await?;
            Ok(writeln!(io::stdout(), "{}", access.url.expose())?)
        }
    }
}

async fn list(selection: &PostSelection, handbill: &Handbill) -> Result<(), Box<dyn Error>> {
    let mut lines: Vec<(Timestamp, PostId, String)> = Vec::new();
    let mut posts = handbill.posts().visit(selection);
    while let Some(post) = posts.try_next().await? {
        lines.push((post.created_at, post.id, line(&post)));
    }
    lines.sort_by(|a, b| b.cmp(a));
    let mut stdout = BufWriter::new(io::stdout().lock());
    for (_, _, line) in lines {
        writeln!(stdout, "{line}")?;
    }
    Ok(stdout.flush()?)
}

/// A post as a line of a table.
fn line(post: &PostSummary) -> String {
    const MAX_NAME: usize = 70;
    let name = post.name().unwrap_or_default();
    let name = name.chars().take(MAX_NAME);
    format!(
        "{}\t{}\t{}\t{}\t{}",
        post.id,
        post.created_at.to_rfc3339(),
        post.visibility,
        post.owner.as_ref().map_or("-", |owner| owner.as_str()),
        printable(name.collect::<String>()),
    )
}

/// Ends the private links first: otherwise a post could be made public again before its link ends.
async fn unlist(
    selected: &Selected,
    keep_links: bool,
    yes: bool,
    handbill: &Handbill,
) -> Result<(), Box<dyn Error>> {
    let named = named(selected, handbill).await?;
    let Named { posts, public, .. } = named;
    if !yes {
        let links = match keep_links {
            true => String::new(),
            false => format!(", and the private links of {posts} posts would end"),
        };
        eprintln!("{public} public posts would be unlisted{links}; do it with --yes");
        return Ok(());
    }
    let selection = selected.selection();
    if keep_links {
        let unlisted = handbill.posts().unlist_all(&selection).await?;
        eprintln!(
            "unlisted {unlisted} posts; who has their private links can make them public again"
        );
    } else {
        let ended = handbill.posts().revoke_edit_tokens(&selection).await?;
        let unlisted = handbill.posts().unlist_all(&selection).await?;
        eprintln!("unlisted {unlisted} posts, and ended the private links of {ended} posts");
    }
    let keys = handbill.keys().list().await?;
    let keys = keys.iter().filter(|key| named.owners.contains(&key.owner));
    match keys.count() {
        0 => {}
        keys => eprintln!(
            "{keys} keys of their owners can make them public again; `keys list` shows them, and `keys revoke` ends one"
        ),
    }
    Ok(())
}

/// What was found of the posts that were named.
#[derive(Default)]
struct Named {
    posts: u64,
    public: u64,
    owners: BTreeSet<Owner>,
}

/// Looks at the posts that are named. Each id that was named must exist.
async fn named(selected: &Selected, handbill: &Handbill) -> Result<Named, Box<dyn Error>> {
    if !selected.is_limited() {
        return Err("name the posts by ids, --owner, --tag or --since".into());
    }
    let mut missing: BTreeSet<PostId> = selected.ids.iter().copied().collect();
    let mut named = Named::default();
    let mut posts = handbill.posts().visit(&selected.selection());
    while let Some(post) = posts.try_next().await? {
        missing.remove(&post.id);
        named.posts += 1;
        named.public += u64::from(post.visibility == Visibility::Public);
        named.owners.extend(post.owner);
    }
    match missing.first() {
        None => Ok(named),
        Some(id) => Err(format!("there is no post {id}; nothing was done").into()),
    }
}
