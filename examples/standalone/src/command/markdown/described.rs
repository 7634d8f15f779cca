//! A Markdown file as a post.

use std::path::Path;
use std::sync::Arc;

use handbill::store::TextField;
use handbill::{Draft, Owner, Visibility};
use jiff::{SignedDuration, Timestamp};
use tokio::task::spawn_blocking;

use super::body::{Body, body, has_title};
use super::count::{LeftOut, Skipped};
use super::folder;
use super::front_matter::{self, FrontMatter};
use super::hidden::Hidden;
use super::links::{self, Links};
use crate::command::dates;
use crate::terminal::printable;

/// How far ahead a service takes a time. What is later counts as never.
const MOST_AHEAD: SignedDuration = SignedDuration::from_hours(10 * 365 * 24);

/// A longer name of a file is no title.
const MAX_TITLE: usize = 100;

/// What all files of a command share.
#[derive(Clone)]
pub(crate) struct Rules {
    /// Who can read the posts, unless a file says it.
    pub(crate) visibility: Option<Visibility>,
    pub(crate) owner: Option<Owner>,
    /// When posts are published and deleted, unless a file says it.
    pub(crate) publishes: Option<Timestamp>,
    pub(crate) expires: Option<Timestamp>,
    /// When the command began. What is later is in the future.
    pub(crate) now: Timestamp,
}

/// Why a file has no post.
#[derive(Debug)]
pub(crate) enum NoPost {
    /// It is not for a post of its own.
    Skipped(Skipped),
    Faulty(String),
}

impl From<String> for NoPost {
    fn from(fault: String) -> Self {
        Self::Faulty(fault)
    }
}

/// A post as a file describes it.
pub(crate) struct DescribedPost {
    pub(crate) draft: Draft,
    pub(crate) visibility: Visibility,
    /// When it was published, if it was.
    pub(crate) date: Option<Timestamp>,
    /// Why it is a draft, if neither the command nor the service says so.
    pub(crate) hidden: Option<Hidden>,
    pub(crate) front_matter: FrontMatter,
    /// Its text is in the draft.
    pub(crate) body: Body,
}

impl DescribedPost {
    /// What becomes of the file, as columns of a table: visibility, date, title, tags, author, and what is left out.
    pub(crate) fn columns(&self) -> String {
        let text = |field| {
            let mut texts = self.front_matter.texts.iter();
            let text = texts.find(|(other, _)| *other == field);
            text.map_or("", |(_, text)| text.trim()).to_owned()
        };
        let hidden = self.hidden.map(|reason| reason.to_string());
        let left_out = self.body.left_out.shown();
        let left_out: Vec<_> = hidden.into_iter().chain(left_out).collect();
        let columns = [
            self.visibility.to_string(),
            self.date.map(|date| date.to_string()).unwrap_or_default(),
            text(TextField::Title),
            self.front_matter.tags.join(", "),
            text(TextField::Author),
            left_out.join(", "),
        ];
        let columns = columns.map(|column| match column.as_str() {
            "" => "-".to_owned(),
            column => printable(column),
        });
        columns.join("\t")
    }
}

/// Reads a file of a folder.
pub(crate) async fn describe(
    file: &Path,
    rules: &Rules,
    links: &Arc<Links>,
) -> Result<DescribedPost, NoPost> {
    let (path, rules, links) = (file.to_owned(), rules.clone(), Arc::clone(links));
    let described = spawn_blocking(move || read(&path, &rules, &links));
    described.await.map_err(|error| error.to_string())?
}

