//! `GET /?q=…`: the posts that a search finds, with what matches.

use std::sync::Arc;

use askama::Template;
use handbill_markdown::EXCERPT_LEN;
use handbill_markdown::search::searchable_text;

use super::site::Site;
use super::{article, asset, frame, text};
use crate::cache::{Reader, Reply};
use crate::context::Context;
use crate::http::paging::{NumberedPage, SearchText};
use crate::limits::queue::{HEAVY, Permit};
use crate::operations::{period, posts};
use crate::post::{ListedPost, Post, PostList, PostSummary, Tag};
use crate::problem::{Code, Problem};

/// The maximum number of bytes of bodies in which a page looks for matches. After that, it shows excerpts.
const MAX_BODIES: usize = 2 * 1024 * 1024;

#[derive(Template)]
#[template(path = "search.html", block = "main", blocks = ["title", "head"])]
struct SearchPage<'a> {
    site: Site<'a>,
    text: &'a str,
    has_words: bool,
    tag: Option<&'a str>,
    /// The name of the month, if only its posts are searched.
    month: Option<String>,
    /// The query of the same search in all posts, if it is limited to others.
    everywhere: Option<String>,
    total: u64,
    /// Whether there may be older ones than those that were found.
    is_cut: bool,
    is_incomplete: bool,
    page: u64,
    last: u64,
    hits: Vec<Hit<'a>>,
    /// The queries of the page's neighbours.
    newer: &'a str,
    older: &'a str,
}

/// A post that was found. What matches in it is marked in HTML.
struct Hit<'a> {
    post: &'a PostSummary,
    name: String,
    text: String,
    author: Option<String>,
    /// The tags that match.
    tags: Vec<&'a str>,
}

frame::page!(SearchPage<'_>);

/// Shows the posts that a search finds, latest first. The page is not cached, since anyone can search for anything.
pub(super) async fn show(
    context: &Context,
    reader: &Reader<'_>,
    page: &NumberedPage,
    search: &SearchText,
) -> Result<Reply, Problem> {
    let (head, number, request) = (reader.head, page.number.get(), &page.request);
    context.rate_limiter.searches.count(head.requester())?;
    let permit = context.queues.searches.permit(head.client, HEAVY).await?;
    let found = period::list(context, request.clone(), page.period).await?;

    let mut site = Site::of(context, head).with_search_in(page);
    site.query = format!("{}&", page.short_query(number));
    let variant = format!("search {} {}", site.variant(), site.query);
    let etag = context.etags.of_list(&variant, request, &found);
    let wanted = super::shared(context, head, etag);
    let wanted = wanted.with_sharing(false).without_indexing();
    if let Some(reply) = reader.known(&wanted) {
        return Ok(reply);
    }
    let hits = hits(context, &permit, &site, search, &found).await?;
    let last = request.pages_of(found.total);
    let template = SearchPage {
        text: &search.text,
        has_words: !search.query.is_empty(),
        tag: request.tag.as_ref().map(Tag::as_str),
        month: page.month.map(|month| site.month(&month.start())),
        everywhere: page.short_query_of_search(),
        total: found.total,
        is_cut: found.total >= period::MAX_HITS.into(),
        is_incomplete: found.is_incomplete,
        page: number,
        last,
        hits,
        newer: &page.short_query((number - 1).clamp(1, last.max(1))),
        older: &page.short_query(number.saturating_add(1)),
        site,
    };
    let body = super::write(context, head, &template);
    Ok(wanted.with_body(body).into())
}

async fn hits<'p>(
    context: &Context,
    permit: &Permit,
    site: &Site<'_>,
    search: &SearchText,
    found: &'p PostList,
) -> Result<Vec<Hit<'p>>, Problem> {
    let query = Arc::new(search.query.clone());
    let marked = |text: &str| text::with_marks(text, &query.marks(text));
    let (mut hits, mut remaining) = (Vec::new(), MAX_BODIES);
    for ListedPost { summary: post, .. } in found {
        let mut snippet = query.snippet(&post.excerpt, EXCERPT_LEN);
        if snippet.marks.is_empty()
            && remaining > 0
            && let Some(post) = unchanged(context, post).await?
        {
            remaining = remaining.saturating_sub(post.body.len());
            let (query, permit) = (Arc::clone(&query), permit.part(post.body.len()));
            let find = move || query.snippet(&searchable_text(&post.body), EXCERPT_LEN);
            let of_body = permit.run(find).await;
            if !of_body.marks.is_empty() {
                snippet = of_body;
            }
        }
        let tags = post.tags.iter().map(Tag::as_str);
        hits.push(Hit {
            post,
            name: marked(&site.name_of(post)),
            text: text::with_marks(&snippet.text, &snippet.marks),
            author: post.author.as_deref().map(marked),
            tags: tags.filter(|tag| !query.marks(tag).is_empty()).collect(),
        });
    }
    Ok(hits)
}

/// A post with its body, unless it has changed since it was listed.
async fn unchanged(context: &Context, listed: &PostSummary) -> Result<Option<Arc<Post>>, Problem> {
    match posts::read(context, listed.id).await {
        Ok(post) => Ok((post.summary.revision == listed.revision).then_some(post)),
        Err(problem) if matches!(problem.code(), Code::Gone | Code::NotFound) => Ok(None),
        Err(problem) => Err(problem),
    }
}
