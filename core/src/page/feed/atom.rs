//! `GET /feed.atom`: the latest posts as an Atom feed (RFC 4287).

use askama::Template;

use super::{Feed, FeedFormat, xml};
use crate::page::asset;

pub(crate) static ATOM: FeedFormat = FeedFormat {
    path: "/feed.atom",
    media_type: "application/atom+xml; charset=utf-8",
    write: |feed| xml::document(&AtomFeed { feed }),
};

#[derive(Template)]
#[template(path = "feed/atom.xml")]
struct AtomFeed<'a> {
    feed: &'a Feed,
}
