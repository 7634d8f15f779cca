//! What programs read of the posts: the latest ones as feeds (Atom and JSON Feed), and the addresses of
//! all as a sitemap.

pub(crate) mod atom;
pub(crate) mod json;
pub(crate) mod sitemap;
mod xml;

use bytes::Bytes;
use http::header::{self, HeaderValue};

use crate::base_url::BaseUrl;
use crate::context::Context;
use crate::http::paging;
use crate::http::representation::{Body, Caching, Representation};
use crate::http::request::Head;
use crate::language::Language;
use crate::markdown::Style;
use crate::operations::posts;
use crate::post::{ListedPost, PageRequest, PostList, PostSummary, Tag};
use crate::problem::{Code, Problem};
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

/// The feed in this format.
async fn show<'a>(
    context: &'a Context,
    head: &'a Head,
    format: &'static Format,
) -> Result<Representation<'a>, Problem> {
    let tag = paging::tag(&head.query, &context.limits)?;
    let latest = PageRequest::new(1, MAX_POSTS);
    let latest = latest.unwrap_or_else(|_| unreachable!("these numbers are in bounds"));
    let latest = latest.with_tag(tag);

    // The list without bodies is enough for the entity tag: polling an unchanged feed is cheap.
    let found = posts::list(context, latest.clone()).await?;
    let etag = context.etags.of_list(format.path, &latest, &found);
    let body = make(context, format, latest, found);
    let feed = Representation::new(format.media_type, body);
    Ok(inert(feed.with_etag(etag, Caching::ByRoute)))
}

/// Makes the feed of these posts. It shows a post that changed after it was listed as it is now, with an
/// entity tag of what it shows.
async fn make(
    context: &Context,
    format: &'static Format,
    latest: PageRequest,
    found: PostList,
) -> Result<Body, Problem> {
    let _turn = context.export_turn.lock().await;
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
        // Feeds are read away from the post's page: JSON Feed cannot say what relative addresses are
        // relative to, and not every reader of Atom respects `xml:base`.
        let style = Style::default().with_base(&context.base_url.post(listed.id));
        let html = posts::render(context, &post.body, style).await.html;
        let left = room.checked_sub(html.len());
        room = left.unwrap_or_default();
        entries.push(Entry {
            post: post.summary.clone(),
            html: left.is_some().then_some(html),
        });
    }
    let shown = entries
        .iter()
        .map(|entry| ListedPost::new(entry.post.clone()));
    let shown = PostList::new(shown.collect(), found.total);
    let newer_etag = (shown != found).then(|| context.etags.of_list(format.path, &latest, &shown));
    let feed = Feed {
        base_url: context.base_url.clone(),
        query: query_of(latest.tag()),
        path: format.path,
        tag: latest.tag().cloned(),
        entries,
    };
    let write = move || Bytes::from((format.write)(&feed));
    let bytes = context.blocking.run(MAX_HTML - room, write).await;
    Ok(Body { bytes, newer_etag })
}

/// What follows a path for this tag.
fn query_of(tag: Option<&Tag>) -> String {
    tag.map_or_else(String::new, |tag| {
        format!("?{}", paging::query_of_tag(tag.as_str()))
    })
}

/// Keeps anything in a feed or sitemap from running in a browser that shows it.
fn inert(representation: Representation<'_>) -> Representation<'_> {
    let policy = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
    representation.with_header(header::CONTENT_SECURITY_POLICY, policy)
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
