//! `GET /sitemap.xml`: the addresses of all posts, newest first, in the
//! [Sitemaps protocol](https://www.sitemaps.org/protocol.html).
//!
//! A file has at most 50,000 addresses. With more posts, `/sitemap.xml` is an index of files, and
//! `?page=` selects one of them.
//!
//! To make a file, the store is asked for up to 50 pages. So with more than 1,000 posts, a file is cached for as many
//! minutes as there are files, whatever is changed.

use std::num::NonZeroU64;
use std::time::Duration;

use tokio::task;

use super::xml::Document;
use crate::cache::{Reader, Reply, Representation, Turn};
use crate::context::Context;
use crate::http::paging;
use crate::limits::queue::HEAVY;
use crate::operations::posts;
use crate::post::time::Timestamp;
use crate::post::{ListedPost, PageRequest, PageSize, PageStart};
use crate::problem::Problem;
use crate::route::Call;

const MEDIA_TYPE: &str = "application/xml; charset=utf-8";
const NAMESPACE: (&str, &str) = ("xmlns", "http://www.sitemaps.org/schemas/sitemap/0.9");
/// The maximum number of addresses in a file, and of files in an index.
const MAX_ADDRESSES: u64 = 50_000;
/// The number of pages of the store in one file.
const PAGES_PER_FILE: u64 = MAX_ADDRESSES / PageSize::MAX.get() as u64;
/// With more posts than this, new ones appear once the file is not cached any more.
const MAX_CURRENT: u64 = 1_000;
const MINUTE: Duration = Duration::from_secs(60);

/// The sitemap, or the file that `?page=` selects.
pub(crate) async fn show(call: Call<'_>, reader: &Reader<'_>) -> Result<Reply, Problem> {
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
        return Ok(sitemap.with_body(index(context, files).finish()).into());
    }
    if total > MAX_CURRENT {
        sitemap = sitemap.lasting(MINUTE * files as u32);
    }
    let queue = &context.queues.sitemaps;
    let _permit = match reader.turn(queue, HEAVY, &sitemap).await? {
        Turn::Known(reply) => return Ok(*reply),
        Turn::Make(permit) => permit,
    };
    let file = file(context, number).await?;
    Ok(sitemap.with_body(file.finish()).into())
}

async fn file(context: &Context, number: u64) -> Result<Document, Problem> {
    let mut document = Document::new();
    document.open("urlset", &[NAMESPACE]);
    let earlier = (number - 1) * PAGES_PER_FILE * u64::from(PageSize::MAX.get());
    let first = PageRequest::first(PageSize::MAX).with_start(PageStart::Skip(earlier));
    let (mut next, mut is_empty) = (Some(first), true);
    for _ in 0..PAGES_PER_FILE {
        let Some(page) = next else { break };
        let found = posts::list(context, page.clone()).await?;
        for ListedPost { summary, .. } in found.posts.iter() {
            let url = context.base_url.post(summary.id);
            write(&mut document, "url", &url, Some(summary.updated_at));
            is_empty = false;
        }
        next = page.next_after(&found);
        // Lets other tasks run, since a store may respond without waiting.
        task::yield_now().await;
    }
    if is_empty {
        // A file without addresses is not valid.
        let home = format!("{}/", context.base_url.as_str());
        write(&mut document, "url", &home, None);
    }
    document.close("urlset");
    Ok(document)
}

fn index(context: &Context, files: u64) -> Document {
    let mut document = Document::new();
    document.open("sitemapindex", &[NAMESPACE]);
    for number in 1..=files {
        let address = format!("{}/sitemap.xml?page={number}", context.base_url.as_str());
        write(&mut document, "sitemap", &address, None);
    }
    document.close("sitemapindex");
    document
}

/// Writes an address with the time of its last change.
fn write(document: &mut Document, name: &str, address: &str, changed: Option<Timestamp>) {
    document.open(name, &[]);
    document.text("loc", &[], address);
    if let Some(changed) = changed {
        document.text("lastmod", &[], &changed.to_rfc3339());
    }
    document.close(name);
}
