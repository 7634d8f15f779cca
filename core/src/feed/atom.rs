//! `GET /feed.atom`: the latest posts as an Atom feed (RFC 4287).

use super::xml::{Document, allowed};
use super::{Feed, Format, name_of};
use crate::context::Context;
use crate::http::representation::Representation;
use crate::http::request::Head;
use crate::post::PostSummary;
use crate::problem::Problem;

const MEDIA_TYPE: &str = "application/atom+xml";

static ATOM: Format = Format {
    path: "/feed.atom",
    media_type: "application/atom+xml; charset=utf-8",
    write,
};

/// The feed of all posts or of those with a tag.
pub(crate) async fn show<'a>(
    context: &'a Context,
    head: &'a Head,
) -> Result<Representation<'a>, Problem> {
    super::show(context, head, &ATOM).await
}

fn write(feed: &Feed) -> Vec<u8> {
    let (address, page) = (feed.address(), feed.page());
    let mut document = Document::new();
    document.open("feed", &[("xmlns", "http://www.w3.org/2005/Atom")]);
    document.text("id", &[], &address);
    document.text("title", &[], &feed.title());
    document.text("updated", &[], &feed.updated().to_rfc3339());
    let this = [("rel", "self"), ("type", MEDIA_TYPE), ("href", &*address)];
    document.empty("link", &this);
    document.empty("link", &to_page(&page));
    // Posts have no author name, but section 4.1.1 requires an author.
    document.open("author", &[]);
    document.text("name", &[], feed.site());
    document.close("author");
    document.text("generator", &[], "Handbill");
    for (post, url, html) in feed.entries() {
        write_entry(&mut document, post, &url, html);
    }
    document.close("feed");
    document.finish()
}

fn write_entry(document: &mut Document, post: &PostSummary, url: &str, html: Option<&str>) {
    document.open("entry", &[]);
    document.text("id", &[], url);
    document.text("title", &[], &name_of(post));
    document.empty("link", &to_page(url));
    document.text("published", &[], &post.created_at.to_rfc3339());
    document.text("updated", &[], &post.updated_at.to_rfc3339());
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
