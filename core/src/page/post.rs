//! `GET /p/{id}`: the page of a post, and `GET /p/{id}.md`: its Markdown source.

use std::sync::Arc;

use askama::Template;
use bytes::Bytes;
use http::header;
use url::Url;

use super::site::Site;
use super::{article, asset, frame, linked_data};
use crate::blocking::Work;
use crate::context::Context;
use crate::http::representation::{Caching, Representation};
use crate::http::request::Head;
use crate::http::response;
use crate::id::PostId;
use crate::operations::posts;
use crate::post::{Post, PostSummary};
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "post.html", blocks = ["title", "head", "main"])]
struct PostPage<'a> {
    site: Site<'a>,
    post: &'a PostSummary,
    url: &'a str,
    name: &'a str,
    image: String,
    linked_data: String,
    html: &'a str,
}

frame::page!(PostPage<'_>);

/// Shows a post.
pub(crate) async fn show<'a>(
    context: &'a Context,
    head: &'a Head,
    id: PostId,
) -> Result<Representation<'a>, Problem> {
    let site = Site::of(context, head);
    let post = posts::read(context, id).await?;

    let (revision, modified) = (post.summary.revision, post.summary.updated_at);
    let variant = site.variant();
    let page = super::public(context, head, write(context, head, site, post));
    if super::is_private_to_client(context, head) {
        return Ok(page);
    }
    let etag = context.etags.of_revision_in(revision, &variant);
    let page = page.with_etag(etag, Caching::ByPost(id));
    Ok(page.with_modified(modified))
}

async fn write(
    context: &Context,
    head: &Head,
    site: Site<'_>,
    post: Arc<Post>,
) -> Result<Bytes, Problem> {
    let summary = &post.summary;
    let style = article::style(site.words);
    let rendered = posts::render(context, Work::Read, &post.body, style).await;
    let url = context.base_url.post(summary.id);
    let image = match &rendered.first_image {
        Some(address) => Url::parse(&url).and_then(|url| url.join(address)).ok(),
        None => None,
    };
    let image = image.map_or_else(|| site.absolute_asset(asset::CARD), Into::into);
    let name = site.name_of(summary);
    let template = PostPage {
        post: summary,
        linked_data: linked_data::of(summary, &name, &url, &image),
        url: &url,
        name: &name,
        image,
        html: &rendered.html,
        site: site.clone(),
    };
    Ok(super::write(context, head, &template))
}

/// Returns the Markdown source, exactly as it was sent.
pub(crate) async fn source(context: &Context, id: PostId) -> Result<Representation<'_>, Problem> {
    let post = posts::read(context, id).await?;
    let etag = context.etags.of_revision(post.summary.revision);
    let modified = post.summary.updated_at;
    let canonical = format!("<{}>; rel=\"canonical\"", context.base_url.post(id));
    let body = async move { Ok(Bytes::from(post.body.clone())) };
    Ok(Representation::new("text/markdown; charset=utf-8", body)
        .with_etag(etag, Caching::Off)
        .with_modified(modified)
        .with_headers(|headers| {
            headers.insert(header::LINK, response::ascii(canonical));
        }))
}