fn read(path: &Path, rules: &Rules, links: &Links) -> Result<DescribedPost, NoPost> {
    if is_section_page(path) {
        return Err(NoPost::Skipped(Skipped::SectionPage));
    }
    let text = folder::read(path)?;
    let (mut front_matter, text) = front_matter::split(&text)?;
    front_matter.publishes = front_matter.publishes.or(rules.publishes);
    front_matter.expires = front_matter.expires.or(rules.expires);
    let mut body = body(text, path, links);
    if body.text.trim().is_empty() {
        return Err(NoPost::Skipped(Skipped::NoText));
    }
    let texts = &mut front_matter.texts;
    if texts.iter().all(|(field, _)| *field != TextField::Title) {
        let title = title_by_name(path, &body.text);
        texts.extend(title.map(|title| (TextField::Title, title)));
    }
    let place = path.canonicalize().map_err(|error| error.to_string())?;
    let date_of_name = date_of_name(path);
    if let Some(fault) = front_matter.date_fault.take() {
        date_of_name.ok_or(fault)?;
        front_matter.unread += 1;
    }
    let mut addresses = front_matter.addresses.iter();
    let date = front_matter.date.or(date_of_name);
    let date = date.or_else(|| addresses.find_map(|address| date_of_address(address)));
    let mut hidden = Hidden::find(&front_matter, date, &place, rules.now);
    let shown = front_matter.visibility.or(rules.visibility);
    let shown = shown.unwrap_or(Visibility::Public);
    let is_near = |time: &Timestamp| *time > rules.now && *time <= rules.now + MOST_AHEAD;
    let becomes_public = hidden == Some(Hidden::Future) && shown == Visibility::Public;
    let publishes = front_matter
        .publishes
        .filter(|time| becomes_public && is_near(time));
    if publishes.is_some() {
        hidden = Some(Hidden::Later);
    }
    body.left_out.add_times(LeftOut::Field, front_matter.unread);
    // What a site generator hides becomes a draft, whatever the command says.
    let visibility = hidden.map_or(shown, |_| Visibility::Draft);
    // Times in the future are left out, so that no post is above later ones.
    let is_past = |time: &Timestamp| *time <= rules.now;
    let date = date.filter(is_past);
    let mut draft = Draft::new()
        .body(std::mem::take(&mut body.text))
        .tags(front_matter.tags.iter().map(String::as_str))
        .visibility(visibility);
    for (field, text) in &front_matter.texts {
        draft = draft.text(*field, text);
    }
    let timestamp = |time| dates::timestamp(time).map_err(|error| format!("date: {error}"));
    if let Some(time) = publishes {
        draft = draft.publish_at(timestamp(time)?);
    }
    if let Some(time) = front_matter.expires.filter(is_near) {
        draft = draft.expires_at(timestamp(time)?);
    }
    if let Some(owner) = &rules.owner {
        draft = draft.owner(owner.clone());
    }
    if let Some(date) = date {
        draft = draft.created_at(timestamp(date)?);
    }
    let lastmod = front_matter.lastmod.filter(is_past);
    if let Some(lastmod) = lastmod.and_then(|lastmod| dates::timestamp(lastmod).ok()) {
        draft = draft.updated_at(lastmod);
    }
    Ok(DescribedPost {
        draft,
        visibility,
        date,
        // The command says that all posts are drafts.
        hidden: hidden.filter(|_| rules.visibility != Some(Visibility::Draft)),
        front_matter,
        body,
    })
}

/// Whether a file is a list of other pages: `_index.md` or `_index.fr.md` of Hugo and Zola, `SUMMARY.md` of mdBook.
fn is_section_page(file: &Path) -> bool {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    name == "SUMMARY" || name == "_index" || name.starts_with("_index.")
}

/// The date of a file that Jekyll would name `2024-01-02-hello.md`, and Zola `2024-01-02-hello/index.md`.
fn date_of_name(file: &Path) -> Option<Timestamp> {
    let page = folder::page(file);
    let name = page.file_name()?.to_str()?;
    let (end, _) = name.match_indices('-').nth(2)?;
    dates::instant(&name[..end]).ok()
}

/// The date in an address of the old site, such as `/2024/01/02/hello/`.
fn date_of_address(address: &str) -> Option<Timestamp> {
    let date = dates::instant(&links::date(address)?).ok()?;
    dates::timestamp(date).is_ok().then_some(date)
}

/// The name of a file if it is the title of its text, as in Obsidian: “My first note.md”. Other names are made for
/// addresses, and a text may begin with its title.
pub(crate) fn title_by_name(file: &Path, text: &str) -> Option<String> {
    let page = folder::page(file);
    let name = page.file_name()?.to_str()?;
    let is_slug = name.is_ascii() && name.contains(['-', '_']);
    let is_capital = name.starts_with(|first: char| first.is_uppercase());
    let is_note = name.contains(' ') || !name.is_ascii() || (is_capital && !is_slug);
    let fits = name.chars().count() <= MAX_TITLE && !name.contains(char::is_control);
    let is_title = is_note && fits && page.parent() == file.parent() && !has_title(text);
    is_title.then(|| name.to_owned())
}
