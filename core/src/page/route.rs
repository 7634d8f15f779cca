//! The rows of the table of routes for the pages.

use super::editor::{edit, write};
use super::{
    asset, card, docs, feed, follow, in_language, index, keys, llms, manifest, neighbour, post,
    tags,
};
use crate::cache::{CacheKey, Subject, Variant};
use crate::host::author;
use crate::http::paging;
use crate::http::route_group::RouteGroup::{Feeds, Pages};
use crate::route::{Call, Row, get, handler, post as send, reply};

pub(crate) static ROWS: &[Row] = &[
    get("/p/{id}", Pages, handler!(post::show, reader)).cached(post_key),
    get("/", Pages, handler!(index::show, reader)).cached(list_key),
    get("/tags", Pages, handler!(tags::show, reader)).cached(|call| {
        let by_posts = tags::are_by_posts(call.head).ok()?;
        Some(page_key(call, Subject::Lists)?.with_query(by_posts.to_string()))
    }),
    get("/follow", Pages, |call, _, _| reply!(follow::show(call)?)).cached(|call| {
        // Anyone can ask for any number of tags.
        let tag = paging::tag(&call.head.query, &call.context.limits).ok()?;
        tag.is_none().then(|| page_key(call, Subject::Settings))?
    }),
    with_names(
        author::is_slug,
        get("/by/{slug}", Pages, handler!(index::show_author, reader)),
    ),
    get("/p/{id}.md", Feeds, handler!(post::source, reader)).cached(|call| {
        // An owner who is signed in also gets drafts.
        let is_public = call.head.signed_in.is_none();
        is_public.then(|| call.key(Subject::Post(call.id())))
    }),
    get("/p/{id}.png", Feeds, handler!(card::show, reader))
        .cached(|call| Some(call.key(Subject::Post(call.id())))),
    get("/write", Pages, handler!(write::show)),
    send("/write", Pages, handler!(write::send, body)),
    get("/e/{edit_token}", Pages, handler!(edit::show)),
    send("/e/{edit_token}", Pages, handler!(edit::send, body)),
    get("/p/{id}/edit", Pages, handler!(edit::show)),
    send("/p/{id}/edit", Pages, handler!(edit::send, body)),
    get("/keys", Pages, |call, _, _| reply!(keys::show(call))),
    send("/keys", Pages, handler!(keys::issue, body)),
    get("/manifest.webmanifest", Pages, |call, _, _| {
        reply!(manifest::show(call.context))
    })
    .cached(|call| Some(call.key(Subject::Settings))),
    get("/docs", Pages, |call, _, _| reply!(docs::show(call))).cached(settings_key),
    get("/docs/reference", Pages, |call, _, _| {
        reply!(docs::reference::show(call))
    })
    .cached(settings_key),
    get("/docs/errors", Pages, |call, _, _| {
        reply!(docs::errors::show(call))
    })
    .cached(settings_key),
    with_names(
        asset::is_there,
        get("/assets/{name}", Pages, |call, _, _| {
            reply!(asset::show(call.context, call.variable())?)
        })
        .cached(|call| {
            Some(
                call.key(Subject::Settings)
                    .with_query(call.variable().to_owned()),
            )
        }),
    ),
    get("/feed.atom", Feeds, |call, reader, _| {
        reply!(feed::show(call, reader, &feed::ATOM).await?)
    })
    .cached(feed_key),
    get("/feed.json", Feeds, |call, reader, _| {
        reply!(feed::show(call, reader, &feed::json::JSON_FEED).await?)
    })
    .cached(feed_key),
    get("/sitemap.xml", Feeds, handler!(feed::sitemap::show, reader)).cached(|call| {
        let number = paging::whole_number(&call.head.query, "page", u64::MAX).ok()?;
        let number = number.map(|number| number.to_string());
        Some(
            call.key(Subject::Lists)
                .with_query(number.unwrap_or_default()),
        )
    }),
    get("/opensearch.xml", Feeds, |call, _, _| {
        reply!(feed::opensearch::show(call.context)?)
    })
    .cached(|call| Some(call.key(Subject::Settings))),
    get("/llms.txt", Feeds, handler!(llms::show, reader))
        .cached(|call| page_key(call, Subject::Lists)),
];

/// A row whose path has these names alone.
const fn with_names(may_be_name: fn(&str) -> bool, mut row: Row) -> Row {
    row.may_be_name = may_be_name;
    row
}

/// The key of a page in the client's language, if others get the same page.
fn page_key(call: Call<'_>, subject: Subject) -> Option<CacheKey> {
    let variant = in_language(call.context, call.head)?;
    let mut key = call.key(subject);
    key.variant = variant;
    Some(key)
}

fn settings_key(call: Call<'_>) -> Option<CacheKey> {
    page_key(call, Subject::Settings)
}

fn list_key(call: Call<'_>) -> Option<CacheKey> {
    let list = index::requested_page(call.context, call.head).ok()?;
    Some(page_key(call, Subject::Lists)?.with_query(list.cache_query()?))
}

fn post_key(call: Call<'_>) -> Option<CacheKey> {
    if neighbour::requested_side(call.head).is_some() {
        return None;
    }
    let variant = Variant {
        is_markdown: post::wants_source(call.head),
        ..in_language(call.context, call.head)?
    };
    let mut key = call.key(Subject::Post(call.id()));
    key.variant = variant;
    Some(key)
}

fn feed_key(call: Call<'_>) -> Option<CacheKey> {
    let tag = paging::tag(&call.head.query, &call.context.limits).ok()?;
    let tag = tag.map(|tag| tag.as_str().to_owned());
    Some(call.key(Subject::Lists).with_query(tag.unwrap_or_default()))
}
