//! The parts that all pages share: language, addresses and nonce.

use std::borrow::Cow;

use super::asset::Asset;
use crate::context::Context;
use crate::field::FieldError;
use crate::frame::CspNonce;
use crate::http::paging;
use crate::http::request::Head;
use crate::id::PostId;
use crate::language::Language;
use crate::limit::Limits;
use crate::post::PostSummary;
use crate::time::Timestamp;

/// The parts that all pages share: the reader's language, and the addresses of pages and files.
///
/// Addresses begin with the path of the mount point. They contain `lang` if the reader chose a language.
#[derive(Clone)]
pub(super) struct Site<'a> {
    pub(super) words: &'static Language,
    /// The name of the site: its public address without the scheme.
    pub(super) name: &'a str,
    /// The public address of the mount point.
    pub(super) url: &'a str,
    /// The path of the mount point, without a trailing slash.
    pub(super) root: &'a str,
    /// Whether `?lang=` chose the language.
    pub(super) is_chosen: bool,
    /// The query of the page's address without the language: empty, or such as `page=2&`.
    pub(super) query: String,
    nonce: Option<&'a CspNonce>,
}

impl<'a> Site<'a> {
    pub(super) fn of(context: &'a Context, head: &'a Head) -> Self {
        // A duplicate `lang` is ignored, like an unknown language.
        let named = head.query.one("lang").ok().flatten();
        let chosen = named.as_deref().and_then(Language::of_tag);
        Self {
            words: chosen.unwrap_or_else(|| Language::accepted(head.headers())),
            name: context.base_url.without_scheme(),
            url: context.base_url.as_str(),
            root: context.base_url.path(),
            is_chosen: chosen.is_some(),
            query: String::new(),
            nonce: head.parts.extensions.get(),
        }
    }

    /// Identifies the variant of a page: its language, and whether its links contain `lang`.
    pub(super) fn variant(&self) -> String {
        let chosen = if self.is_chosen { "-chosen" } else { "" };
        format!("{}{chosen}", self.words.tag())
    }

    /// The address of a path, which may include a query.
    pub(super) fn to(&self, path: &str) -> String {
        let mut address = format!("{}{path}", self.root);
        if self.is_chosen {
            address.push(if path.contains('?') { '&' } else { '?' });
            address.push_str(&format!("lang={}", self.words.tag()));
        }
        address
    }

    /// The address of the current page without its query, except for the language.
    pub(super) fn here(&self) -> String {
        if self.is_chosen {
            format!("?lang={}", self.words.tag())
        } else {
            "?".to_owned()
        }
    }

    pub(super) fn post(&self, id: &PostId) -> String {
        self.to(&format!("/p/{id}"))
    }

    /// The address of the list of posts with this query, which may be empty.
    pub(super) fn list(&self, query: &str) -> String {
        match query {
            "" => self.to("/"),
            query => self.to(&format!("/?{query}")),
        }
    }

    /// The address of the list of posts with a tag.
    pub(super) fn tag(&self, tag: &str) -> String {
        self.list(&paging::query_of_tag(tag))
    }

    /// The address of a feed of all posts, or of those with a tag. Feeds have no language.
    pub(super) fn feed(&self, file: &str, tag: Option<&str>) -> String {
        match tag {
            None => format!("{}/{file}", self.root),
            Some(tag) => format!("{}/{file}?{}", self.root, paging::query_of_tag(tag)),
        }
    }

    pub(super) fn asset(&self, asset: &Asset) -> String {
        format!("{}/assets/{}", self.root, asset.name())
    }

    /// The absolute address of a file, for use on other sites.
    pub(super) fn absolute_asset(&self, asset: &Asset) -> String {
        format!("{}/assets/{}", self.url, asset.name())
    }

    /// The attribute that the host's policy requires on scripts and styles, or an empty string.
    pub(super) fn nonce(&self) -> String {
        self.nonce
            .map(|nonce| format!(" nonce=\"{}\"", nonce.as_str()))
            .unwrap_or_default()
    }

    /// All languages but the current one.
    pub(super) fn other_languages(&self) -> impl Iterator<Item = &'static Language> {
        let current = self.words.tag();
        Language::all()
            .iter()
            .filter(move |language| language.tag() != current)
    }

    /// All languages.
    pub(super) fn languages(&self) -> &'static [Language] {
        Language::all()
    }

    /// A date as people write it.
    pub(super) fn day(&self, at: &Timestamp) -> String {
        let (year, month, day) = at.date();
        let date = self.words.say("day").with("year", year.to_string());
        date.with("month", month).with("day", day).to_string()
    }

    /// The message about an error in a field.
    pub(super) fn fault(&self, error: &FieldError, limits: &Limits) -> String {
        let message = self.words.say(format!("fault-{}", error.code.as_str()));
        message.with("max", limits.of(error)).to_string()
    }

    /// The name of a post: its title, its excerpt, or the message for untitled posts.
    pub(super) fn name_of<'p>(&self, post: &'p PostSummary) -> Cow<'p, str> {
        let untitled = || self.words.say("untitled").to_string().into();
        post.name().map_or_else(untitled, Cow::from)
    }
}
