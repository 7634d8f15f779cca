//! `GET /llms.txt`: the site for programs that read, as [llmstxt.org](https://llmstxt.org) proposes. It is
//! Markdown, sent as plain text, as static files with this name are.

use askama::Template;
use http::header::{self, HeaderValue};

use super::site::Site;
use super::text;
use crate::cache::{CacheReader, Reply, Representation};
use crate::operations::posts;
use crate::post::{PageRequest, PageSize, PostList};
use crate::problem::Problem;
use crate::route::Call;

const MEDIA_TYPE: &str = "text/plain; charset=utf-8";
const MAX_POSTS: PageSize = PageSize::of::<50>();

#[derive(Template)]
#[template(path = "llms.txt")]
struct LlmsText<'a> {
    site: Site<'a>,
    list: &'a PostList,
}

/// The file, in the language of the client.
pub(crate) async fn show(call: Call<'_>, reader: &CacheReader<'_>) -> Result<Reply, Problem> {
    let context = call.context;
    let latest = PageRequest::first(MAX_POSTS);
    let list = posts::list(context, latest.clone()).await?;
    let site = Site::of(context, call.head);
    let etag = context.etags.of_list(&site.variant(), &latest, &list);
    let mut file = Representation::new(MEDIA_TYPE).with_etag(etag);
    let language = HeaderValue::from_static("Accept-Language");
    file.headers_mut().insert(header::VARY, language);
    if let Some(reply) = reader.cached_reply(&file) {
        return Ok(reply);
    }
    let template = LlmsText { site, list: &list };
    Ok(file.with_body(super::frame::render(&template)).into())
}
