//! What all pages need: the reader's language, and the addresses of pages and files.

use std::borrow::Cow;

use super::asset::Asset;
use crate::context::Context;
use crate::host::base_url::query_of_tag;
use crate::host::page_settings::PageSettings;
use crate::host::page_settings::frame::CspNonce;
use crate::http::Head;
use crate::http::paging::NumberedPage;
use crate::page::language::Language;
use crate::post::{FieldError, Month, PostId, PostSummary, Tag, Timestamp};

/// Addresses begin with the path of the mount point. They contain `lang` if the reader chose a language.
#[derive(Clone)]
pub(super) struct Site<'a> {
    pub(super) language: &'static Language,
    pub(super) name: &'a str,
    pub(super) settings: &'a PageSettings,
    /// The public address of the mount point.
    pub(super) url: &'a str,
    /// The path of the mount point, without a trailing slash.
    pub(super) root: &'a str,
    /// Whether this visitor may get an API key.
    pub(super) issues_keys: bool,
    /// The form for searches, where the store can search.
    pub(super) search: Option<SearchBox>,
    /// Whether `?lang=` chose the language.
    pub(super) is_chosen: bool,
    /// Whether this is the first page that a visitor sees. Its heading is the name of the site.
    pub(super) is_front: bool,
    /// Whether the page links to itself in other languages.
    pub(super) links_languages: bool,
    /// The path of the page's list of posts, relative to the mount point.
    pub(super) list: String,
    /// The query of the page's address without the language: empty, or such as `page=2&`.
    pub(super) query: String,
    nonce: Option<&'a CspNonce>,
}

#[derive(Clone, Default)]
pub(super) struct SearchBox {
    pub(super) text: String,
    /// The tag and the month of the list that is searched.
    pub(super) tag: Option<String>,
    pub(super) month: Option<String>,
}

impl<'a> Site<'a> {
    pub(super) fn of(context: &'a Context, head: &'a Head) -> Self {
        let (language, is_chosen) = Language::negotiate(head);
        Self {
            language,
            name: &context.pages.name,
            settings: &context.pages,
            url: context.base_url.as_str(),
            root: root(context),
            issues_keys: context.key_requests.is_open_to(head),
            search: context.has_search().then(SearchBox::default),
            is_chosen,
            is_front: false,
            links_languages: true,
            list: "/".to_owned(),
            query: String::new(),
            nonce: head.parts.extensions.get(),
        }
    }

    /// Identifies the variant of a page: its language, whether its links contain `lang`, and whether it links to
    /// `/keys`.
    pub(super) fn variant(&self) -> String {
        let chosen = if self.is_chosen { "-chosen" } else { "" };
        let keys = if self.issues_keys { "-keys" } else { "" };
        format!("{}{chosen}{keys}", self.language.tag())
    }

    /// The address of a path, which may include a query.
    pub(super) fn link_to(&self, path: &str) -> String {
        in_language(format!("{}{path}", self.root), self.chosen())
    }

    /// The absolute address of a path, in this language or in the one that the reader prefers.
    pub(super) fn absolute(&self, path: &str, language: Option<&Language>) -> String {
        in_language(format!("{}{path}", self.url), language)
    }

