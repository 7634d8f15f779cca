//! `GET /tags`: all tags of public posts, with how many posts have each.

use askama::Template;
use icu_normalizer::DecomposingNormalizerBorrowed;

use super::site::Site;
use super::{asset, frame};
use crate::cache::{CacheReader, Reply};
use crate::http::{Head, Query};
use crate::operations::posts;
use crate::post::TagCount;
use crate::problem::Problem;
use crate::route::Call;

const NFD: DecomposingNormalizerBorrowed<'_> = DecomposingNormalizerBorrowed::new_nfd();

const MAX_TAGS: usize = 1_000;

#[derive(Template)]
#[template(path = "tags.html", block = "main", blocks = ["title", "head"])]
struct TagsPage<'a> {
    site: Site<'a>,
    tags: Vec<TagCount>,
    by_posts: bool,
    /// How many tags the page shows, if there are more.
    most: Option<usize>,
}

frame::page!(TagsPage<'_>);

/// Shows the tags by name, or with `?sort=posts` those with the most posts first.
pub(crate) async fn show(call: Call<'_>, reader: &CacheReader<'_>) -> Result<Reply, Problem> {
    let Call { context, head, .. } = call;
    let by_posts = are_by_posts(head)?;
    let mut tags = posts::tags(context, MAX_TAGS as u32 + 1).await?;
    let mut site = Site::of(context, head);
    if by_posts {
        site.query = "sort=posts&".to_owned();
    }
    let mut content = format!("{} {by_posts}", site.variant());
    for TagCount { tag, posts, .. } in &tags {
        // No tag has a line break.
        content += &format!("\n{posts} {tag}");
    }
    let etag = context.etags.of_bytes(content.as_bytes());
    let page = super::public_page(context, head, Some(etag));
    if let Some(reply) = reader.cached_reply(&page) {
        return Ok(reply);
    }
    let most = (tags.len() > MAX_TAGS).then_some(MAX_TAGS);
    tags.truncate(MAX_TAGS);
    if !by_posts {
        tags.sort_by_cached_key(|counted| sort_key(counted.tag.as_str()));
    }
    let template = TagsPage {
        site,
        tags,
        by_posts,
        most,
    };
    let body = super::render_page(context, head, &template);
    Ok(page.with_body(body).into())
}

pub(super) fn are_by_posts(head: &Head) -> Result<bool, Problem> {
    match head.query.one("sort")?.as_deref() {
        None | Some("" | "name") => Ok(false),
        Some("posts") => Ok(true),
        Some(_) => Err(Query::invalid("sort", "must be name or posts")),
    }
}

/// Sorts a letter with accents next to the letter without them. Equal letters are sorted by their accents.
fn sort_key(tag: &str) -> (String, String) {
    let is_accent = |c: &char| matches!(c, '\u{300}'..='\u{36F}');
    let letters = NFD.normalize_iter(tag.chars()).filter(|c| !is_accent(c));
    (letters.collect(), tag.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_do_not_move_a_tag_away_from_its_letter() {
        let mut tags = ["zoo", "été", "eta", "ete", "ärger", "arg", "日本", "10"];
        tags.sort_by_key(|tag| sort_key(tag));
        let sorted = ["10", "arg", "ärger", "eta", "ete", "été", "zoo", "日本"];
        assert_eq!(tags, sorted);
    }
}
