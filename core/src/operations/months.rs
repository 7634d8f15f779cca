//! The months of a list.

use crate::context::Context;
use crate::post::{Month, PageRequest, PageSize, PageStart, PostList};
use crate::problem::Problem;

/// More months than that are not looked at.
const MAX_MONTHS: usize = 1200;

#[derive(Debug)]
pub(crate) struct MonthCount {
    pub(crate) month: Month,
    pub(crate) posts: u64,
}

/// The months of a page's list that have posts, latest first.
pub(crate) async fn of(context: &Context, page: &PageRequest) -> Result<Vec<MonthCount>, Problem> {
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
