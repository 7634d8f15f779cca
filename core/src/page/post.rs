use askama::Template;
use bytes::Bytes;
use http::header;
use url::Url;

use super::site::Site;
use super::{article, asset, frame, linked_data};
use crate::conditional::{self, Conditions};
use crate::context::Context;
use crate::id::PostId;
use crate::kept::KeptAnswer;
use crate::operations::posts;
use crate::post::{Post, PostSummary};
use crate::problem::Problem;
use crate::rendering::PostPageKey;
use crate::request::Head;
use crate::response::{self, Response};
use crate::route::Part;

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
        let page = Box::pin(write(context, head, site, &post)).await;
        return Ok(super::public(context, head, &conditions, page));
    }
    // Our own page is the same for all readers of a language: it is made once a revision.
    let key = PostPageKey {
        id,
        revision: post.summary.revision,
        language: site.words.tag(),
        is_chosen: site.is_chosen,
    };
    Ok(match context.renderer.kept_post_page(&key) {
        Some(kept) => kept.to(&conditions),
        None => Box::pin(show_first(context, head, site, &key, &conditions, &post)).await,
    })
}

/// A post that nobody has seen yet in this revision and language.
async fn show_first(
    context: &Context,
    head: &Head,
    site: Site<'_>,
    key: &PostPageKey,
    conditions: &Conditions<'_>,
    post: &Post,
) -> Response {
    let etag = context.etags.of_revision_in(key.revision, key.language);
    let modified = Some(post.summary.updated_at);
    let secure = |mut response: Response| {
        super::secure(head, response.headers_mut(), super::PUBLIC_REFERRER);
        response
    };
    if conditions.are_current(&etag, modified) {
        return secure(conditional::not_modified(&etag, modified));
    }
    let make = || async {
        let page = response::bytes(super::HTML, write(context, head, site, post).await);
        let whole = secure(conditional::validated(page, &etag, modified));
        let is_open = context.is_open_to_scripts(Part::Pages);
        KeptAnswer::new(etag.clone(), modified, whole, is_open)
    };
    context.renderer.post_page(key, make).await.to(conditions)
}

async fn write(context: &Context, head: &Head, site: Site<'_>, post: &Post) -> Bytes {
    let summary = &post.summary;
    let style = article::style(site.words);
    let rendered = context.renderer.render_styled(&post.body, style).await;
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
        response::bytes("text/markdown; charset=utf-8", post.body.clone().into())
    });
    let canonical = format!("<{}>; rel=\"canonical\"", context.base_url.post(id));
    response::set(&mut response, header::LINK, response::ascii(canonical));
    Ok(response)
}
