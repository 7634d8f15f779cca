//! `GET /llms.txt`: the site for programs that read, as [llmstxt.org](https://llmstxt.org) proposes. It is
//! Markdown, sent as plain text, as static files with this name are.

use askama::Template;
use bytes::Bytes;
use http::header::{self, HeaderValue};

use super::site::Site;
use super::text;
use crate::context::Context;
use crate::http::representation::Representation;
use crate::http::request::Head;
use crate::operations::posts;
use crate::post::{PageRequest, PostSummary};
use crate::problem::Problem;

const MEDIA_TYPE: &str = "text/plain; charset=utf-8";
/// The maximum number of posts in the file.
const MAX_POSTS: u32 = 50;

#[derive(Template)]
#[template(path = "llms.txt")]
struct LlmsText<'a> {
    site: Site<'a>,
    posts: Vec<&'a PostSummary>,
}

/// The file, in the language of the client.
pub(crate) async fn show<'a>(
    context: &'a Context,
    head: &'a Head,
) -> Result<Representation<'a>, Problem> {
    let latest = PageRequest::new(1, MAX_POSTS);
    let latest = latest.unwrap_or_else(|_| unreachable!("these numbers are in bounds"));
    let found = posts::list(context, latest).await?;
    let template = LlmsText {
        site: Site::of(context, head),
        posts: found.posts.iter().map(|listed| &listed.summary).collect(),
    };
    let text = Bytes::from(super::frame::render(&template));
    let file = Representation::new(MEDIA_TYPE, async { Ok(text) });
    Ok(file.with_headers(|headers| {
        headers.insert(header::VARY, HeaderValue::from_static("Accept-Language"));
    }))
}
