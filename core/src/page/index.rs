use askama::Template;

use super::site::Site;
use super::{asset, frame};
use crate::conditional::Conditions;
use crate::context::Context;
use crate::operations::posts;
use crate::paging;
use crate::post::{PageRequest, PostSummary};
use crate::problem::Problem;
use crate::request::Head;
use crate::response::Response;

#[derive(Template)]
#[template(path = "index.html", blocks = ["title", "head", "main"])]
struct IndexPage<'a> {
    site: Site<'a>,
    tag: Option<&'a str>,
    total: u64,
    page: u64,
    last: u64,
    posts: Vec<&'a PostSummary>,
    /// The queries that lead to this page and its neighbours.
    here: &'a str,
    newer: &'a str,
    older: &'a str,
    /// What follows the address of the mount point in that of this list.
    canonical: &'a str,
}

frame::page!(IndexPage<'_>);

/// The latest posts, of all or of one tag.
pub(crate) async fn show(context: &Context, head: &Head) -> Result<Response, Problem> {
    let site = Site::of(context, head)?;
    let page = paging::page_request(&head.query, &context.limits)?.with_bodies(false);
    let conditions = Conditions::of(head)?;
    let found = posts::list(context, page.clone()).await?;

    let (number, last) = (page.page(), page.pages_of(found.total));
    let here = paging::query_of(&page, number);
    let template = IndexPage {
        site,
        tag: page.tag().map(|tag| tag.as_str()),
        total: found.total,
        page: number,
        last,
        posts: found.posts.iter().map(|(summary, _)| summary).collect(),
        newer: &paging::query_of(&page, (number - 1).clamp(1, last.max(1))),
        older: &paging::query_of(&page, number.saturating_add(1)),
        canonical: &canonical(&page, &here),
        here: &here,
    };
    let page = super::write(context, head, &template);
    Ok(super::public(context, head, &conditions, page))
}

/// The first page of all posts is the mount point itself.
fn canonical(page: &PageRequest, here: &str) -> String {
    match (page.page(), page.tag()) {
        (1, None) => String::new(),
        _ => format!("?{here}"),
    }
}
