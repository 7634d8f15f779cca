//! Lists of the posts of a period.

use super::posts;
use crate::context::Context;
use crate::post::{
    Entry, List, ListedPost, PageRequest, PageSize, PageStart, Period, PostList, PostSummary,
    Timestamp,
};
use crate::problem::Problem;
#[cfg(feature = "pages")]
pub(crate) use crate::store::MAX_HITS;

/// Lists those posts of a page's list that were published in a period, with their total. The page skips some of them.
pub(crate) async fn list(
    context: &Context,
    mut page: PageRequest,
    period: Period,
) -> Result<PostList, Problem> {
    if let Some(search) = &mut page.search {
        (search.from, search.before) = (period.from, period.before);
        return posts::list(context, page).await;
    }
    let store = &context.store;
    let skip = match page.start {
        PageStart::Skip(skip) if period != Period::ALL => skip,
        _ => return Ok(store.list_posts(page).await?),
    };
    if let List::AllOf(_) = page.list {
        return list_own(context, page, skip, period).await;
    }
    // The list's order is that of publication, so the period is a part of it without gaps.
    let ends =
        [period.before, period.from].map(|time| time.unwrap_or(Timestamp::from_micros(i64::MAX)));
    let counted = store
        .count_since(page.list.clone(), page.tag.clone(), ends.into())
        .await?;
    let (newer, since) = (counted[0], period.from.map(|_| counted[1]));
    page.start = PageStart::Skip(newer.saturating_add(skip));
    let list = store.list_posts(page).await?;
    // Other posts may come and go between both calls.
    let inside = |post: &&ListedPost| period.contains(post.summary.date());
    let posts = list.posts.iter().filter(inside).cloned().collect();
    let total = since.unwrap_or(list.total).saturating_sub(newer);
    Ok(PostList::new(posts, total))
}

/// The list of all posts of an owner has the order of creation, so each of them is looked at.
async fn list_own(
    context: &Context,
    page: PageRequest,
    skip: u64,
    period: Period,
) -> Result<PostList, Problem> {
    let mut published = Vec::new();
    let first = PageRequest::first(PageSize::MAX)
        .with_list(page.list)
        .with_tag(page.tag);
    let mut next = Some(first);
    while let Some(request) = next {
        let list = context.store.list_posts(request.clone()).await?;
        let is_inside =
            |post: &PostSummary| post.published_at.is_some_and(|time| period.contains(time));
        published.extend(
            list.into_iter()
                .map(|post| &post.summary)
                .filter(|post| is_inside(post))
                .cloned(),
        );
        next = request.next_after(&list);
    }
    let total = published.len() as u64;
    let skip = usize::try_from(skip).unwrap_or(usize::MAX);
    let mut posts = Vec::new();
    for summary in published
        .into_iter()
        .skip(skip)
        .take(page.per_page.get() as usize)
    {
        let mut body = None;
        if page.bodies
            && let Some(Entry::Live(post)) = posts::get_current(context, summary.id).await?
        {
            body = Some(post.body.clone());
        }
        posts.push(ListedPost::new(summary).with_body(body));
    }
    Ok(PostList::new(posts, total))
}
