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
use crate::operations::posts;
use crate::post::{PageRequest, PageSize, PostList, PostSummary};
use crate::problem::Problem;
use crate::queue::HEAVY;
use crate::time::Timestamp;

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
pub(crate) async fn show(context: &Context, reader: &Reader<'_>) -> Result<Reply, Problem> {
    let requested = paging::whole_number(&reader.head.query, "page", u64::MAX)?;
    let found = posts::list(context, page(1, 1)).await?;
    let files = found.total.div_ceil(MAX_ADDRESSES).clamp(1, MAX_ADDRESSES);
    let number = requested.map_or(1, NonZeroU64::get);
    if number > files {
        return Err(Problem::not_found());
    }
    let mut sitemap = Representation::new(MEDIA_TYPE);
    if requested.is_none() && files > 1 {
        return Ok(sitemap.with_body(index(context, files).finish()).into());
    }
    if found.total > MAX_CURRENT {
        sitemap = sitemap.lasting(MINUTE * files as u32);
    }
    let queue = &context.queues.sitemaps;
    let _permit = match reader.turn(queue, HEAVY, &sitemap).await? {
        Turn::Known(reply) => return Ok(*reply),
        Turn::Make(permit) => permit,
    };
    let file = file(context, number, &found).await?;
    Ok(sitemap.with_body(file.finish()).into())
}

/// A page of all posts. Both numbers are from 1.
fn page(number: u64, per_page: u32) -> PageRequest {
    let page = PageRequest::new(number, per_page);
    page.unwrap_or_else(|_| unreachable!("these numbers are in bounds"))
}

/// The file with this number, without posts that are newer than the `latest` ones. If posts are deleted while
/// the file is being made, it may lack some of the posts after them.
async fn file(context: &Context, number: u64, latest: &PostList) -> Result<Document, Problem> {
    let mut document = Document::new();
    document.open("urlset", &[NAMESPACE]);
    if latest.total == 0 {
        // A file without addresses is not valid.
        let home = format!("{}/", context.base_url.as_str());
        write(&mut document, "url", &home, None);
    }
    let sort_key = |post: &PostSummary| (post.date(), post.id);
    let newest = latest.posts.first().map(|listed| sort_key(&listed.summary));
    let mut last = None;
    let start = (number - 1) * PAGES_PER_FILE;
    for number in start + 1..=start + PAGES_PER_FILE {
        let found = posts::list(context, page(number, PageSize::MAX.get())).await?;
        for post in found.posts.iter().map(|listed| &listed.summary) {
            let key = sort_key(post);
            // Skips posts that a new post has moved from the previous page to this one.
            if newest.is_some_and(|newest| key <= newest) && last.is_none_or(|last| key < last) {
                let url = context.base_url.post(post.id);
                write(&mut document, "url", &url, Some(post.updated_at));
                last = Some(key);
            }
        }
        if found.posts.len() < PageSize::MAX.get() as usize {
            break;
        }
        // Lets other tasks run, since a store may respond without waiting.
        task::yield_now().await;
    }
    document.close("urlset");
    Ok(document)
}

/// The index of `files` files.
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
