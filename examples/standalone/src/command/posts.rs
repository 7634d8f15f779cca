//! `handbill posts`: what operators do to posts, for example after a wave of spam.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::{self, BufWriter, Write};

use futures_util::TryStreamExt;
use handbill::{Handbill, Owner, PostId, PostSelection, PostSummary, Timestamp, Visibility};

use crate::command::progress::ProgressLine;
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
            let selection = selected.selection();
            let deleted = changing(handbill, handbill.posts().delete_all(&selection)).await?;
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
    let progress = ProgressLine::new();
    let mut posts = handbill.posts().visit(selection);
    while let Some(post) = posts.try_next().await? {
        lines.push((post.created_at, post.id, line(&post)));
        progress.show(|| format!("found {} posts", lines.len()));
    }
    drop(progress);
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
    let mut visibility = post.visibility.to_string();
    for (what, at) in [("published", post.publish_at), ("deleted", post.expires_at)] {
        if let Some(at) = at {
            visibility += &format!(", {what} {}", at.to_rfc3339());
        }
    }
    format!(
        "{}\t{}\t{visibility}\t{}\t{}",
        post.id,
        post.created_at.to_rfc3339(),
        name_of(post.owner.as_ref()),
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
    if !yes {
        let links = match keep_links {
            true => String::new(),
            false => format!(", and the private links of {} posts would end", named.posts),
        };
        let drafts = match named.scheduled {
            0 => String::new(),
            drafts => format!(", {drafts} drafts would not be published later"),
        };
        let public = named.public;
        eprintln!("{public} public posts would be unlisted{drafts}{links}; do it with --yes");
        return Ok(());
    }
    let selection = selected.selection();
    if keep_links {
        let unlisted = changing(handbill, handbill.posts().unlist_all(&selection)).await?;
        eprintln!(
            "unlisted {unlisted} posts; who has their private links can make them public again"
        );
    } else {
        let ended = changing(handbill, handbill.posts().revoke_edit_tokens(&selection)).await?;
        let unlisted = changing(handbill, handbill.posts().unlist_all(&selection)).await?;
        eprintln!("unlisted {unlisted} posts, and ended the private links of {ended} posts");
    }
    let keys = handbill.keys().list().await?;
    let has_posts = |owner: Owner| named.owners.contains_key(&Some(owner));
    let keys = keys.into_iter().filter(|key| has_posts(key.owner.clone()));
    let keys = keys.count();
    if keys > 0 {
        eprintln!(
            "{keys} keys of their owners can make them public again; `keys list` shows them, and `keys revoke` ends one"
        );
    }
    Ok(())
}

/// Shows how many changes were made so far.
async fn changing<T>(handbill: &Handbill, change: impl Future<Output = T>) -> T {
    let text = async || {
        let changes = handbill.stats().await.changes;
        let made = changes.posts_updated + changes.posts_deleted;
        format!("made {made} changes")
    };
    ProgressLine::during(change, text).await
}

/// What was found of the posts that were named.
#[derive(Default)]
struct Named {
    posts: u64,
    public: u64,
    scheduled: u64,
    /// How many posts each owner has.
    owners: BTreeMap<Option<Owner>, u64>,
}

/// An owner, as options name it.
fn name_of(owner: Option<&Owner>) -> &str {
    owner.map_or("-", Owner::as_str)
}

/// Looks at the posts that are named. Each id that was named must exist. Prints how many posts each owner has, those
/// with the most first, so that a mistake is seen.
async fn named(selected: &Selected, handbill: &Handbill) -> Result<Named, Box<dyn Error>> {
    let selection = selected.selection();
    if selection == PostSelection::all() {
        return Err(
            "name the posts by ids, --owner, --tag, --scheduled, --since or --until".into(),
        );
    }
    let mut missing: BTreeSet<PostId> = selected.ids.iter().copied().collect();
    let (mut named, progress) = (Named::default(), ProgressLine::new());
    let mut posts = handbill.posts().visit(&selection);
    while let Some(post) = posts.try_next().await? {
        progress.show(|| format!("found {} posts", named.posts));
        missing.remove(&post.id);
        named.posts += 1;
        named.public += u64::from(post.visibility == Visibility::Public);
        named.scheduled += u64::from(post.publish_at.is_some());
        *named.owners.entry(post.owner).or_default() += 1;
    }
    drop(progress);
    if let Some(id) = missing.first() {
        return Err(format!("there is no post {id}; nothing was done").into());
    }
    let mut owners: Vec<_> = named.owners.iter().collect();
    owners.sort_by_key(|(_, posts)| Reverse(**posts));
    let mut stdout = BufWriter::new(io::stdout().lock());
    for (owner, posts) in owners {
        writeln!(stdout, "{posts}\t{}", name_of(owner.as_ref()))?;
    }
    stdout.flush()?;
    Ok(named)
}
