//! A Markdown file as a post.

use std::path::Path;

use handbill::{Draft, Owner, Visibility};
use jiff::Timestamp;
use tokio::task::spawn_blocking;

use super::folder;
use super::front_matter::{self, FrontMatter, Origin};
use super::hidden::Hidden;
use crate::command::dates;

/// What all files of a command share.
#[derive(Clone)]
pub(crate) struct Rules {
    /// Who can read the posts, unless a file says it.
    pub(crate) visibility: Option<Visibility>,
    pub(crate) owner: Option<Owner>,
    /// When the command began. What is later is in the future.
    pub(crate) now: Timestamp,
}

/// A post as a file describes it.
pub(crate) struct Described {
    pub(crate) draft: Draft,
    /// Why it is a draft, if neither the command nor the service says so.
    pub(crate) hidden: Option<Hidden>,
    pub(crate) origin: Origin,
}

/// Reads a file.
pub(crate) async fn describe(file: &Path, rules: &Rules) -> Result<Described, String> {
    let (path, rules) = (file.to_owned(), rules.clone());
    let described = spawn_blocking(move || {
        let text = folder::read(&path)?;
        let is_below_drafts = folder::is_below_drafts(&path).map_err(|error| error.to_string())?;
        let (front_matter, body) = front_matter::split(&text)?;
        let date = front_matter.date.or_else(|| date_of_name(&path));
        let hidden = Hidden::find(&front_matter, date, is_below_drafts, rules.now);
        let origin = front_matter.origin.clone();
        Ok(Described {
            draft: draft(front_matter, body, date, hidden, &rules)?,
            // The command says that all posts are drafts.
            hidden: hidden.filter(|_| rules.visibility != Some(Visibility::Draft)),
            origin,
        })
    });
    described.await.map_err(|error| error.to_string())?
}

/// What a site generator hides becomes a draft, whatever the command says. Times in the future are left out, so
/// that no post is above later ones.
fn draft(
    front_matter: FrontMatter,
    body: &str,
    date: Option<Timestamp>,
    hidden: Option<Hidden>,
    rules: &Rules,
) -> Result<Draft, String> {
    let visibility = match hidden {
        Some(_) => Visibility::Draft,
        None => {
            let visibility = front_matter.visibility.or(rules.visibility);
            visibility.unwrap_or(Visibility::Public)
        }
    };
    let mut draft = Draft::new()
        .body(body)
        .tags(front_matter.tags)
        .visibility(visibility);
    for (field, text) in front_matter.texts {
        draft = draft.text(field, text);
    }
    if let Some(owner) = &rules.owner {
        draft = draft.owner(owner.clone());
    }
    let past = |name: &str, time: Option<Timestamp>| {
        let time = time.filter(|time| *time <= rules.now);
        let time = time.map(dates::timestamp).transpose();
        time.map_err(|error| format!("{name}: {error}"))
    };
    if let Some(date) = past("date", date)? {
        draft = draft.created_at(date);
    }
    if let Some(lastmod) = past("lastmod", front_matter.lastmod)? {
        draft = draft.updated_at(lastmod);
    }
    Ok(draft)
}

/// The date of a file that Jekyll would name `2024-01-02-hello.md`.
fn date_of_name(file: &Path) -> Option<Timestamp> {
    let name = file.file_stem()?.to_str()?;
    let (date, rest) = name.split_at_checked(10)?;
    rest.starts_with('-').then(|| dates::instant(date).ok())?
}
