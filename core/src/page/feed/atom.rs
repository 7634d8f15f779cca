//! `GET /feed.atom`: the latest posts as an Atom feed (RFC 4287).

use bytes::Bytes;

use super::xml::{Document, allowed};
use super::{Feed, Format, name_of};
use crate::page::asset;
use crate::post::PostSummary;

const MEDIA_TYPE: &str = "application/atom+xml";

pub(crate) static ATOM: Format = Format {
    path: "/feed.atom",
    media_type: "application/atom+xml; charset=utf-8",
    write,
};

fn write(feed: &Feed) -> Bytes {
    let (address, page) = (feed.address(), feed.page());
    let mut document = Document::new();
    document.open("feed", &[("xmlns", "http://www.w3.org/2005/Atom")]);
    document.text("id", &[], &address);
    document.text("title", &[], &feed.title());
    if let Some(description) = &feed.settings.description {
        document.text("subtitle", &[], description);
    }
    let icon = asset::SMALL_APP_ICON.at(feed.base_url.as_str());
    document.text("icon", &[], &icon);
    document.text("updated", &[], &feed.updated().to_rfc3339());
    let this = [("rel", "self"), ("type", MEDIA_TYPE), ("href", &*address)];
    document.empty("link", &this);
    if let Some(hub) = &feed.settings.hub {
        document.empty("link", &[("rel", "hub"), ("href", hub)]);
    }
    document.empty("link", &to_page(&page));
    // Section 4.1.1 requires an author, which not every post has.
    document.open("author", &[]);
    document.text("name", &[], &feed.settings.name);
    document.close("author");
    document.text("generator", &[], "Handbill");
    for (post, url, html) in feed.entries() {
        write_entry(&mut document, post, &url, html);
    }
    document.close("feed");
    document.finish().into()
}

fn write_entry(document: &mut Document, post: &PostSummary, url: &str, html: Option<&str>) {
    let language = post.language.as_deref().map(|tag| ("xml:lang", tag));
    document.open("entry", language.as_slice());
    document.text("id", &[], url);
    document.text("title", &[], &name_of(post));
    document.empty("link", &to_page(url));
    document.text("published", &[], &post.date().to_rfc3339());
    document.text("updated", &[], &post.updated_at.to_rfc3339());
    // An author must have a name, which a text without any character that XML allows is not.
    if let Some(author) = post
        .author
        .as_deref()
        .filter(|name| !allowed(name).is_empty())
    {
        document.open("author", &[]);
        document.text("name", &[], author);
        document.close("author");
    }
    for tag in &post.tags {
        // Leaves out a tag that consists only of characters that XML does not allow.
        if !allowed(tag.as_str()).is_empty() {
            document.empty("category", &[("term", tag.as_str())]);
        }
    }
    if !post.excerpt.is_empty() {
        document.text("summary", &[], &post.excerpt);
    }
    if let Some(html) = html {
        // Only links to anchors within the post are relative. The base makes them lead to its page.
        document.text("content", &[("type", "html"), ("xml:base", url)], html);
    }
    document.close("entry");
}

/// A link to the HTML page with the same content.
fn to_page(address: &str) -> [(&'static str, &str); 3] {
    [
        ("rel", "alternate"),
        ("type", "text/html"),
        ("href", address),
    ]
}
