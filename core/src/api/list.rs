//! `GET /api/posts`: posts a page at a time, and the links between the pages (RFC 8288).

use std::sync::Arc;

use http::header;
use serde::Serialize;
use utoipa::ToSchema;

use super::describe::{self, problems};
use crate::conditional::{self, Conditions};
use crate::context::Context;
use crate::kept::KeptAnswer;
use crate::operations::posts;
use crate::paging;
use crate::post::{PageRequest, PostPage};
use crate::problem::Problem;
use crate::rendering::Rendered;
use crate::request::Head;
use crate::response::{self, Response};
use crate::route::Part;
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
pub(crate) async fn list(context: &Context, head: &Head) -> Result<Response, Problem> {
    let page = paging::page_request(&head.query, &context.limits)?;
    let conditions = Conditions::of(head)?;

    let found = posts::list(context, page.clone()).await?;

    let make = || answer(context, &page, &found);
    let kept = context.renderer.page(&page, &found, make).await;
    Ok(kept.to(&conditions))
}

async fn answer(context: &Context, page: &PageRequest, found: &PostPage) -> KeptAnswer {
    let rendered = render_bodies(context, found).await;
    let total_pages = page.pages_of(found.total);
    let view = PageView {
        posts: view(context, found, &rendered),
        page: page.page(),
        per_page: page.per_page(),
        total: found.total,
        total_pages,
    };
    let json = response::json_bytes(&view);
    let etag = context.etags.of_bytes(&json);
    let mut whole = conditional::validated(response::bytes("application/json", json), &etag, None);
    if let Some(links) = links(context.base_url.as_str(), page, total_pages) {
        response::set(&mut whole, header::LINK, response::ascii(links));
    }
    KeptAnswer::new(etag, None, whole, context.is_open_to_scripts(Part::Api))
}

async fn render_bodies(context: &Context, found: &PostPage) -> Vec<Option<Arc<Rendered>>> {
    let mut rendered = Vec::with_capacity(found.posts.len());
    for (summary, body) in found.posts.iter() {
        rendered.push(match body {
            Some(source) => Some(context.renderer.render(summary, source).await),
            None => None,
        });
    }
    rendered
}

fn view<'a>(
    context: &Context,
    found: &'a PostPage,
    rendered: &'a [Option<Arc<Rendered>>],
) -> Vec<PostView<'a>> {
    let posts = found
        .posts
        .iter()
        .zip(rendered)
        .map(|((summary, source), rendered)| {
            let body = source.as_deref().zip(rendered.as_deref());
            let body = body.map(|(source, rendered)| BodyView {
                source,
                html: &rendered.html,
            });
            PostView::new(summary, body, context.base_url.post(summary.id))
        });
    posts.collect()
}

/// Where the list goes on, for `Link`; none where there are no pages.
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
