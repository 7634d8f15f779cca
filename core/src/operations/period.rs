//! Lists of the posts of a period, and the months of a list.

use super::posts;
use crate::context::Context;
use crate::post::{
    Entry, List, ListedPost, Month, PageRequest, PageSize, PageStart, Period, PostList,
    PostSummary, Timestamp,
};
use crate::problem::Problem;
#[cfg(feature = "pages")]
pub(crate) use crate::store::MAX_HITS;

/// More months than that are not looked at.
const MAX_MONTHS: usize = 1200;

#[derive(Debug)]
pub(crate) struct MonthCount {
    pub(crate) month: Month,
    pub(crate) posts: u64,
}

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

/// The months of a page's list that have posts, latest first.
pub(crate) async fn months(
    context: &Context,
    page: &PageRequest,
) -> Result<Vec<MonthCount>, Problem> {
    let one = PageRequest::first(PageSize::of::<1>())
        .with_list(page.list.clone())
        .with_tag(page.tag.clone());
    let month = |found: &PostList| Some(Month::of(found.posts.first()?.summary.date()));
    let newest = context.store.list_posts(one.clone()).await?;
    let all_but_one = PageStart::Skip(newest.total.saturating_sub(1));
    let oldest = context
        .store
        .list_posts(one.clone().with_start(all_but_one))
        .await?;
    let (Some(latest), Some(earliest)) = (month(&newest), month(&oldest)) else {
        return Ok(Vec::new());
    };
    let later = std::iter::successors(Some(earliest), |month| Some(month.next()));
    let mut months: Vec<_> = later
        .take_while(|month| month.start() <= latest.start())
        .collect();
    months.drain(..months.len().saturating_sub(MAX_MONTHS));
    months.reverse();
    let starts = months.iter().map(|month| month.start()).collect();
    let since = context.store.count_since(one.list, one.tag, starts).await?;
    let mut later = 0;
    let counts = months.into_iter().zip(since).map(|(month, since)| {
        let posts = since.saturating_sub(later);
        later = since;
        MonthCount { month, posts }
    });
    Ok(counts.filter(|count| count.posts > 0).collect())
}
