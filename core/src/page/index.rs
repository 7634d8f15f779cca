use askama::Template;

use super::post::name_of;
use crate::conditional::Conditions;
use crate::context::Context;
use crate::operations::posts;
use crate::paging;
use crate::post::PostSummary;
use crate::problem::Problem;
use crate::request::Head;
use crate::response::Response;

#[derive(Template)]
#[template(path = "index.html")]
struct IndexPage<'a> {
    root: &'a str,
    tag: Option<&'a str>,
    page: u64,
    posts: Vec<Item<'a>>,
    newer: Option<String>,
    older: Option<String>,
}

struct Item<'a> {
    id: &'a str,
    name: &'a str,
    excerpt: &'a str,
    created_at: String,
    day: String,
}

/// The latest posts, of all or of one tag.
pub(crate) async fn show(context: &Context, head: &Head) -> Result<Response, Problem> {
    let page = paging::page_request(&head.query, &context.limits)?.with_bodies(false);
    let conditions = Conditions::of(head)?;
    let found = posts::list(context, page.clone()).await?;

    let (number, last) = (page.page(), page.pages_of(found.total));
    let newer = (number > 1 && last > 0).then(|| (number - 1).min(last));
    let older = (number < last).then(|| number + 1);
    let template = IndexPage {
        root: context.base_url.path(),
        tag: page.tag().map(|tag| tag.as_str()),
        page: number,
        posts: found
            .posts
            .iter()
            .map(|(summary, _)| item(summary))
            .collect(),
        newer: newer.map(|number| paging::query_of(&page, number)),
        older: older.map(|number| paging::query_of(&page, number)),
    };
    Ok(super::public(context, &conditions, None, &template))
}

fn item(post: &PostSummary) -> Item<'_> {
    let created_at = post.created_at.to_rfc3339();
    Item {
        id: post.id.as_str(),
        name: name_of(post),
        excerpt: &post.excerpt,
        day: created_at.chars().take("2026-11-20".len()).collect(),
        created_at,
    }
}
