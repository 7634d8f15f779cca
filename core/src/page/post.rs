//! `GET /p/{id}`: the page of a post, and `GET /p/{id}.md`: its Markdown source.

use std::sync::Arc;

use askama::Template;
use bytes::Bytes;
use handbill_markdown::{Rendered, Style};
use http::header::{self, HeaderValue};
use oxilangtag::LanguageTag;

use super::site::Site;
use super::{accept, article, asset, card, frame, index, linked_data, neighbour};
use crate::cache::{CacheReader, Reply, Representation};
use crate::context::Context;
use crate::host::author::{Author, AuthorKey};
use crate::http::{CacheControl, Head, response};
use crate::limits::queue::Permit;
use crate::observe::chain::Chain;
use crate::operations::{authors, posts};
use crate::post::{Post, PostSummary, Visibility};
use crate::problem::{Code, Problem};
use crate::route::Call;

const MARKDOWN: &str = "text/markdown; charset=utf-8";

#[derive(Template)]
#[template(path = "post.html", block = "main", blocks = ["title", "head"])]
struct PostPage<'a> {
    site: Site<'a>,
    post: &'a PostSummary,
    /// The path of the author's page, if there is one.
    author_path: Option<&'a str>,
    url: &'a str,
    name: &'a str,
    image: String,
    locale: Option<String>,
    linked_data: String,
    rendered: Rendered,
    body: &'a str,
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

/// Whether the client prefers the source of a post to its page.
pub(super) fn wants_source(head: &Head) -> bool {
    accept::prefers(head.headers(), MARKDOWN, super::HTML)
}

/// Shows a post, as its source if the client prefers Markdown, or leads to its neighbour.
pub(crate) async fn show(call: Call<'_>, reader: &CacheReader<'_>) -> Result<Reply, Problem> {
    let Call { context, head, .. } = call;
    if let Some(side) = neighbour::requested_side(head) {
        return Ok(neighbour::show(call, side).await?.into());
    }
    let post = read(call).await?;
    let site = Site::of(context, head);
    if wants_source(head) {
        let source = with_vary(describe_source(context, &post.summary));
        let cached = reader.cached_reply(&source);
        return Ok(cached.unwrap_or_else(|| source.with_body(post.body.clone()).into()));
    }
    let author = author_of(context, &post.summary).await;
    let is_found = author.is_ok();
    let author_path = author
        .unwrap_or_default()
        .map(|author| index::path_of(&author));
    let page = describe_page(context, head, &site, &post.summary, author_path.as_deref());
    let page = with_vary(page).with_sharing(is_found);
    let make = async |permit: Permit, page: Representation| {
        let body = render_post(context, head, &permit, site, &post, author_path.as_deref()).await;
        Ok(page.with_body(body).into())
    };
    let reads = &context.queues.reads;
    reader.reply(reads, post.body.len(), page, make).await
}

/// Adds `Vary`: the page and the source have the same address.
fn with_vary(mut representation: Representation) -> Representation {
    let accepted = HeaderValue::from_static("Accept, Accept-Language");
    representation.headers_mut().insert(header::VARY, accepted);
    representation
}

/// The page without its body. It depends on the path of the author's page.
fn describe_page(
    context: &Context,
    head: &Head,
    site: &Site<'_>,
    post: &PostSummary,
    author_path: Option<&str>,
) -> Representation {
    let page = if super::is_private_to_client(context, head) {
        super::public_page(context, head, None)
    } else {
        let variant = format!("{}{}", site.variant(), author_path.unwrap_or_default());
        let etag = super::etag_of_post(context, post, &variant);
        super::with_security_headers(Representation::of_post(super::HTML, post, etag), head)
    };
    let page = page.with_indexing(post.visibility == Visibility::Public);
    match post.visibility {
        Visibility::Draft => page.with_cache_control(CacheControl::NoStorePrivate),
        Visibility::Public | Visibility::Unlisted => page,
    }
}

/// Reads a post, also a draft, if the visitor is signed in as its owner.
async fn read(call: Call<'_>) -> Result<Arc<Post>, Problem> {
    let Call { context, head, .. } = call;
    match (posts::read(context, call.id()).await, &head.signed_in) {
        (Err(problem), Some(visitor)) if problem.code() == Code::NotFound => {
            let credentials = visitor.into();
            posts::read_current(context, call.id(), &credentials).await
        }
        (read, _) => read,
    }
}

async fn render_post(
    context: &Context,
    head: &Head,
    permit: &Permit,
    site: Site<'_>,
    post: &Arc<Post>,
    author_path: Option<&str>,
) -> Bytes {
    let summary = &post.summary;
    let style = Style {
        headings: article::headings(summary),
        ..article::style(site.language)
    };
    let rendered = posts::render(permit, post, style).await;
    let url = context.base_url.post(summary.id);
    let image = rendered.preview_image.clone();
    let image = image.unwrap_or_else(|| card::address(&site, summary));
    let name = site.name_of(summary);
    let template = PostPage {
        post: summary,
        author_path,
        linked_data: linked_data::of(&site, summary, author_path, &url, &image),
        url: &url,
        name: &name,
        image,
        locale: summary.language.as_deref().and_then(open_graph_locale),
        may_edit: frame::may_edit(head, summary),
        rendered,
        body: &post.body,
        site,
    };
    super::render_page(context, head, &template)
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
pub(crate) async fn source(call: Call<'_>, reader: &CacheReader<'_>) -> Result<Reply, Problem> {
    let post = read(call).await?;
    let source = describe_source(call.context, &post.summary);
    let cached = reader.cached_reply(&source);
    Ok(cached.unwrap_or_else(|| source.with_body(post.body.clone()).into()))
}

/// The source without its body.
fn describe_source(context: &Context, post: &PostSummary) -> Representation {
    let etag = context.etags.of_post(post);
    let mut source = Representation::of_post(MARKDOWN, post, etag);
    let canonical = format!("<{}>; rel=\"canonical\"", context.base_url.post(post.id));
    let canonical = response::ascii(canonical);
    source.headers_mut().insert(header::LINK, canonical);
    source.with_indexing(post.visibility == Visibility::Public)
}

/// The author that the page of a post links to. Only public posts link to their author. A failure is logged.
async fn author_of(context: &Context, post: &PostSummary) -> Result<Option<Author>, Problem> {
    let is_linked = post.visibility == Visibility::Public && post.author.is_some();
    let (Some(find_author), Some(owner), true) = (&context.find_author, &post.owner, is_linked)
    else {
        return Ok(None);
    };
    let author = authors::call(find_author, AuthorKey::Owner(owner.clone())).await;
    if let Err(error) = &author {
        tracing::warn!(error = %Chain(error), "the page of a post does not link to its author");
    }
    author
}
