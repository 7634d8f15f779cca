//! The names in front matter that mean something.

use handbill::Tag;
use handbill::store::TextField;
use jiff::Timestamp;

use super::value::{Member, Split, Value};
use super::{ETAG, FrontMatter, HASH, ID, Origin, SERVER, VISIBILITY, name_of};
use crate::command::dates;

/// The names that mean something and are no text of a post, in lowercase.
const FACTS: &str = "authors tags tag categories category taxonomies date lastmod draft published publishdate \
                     pubdate expirydate unpublishdate publish render build cascade";
const ORIGIN: [&str; 5] = [SERVER, ID, ETAG, HASH, VISIBILITY];

/// Where a generator has a page, or had it.
const ADDRESSES: &str = "permalink url path slug aliases alias redirect_from";

/// The members of front matter whose names mean something.
pub(super) struct Fields<'a> {
    members: Vec<(&'static str, &'a Member)>,
    unread: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn new(members: &'a [Member]) -> Result<Self, String> {
        let mut fields = Self {
            members: Vec::new(),
            unread: 0,
        };
        for member in members {
            match known(&member.name) {
                None => check_other(member)?,
                Some(name) if fields.get(name).is_some() => {
                    return Err(faulty(member, format!("{name} is there twice")));
                }
                Some(name) => fields.members.push((name, member)),
            }
        }
        Ok(fields)
    }

    pub(super) fn parse(mut self) -> Result<FrontMatter, String> {
        let publishes = self.date("publishdate")?.or(self.date("pubdate")?);
        let (is_published, published) = self.published()?;
        let publishes = publishes.or(published);
        let expires = self.date("expirydate")?.or(self.date("unpublishdate")?);
        let text = |name| self.parsed(name, |text| Ok(text.to_owned()));
        let origin = Origin {
            server: text(SERVER)?,
            id: text(ID)?,
            etag: text(ETAG)?,
            hash: text(HASH)?,
        };
        let (date, date_fault) = match self.date("date") {
            Ok(date) => (date.or(publishes), None),
            Err(fault) => (None, Some(fault)),
        };
        let lastmod = self.date("lastmod");
        self.unread += usize::from(lastmod.is_err());
        let lastmod = lastmod.unwrap_or_default();
        let texts = TextField::ALL.iter().copied();
        let texts = texts.filter_map(|field| Some((field, self.text_of(field)?)));
        Ok(FrontMatter {
            texts: texts.collect(),
            date,
            date_fault,
            lastmod,
            tags: self.tags(),
            draft: self.parsed("draft", flag)?.unwrap_or(false),
            hides_all: self.hides_all(),
            unpublished: !is_published || self.is_withheld(),
            publishes,
            expires,
            visibility: self.parsed(VISIBILITY, |text| {
                let expected = "public, unlisted or draft is expected";
                text.trim().parse().map_err(|_| expected.to_owned())
            })?,
            addresses: self.addresses(),
            origin,
            unread: self.unread,
        })
    }

    fn get(&self, name: &str) -> Option<&'a Member> {
        let mut members = self.members.iter();
        let found = members.find(|(other, _)| *other == name);
        found.map(|(_, member)| *member)
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        self.get(name).map(|member| &member.value)
    }

    /// A text that decides what becomes of the post, so that the file is faulty without it.
    fn parsed<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let Some(member) = self.get(name) else {
            return Ok(None);
        };
        let named = |reason| faulty(member, format!("{name}: {reason}"));
        match &member.value {
            Value::List(_) | Value::Map(_) => Err(named("a text is expected".to_owned())),
            value => value.text().map(parse).transpose().map_err(named),
        }
    }

    fn date(&self, name: &str) -> Result<Option<Timestamp>, String> {
        let date = self.parsed(name, |text| match is_time_of_file(text) {
            true => Ok(None),
            false => dates::instant(text).map(Some),
        })?;
        Ok(date.flatten())
    }

    /// `published` is a flag for Jekyll, for which an empty one is false, and may be a date for Hugo.
    fn published(&self) -> Result<(bool, Option<Timestamp>), String> {
        let parsed = self.parsed("published", |text| {
            match (flag(text), dates::instant(text)) {
                (Ok(is_published), _) => Ok((is_published, None)),
                (_, Ok(date)) => Ok((true, Some(date))),
                _ => Err("true, false or a date is expected".to_owned()),
            }
        })?;
        Ok(parsed.unwrap_or((self.get("published").is_none(), None)))
    }

    /// Whether Obsidian, Zola, Eleventy or Hugo makes no page of the file.
    fn is_withheld(&self) -> bool {
        let texts = ["publish", "render", "permalink"];
        let mut texts = texts.iter().filter_map(|name| self.value(name)?.text());
        texts.any(|text| flag(text) == Ok(false)) || self.value("build").is_some_and(renders_never)
    }

    /// Whether Hugo's `cascade` makes no pages of what is below a section page.
    fn hides_all(&self) -> bool {
        let parts = match self.value("cascade") {
            Some(Value::List(parts)) => parts.as_slice(),
            part => part.map(std::slice::from_ref).unwrap_or_default(),
        };
        parts.iter().any(|part| {
            let draft = part.member("draft").and_then(Value::text);
            let is_draft = draft.is_some_and(|text| flag(text) == Ok(true));
            let is_for_all = part.member("target").or(part.member("_target")).is_none();
            is_for_all && (is_draft || part.member("build").is_some_and(renders_never))
        })
    }

    /// The addresses of the page in its own site. A `url` may also be that of a page elsewhere.
    fn addresses(&self) -> Vec<String> {
        let values = ADDRESSES
            .split(' ')
            .filter_map(|name| self.value(name)?.names(one));
        let addresses = values.flatten();
        addresses
            .filter(|address| !address.contains("://"))
            .collect()
    }

    fn text_of(&mut self, field: TextField) -> Option<String> {
        if field == TextField::Author {
            let authors = self
                .names("author", one)
                .or_else(|| self.names("authors", one));
            return authors.map(|names| names.join(", "));
        }
        match self.value(name_of(field))? {
            Value::Nothing => None,
            Value::Text(text) => Some(in_one_line(text)),
            Value::List(_) | Value::Map(_) => {
                self.unread += 1;
                None
            }
        }
    }

    fn tags(&mut self) -> Vec<String> {
        let names = [
            self.names("tags", terms),
            self.names("tag", one),
            self.names("categories", terms),
            self.names("category", one),
        ];
        let names = names.into_iter().flatten().flatten().collect::<Vec<_>>();
        let tags = names.iter().flat_map(|name| Tag::split(name));
        let tags = tags.map(str::trim).filter(|tag| !tag.is_empty());
        tags.map(str::to_owned).collect()
    }

    /// The names below this one, or in Zola's `taxonomies`. `None` if there are none.
    fn names(&mut self, name: &str, split: Split) -> Option<Vec<String>> {
        let taxonomy = || self.value("taxonomies")?.member(name);
        let value = self.value(name).or_else(taxonomy)?;
        let names = value.names(split);
        self.unread += usize::from(names.is_none());
        names.filter(|names| !names.is_empty())
    }
}

