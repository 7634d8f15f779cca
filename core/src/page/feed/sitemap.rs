//! `GET /sitemap.xml`: the addresses of all posts, newest first, in the
//! [Sitemaps protocol](https://www.sitemaps.org/protocol.html).
//!
//! A file has at most 50,000 addresses. With more posts, `/sitemap.xml` is an index of files, and
//! `?page=` selects one of them.
//!
//! To make a file, the store is asked for up to 50 pages. So with more than 1,000 posts, a file stays cached for one
//! minute per file, even after changes.

use std::num::NonZeroU64;
use std::time::Duration;

use askama::Template;
use tokio::task;

use super::xml;
use crate::cache::{CacheReader, Reply, Representation};
use crate::context::Context;
use crate::host::base_url::BaseUrl;
use crate::http::paging;
use crate::limits::queue::{HEAVY, Permit};
use crate::operations::posts;
use crate::post::{PageRequest, PageSize, PageStart, PostId, Timestamp};
use crate::problem::Problem;
use crate::route::Call;

const MEDIA_TYPE: &str = "application/xml; charset=utf-8";
/// The maximum number of addresses in a file, and of files in an index.
const MAX_ADDRESSES: u64 = 50_000;
/// The number of pages of the store in one file.
const PAGES_PER_FILE: u64 = MAX_ADDRESSES / PageSize::MAX.get() as u64;
/// With more posts than this, new ones appear once the file is not cached any more.
const MAX_CURRENT: u64 = 1_000;
const MINUTE: Duration = Duration::from_secs(60);

#[derive(Template)]
#[template(path = "feed/sitemap.xml")]
struct Sitemap {
    base_url: BaseUrl,
    /// The posts with the times of their last changes.
    posts: Vec<(PostId, Timestamp)>,
}

#[derive(Template)]
#[template(path = "feed/sitemap_index.xml")]
struct SitemapIndex<'a> {
    url: &'a str,
    files: u64,
}

/// The sitemap, or the file that `?page=` selects.
pub(crate) async fn show(call: Call<'_>, reader: &CacheReader<'_>) -> Result<Reply, Problem> {
    let Call { context, head, .. } = call;
    let requested = paging::whole_number(&head.query, "page", u64::MAX)?;
    let latest = PageRequest::first(PageSize::of::<1>());
    let total = posts::list(context, latest).await?.total;
    let files = total.div_ceil(MAX_ADDRESSES).clamp(1, MAX_ADDRESSES);
    let number = requested.unwrap_or(NonZeroU64::MIN).get();
    if number > files {
        return Err(Problem::not_found());
    }
    let mut sitemap = Representation::new(MEDIA_TYPE);
    if requested.is_none() && files > 1 {
        let url = context.base_url.as_str();
        let index = xml::document(&SitemapIndex { url, files });
        return Ok(sitemap.with_body(index).into());
    }
    if total > MAX_CURRENT {
        sitemap.lasts = Some(MINUTE * files as u32);
    }
    let queue = &context.queues.pages.sitemaps;
    let make = async |permit: Permit, sitemap: Representation| {
        let template = Sitemap {
            base_url: context.base_url.clone(),
            posts: listed(context, number).await?,
        };
        let body = permit.run(move || xml::document(&template)).await;
        Ok(sitemap.with_body(body).into())
    };
    reader.reply(queue, HEAVY, sitemap, make).await
}

/// The posts of a file, newest first.
async fn listed(context: &Context, number: u64) -> Result<Vec<(PostId, Timestamp)>, Problem> {
    let mut posts = Vec::new();
    let earlier = (number - 1) * PAGES_PER_FILE * u64::from(PageSize::MAX.get());
    let first = PageRequest::first(PageSize::MAX).with_start(PageStart::Skip(earlier));
    let mut next = Some(first);
    for _ in 0..PAGES_PER_FILE {
        let Some(page) = next else { break };
        let found = posts::list(context, page.clone()).await?;
        let listed = found.posts.iter().map(|listed| &listed.summary);
        posts.extend(listed.map(|post| (post.id, post.updated_at)));
        next = page.next_after(&found);
        // Lets other tasks run, since a store may respond without waiting.
        task::yield_now().await;
    }
    Ok(posts)
}
