//! `GET /?q=…`: the posts that a search finds, with what matches.

use std::sync::Arc;

use handbill_markdown::EXCERPT_LEN;
use handbill_markdown::search::searchable_text;

use super::site::Site;
use super::text;
use crate::context::Context;
use crate::http::paging::SearchText;
use crate::limits::queue::Permit;
use crate::operations::posts;
use crate::post::{ListedPost, Post, PostList, PostSummary, Tag};
use crate::problem::{Code, Problem};

/// The maximum number of bytes of bodies in which a page looks for matches. After that, it shows excerpts.
const MAX_BODIES: usize = 2 * 1024 * 1024;

/// A post that was found. What matches in it is marked in HTML.
pub(super) struct SearchHit<'a> {
    pub(super) post: &'a PostSummary,
    pub(super) name: String,
    pub(super) text: String,
    pub(super) author: Option<String>,
    /// The tags that match.
    pub(super) tags: Vec<&'a str>,
}

/// The posts of a page of a search, with what matches.
pub(super) async fn hits<'p>(
    context: &Context,
    permit: &Permit,
    site: &Site<'_>,
    search: &SearchText,
    list: &'p PostList,
) -> Result<Vec<SearchHit<'p>>, Problem> {
    let query = Arc::new(search.query.clone());
    let marked = |text: &str| text::with_marks(text, &query.marks(text));
    let (mut hits, mut remaining) = (Vec::new(), MAX_BODIES);
    for ListedPost { summary: post, .. } in list {
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
        hits.push(SearchHit {
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
