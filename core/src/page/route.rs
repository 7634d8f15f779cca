//! The rows of the routing table for the pages.

use super::asset::{self, Asset};
use super::editor::EditAddress;
use crate::id::PostId;
use crate::part::Part;

/// What a request for a page asks for.
#[derive(Debug)]
pub(crate) enum Action {
    IndexPage,
    TagsPage,
    FollowPage,
    PostPage(PostId),
    PostSource(PostId),
    PostCard(PostId),
    WritePage,
    SendWritePage,
    EditPage(EditAddress),
    SendEditPage(EditAddress),
    KeysPage,
    IssueOnKeysPage,
    Manifest,
    DocsPage,
    ReferencePage,
    ErrorsPage,
    Asset(&'static Asset),
    /// The host's style sheet, by the name of its file.
    OwnStyle(String),
    AtomFeed,
    JsonFeed,
    Sitemap,
    LlmsText,
}

/// Finds the pattern, the part and the action of a request.
pub(crate) fn lookup(method: &str, segments: &[&str]) -> Option<(&'static str, Part, Action)> {
    use Action::*;
    use Part::{Exports, Pages};

    let id = |text: &str| text.parse::<PostId>().ok();
    let link = |text: &str| text.parse().ok().map(EditAddress::Link);
    let own = |text: &str| id(text).map(EditAddress::OfPost);
    Some(match (method, segments) {
        ("GET", [""]) => ("/", Pages, IndexPage),
        ("GET", ["tags"]) => ("/tags", Pages, TagsPage),
        ("GET", ["follow"]) => ("/follow", Pages, FollowPage),
        ("GET", ["p", text]) => match text.split_once('.') {
            Some((text, "md")) => ("/p/{id}.md", Exports, PostSource(id(text)?)),
            Some((text, "png")) => ("/p/{id}.png", Exports, PostCard(id(text)?)),
            Some(_) => return None,
            None => ("/p/{id}", Pages, PostPage(id(text)?)),
        },
        ("GET", ["write"]) => ("/write", Pages, WritePage),
        ("POST", ["write"]) => ("/write", Pages, SendWritePage),
        ("GET", ["e", text]) => ("/e/{edit_token}", Pages, EditPage(link(text)?)),
        ("POST", ["e", text]) => ("/e/{edit_token}", Pages, SendEditPage(link(text)?)),
        ("GET", ["p", text, "edit"]) => ("/p/{id}/edit", Pages, EditPage(own(text)?)),
        ("POST", ["p", text, "edit"]) => ("/p/{id}/edit", Pages, SendEditPage(own(text)?)),
        ("GET", ["keys"]) => ("/keys", Pages, KeysPage),
        ("POST", ["keys"]) => ("/keys", Pages, IssueOnKeysPage),
        ("GET", ["manifest.webmanifest"]) => ("/manifest.webmanifest", Pages, Manifest),
        ("GET", ["docs"]) => ("/docs", Pages, DocsPage),
        ("GET", ["docs", "reference"]) => ("/docs/reference", Pages, ReferencePage),
        ("GET", ["docs", "errors"]) => ("/docs/errors", Pages, ErrorsPage),
        ("GET", ["assets", name]) if name.starts_with("style-") => {
            ("/assets/{name}", Pages, OwnStyle((*name).to_owned()))
        }
        ("GET", ["assets", name]) => ("/assets/{name}", Pages, Asset(asset::find(name)?)),
        ("GET", ["feed.atom"]) => ("/feed.atom", Exports, AtomFeed),
        ("GET", ["feed.json"]) => ("/feed.json", Exports, JsonFeed),
        ("GET", ["sitemap.xml"]) => ("/sitemap.xml", Exports, Sitemap),
        ("GET", ["llms.txt"]) => ("/llms.txt", Exports, LlmsText),
        _ => return None,
    })
}
