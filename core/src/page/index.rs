//! `GET /`: the latest posts, all or those with a tag or of a month. `?q=` is a search. `GET /by/{slug}`: those of an
//! author.

use askama::Template;

use super::search::{self, SearchResults};
use super::site::Site;
use super::{article, asset, frame};
use crate::cache::{CacheReader, Reply};
use crate::context::Context;
use crate::host::author::Author;
use crate::http::paging::{self, NumberedPage};
use crate::http::{Head, response};
use crate::limits::queue::{HEAVY, Permit};
use crate::operations::authors;
use crate::operations::period::{self, MonthCount};
use crate::post::{ListedPost, PostSummary, Tag};
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
    months: Vec<MonthLink>,
    total: u64,
    page: u64,
    last: u64,
    /// The posts. The first of each month has its name.
    posts: Vec<(&'a PostSummary, Option<String>)>,
    /// What a search found, instead of the posts.
    search: Option<SearchResults<'a>>,
    path: &'a str,
    /// The queries of its neighbours.
    newer: &'a str,
    older: &'a str,
}

struct MonthLink {
    name: String,
    query: String,
    posts: u64,
    is_here: bool,
}

frame::page!(IndexPage<'_>);

impl IndexPage<'_> {
    /// The months with posts that are next to the month of the page: the later one, and the earlier one.
    fn next_months(&self) -> [Option<&MonthLink>; 2] {
        let here = self.months.iter().position(|month| month.is_here);
        let next = |by| here.and_then(|here| self.months.get(here.checked_add_signed(by)?));
        [next(-1), next(1)]
    }
}

/// The posts, with the month where a new one begins. If all are of one month, it is not named.
fn by_month<'p>(
    site: &Site<'_>,
    posts: &'p [ListedPost],
) -> Vec<(&'p PostSummary, Option<String>)> {
    let mut last = None;
    let with_month = posts.iter().map(|ListedPost { summary, .. }| {
        let month = site.month(&summary.date());
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

/// Links to the months of a list.
fn links(site: &Site<'_>, page: &NumberedPage, months: &[MonthCount]) -> Vec<MonthLink> {
    let links = months.iter().map(|MonthCount { month, posts }| MonthLink {
        name: site.month(&month.start()),
        query: page.short_query_of(*month),
        posts: *posts,
        is_here: page.month == Some(*month),
    });
    links.collect()
}

/// The list that a request is for. The page shows no bodies, whatever the query says.
pub(super) fn page_of(context: &Context, head: &Head) -> Result<NumberedPage, Problem> {
    let page = paging::page(&head.query, &context.limits)?.in_month(&head.query)?;
    let mut page = page.in_search(&head.query, context.has_search())?;
    page.request.bodies = false;
    Ok(page)
}

/// Shows the latest posts, all or those with a tag or of a month, or those that a search finds.
pub(crate) async fn show(call: Call<'_>, reader: &CacheReader<'_>) -> Result<Reply, Problem> {
    let page = page_of(call.context, call.head)?;
    show_list(call, reader, page, None).await
}

/// Shows the latest posts of an author.
pub(crate) async fn show_author(
    call: Call<'_>,
    reader: &CacheReader<'_>,
) -> Result<Reply, Problem> {
    let Call { context, head, .. } = call;
    let page = paging::page_of_all(&head.query)?;
    let author = authors::by_slug(context, call.name()).await?;
    let author = author.ok_or_else(Problem::not_found)?;
    if author.slug() != call.name() {
        let path = Site::of(context, head).to(&author.path());
        return Ok(response::see_other(path).into());
    }
    show_list(call, reader, page.of_author(&author), Some(&author)).await
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
        site.list = author.path();
    }
    let (number, request) = (page.number.get(), &page.request);
    let found = period::list(context, request.clone(), page.period).await?;
    let months = match number {
        1 if !is_search && author.is_none() => period::months(context, request).await?,
        _ => Vec::new(),
    };

    let last = request.pages_of(found.total);
    let here = page.short_query(number);
    if !here.is_empty() {
        site.query = format!("{here}&");
    }
    let is_part = author.is_some() || request.tag.is_some() || page.month.is_some() || is_search;
    site.is_front = number == 1 && !is_part;
    let names = author.map(|author| (author.slug(), author.name()));
    let variant = format!("{} {here} {months:?} {names:?}", site.variant());
    let etag = context.etags.of_list(&variant, request, &found);
    // Anyone can ask for any number of searches, and of lists without posts.
    let is_shared = !is_search && !found.posts.is_empty();
    let mut wanted = super::shared(context, head, etag).with_sharing(is_shared);
    if is_search {
        wanted = wanted.without_indexing();
    }
    if let Some(reply) = reader.known(&wanted) {
        return Ok(reply);
    }
    let path = site.list_path(&here);
    let (posts, search) = match &page.search {
        Some(search) => {
            let hits = search::hits(context, &permit, &site, search, &found).await?;
            (
                Vec::new(),
                Some(SearchResults::new(&page, search, &found, hits)),
            )
        }
        None => (by_month(&site, &found.posts), None),
    };
    let template = IndexPage {
        posts,
        search,
        month: page.month.map(|month| site.month(&month.start())),
        months: links(&site, &page, &months),
        site,
        author,
        tag: request.tag.as_ref().map(Tag::as_str),
        total: found.total,
        page: number,
        last,
        newer: &page.short_query((number - 1).clamp(1, last.max(1))),
        older: &page.short_query(number.saturating_add(1)),
        path: &path,
    };
    Ok(wanted
        .with_body(super::write(context, head, &template))
        .into())
}
