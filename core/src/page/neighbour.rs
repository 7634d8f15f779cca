//! `GET /p/{id}?go=older` and `GET /p/{id}?go=newer`: from a post to the next one in the list of all posts.
//!
//! A post's page links here instead of to its neighbours, so that it does not change when another post comes or goes.
//! Its script prefers JSON, and gets the neighbour's name.

use http::StatusCode;
use serde_json::json;

use super::site::Site;
use crate::http::response::{self, JSON};
use crate::http::{CacheControl, Head, Response};
use crate::operations::posts;
use crate::post::{PageRequest, PageSize, PageStart, Place};
use crate::problem::Problem;
use crate::route::Call;

/// On which side of a post's place its neighbour is, if the request asks for one.
pub(super) fn requested_side(head: &Head) -> Option<fn(Place) -> PageStart> {
    match head.query.one("go").ok()??.as_ref() {
        "older" => Some(PageStart::After),
        "newer" => Some(PageStart::Before),
        _ => None,
    }
}

/// Redirects to the neighbour, or to the list where there is none.
pub(super) async fn show(
    call: Call<'_>,
    side: fn(Place) -> PageStart,
) -> Result<Response, Problem> {
    let Call { context, head, .. } = call;
    let post = posts::read(context, call.id()).await?;
    let one = PageRequest::first(PageSize::of::<1>());
    let start = side(one.place_of(&post.summary));
    let found = posts::list(context, one.with_start(start)).await?;
    let site = Site::of(context, head);
    let neighbour = found.posts.first().map(|neighbour| &neighbour.summary);
    let mut response = match neighbour {
        Some(post) if super::prefers_json(head) => {
            let neighbour = json!({ "title": site.name_of(post), "url": site.post(&post.id) });
            response::bytes(JSON, response::json_bytes(&neighbour))
        }
        None if super::prefers_json(head) => response::empty(StatusCode::NO_CONTENT),
        _ => super::see_other(
            neighbour.map_or_else(|| site.link_to("/"), |post| site.post(&post.id)),
        ),
    };
    response::set_cache_control(&mut response, CacheControl::NoStore);
    Ok(response)
}
