//! What programs read of the posts: the latest ones as feeds (Atom and JSON Feed), and the addresses of
//! all as a sitemap.

pub(crate) mod atom;
pub(crate) mod json;
pub(crate) mod sitemap;
mod xml;

use bytes::Bytes;
use http::header::{self, HeaderValue};

use crate::base_url::BaseUrl;
use crate::conditional::{self, Conditions, ETag};
use crate::context::Context;
use crate::language::Language;
use crate::markdown::Style;
use crate::operations::posts;
use crate::paging;
use crate::post::{PageRequest, Post, PostList, PostSummary, Tag};
use crate::problem::{Code, Problem};
use crate::request::Head;
use crate::response::{self, Response};
use crate::time::Timestamp;

/// Bytes of HTML that all entries of a feed have together: so long a feed holds the latest posts whole,
/// and then only how they begin. It bounds what a feed takes in memory, however long posts are: their
/// bodies are read one after the other, and only while there is room, and one feed is made at a time.
const MAX_HTML: usize = 2 * 1024 * 1024;

/// The most posts that a feed has.
const MAX_POSTS: u32 = 50;

/// A format that feeds are written in.
struct Format {
    /// Where below the mount point they are.
    path: &'static str,
    media_type: &'static str,
    write: fn(&Feed) -> Vec<u8>,
}

/// The latest posts, of all or of one tag.
struct Feed {
    base_url: BaseUrl,
    /// What follows the path in the addresses of the feed and of its page.
    query: String,
    path: &'static str,
    tag: Option<Tag>,
    entries: Vec<Entry>,
}

/// A post in a feed.
struct Entry {
    post: PostSummary,
    /// Its HTML, with absolute addresses, where there is room for it.
    html: Option<String>,
}

/// Answers with the feed that is asked for.
async fn show(
    context: &Context,
    head: &Head,
    format: &'static Format,
) -> Result<Response, Problem> {
    let tag = paging::tag(&head.query, &context.limits)?;
    let conditions = Conditions::of(head)?;
    let latest = PageRequest::new(1, MAX_POSTS);
    let latest = latest.unwrap_or_else(|_| unreachable!("these numbers are in bounds"));
    let latest = latest.with_tag(tag);

    // Whoever has these revisions already, or asks for what was written before, costs no bodies.
    let found = posts::list(context, latest.clone()).await?;
    let etag = etag_of_found(context, format, &latest, &found);
    if conditions.are_current(&etag, None) {
        return Ok(answer(format.media_type, &conditions, &etag, Bytes::new()));
    }
    if let Some(feed) = context.renderer.feed(&etag) {
        return Ok(answer(format.media_type, &conditions, &etag, feed));
    }

    let turn = context.renderer.export_turn().await;
    // Meanwhile somebody else may have had it written, and the posts may be others.
    let found = posts::list(context, latest.clone()).await?;
    let etag = etag_of_found(context, format, &latest, &found);
    let (etag, feed) = match context.renderer.feed(&etag) {
        Some(feed) => (etag, feed),
        None => make(context, format, &latest, &found).await?,
    };
    drop(turn);
    Ok(answer(format.media_type, &conditions, &etag, feed))
}

fn etag_of_found(
    context: &Context,
    format: &Format,
    latest: &PageRequest,
    found: &PostList,
) -> ETag {
    let posts = found.posts.iter().map(|listed| &listed.summary);
    etag_of(context, format, latest, posts)
}

/// The tag of all that a feed's bytes depend on: its format, its tag, and the revisions of its posts.
fn etag_of<'a>(
    context: &Context,
    format: &Format,
    latest: &PageRequest,
    posts: impl Iterator<Item = &'a PostSummary>,
) -> ETag {
    let mut shown = format!("{}\n{}\n", format.path, query_of(latest.tag()));
    for post in posts {
        shown.push_str(&format!("{} {}\n", post.id, post.revision.number()));
    }
    context.etags.of_bytes(shown.as_bytes())
}

