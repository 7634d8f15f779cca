//! Feeds of the latest posts (Atom and JSON Feed), the sitemap with the addresses of all posts, and the description of
//! the search.

pub(crate) mod json;
pub(crate) mod opensearch;
pub(crate) mod sitemap;
mod xml;

use std::borrow::Cow;

use askama::Template;
use bytes::Bytes;
use handbill_markdown::Style;

use crate::cache::{CacheReader, Reply, Representation};
use crate::context::Context;
use crate::host::base_url::BaseUrl;
use crate::host::page_settings::PageSettings;
use crate::http::paging;
use crate::limits::queue::{HEAVY, Permit};
use crate::operations::posts;
use crate::page::asset;
use crate::page::language::Language;
use crate::page::site::with_tag;
use crate::post::{ListedPost, PageRequest, PageSize, PostList, PostSummary, Tag, Timestamp};
use crate::problem::{Code, Problem};
use crate::route::Call;

/// The maximum number of bytes of HTML in a feed, or of the bodies that it is rendered from if they are
/// longer. The entries after it have only an excerpt.
///
/// Bodies are read one at a time and only up to this limit, and one feed is made at a time. This bounds
/// the memory that feeds need.
const MAX_HTML: usize = 2 * 1024 * 1024;

const MAX_POSTS: PageSize = PageSize::of::<50>();

pub(crate) struct FeedFormat {
    /// The path below the mount point.
    path: &'static str,
    media_type: &'static str,
    write: fn(&Feed) -> Bytes,
}

/// The latest posts as an Atom feed (RFC 4287).
pub(crate) static ATOM: FeedFormat = FeedFormat {
    path: "/feed.atom",
    media_type: "application/atom+xml; charset=utf-8",
    write: |feed| xml::document(feed),
};

/// The latest posts, all or those with a tag. The template is that of Atom.
#[derive(Template)]
#[template(path = "feed/atom.xml")]
struct Feed {
    base_url: BaseUrl,
    settings: PageSettings,
    format: &'static FeedFormat,
    tag: Option<Tag>,
    entries: Vec<FeedEntry>,
}

struct FeedEntry {
    post: PostSummary,
    /// The HTML with absolute links, if it fits into the feed.
    html: Option<String>,
}

/// The feed of all posts or of those with a tag, in a format.
pub(crate) async fn show(
    call: Call<'_>,
    reader: &CacheReader<'_>,
    format: &'static FeedFormat,
) -> Result<Reply, Problem> {
    let Call { context, head, .. } = call;
    let tag = paging::tag(&head.query, &context.limits)?;
    let latest = PageRequest::first(MAX_POSTS).with_tag(tag);

    // The list without bodies is enough for the entity tag: polling an unchanged feed is cheap.
    let list = posts::list(context, latest.clone()).await?;
    let describe = |list: &PostList| {
        let etag = context.etags.of_list(format.path, &latest, list);
        // Anyone can ask for any number of feeds without posts.
        let has_posts = !list.posts.is_empty();
        let feed = Representation::new(format.media_type).with_etag(etag);
        feed.with_sharing(has_posts)
    };
    let make = async |permit: Permit, _| {
        let entries = entries(context, &permit, &latest, &list).await?;
        // A post that has changed since it was listed is shown as it is now.
        let shown = entries
            .iter()
            .map(|entry| ListedPost::new(entry.post.clone()));
        let feed = describe(&PostList::new(shown.collect(), list.total));
        let html = entries.iter().filter_map(|entry| entry.html.as_ref());
        let permit = permit.part(html.map(String::len).sum());
        let content = Feed {
            base_url: context.base_url.clone(),
            settings: context.pages.clone(),
            format,
            tag: latest.tag.clone(),
            entries,
        };
        let body = permit.run(move || (format.write)(&content)).await;
        Ok(feed.with_body(body).into())
    };
    let feeds = &context.queues.pages.feeds;
    reader.reply(feeds, HEAVY, describe(&list), make).await
}

async fn entries(
    context: &Context,
    permit: &Permit,
    latest: &PageRequest,
    list: &PostList,
) -> Result<Vec<FeedEntry>, Problem> {
    let mut entries = Vec::with_capacity(list.posts.len());
    let mut remaining = MAX_HTML;
    for listed in list.posts.iter().map(|listed| &listed.summary) {
        if remaining == 0 {
            let post = listed.clone();
            entries.push(FeedEntry { post, html: None });
            continue;
        }
        let post = match posts::read(context, listed.id).await {
            Ok(post) => post,
            Err(problem) if matches!(problem.code(), Code::Gone | Code::NotFound) => continue,
            Err(problem) => return Err(problem),
        };
        let lacks = |tag| !post.summary.tags.contains(tag);
        let is_hidden = post.summary.listed_at().is_none();
        if is_hidden || latest.tag.as_ref().is_some_and(lacks) {
            continue;
        }
        // Links are absolute, since JSON Feed has no base address, and not every feed reader supports
        // `xml:base`.
        let style = Style::default()
            .with_language(post.summary.language.as_deref())
            .with_base(&context.base_url.post(listed.id));
        let permit = permit.part(post.body.len());
        let html = posts::render(&permit, &post, style).await.html;
        let fits = html.len() <= remaining;
        remaining = remaining.saturating_sub(html.len().max(post.body.len()));
        entries.push(FeedEntry {
            post: post.summary.clone(),
            html: fits.then_some(html),
        });
    }
    Ok(entries)
}

impl Feed {
    fn title(&self) -> String {
        match &self.tag {
            None => self.settings.name.clone(),
            Some(tag) => format!("{} #{tag}", self.settings.name),
        }
    }

    /// The address of the feed, which also identifies it.
    fn address(&self) -> String {
        self.at(self.format.path)
    }

    /// The address of the page with the same posts.
    fn page(&self) -> String {
        self.at("/")
    }

    fn at(&self, path: &str) -> String {
        let path = with_tag(path, self.tag.as_ref().map(Tag::as_str));
        format!("{}{path}", self.base_url.as_str())
    }

    /// The time of the latest change of a post. The beginning of 1970 if there are no posts.
    fn updated(&self) -> Timestamp {
        let updated = self.entries.iter().map(|entry| entry.post.updated_at);
        updated.max().unwrap_or(Timestamp::from_micros(0))
    }

    /// The posts, newest first, each with its address and with its HTML if it fits.
    fn entries(&self) -> impl Iterator<Item = (&PostSummary, String, Option<&str>)> {
        self.entries.iter().map(|FeedEntry { post, html }| {
            let url = self.base_url.post(post.id);
            (post, url, html.as_deref())
        })
    }
}

/// The name of a post in a format that requires one. Feeds have no language, so a post that has no
/// name of its own is named in the default language.
fn name_of(post: &PostSummary) -> String {
    let untitled = || Language::fallback().message("untitled").to_string();
    post.name().map_or_else(untitled, Cow::into_owned)
}
