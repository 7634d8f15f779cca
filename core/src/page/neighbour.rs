//! `GET /p/{id}?go=older` and `GET /p/{id}?go=newer`: from a post to the next one in the list of all posts.
//!
//! A post's page links here instead of to its neighbours, so that it does not change when another post comes or goes.
//! Its script prefers JSON, and gets the neighbour's name.

use http::StatusCode;
use http::header;
use serde::Serialize;

use super::site::Site;
use crate::api::posts::JSON;
use crate::http::request::Head;
use crate::http::response::{self, CacheControl, Response};
use crate::operations::posts;
use crate::post::{PageRequest, PageSize, PageStart};
use crate::problem::Problem;
use crate::route::Call;

#[derive(Clone, Copy, Debug)]
pub(super) enum Side {
    Older,
    Newer,
}

pub(super) fn asked(head: &Head) -> Option<Side> {
    match head.query.one("go").ok()??.as_ref() {
        "older" => Some(Side::Older),
        "newer" => Some(Side::Newer),
        _ => None,
    }
}

/// A neighbour, for the script of a page.
#[derive(Serialize)]
struct Neighbour<'a> {
    title: &'a str,
    url: String,
}

/// Redirects to the neighbour, or to the list where there is none.
pub(super) async fn show(call: Call<'_>, side: Side) -> Result<Response, Problem> {
    let Call { context, head, .. } = call;
    let post = posts::read(context, call.id()).await?;
    let one = PageRequest::first(PageSize::of::<1>());
    let place = one.place_of(&post.summary);
    let start = match side {
        Side::Older => PageStart::After(place),
        Side::Newer => PageStart::Before(place),
    };
    let found = posts::list(context, one.with_start(start)).await?;
    let site = Site::of(context, head);
    let neighbour = found.posts.first().map(|neighbour| &neighbour.summary);
    let mut response = match neighbour {
        Some(post) if super::prefers_json(head) => {
            let title = &site.name_of(post);
            let url = site.post(&post.id);
            response::bytes(JSON, response::json_bytes(&Neighbour { title, url }))
        }
        None if super::prefers_json(head) => response::empty(StatusCode::NO_CONTENT),
        _ => {
            let location = neighbour.map_or_else(|| site.to("/"), |post| site.post(&post.id));
            let mut response = response::empty(StatusCode::SEE_OTHER);
            response::set(&mut response, header::LOCATION, response::ascii(location));
            response
        }
    };
    response::set_cache_control(&mut response, CacheControl::NoStore);
    Ok(response)
}
