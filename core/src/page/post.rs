//! `GET /p/{id}`: the page of a post, and `GET /p/{id}.md`: its Markdown source.

use std::sync::Arc;

use askama::Template;
use bytes::Bytes;
use http::header::{self, HeaderValue};
use oxilangtag::LanguageTag;
use url::Url;

use super::site::Site;
use super::{article, asset, card, frame, linked_data};
use crate::context::Context;
use crate::http::accept;
use crate::http::representation::{Caching, Representation};
use crate::http::request::Head;
use crate::http::response::{self, CacheControl};
use crate::id::PostId;
use crate::operations::access::{self, Credentials};
use crate::operations::posts;
use crate::post::{Post, PostSummary, Visibility};
use crate::problem::{Code, Problem};
use crate::queue::Permit;

const MARKDOWN: &str = "text/markdown; charset=utf-8";

#[derive(Template)]
#[template(path = "post.html", block = "main", blocks = ["title", "head"])]
struct PostPage<'a> {
    site: Site<'a>,
    post: &'a PostSummary,
    url: &'a str,
    name: &'a str,
    image: String,
    locale: Option<String>,
    linked_data: String,
    html: &'a str,
    body: &'a str,
    has_code: bool,
    /// Whether the visitor is signed in as the post's owner.
    may_edit: bool,
}

frame::page!(PostPage<'_>, post);

impl PostPage<'_> {
    /// Whether the post is a draft, which only its owner sees here.
    fn is_draft(&self) -> bool {
        self.post.visibility == Visibility::Draft
    }

    fn edit_path(&self) -> String {
        format!("/p/{}/edit", self.post.id)
    }
}

/// Shows a post, as its source if the client prefers Markdown.
pub(crate) async fn show<'a>(
    context: &'a Context,
    head: &'a Head,
    id: PostId,
) -> Result<Representation<'a>, Problem> {
    let shown = if accept::prefers(head.headers(), MARKDOWN, super::HTML) {
        source(context, head, id).await?
    } else {
        page(context, head, id).await?
    };
    Ok(shown.with_headers(|headers| {
        headers.insert(
            header::VARY,
            HeaderValue::from_static("Accept, Accept-Language"),
        );
    }))
}

async fn page<'a>(
    context: &'a Context,
    head: &'a Head,
    id: PostId,
) -> Result<Representation<'a>, Problem> {
    let site = Site::of(context, head);
    let post = read(context, head, id).await?;

    let is_draft = post.summary.visibility == Visibility::Draft;
    let modified = post.summary.updated_at;
    let etag = context.etags.of_post_in(&post.summary, &site.variant());
    let is_public = post.summary.visibility == Visibility::Public;
    let (reads, len) = (&context.queues.reads, post.body.len());
    let write = move |permit| write(context, head, permit, site, post);
    let page = Representation::queued(super::HTML, reads, len, write);
    let page = super::with_public_headers(context, head, page).with_indexing(is_public);
    if is_draft {
        return Ok(page.with_cache_control(CacheControl::NoStorePrivate));
    }
    if super::is_private_to_client(context, head) {
        return Ok(page);
    }
    let page = page.with_etag(etag, Caching::ByPost(id));
    Ok(page.with_modified(modified))
}

/// Reads a post, also a draft, if the visitor is signed in as its owner.
async fn read(context: &Context, head: &Head, id: PostId) -> Result<Arc<Post>, Problem> {
    match (posts::read(context, id).await, &head.signed_in) {
        (Err(problem), Some(owner)) if problem.code() == Code::NotFound => {
            let credentials = Credentials::SignedIn(owner.clone());
            posts::read_current(context, id, &credentials).await
        }
        (read, _) => read,
    }
}

async fn write(
    context: &Context,
    head: &Head,
    permit: Permit,
    site: Site<'_>,
    post: Arc<Post>,
) -> Result<Bytes, Problem> {
    let summary = &post.summary;
    let style = article::style(site.words);
    let rendered = posts::render(&permit, &post, style).await;
    let url = context.base_url.post(summary.id);
    let image = match &rendered.first_image {
        Some(address) => Url::parse(&url).and_then(|url| url.join(address)).ok(),
        None => None,
    };
    let image = image.map_or_else(|| card::address(&site, summary), Into::into);
    let name = site.name_of(summary);
    let template = PostPage {
        post: summary,
        linked_data: linked_data::of(&site, summary, &url, &image),
        url: &url,
        name: &name,
        image,
        locale: summary.language.as_deref().and_then(open_graph_locale),
        may_edit: access::may_edit(head.signed_in.as_ref(), summary),
        html: &rendered.html,
        body: &post.body,
        // In the text, `<` is escaped.
        has_code: rendered.html.contains("<pre"),
        site: site.clone(),
    };
    Ok(super::write(context, head, &template))
}

/// A language as Open Graph's `og:locale` writes it: `language_TERRITORY`, or the language alone if the tag
/// names no territory, since without `og:locale` a page counts as American English.
fn open_graph_locale(language: &str) -> Option<String> {
    let tag = LanguageTag::parse(language).ok()?;
    let language = tag.primary_language();
    Some(match tag.region() {
        Some(territory) => format!("{language}_{territory}"),
        None => language.to_owned(),
    })
}

/// Returns the Markdown source, exactly as it was sent.
pub(crate) async fn source<'a>(
    context: &'a Context,
    head: &Head,
    id: PostId,
) -> Result<Representation<'a>, Problem> {
    let post = read(context, head, id).await?;
    let cache_control = match post.summary.visibility {
        Visibility::Draft => CacheControl::NoStorePrivate,
        Visibility::Public | Visibility::Unlisted => CacheControl::Revalidated,
    };
    let etag = context.etags.of_post(&post.summary);
    let modified = post.summary.updated_at;
    let canonical = format!("<{}>; rel=\"canonical\"", context.base_url.post(id));
    let is_public = post.summary.visibility == Visibility::Public;
    let body = async move { Ok(Bytes::from(post.body.clone())) };
    Ok(Representation::new(MARKDOWN, body)
        .with_etag(etag, Caching::Off)
        .with_modified(modified)
        .with_indexing(is_public)
        .with_cache_control(cache_control)
        .with_headers(|headers| {
            headers.insert(header::LINK, response::ascii(canonical));
        }))
}
