//! `GET /sitemap.xml`: the addresses of all posts, newest first, in the
//! [Sitemaps protocol](https://www.sitemaps.org/protocol.html).
//!
//! A file has at most 50,000 addresses. With more posts, `/sitemap.xml` is an index of files, and
//! `?page=` selects one of them.

use bytes::Bytes;
use tokio::task;

use super::xml::Document;
use crate::context::{self, Context};
use crate::http::paging;
use crate::http::representation::Representation;
use crate::http::request::Head;
use crate::operations::posts;
use crate::post::{PageRequest, PostList};
use crate::problem::Problem;
use crate::time::Timestamp;

const MEDIA_TYPE: &str = "application/xml; charset=utf-8";
const NAMESPACE: (&str, &str) = ("xmlns", "http://www.sitemaps.org/schemas/sitemap/0.9");
/// The maximum number of addresses in a file, and of files in an index.
const MAX_ADDRESSES: u64 = 50_000;
/// The number of pages of the store in one file.
const PAGES_PER_FILE: u64 = MAX_ADDRESSES / PageRequest::MAX_PER_PAGE as u64;

/// The sitemap, or the file that `?page=` selects.
pub(crate) async fn show<'a>(
    context: &'a Context,
    head: &'a Head,
) -> Result<Representation<'a>, Problem> {
    let requested = paging::whole_number(&head.query, "page", u64::MAX)?;
    let body = make(context, requested);
    Ok(super::inert(Representation::new(MEDIA_TYPE, body)))
}

async fn make(context: &Context, requested: Option<u64>) -> Result<Bytes, Problem> {
    let _turn = context::turn(&context.export_lock).await?;
    let number = requested.unwrap_or(1);
    let start = (number - 1).saturating_mul(PAGES_PER_FILE);
    let found = page_after(context, start).await?;
    let files = found.total.div_ceil(MAX_ADDRESSES).clamp(1, MAX_ADDRESSES);
    if number > files {
        return Err(Problem::not_found());
    }
    let document = if requested.is_none() && files > 1 {
        index(context, files)
    } else {
        file(context, start, found).await?
    };
    Ok(document.finish().into())
}

/// Lists the posts that follow a number of pages.
async fn page_after(context: &Context, pages: u64) -> Result<PostList, Problem> {
    let request = PageRequest::new(pages.saturating_add(1), PageRequest::MAX_PER_PAGE);
    let request = request.unwrap_or_else(|_| unreachable!("these numbers are in bounds"));
    posts::list(context, request).await
}

/// The file that follows `start` pages and begins with the posts in `first`. If posts are deleted while
/// the file is being made, it may lack some of the posts after them.
async fn file(context: &Context, start: u64, first: PostList) -> Result<Document, Problem> {
    let mut document = Document::new();
    document.open("urlset", &[NAMESPACE]);
    if first.total == 0 {
        // A file without addresses is not valid.
        let home = format!("{}/", context.base_url.as_str());
        write(&mut document, "url", &home, None);
    }
    let mut found = first;
    let mut last = None;
    for pages in start + 1.. {
        for post in found.posts.iter().map(|listed| &listed.summary) {
            let sort_key = (post.date(), post.id);
            // Skips posts that a new post has moved from the previous page to this one.
            if last.is_none_or(|last| sort_key < last) {
                let url = context.base_url.post(post.id);
                write(&mut document, "url", &url, Some(post.updated_at));
                last = Some(sort_key);
            }
        }
        if found.posts.is_empty() || pages == start + PAGES_PER_FILE {
            break;
        }
        // Lets other tasks run, since a store may respond without waiting.
        task::yield_now().await;
        found = page_after(context, pages).await?;
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
