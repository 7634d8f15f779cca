use askama::Template;
use form_urlencoded::byte_serialize;

use crate::conditional::Conditions;
use crate::context::Context;
use crate::id::PostId;
use crate::operations::posts;
use crate::post::PostSummary;
use crate::problem::Problem;
use crate::request::Head;
use crate::response::Response;

#[derive(Template)]
#[template(path = "post.html")]
struct PostPage<'a> {
    root: &'a str,
    url: String,
    name: &'a str,
    title: Option<&'a str>,
    excerpt: &'a str,
    focus_keyword: Option<&'a str>,
    created_at: String,
    day: String,
    html: &'a str,
    tags: Vec<TagLink<'a>>,
}

struct TagLink<'a> {
    name: &'a str,
    query: String,
}

/// A post, for people.
pub(crate) async fn show(context: &Context, head: &Head, id: PostId) -> Result<Response, Problem> {
    let conditions = Conditions::of(head)?;
    let post = posts::read(context, id).await?;
    let rendered = context
        .renderer
        .render(&post.summary, &post.body, &context.base_url)
        .await;
    let summary = &post.summary;
    let created_at = summary.created_at.to_rfc3339();
    let tags = summary.tags.iter().map(|tag| TagLink {
        name: tag.as_str(),
        query: byte_serialize(tag.as_str().as_bytes()).collect(),
    });
    let template = PostPage {
        root: context.base_url.path(),
        url: context.base_url.post(id),
        name: name_of(summary),
        title: summary.title.as_deref(),
        excerpt: &summary.excerpt,
        focus_keyword: summary.focus_keyword.as_deref(),
        day: created_at.chars().take("2026-11-20".len()).collect(),
        created_at,
        html: &rendered.html,
        tags: tags.collect(),
    };
    Ok(super::public(
        context,
        &conditions,
        Some(summary.updated_at),
        &template,
    ))
}

/// What a post is called: its title, or how it begins.
pub(super) fn name_of(post: &PostSummary) -> &str {
    match &post.title {
        Some(title) => title,
        None if post.excerpt.is_empty() => "Untitled",
        None => &post.excerpt,
    }
}
