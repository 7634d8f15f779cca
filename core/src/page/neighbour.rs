//! `GET /p/{id}?go=older` and `GET /p/{id}?go=newer`: from a post to the next one in the list of all posts.
//!
//! A post's page links here instead of to its neighbours, so that it does not change when another post comes or goes.

use http::StatusCode;
use http::header;

use super::site::Site;
use crate::context::Context;
use crate::http::request::Head;
use crate::http::response::{self, CacheControl, Response};
use crate::id::PostId;
use crate::operations::posts;
use crate::post::{PageRequest, PostSummary};
use crate::problem::Problem;
use crate::time::Timestamp;

/// Which neighbour.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side {
    Older,
    Newer,
}

/// The neighbour that a request asks for.
pub(super) fn asked(head: &Head) -> Option<Side> {
    match head.query.one("go").ok()??.as_ref() {
        "older" => Some(Side::Older),
        "newer" => Some(Side::Newer),
        _ => None,
    }
}

/// Redirects to the neighbour, or to the list where there is none.
pub(super) async fn show(
    context: &Context,
    head: &Head,
    id: PostId,
    side: Side,
) -> Result<Response, Problem> {
    let post = posts::read(context, id).await?;
    let site = Site::of(context, head);
    let location = match find(context, &post.summary, side).await? {
        Some(neighbour) => site.post(&neighbour),
        None => site.to("/"),
    };
    let mut response = response::empty(StatusCode::SEE_OTHER);
    response::set(&mut response, header::LOCATION, response::ascii(location));
    response::set_cache_control(&mut response, CacheControl::NoStore);
    Ok(response)
}

/// Searches the list by halves, since a store has lists only.
async fn find(
    context: &Context,
    post: &PostSummary,
    side: Side,
) -> Result<Option<PostId>, Problem> {
    let own = key(post);
    let (_, total) = at(context, 0).await?;
    let (mut newer, mut end) = (0, total);
    while newer < end {
        let middle = newer + (end - newer) / 2;
        match at(context, middle).await?.0 {
            Some(other) if other > own => newer = middle + 1,
            _ => end = middle,
        }
    }
    let neighbour = match side {
        Side::Newer => match newer.checked_sub(1) {
            Some(place) => at(context, place).await?.0,
            None => None,
        },
        Side::Older => match at(context, newer).await?.0 {
            Some(other) if other == own => at(context, newer + 1).await?.0,
            other => other,
        },
    };
    Ok(neighbour.map(|(_, id)| id))
}

/// What the list is sorted by.
type Key = (Timestamp, PostId);

fn key(post: &PostSummary) -> Key {
    (post.date(), post.id)
}

/// The post at a place of the list, the latest being at 0, and the number of all posts.
async fn at(context: &Context, place: u64) -> Result<(Option<Key>, u64), Problem> {
    let page = PageRequest::new(place + 1, 1);
    let page = page.unwrap_or_else(|_| unreachable!("pages are counted from 1"));
    let found = posts::list(context, page).await?;
    let first = found.posts.first();
    Ok((first.map(|listed| key(&listed.summary)), found.total))
}
