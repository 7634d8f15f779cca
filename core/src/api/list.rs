//! `GET /api/posts`: the list of posts in pages, with links between the pages (RFC 8288).

use bytes::Bytes;
use http::header;
use serde::Serialize;
use utoipa::ToSchema;

use super::describe::{self, problems};
use crate::context::Context;
use crate::http::paging;
use crate::http::representation::{Caching, Representation};
use crate::http::request::Head;
use crate::http::response;
use crate::markdown::Style;
use crate::operations::posts;
use crate::post::{PageRequest, PostList};
use crate::problem::Problem;
use crate::view::{BodyView, PostView};

/// One page of posts, newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = PostList)]
struct PageView<'a> {
    posts: Vec<PostView<'a>>,
    /// The number of this page, from 1.
    #[schema(minimum = 1)]
    page: u64,
    /// The maximum number of posts on a page.
    #[schema(minimum = 1, maximum = 50)]
    per_page: u32,
    /// The number of posts on all pages.
    total: u64,
    /// The number of pages.
    total_pages: u64,
}

problems! {
    ListProblems: [InvalidParameter, InvalidHeader, StoreUnavailable]
}

/// Lists posts, newest first. A page past the end has no posts.
#[utoipa::path(
    get, path = "/api/posts", tag = "Posts", operation_id = "listPosts",
    params(describe::ListQuery, describe::ReadConditions),
    responses(
        (status = 200, description = "A page of posts.", body = PageView<'static>, headers(
            ("Link" = String, description = "Absolute addresses (RFC 8288): `first`, `prev`, `next` and `last`, where such a page exists."),
            ("ETag" = String, description = "A strong entity tag."),
            ("Cache-Control" = String, description = "`public, no-cache`: caches revalidate before reuse."),
        )),
        (status = 304, description = "The client's copy of the page is current.", headers(
            ("Link" = String, description = "The same links as with the page."),
            ("ETag" = String, description = "The current entity tag."),
            ("Cache-Control" = String, description = "`public, no-cache`: caches revalidate before reuse."),
        )),
        ListProblems,
    ),
)]
pub(crate) async fn list<'a>(
    context: &'a Context,
    head: &Head,
) -> Result<Representation<'a>, Problem> {
    let page = paging::page_request(&head.query, &context.limits)?;
    let found = posts::list(context, page.clone()).await?;

    let etag = context.etags.of_list("posts", &page, &found);
    let (linked, total_pages) = (page.clone(), page.pages_of(found.total));
    let body = async move { Ok(body(context, &page, found).await) };
    Ok(Representation::new("application/json", body)
        .with_etag(etag, Caching::ByRoute)
        .with_headers(move |headers| {
            let links = links(context.base_url.as_str(), &linked, total_pages);
            headers.extend(links.map(|links| (header::LINK, response::ascii(links))));
        }))
}

async fn body(context: &Context, page: &PageRequest, found: PostList) -> Bytes {
    let mut rendered = Vec::with_capacity(found.posts.len());
    for post in found.posts.iter() {
        rendered.push(match &post.body {
            Some(source) => Some(posts::render(context, source, Style::default()).await.html),
            None => None,
        });
    }
    let posts = found.posts.iter().zip(&rendered).map(|(post, html)| {
        let body = post.body.as_deref().zip(html.as_deref());
        let body = body.map(|(source, html)| BodyView { source, html });
        let url = context.base_url.post(post.summary.id);
        PostView::new(&post.summary, body, url)
    });
    response::json_bytes(&PageView {
        posts: posts.collect(),
        page: page.page(),
        per_page: page.per_page(),
        total: found.total,
        total_pages: page.pages_of(found.total),
    })
}

/// The `Link` header with the addresses of other pages. `None` if there are no posts.
fn links(base_url: &str, page: &PageRequest, total_pages: u64) -> Option<String> {
    if total_pages == 0 {
        return None;
    }
    let number = page.page();
    let relations = [
        ("first", Some(1)),
        ("prev", (number > 1).then(|| (number - 1).min(total_pages))),
        ("next", (number < total_pages).then(|| number + 1)),
        ("last", Some(total_pages)),
    ];
    let links = relations.into_iter().filter_map(|(relation, number)| {
        let query = paging::query_of(page, number?);
        Some(format!(
            "<{base_url}/api/posts?{query}>; rel=\"{relation}\""
        ))
    });
    Some(links.collect::<Vec<_>>().join(", "))
}
