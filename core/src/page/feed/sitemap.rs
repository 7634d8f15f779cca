//! `GET /sitemap.xml`: the addresses of all posts, newest first, in the
//! [Sitemaps protocol](https://www.sitemaps.org/protocol.html).
//!
//! A file has at most 50,000 addresses. With more posts, `/sitemap.xml` is an index of files, and
//! `?page=` selects one of them.
//!
//! To make a file, the store is asked for up to 50 pages. So a file is cached for as many minutes as there are
//! files. With at most 1,000 posts it is made again as soon as posts are added or removed, or one of the latest
//! 50 changes.

use bytes::Bytes;
use tokio::task;

use super::xml::Document;
use crate::context::Context;
use crate::http::paging;
use crate::http::representation::Representation;
use crate::http::request::Head;
use crate::operations::posts;
use crate::post::{PageRequest, PostList, PostSummary};
use crate::problem::Problem;
use crate::queue::{HEAVY, Permit};
use crate::time::Timestamp;

const PATH: &str = "/sitemap.xml";
const MEDIA_TYPE: &str = "application/xml; charset=utf-8";
const NAMESPACE: (&str, &str) = ("xmlns", "http://www.sitemaps.org/schemas/sitemap/0.9");
/// The maximum number of addresses in a file, and of files in an index.
const MAX_ADDRESSES: u64 = 50_000;
/// The number of pages of the store in one file.
const PAGES_PER_FILE: u64 = MAX_ADDRESSES / PageRequest::MAX_PER_PAGE as u64;
/// How many of the latest posts are listed to see whether a file has changed.
const LATEST: u32 = 50;
/// With more posts than this, new ones appear once the file is not cached any more.
const MAX_CURRENT: u64 = 1_000;

/// The sitemap, or the file that `?page=` selects.
pub(crate) async fn show<'a>(
    context: &'a Context,
    head: &'a Head,
) -> Result<Representation<'a>, Problem> {
    let requested = paging::whole_number(&head.query, "page", u64::MAX)?;
    let latest = page(1, LATEST);
    let found = posts::list(context, latest.clone()).await?;
    let files = found.total.div_ceil(MAX_ADDRESSES).clamp(1, MAX_ADDRESSES);
    let number = requested.unwrap_or(1);
    if number > files {
        return Err(Problem::not_found());
    }
    if requested.is_none() && files > 1 {
        let index = async move { Ok(Bytes::from(index(context, files).finish())) };
        return Ok(Representation::new(MEDIA_TYPE, index));
    }
    let period = context.clock.now().minute() / files.cast_signed();
    let state = format!("{PATH} {number} {period}");
    let state = match found.total <= MAX_CURRENT {
        true => context.etags.of_list(&state, &latest, &found),
        false => context.etags.of_bytes(state.as_bytes()),
    };
    let file = async move |permit: Permit| {
        let _permit = permit;
        Ok(Bytes::from(file(context, number, &found).await?.finish()))
    };
    let sitemaps = &context.queues.sitemaps;
    Ok(Representation::queued(MEDIA_TYPE, sitemaps, HEAVY, file).with_state(state))
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
        let found = posts::list(context, page(number, PageRequest::MAX_PER_PAGE)).await?;
        for post in found.posts.iter().map(|listed| &listed.summary) {
            let key = sort_key(post);
            // Skips posts that a new post has moved from the previous page to this one.
            if newest.is_some_and(|newest| key <= newest) && last.is_none_or(|last| key < last) {
                let url = context.base_url.post(post.id);
                write(&mut document, "url", &url, Some(post.updated_at));
                last = Some(key);
            }
        }
        if found.posts.len() < PageRequest::MAX_PER_PAGE as usize {
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