/// A title may be written in several lines, or with a tab in it.
fn in_one_line(text: &str) -> String {
    let parts = text.split(['\t', '\r', '\n']);
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

/// The text as one name.
fn one(text: &str) -> Vec<String> {
    vec![text.to_owned()]
}

/// The tags in a text without commas: Jekyll separates them by spaces.
fn terms(text: &str) -> Vec<String> {
    match Tag::split(text).count() {
        1 => text.split_whitespace().map(str::to_owned).collect(),
        _ => one(text),
    }
}

/// Whether Hugo's options of a build say that there is no page.
fn renders_never(build: &Value) -> bool {
    build.member("render").and_then(Value::text) == Some("never")
}

/// Whether Eleventy would ask the disk or git for a date. Neither says when the text was published.
fn is_time_of_file(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    let text = text.strip_prefix("git ").unwrap_or(&text);
    matches!(text, "created" | "last modified")
}

fn faulty(member: &Member, reason: String) -> String {
    format!("{reason}, at line {}", member.line)
}

/// True or false, as YAML, Hugo and people spell it.
fn flag(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "on" | "1" => Ok(true),
        "false" | "f" | "no" | "n" | "off" | "0" => Ok(false),
        _ => Err("true or false is expected".to_owned()),
    }
}

/// The known name that this one is, in any case. Others are ignored.
fn known(name: &str) -> Option<&'static str> {
    let texts = TextField::ALL.iter().copied().map(name_of);
    let others = FACTS.split(' ').chain(ADDRESSES.split(' ')).chain(ORIGIN);
    let mut names = texts.chain(others);
    names.find(|known| known.eq_ignore_ascii_case(name))
}

/// Refuses a name that begins as those of Handbill and is none of them: it may be misspelled, and the post would then
/// be public instead of unlisted.
fn check_other(member: &Member) -> Result<(), String> {
    let name = &member.name;
    if !name.to_ascii_lowercase().starts_with("handbill_") {
        return Ok(());
    }
    let reason = format!("{name} is not a name that this program knows");
    Err(faulty(member, reason))
}
