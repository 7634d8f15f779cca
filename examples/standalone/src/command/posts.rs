//! `handbill posts`: what operators do to posts, for example after a wave of spam.

use std::collections::BTreeSet;
use std::error::Error;
use std::io::{self, BufWriter, Write};

use futures_util::TryStreamExt;
use handbill::{Handbill, PostId, PostSelection, PostSummary, Timestamp, Visibility};

use crate::command::{PostsCommand, Selected};
use crate::terminal::printable;

pub(crate) async fn run(command: &PostsCommand, handbill: &Handbill) -> Result<(), Box<dyn Error>> {
    match command {
        PostsCommand::List(selected) => list(&selected.selection(), handbill).await,
        PostsCommand::Unlist { selected, yes } => {
            let is_public = |post: &PostSummary| post.visibility == Visibility::Public;
            let count = count(selected, handbill, is_public).await?;
            if !yes {
                eprintln!("{count} public posts would be unlisted; do it with --yes");
                return Ok(());
            }
            let unlisted = handbill.posts().unlist_all(&selected.selection()).await?;
            eprintln!("unlisted {unlisted} posts");
            Ok(())
        }
        PostsCommand::Delete { selected, yes } => {
            let count = count(selected, handbill, |_| true).await?;
            if !yes {
                eprintln!("{count} posts would be deleted; do it with --yes");
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

/// How many of the posts meet the condition. Each id that was named must exist.
async fn count(
    selected: &Selected,
    handbill: &Handbill,
    condition: fn(&PostSummary) -> bool,
) -> Result<u64, Box<dyn Error>> {
    if !selected.is_limited() {
        return Err("name the posts by ids, --owner, --tag or --since".into());
    }
    let mut missing: BTreeSet<PostId> = selected.ids.iter().copied().collect();
    let mut count = 0;
    let mut posts = handbill.posts().visit(&selected.selection());
    while let Some(post) = posts.try_next().await? {
        missing.remove(&post.id);
        count += u64::from(condition(&post));
    }
    match missing.first() {
        None => Ok(count),
        Some(id) => Err(format!("there is no post {id}; nothing was done").into()),
    }
}