    /// The language, if `?lang=` chose it.
    pub(super) fn chosen(&self) -> Option<&'static Language> {
        self.is_chosen.then_some(self.language)
    }

    /// The address of the current page without its query, except for the language.
    pub(super) fn current_path(&self) -> String {
        if self.is_chosen {
            format!("?lang={}", self.language.tag())
        } else {
            "?".to_owned()
        }
    }

    pub(super) fn post(&self, id: &PostId) -> String {
        self.link_to(&format!("/p/{id}"))
    }

    /// The address that leads from a post to its neighbour: `older` or `newer`.
    pub(super) fn neighbour(&self, id: &PostId, side: &str) -> String {
        self.link_to(&format!("/p/{id}?go={side}"))
    }

    /// The path of the list with this query, which may be empty.
    pub(super) fn list_path(&self, query: &str) -> String {
        match query {
            "" => self.list.clone(),
            query => format!("{}?{query}", self.list),
        }
    }

    /// The address of the list with this query, which may be empty.
    pub(super) fn list(&self, query: &str) -> String {
        self.link_to(&self.list_path(query))
    }

    /// The address of the list of posts with a tag.
    pub(super) fn tag(&self, tag: &str) -> String {
        self.link_to(&with_tag("/", Some(tag)))
    }

    /// The address of the page that explains how to follow a tag.
    pub(super) fn follow(&self, tag: &str) -> String {
        self.link_to(&with_tag("/follow", Some(tag)))
    }

    pub(super) fn asset(&self, asset: &Asset) -> String {
        asset.at(self.root)
    }

    /// Where readers can report a post.
    pub(super) fn report(&self, url: &str) -> Option<String> {
        let contact = self.settings.contact.as_ref()?;
        let subject = self.language.message("post-report").to_string();
        Some(contact.about(&subject, url))
    }

    /// The attribute that the host's policy requires on scripts and styles, or an empty string.
    pub(super) fn nonce(&self) -> String {
        self.nonce
            .map(|nonce| format!(" nonce=\"{}\"", nonce.as_str()))
            .unwrap_or_default()
    }

    /// Fills in the form for searches.
    pub(super) fn with_search_in(mut self, page: &NumberedPage) -> Self {
        let searched = page.search.as_ref();
        self.search = self.search.map(|_| SearchBox {
            text: searched.map_or_else(String::new, |search| search.text.clone()),
            tag: page.request.tag.as_ref().map(Tag::to_string),
            month: page.month.as_ref().map(Month::to_string),
        });
        self
    }

    pub(super) fn languages(&self) -> &'static [Language] {
        Language::all()
    }

    /// A date as people write it.
    pub(super) fn day(&self, at: &Timestamp) -> String {
        let date = at.to_date();
        let day = self.language.message("day").with("day", date.day());
        let day = day.with("month", date.month());
        day.with("year", date.year().to_string()).to_string()
    }

    /// A date and a time as people write it, in UTC.
    pub(super) fn date_and_time(&self, at: &Timestamp) -> String {
        format!("{}, {} UTC", self.day(at), &at.to_rfc3339()[11..16])
    }

    /// A month as people write it.
    pub(super) fn month(&self, at: &Timestamp) -> String {
        let date = at.to_date();
        let name = self.language.message("month").with("month", date.month());
        name.with("year", date.year().to_string()).to_string()
    }

    /// The sentence about an error in a field. It names the field.
    pub(super) fn error_message(&self, error: &FieldError) -> String {
        let message = self
            .language
            .message(format!("fault-{}", error.code.as_str()));
        let message = message.with("field", error.field.clone());
        let message = message.with("max", error.max);
        let message = message.with("count", error.count);
        message.with("words", error.detail.clone()).to_string()
    }

    /// The name of a post: its title, its heading, its excerpt, or the message for untitled posts.
    pub(super) fn name_of<'p>(&self, post: &'p PostSummary) -> Cow<'p, str> {
        let untitled = || self.language.message("untitled").to_string().into();
        post.name().map_or_else(untitled, Cow::from)
    }
}

/// An address with `lang`, if there is a language.
fn in_language(mut address: String, language: Option<&Language>) -> String {
    if let Some(language) = language {
        address.push(if address.contains('?') { '&' } else { '?' });
        address.push_str(&format!("lang={}", language.tag()));
    }
    address
}

/// A path with a query for the posts with a tag, if there is one.
pub(super) fn with_tag(path: &str, tag: Option<&str>) -> String {
    match tag {
        None => path.to_owned(),
        Some(tag) => format!("{path}?{}", query_of_tag(tag)),
    }
}

/// The path of the mount point without a trailing slash: empty, or `/blog`. Links within the pages begin with it, so
/// they work under every name of the host.
pub(super) fn root(context: &Context) -> &str {
    let address = &context.base_url;
    &address.as_str()[address.origin().len()..]
}
