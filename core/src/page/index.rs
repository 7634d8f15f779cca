//! `GET /`: the latest posts, all or those with a tag or of a month. `?q=` is a search. `GET /by/{slug}`: those of an
//! author.

use askama::Template;

use super::search::{self, SearchHit};
use super::site::Site;
use super::{article, asset, frame};
use crate::cache::{CacheReader, Reply};
use crate::context::Context;
use crate::host::author::Author;
use crate::http::paging::{self, NumberedPage};
use crate::http::{Head, Query};
use crate::limits::queue::{HEAVY, Permit};
use crate::operations::authors;
use crate::operations::months::{self, MonthCount};
use crate::operations::period;
use crate::post::{List, ListedPost, Month, Period, PostList, PostSummary, Tag};
use crate::problem::Problem;
use crate::route::Call;

#[derive(Template)]
#[template(path = "index.html", block = "main", blocks = ["title", "head"])]
struct IndexPage<'a> {
    site: Site<'a>,
    author: Option<&'a Author>,
    tag: Option<&'a str>,
    /// The name of the month, if it is a page of one.
    month: Option<String>,
    /// On the first page, the months with posts, the latest first.
    months: Vec<MonthCount>,
    page: &'a NumberedPage,
    list: &'a PostList,
    last: u64,
    /// The posts of a search, with what matches.
    hits: Vec<SearchHit<'a>>,
    path: &'a str,
    /// The queries of its neighbours.
    newer: &'a str,
    older: &'a str,
}

frame::page!(IndexPage<'_>);

impl IndexPage<'_> {
    /// The months with posts that are next to the month of the page: the later one, and the earlier one.
    fn next_months(&self) -> [Option<&MonthCount>; 2] {
        let mut months = self.months.iter();
        let here = months.position(|counted| self.page.month == Some(counted.month));
        let next = |offset| here.and_then(|here| self.months.get(here.checked_add_signed(offset)?));
        [next(-1), next(1)]
    }

    /// The posts, with the month where a new one begins. If all are of one month, it is not named.
    fn posts_by_month(&self) -> Vec<(&PostSummary, Option<String>)> {
        let mut last = None;
        let with_month = self.list.posts.iter().map(|ListedPost { summary, .. }| {
            let month = self.site.month(&summary.date());
            let is_new = last.as_ref() != Some(&month);
            last = Some(month.clone());
            (summary, is_new.then_some(month))
        });
        let mut marked: Vec<_> = with_month.collect();
        if marked.iter().filter(|(_, month)| month.is_some()).count() == 1 {
            marked[0].1 = None;
        }
        marked
    }

    /// Whether the search stopped at its limit, so that older posts may be missing.
    fn is_cut(&self) -> bool {
        self.list.total >= period::MAX_HITS.into()
    }
}

/// The list that a request is for. The page shows no bodies, whatever the query says.
pub(super) fn requested_page(context: &Context, head: &Head) -> Result<NumberedPage, Problem> {
    let page = paging::page(&head.query, &context.limits)?.in_month(&head.query)?;
    let mut page = page.in_search(&head.query, context.has_search())?;
    page.request.bodies = false;
    Ok(page)
}

/// Shows the latest posts, all or those with a tag or of a month, or those that a search finds.
pub(crate) async fn show(call: Call<'_>, reader: &CacheReader<'_>) -> Result<Reply, Problem> {
    let page = requested_page(call.context, call.head)?;
    show_list(call, reader, page, None).await
}

/// Shows the latest posts of an author.
pub(crate) async fn show_author(
    call: Call<'_>,
    reader: &CacheReader<'_>,
) -> Result<Reply, Problem> {
    let Call { context, head, .. } = call;
    let mut page = paging::page_of_all(&head.query)?;
    let author = authors::by_slug(context, call.variable()).await?;
    let author = author.ok_or_else(Problem::not_found)?;
    if author.slug() != call.variable() {
        let path = Site::of(context, head).link_to(&path_of(&author));
        return Ok(super::see_other(path).into());
    }
    page.request.list = List::PublicOf(author.owner.clone());
    show_list(call, reader, page, Some(&author)).await
}