/// The feed of these posts, with its tag, which is kept. What was changed since they were found is shown
/// as it is now: the tag is that of what is shown.
async fn make(
    context: &Context,
    format: &'static Format,
    latest: &PageRequest,
    found: &PostList,
) -> Result<(ETag, Bytes), Problem> {
    let mut entries = Vec::with_capacity(found.posts.len());
    let mut room = MAX_HTML;
    for listed in found.posts.iter().map(|listed| &listed.summary) {
        if room == 0 {
            let post = listed.clone();
            entries.push(Entry { post, html: None });
            continue;
        }
        let post = match posts::read(context, listed.id).await {
            Ok(post) => post,
            Err(problem) if matches!(problem.code(), Code::Gone | Code::NotFound) => continue,
            Err(problem) => return Err(problem),
        };
        let tags = &post.summary.tags;
        if latest.tag().is_some_and(|tag| !tags.contains(tag)) {
            continue;
        }
        let html = html_of(context, &post).await;
        let left = room.checked_sub(html.len());
        room = left.unwrap_or_default();
        entries.push(Entry {
            post: post.summary.clone(),
            html: left.is_some().then_some(html),
        });
    }
    let posts = entries.iter().map(|entry| &entry.post);
    let etag = etag_of(context, format, latest, posts);
    let feed = Feed {
        base_url: context.base_url.clone(),
        query: query_of(latest.tag()),
        path: format.path,
        tag: latest.tag().cloned(),
        entries,
    };
    let written = move || Bytes::from((format.write)(&feed));
    let feed = context.renderer.work(MAX_HTML - room, written).await;
    context.renderer.keep_feed(etag.clone(), feed.clone());
    Ok((etag, feed))
}

/// A post's HTML for those who read it away from its page: JSON Feed has no way to say what relative
/// addresses are relative to, and not each reader of Atom heeds `xml:base`.
async fn html_of(context: &Context, post: &Post) -> String {
    let style = Style::default().with_base(&context.base_url.post(post.summary.id));
    let rendered = context.renderer.render_styled(&post.body, style).await;
    rendered.html
}

/// What follows a path for this tag.
fn query_of(tag: Option<&Tag>) -> String {
    tag.map_or_else(String::new, |tag| {
        format!("?{}", paging::query_of_tag(tag.as_str()))
    })
}

/// An answer of what is written, or 304. Nothing in it is to run in a browser that shows it.
fn answer(
    media_type: &'static str,
    conditions: &Conditions,
    etag: &ETag,
    written: Bytes,
) -> Response {
    let mut response = conditional::answer(conditions, etag, None, || {
        response::bytes(media_type, written)
    });
    response::set(
        &mut response,
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    );
    response
}

impl Feed {
    /// What the feed is called: the site, and the tag if there is one.
    fn title(&self) -> String {
        let site = self.site();
        match &self.tag {
            None => site.to_owned(),
            Some(tag) => format!("{site} #{tag}"),
        }
    }

    fn site(&self) -> &str {
        self.base_url.without_scheme()
    }

    /// The address of the feed itself, which also identifies it.
    fn address(&self) -> String {
        format!("{}{}{}", self.base_url.as_str(), self.path, self.query)
    }

    /// The address of the page that shows the same posts.
    fn page(&self) -> String {
        format!("{}/{}", self.base_url.as_str(), self.query)
    }

    /// When one of its posts was last changed; 1970 began where there is none.
    fn updated(&self) -> Timestamp {
        let updated = self.entries.iter().map(|entry| entry.post.updated_at);
        updated.max().unwrap_or(Timestamp::from_micros(0))
    }

    /// Its posts, the latest first, each with its address, and its HTML where there is room for it.
    fn entries(&self) -> impl Iterator<Item = (&PostSummary, String, Option<&str>)> {
        self.entries.iter().map(|Entry { post, html }| {
            let url = self.base_url.post(post.id);
            (post, url, html.as_deref())
        })
    }
}

/// What a post is called where a name is demanded. Feeds speak no language: what has no words of its own
/// is named in the one that is spoken by default.
fn name_of(post: &PostSummary) -> String {
    let untitled = || Language::default_one().say("untitled").to_string();
    post.name().map_or_else(untitled, str::to_owned)
}
