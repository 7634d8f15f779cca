//! `GET /api/posts`: the list of posts in pages, with links between the pages (RFC 8288).

use bytes::Bytes;
use handbill_markdown::Style;
use http::header;
use serde::Serialize;

use super::credentials;
use crate::cache::{CacheReader, Reply, Representation};
use crate::context::Context;
use crate::host::base_url::BaseUrl;
use crate::http::paging::NumberedPage;
use crate::http::response::{self, JSON};
use crate::http::{CacheControl, Head, Query, paging};
use crate::limits::queue::{HEAVY, Permit};
use crate::operations::{authors, period};
use crate::post::{List, PostList, PostSummary, PostView};
use crate::problem::Problem;
use crate::route::Call;

/// The maximum number of bytes of bodies and HTML in a list. The posts after it have neither.
///
/// Bodies are rendered only up to this limit, and one list with bodies is made at a time. This bounds the memory that
/// such lists need.
const MAX_BODIES: usize = 2 * 1024 * 1024;

#[derive(Serialize)]
struct PageView<'a> {
    posts: Vec<PostView<'a>>,
    page: u64,
    per_page: u32,
    total: u64,
    total_pages: u64,
    /// Whether a search may have missed posts. Only this is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<bool>,
}

/// Lists posts, newest first. A page past the end has no posts.
pub(crate) async fn list(call: Call<'_>, reader: &CacheReader<'_>) -> Result<Reply, Problem> {
    let Call { context, head, .. } = call;
    let mut page = page_of(context, head)?;
    let mut _permit = Permit::default();
    if let Some(slug) = author_in(context, head)? {
        let author = authors::by_slug(context, &slug).await?;
        let author = author.ok_or_else(|| Query::invalid("by", "names no author"))?;
        page.request.list = List::PublicOf(author.owner);
        page.author_slug = Some(slug);
        _permit = owners_permit(context, head, &page).await?;
    }
    let list = Representation::new(JSON);
    show(context, reader, "/api/posts", page, list).await
}

/// Lists all posts of the owner of the API key that the request carries, drafts and unlisted ones too,
/// the latest created first. A page past the end has no posts.
pub(crate) async fn list_own(call: Call<'_>, reader: &CacheReader<'_>) -> Result<Reply, Problem> {
    let Call { context, head, .. } = call;
    let (_, key) = credentials::api_key(context, head).await?;
    let mut page = page_of(context, head)?;
    page.request.list = List::AllOf(key.owner);
    let _permit = owners_permit(context, head, &page).await?;
    let list = Representation::new(JSON).with_cache_control(CacheControl::NoStorePrivate);
    show(context, reader, "/api/keys/current/posts", page, list).await
}

/// A permit for a list of an owner. Searches have a queue of their own.
async fn owners_permit(
    context: &Context,
    head: &Head,
    page: &NumberedPage,
) -> Result<Permit, Problem> {
    match &page.search {
        Some(_) => Ok(Permit::default()),
        None => context.queues.owner_lists.permit(head.client, HEAVY).await,
    }
}

/// The parameters of a list that is cached. `None` if one is not valid, or names an author: the host may change whose
/// posts those are.
pub(super) fn query_of(context: &Context, head: &Head) -> Option<String> {
    match author_in(context, head) {
        Ok(None) => page_of(context, head).ok()?.cache_query(),
        _ => None,
    }
}

/// The slug of an author in the query, where the host names authors.
fn author_in(context: &Context, head: &Head) -> Result<Option<String>, Problem> {
    match &context.find_author {
        Some(_) => Ok(head.query.one("by")?.filter(|slug| !slug.is_empty())),
        None => Ok(None),
    }
}

fn page_of(context: &Context, head: &Head) -> Result<NumberedPage, Problem> {
    let page = paging::page(&head.query, &context.limits)?.in_period(&head.query)?;
    page.in_search(&head.query, context.has_search())
}

