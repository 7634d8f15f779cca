//! `GET /p/{id}.png`: the card of a post, an image that other sites show with a link to it.

#[cfg_attr(not(feature = "cards"), path = "none.rs")]
mod drawing;

use drawing::Card;

use super::asset;
use super::site::Site;
use crate::cache::{CacheReader, Reply, Representation};
use crate::limits::queue::Permit;
use crate::operations::posts;
use crate::post::PostSummary;
use crate::problem::Problem;
use crate::route::Call;

/// Drawing takes as long as rendering a source of about so many bytes.
const DRAWING_COST: usize = 100_000;

/// The absolute address of a post's card. Posts whose name cannot be drawn share a card without text.
pub(super) fn address(site: &Site<'_>, post: &PostSummary) -> String {
    match card_of(post, site.name) {
        Some(_) => format!("{}/p/{}.png", site.url, post.id),
        None => asset::CARD.at(site.url),
    }
}

fn card_of(post: &PostSummary, site: &str) -> Option<Card> {
    Card::of(&post.name()?, site)
}

pub(crate) async fn show(call: Call<'_>, reader: &CacheReader<'_>) -> Result<Reply, Problem> {
    let context = call.context;
    let post = posts::read(context, call.id()).await?;
    let etag = super::etag_of_post(context, &post.summary, "card");
    let image = Representation::of_post("image/png", &post.summary, etag);
    let Some(card) = card_of(&post.summary, &context.pages.name) else {
        let cached = reader.cached_reply(&image);
        return Ok(cached.unwrap_or_else(|| image.with_body(asset::CARD.bytes()).into()));
    };
    let draw = async |permit: Permit, image: Representation| {
        let drawn = permit.run(move || card.draw()).await;
        Ok(image.with_body(drawn).into())
    };
    let reads = &context.queues.reads;
    reader.reply(reads, DRAWING_COST, image, draw).await
}
