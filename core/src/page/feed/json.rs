//! `GET /feed.json`: the latest posts as a [JSON Feed](https://www.jsonfeed.org/version/1.1/), version
//! 1.1.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Feed, FeedFormat};
use crate::http::response;
use crate::page::asset;
use crate::post::Tag;

pub(crate) static JSON_FEED: FeedFormat = FeedFormat {
    path: "/feed.json",
    media_type: "application/feed+json",
    write,
};

#[derive(Serialize)]
struct FeedView<'a> {
    version: &'static str,
    title: String,
    home_page_url: String,
    feed_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    icon: String,
    favicon: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hubs: Option<[Value; 1]>,
    items: Vec<ItemView<'a>>,
}

/// An item has HTML, or else the excerpt as text, since the format requires content.
#[derive(Serialize)]
struct ItemView<'a> {
    id: String,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_html: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_text: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    summary: &'a str,
    date_published: String,
    date_modified: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    authors: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
}

fn write(feed: &Feed) -> Bytes {
    let items = feed.entries().map(|(post, url, html)| ItemView {
        id: url.clone(),
        url,
        title: post.name(),
        content_html: html,
        content_text: html.is_none().then_some(&post.excerpt),
        summary: &post.excerpt,
        date_published: post.date().to_rfc3339(),
        date_modified: post.updated_at.to_rfc3339(),
        tags: post.tags.iter().map(Tag::as_str).collect(),
        authors: post
            .author
            .iter()
            .map(|name| json!({ "name": name }))
            .collect(),
        language: post.language.as_deref(),
    });
    let (base_url, hub) = (feed.base_url.as_str(), feed.settings.hub.as_deref());
    let view = FeedView {
        version: "https://jsonfeed.org/version/1.1",
        title: feed.title(),
        home_page_url: feed.page(),
        feed_url: feed.address(),
        description: feed.settings.description.as_deref(),
        icon: asset::LARGE_APP_ICON.at(base_url),
        favicon: asset::SMALL_APP_ICON.at(base_url),
        hubs: hub.map(|url| [json!({ "type": "WebSub", "url": url })]),
        items: items.collect(),
    };
    response::json_bytes(&view)
}
