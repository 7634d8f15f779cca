//! `GET /sitemap.xml`: the addresses of all posts, newest first, as the
//! [Sitemaps protocol](https://www.sitemaps.org/protocol.html) has them. A file holds 50,000 of them at
//! the most: where there are more posts, `/sitemap.xml` is an index, and `?page=` names a file.

use bytes::Bytes;
use tokio::task;

use super::xml::Document;
use crate::context::Context;
use crate::http::paging;
use crate::http::representation::Representation;
use crate::http::request::Head;
use crate::operations::posts;
use crate::post::{PageRequest, PostList};
use crate::problem::Problem;
use crate::time::Timestamp;

const MEDIA_TYPE: &str = "application/xml; charset=utf-8";
const NAMESPACE: (&str, &str) = ("xmlns", "http://www.sitemaps.org/schemas/sitemap/0.9");
/// Addresses in a file at the most; the protocol says the same of files in an index.
const MAX_ADDRESSES: u64 = 50_000;
/// Pages of the store that make a file.
const PAGES: u64 = MAX_ADDRESSES / PageRequest::MAX_PER_PAGE as u64;

/// The sitemap, or the file of it that `?page=` names.
pub(crate) async fn show<'a>(
    context: &'a Context,
    head: &'a Head,
) -> Result<Representation<'a>, Problem> {
    let named = paging::whole_number(&head.query, "page", u64::MAX)?;
    let body = make(context, named);
    Ok(super::inert(Representation::new(MEDIA_TYPE, body)))
}

async fn make(context: &Context, named: Option<u64>) -> Result<Bytes, Problem> {
    let _turn = context.export_turn.lock().await;
    let number = named.unwrap_or(1);
    let start = (number - 1).saturating_mul(PAGES);
    let found = page_after(context, start).await?;
    let files = found.total.div_ceil(MAX_ADDRESSES).clamp(1, MAX_ADDRESSES);
    if number > files {
        return Err(Problem::not_found());
    }
    let document = if named.is_none() && files > 1 {
        index(context, files)
    } else {
        file(context, start, found).await?
    };
    Ok(document.finish().into())
}

/// Posts of the page of the store after so many others.
async fn page_after(context: &Context, pages: u64) -> Result<PostList, Problem> {
    let request = PageRequest::new(pages.saturating_add(1), PageRequest::MAX_PER_PAGE);
    let request = request.unwrap_or_else(|_| unreachable!("these numbers are in bounds"));
    posts::list(context, request).await
}

/// The file that begins with these posts, after so many pages. Where posts are deleted while it is
/// made, some that follow them may be missing until it is made again.
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
            let place = (post.created_at, post.id);
            // What a new post moved from the page before onto this one is written already.
            if last.is_none_or(|last| place < last) {
                let url = context.base_url.post(post.id);
                write(&mut document, "url", &url, Some(post.updated_at));
                last = Some(place);
            }
        }
        if found.posts.is_empty() || pages == start + PAGES {
            break;
        }
        // Others have their turn, also where a store answers without waiting.
        task::yield_now().await;
        found = page_after(context, pages).await?;
    }
    document.close("urlset");
    Ok(document)
}

/// The index of so many files.
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

/// An address, and when what is there was last changed.
fn write(document: &mut Document, name: &str, address: &str, changed: Option<Timestamp>) {
    document.open(name, &[]);
    document.text("loc", &[], address);
    if let Some(changed) = changed {
        document.text("lastmod", &[], &changed.to_rfc3339());
    }
    document.close(name);
}