async fn show(
    context: &Context,
    reader: &CacheReader<'_>,
    path: &str,
    page: NumberedPage,
    list: Representation,
) -> Result<Reply, Problem> {
    let (queues, head) = (&context.queues, reader.head);
    let permit = match (&page.search, page.request.bodies) {
        (Some(_), bodies) => {
            context.rate_limiter.searches.count(head.requester())?;
            let queue = match bodies {
                true => &queues.lists_with_bodies,
                false => &queues.searches,
            };
            queue.permit(head.client, HEAVY).await?
        }
        (None, true) => {
            // The list without bodies is enough for the entity tag: polling an unchanged list is cheap.
            let request = page.request.clone().with_bodies(false);
            let found = period::list(context, request, page.period).await?;
            let without_bodies = describe(context, path, &page, &found, list.clone());
            let make = async |permit: Permit, _| {
                show_with(context, reader, path, page, list, &permit).await
            };
            let queue = &queues.lists_with_bodies;
            return reader.reply(queue, HEAVY, without_bodies, make).await;
        }
        (None, false) => Permit::default(),
    };
    show_with(context, reader, path, page, list, &permit).await
}

/// Shows the page under a permit that was given already.
async fn show_with(
    context: &Context,
    reader: &CacheReader<'_>,
    path: &str,
    page: NumberedPage,
    list: Representation,
    permit: &Permit,
) -> Result<Reply, Problem> {
    let found = period::list(context, page.request.clone(), page.period).await?;
    let list = describe(context, path, &page, &found, list);
    if let Some(reply) = reader.cached_reply(&list) {
        return Ok(reply);
    }
    let base_url = context.base_url.clone();
    let input_len = bodies(&found).map(|(_, source)| source.len()).sum();
    let write = move || list_json(&base_url, &page, &found, &rendered(&found));
    let body = permit.part(input_len).run(write).await;
    Ok(list.with_body(body).into())
}

/// Sets what is known of a list before its body is written. A list without posts is not cached: anyone can ask for any
/// number of such ones.
fn describe(
    context: &Context,
    path: &str,
    page: &NumberedPage,
    found: &PostList,
    list: Representation,
) -> Representation {
    let format = format!("posts {:?} {:?}", page.period, page.author_slug);
    let etag = context.etags.of_list(&format, &page.request, found);
    let mut list = list.with_etag(etag).with_sharing(!found.posts.is_empty());
    let address = format!("{}{path}", context.base_url.as_str());
    if let Some(links) = links(&address, page, page.request.pages_of(found.total)) {
        list.headers_mut()
            .insert(header::LINK, response::ascii(links));
    }
    list
}

fn bodies(found: &PostList) -> impl Iterator<Item = (&PostSummary, &str)> {
    let posts = found.posts.iter();
    posts.map_while(|post| Some((&post.summary, post.body.as_deref()?)))
}

/// The HTML of the first posts, up to the limit.
fn rendered(found: &PostList) -> Vec<String> {
    let mut remaining = MAX_BODIES;
    let html = bodies(found).map_while(|(post, source)| {
        remaining = remaining.checked_sub(source.len())?;
        let style = Style::default().with_language(post.language.as_deref());
        let html = handbill_markdown::render(source, &style).html;
        remaining = remaining.checked_sub(html.len())?;
        Some(html)
    });
    html.collect()
}

/// Writes a list. The first posts have the HTML in `rendered`.
fn list_json(
    base_url: &BaseUrl,
    page: &NumberedPage,
    found: &PostList,
    rendered: &[String],
) -> Bytes {
    let mut rendered = rendered.iter();
    let posts = found.posts.iter().map(|post| {
        let view = PostView::new(&post.summary, base_url.post(post.summary.id));
        if !page.request.bodies {
            return view;
        }
        let body = post
            .body
            .as_deref()
            .zip(rendered.next().map(String::as_str));
        let (source, html) = body.unzip();
        view.with_body(source, html)
    });
    response::json_bytes(&PageView {
        posts: posts.collect(),
        page: page.number.get(),
        per_page: page.request.per_page.get(),
        total: found.total,
        total_pages: page.request.pages_of(found.total),
        incomplete: found.is_incomplete.then_some(true),
    })
}

/// The `Link` header with the addresses of other pages. `None` if there are no posts.
fn links(address: &str, page: &NumberedPage, total_pages: u64) -> Option<String> {
    if total_pages == 0 {
        return None;
    }
    let number = page.number.get();
    let relations = [
        ("first", Some(1)),
        ("prev", (number > 1).then(|| (number - 1).min(total_pages))),
        ("next", (number < total_pages).then(|| number + 1)),
        ("last", Some(total_pages)),
    ];
    let links = relations.into_iter().filter_map(|(relation, number)| {
        let query = page.query(number?);
        Some(format!("<{address}?{query}>; rel=\"{relation}\""))
    });
    Some(links.collect::<Vec<_>>().join(", "))
}
