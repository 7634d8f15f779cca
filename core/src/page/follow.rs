//! `GET /follow`: how to follow the site with a feed reader.

use askama::Template;

use super::site::{self, Site};
use super::{asset, frame};
use crate::cache::Representation;
use crate::host::base_url::query_of_tag;
use crate::http::paging;
use crate::post::Tag;
use crate::problem::Problem;
use crate::route::Call;

#[derive(Template)]
#[template(path = "follow.html", block = "main", blocks = ["title", "head"])]
struct FollowPage<'a> {
    site: Site<'a>,
    tag: Option<&'a str>,
    path: &'a str,
}

frame::page!(FollowPage<'_>);

/// Shows the addresses of the feeds of all posts, or of those with a tag.
pub(crate) fn show(call: Call<'_>) -> Result<Representation, Problem> {
    let Call { context, head, .. } = call;
    let tag = paging::tag(&head.query, &context.limits)?;
    let tag = tag.as_ref().map(Tag::as_str);
    let mut site = Site::of(context, head);
    if let Some(tag) = tag {
        site.query = format!("{}&", query_of_tag(tag));
    }
    let path = &site::with_tag("/follow", tag);
    let template = FollowPage { site, tag, path };
    Ok(super::public_page(context, head, None)
        .with_body(super::render_page(context, head, &template)))
}