async fn show_list(
    call: Call<'_>,
    reader: &CacheReader<'_>,
    page: NumberedPage,
    author: Option<&Author>,
) -> Result<Reply, Problem> {
    let Call { context, head, .. } = call;
    let (queues, is_search) = (&context.queues, page.search.is_some());
    let permit = match author {
        Some(_) => queues.owner_lists.permit(head.client, HEAVY).await?,
        None if is_search => {
            context.rate_limiter.searches.count(head.requester())?;
            queues.searches.permit(head.client, HEAVY).await?
        }
        None => Permit::default(),
    };
    let mut site = Site::of(context, head).with_search_in(&page);
    if let Some(author) = author {
        site.list = path_of(author);
    }
    let (number, request) = (page.number.get(), &page.request);
    let list = period::list(context, request.clone(), page.period).await?;
    let months = match number {
        1 if !is_search && author.is_none() => months::of(context, request).await?,
        _ => Vec::new(),
    };

    let last = request.pages_of(list.total);
    let query = page.short_query(number);
    if !query.is_empty() {
        site.query = format!("{query}&");
    }
    let is_filtered =
        author.is_some() || request.tag.is_some() || page.month.is_some() || is_search;
    site.is_front = number == 1 && !is_filtered;
    let author_names = author.map(|author| (author.slug(), author.name()));
    let variant = format!("{} {query} {months:?} {author_names:?}", site.variant());
    let etag = context.etags.of_list(&variant, request, &list);
    // Anyone can ask for any number of searches, and of lists without posts.
    let is_shared = !is_search && !list.posts.is_empty();
    let representation = super::public_page(context, head, Some(etag))
        .with_sharing(is_shared)
        .with_indexing(!is_search);
    if let Some(reply) = reader.cached_reply(&representation) {
        return Ok(reply);
    }
    let hits = match &page.search {
        Some(search) => search::hits(context, &permit, &site, search, &list).await?,
        None => Vec::new(),
    };
    let template = IndexPage {
        author,
        tag: request.tag.as_ref().map(Tag::as_str),
        month: page.month.map(|month| site.month(&month.start())),
        months,
        page: &page,
        list: &list,
        last,
        hits,
        path: &site.list_path(&query),
        newer: &page.short_query((number - 1).clamp(1, last.max(1))),
        older: &page.short_query(number.saturating_add(1)),
        site,
    };
    Ok(representation
        .with_body(super::render_page(context, head, &template))
        .into())
}

/// The path of an author's page, below the mount point.
pub(super) fn path_of(author: &Author) -> String {
    format!("/by/{}", author.slug())
}

impl NumberedPage {
    pub(super) fn in_month(self, query: &Query) -> Result<Self, Problem> {
        let text = query.one("month")?.filter(|text| !text.is_empty());
        let month = text.map(|text| text.parse::<Month>()).transpose();
        let month =
            month.map_err(|_| Query::invalid("month", "must be a month such as 2026-11"))?;
        let period = month.map_or(Period::ALL, Month::period);
        Ok(Self {
            period,
            month,
            ..self
        })
    }

    /// The query for a month of the same list.
    pub(super) fn short_query_of(&self, month: Month) -> String {
        let month = Some(month);
        Self {
            month,
            ..self.clone()
        }
        .short_query(1)
    }

    /// The query for the same search in all posts, if this list is limited by more than the search.
    pub(super) fn short_query_of_search(&self) -> Option<String> {
        let mut page = self.clone();
        page.request.tag = None;
        (page.period, page.month) = (Period::ALL, None);
        let is_limited = self.request.tag.is_some() || self.period != Period::ALL;
        is_limited.then(|| page.short_query(1))
    }
}
