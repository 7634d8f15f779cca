//! `GET /p/{id}.png`: the card of a post, an image that other sites show with a link to it.

#[cfg_attr(not(feature = "cards"), path = "none.rs")]
mod drawing;

use bytes::Bytes;
use drawing::Card;

use super::asset;
use super::site::Site;
use crate::context::Context;
use crate::http::representation::{Caching, Representation};
use crate::id::PostId;
use crate::operations::posts;
use crate::post::{PostSummary, Visibility};
use crate::problem::Problem;
use crate::queue::Permit;

/// Drawing takes as long as rendering a source of about so many bytes.
const EFFORT: usize = 100_000;

/// The absolute address of a post's card. Posts whose name cannot be drawn share a card without text.
pub(super) fn address(site: &Site<'_>, post: &PostSummary) -> String {
    match card_of(post, site.name) {
        Some(_) => format!("{}/p/{}.png", site.url, post.id),
        None => site.absolute_asset(asset::CARD),
    }
}

fn card_of(post: &PostSummary, site: &str) -> Option<Card> {
    Card::of(&post.name()?, site)
}

/// Shows the card of a post.
pub(crate) async fn show(context: &Context, id: PostId) -> Result<Representation<'_>, Problem> {
    let post = posts::read(context, id).await?;
    let etag = context.etags.of_post_in(&post.summary, "card");
    let modified = post.summary.updated_at;
    let is_public = post.summary.visibility == Visibility::Public;
    let draw = async move |permit: Permit| {
        let Some(card) = card_of(&post.summary, &context.pages.site.name) else {
            return Ok(asset::CARD.bytes());
        };
        Ok(Bytes::from(permit.run(move || card.draw()).await))
    };
    let reads = &context.queues.reads;
    Ok(Representation::queued("image/png", reads, EFFORT, draw)
        .with_etag(etag, Caching::ByPost(id))
        .with_modified(modified)
        .with_indexing(is_public))
}
