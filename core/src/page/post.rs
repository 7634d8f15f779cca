use askama::Template;
use bytes::Bytes;
use http::header;
use url::Url;

use super::site::Site;
use super::{article, asset, frame, linked_data};
use crate::conditional::{self, Conditions};
use crate::context::Context;
use crate::id::PostId;
use crate::operations::posts;
use crate::post::{Post, PostSummary};
use crate::problem::Problem;
use crate::rendering::PostPageKey;
use crate::request::Head;
use crate::response::{self, Response};

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

/// A post, for people.
pub(crate) async fn show(context: &Context, head: &Head, id: PostId) -> Result<Response, Problem> {
    let site = Site::of(context, head);
    let conditions = Conditions::of(head)?;
    let post = posts::read(context, id).await?;

    if context.frame.is_some() || !site.is_shared() {
        let page = write(context, head, site, &post).await;
        return Ok(super::public(context, head, &conditions, page));
    }
    // Our own page is the same for all readers of a language: it is made once a revision.
    let key = PostPageKey {
        id,
        revision: post.summary.revision,
        language: site.words.tag(),
        is_chosen: site.is_chosen,
    };
    let etag = context.etags.of_revision_in(key.revision, key.language);
    let modified = Some(post.summary.updated_at);
    let page = if conditions.are_current(&etag, modified) {
        Bytes::new()
    } else {
        let make = write(context, head, site, &post);
        context.renderer.post_page(&key, make).await
    };
    let mut response = conditional::answer(&conditions, &etag, modified, || {
        response::bytes(super::HTML, page)
    });
    super::secure(head, response.headers_mut(), super::PUBLIC_REFERRER);
    Ok(response)
}

async fn write(context: &Context, head: &Head, site: Site<'_>, post: &Post) -> Bytes {
    let summary = &post.summary;
    let rendered = context
        .renderer
        .render(summary, &post.body, &context.base_url)
        .await;
    let url = context.base_url.post(summary.id);
    let image = match &rendered.picture {
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
    super::write(context, head, &template)
}

/// The Markdown that a post is made from, byte for byte as it was sent.
pub(crate) async fn source(
    context: &Context,
    head: &Head,
    id: PostId,
) -> Result<Response, Problem> {
    let conditions = Conditions::of(head)?;
    let post = posts::read(context, id).await?;
    let etag = context.etags.of_revision(post.summary.revision);
    let modified = Some(post.summary.updated_at);
    let mut response = conditional::answer(&conditions, &etag, modified, || {
        response::bytes("text/markdown; charset=utf-8", post.body.into())
    });
    let canonical = format!("<{}>; rel=\"canonical\"", context.base_url.post(id));
    response::set(&mut response, header::LINK, response::ascii(&canonical));
    Ok(response)
}
