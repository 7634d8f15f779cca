use std::num::NonZeroU64;
use std::str::FromStr;
use std::sync::Arc;

use handbill_markdown::search::{Query, Term};

use super::{Owner, ParseError, PostId, PostSummary, Tag, Timestamp};

const OUT_OF_BOUNDS: ParseError =
    ParseError::new("pages are counted from 1 and have 1 to 1000 posts");

/// A request for posts of a list: of which list, from where on, and how many. Hosts make one by [`new`](Self::new) or
/// [`first`](Self::first):
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// use handbill::{List, Owner, PageRequest};
///
/// let user: Owner = "user:42".parse()?;
/// let second = PageRequest::new(2, 20)?.with_list(List::AllOf(user));
/// let posts_of_the_user = handbill.posts().list(second).await?;
/// # assert_eq!(posts_of_the_user.total, 0);
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
///
/// Posts that come and go move the others to other pages. So a walk through a list continues after the last post:
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// # handbill.posts().create(handbill::Draft::new().body("A post.")).await?;
/// use handbill::{PageRequest, PageSize};
///
/// let mut next = Some(PageRequest::first(PageSize::MAX));
/// while let Some(page) = next {
///     let list = handbill.posts().list(page.clone()).await?;
///     println!("{} posts", list.posts.len());
///     next = page.next_after(&list);
/// }
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
///
/// # In a store
///
/// A store takes the request apart by name, without `..`. A new field is a breaking change on purpose: the compiler
/// then names each store that would ignore it.
///
/// ```
/// # use handbill::PageRequest;
/// # fn list(page: PageRequest) {
/// let PageRequest { list, tag, search, start, per_page, bodies } = page;
/// # let _ = (list, tag, search, start, per_page, bodies);
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PageRequest {
    /// Which posts are listed.
    pub list: List,
    /// The tag that the posts must carry, if any.
    pub tag: Option<Tag>,
    /// What the posts must have, if anything. A store without a [`SearchIndex`](crate::store::SearchIndex) gets none.
    pub search: Option<Search>,
    /// Where the page begins.
    pub start: PageStart,
    /// The most posts that the page has.
    pub per_page: PageSize,
    /// Whether the page includes the posts' bodies.
    pub bodies: bool,
}

/// What the posts of a list must have: all terms, and a date in a period.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    /// The terms. A search without terms finds nothing.
    pub terms: Vec<Term>,
    /// The earliest `published_at`, if there is one. Then no draft is found.
    pub from: Option<Timestamp>,
    /// The `published_at` before which posts are found, if there is one. Then no draft is found.
    pub before: Option<Timestamp>,
}

/// Which posts are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum List {
    /// The public posts, the latest `published_at` first.
    #[default]
    Public,
    /// The public posts of an owner, likewise.
    PublicOf(Owner),
    /// All posts of an owner, also drafts and unlisted posts, the latest `created_at` first.
    AllOf(Owner),
}

/// Where a page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageStart {
    /// It has the first posts after this many of the latest ones.
    Skip(u64),
    /// It has the first posts after this place: the latest ones of those that are older.
    After(Place),
    /// It has the last posts before this place: the oldest ones of those that are newer, also with the newest first.
    Before(Place),
}

/// The place of a post in a list: what the list is sorted by. The greater places come first.
///
/// A place has no post if that was deleted, or is not in the list. The posts after and before it are still found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// When the post was published, in a public list, or created, in the list of all posts of an owner.
    pub time: Timestamp,
    /// The post's identifier, by which posts with the same time are sorted.
    pub id: PostId,
}

/// The most posts that a page can have: from 1 to [`PageSize::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageSize(u32);

impl Search {
    /// A search for all terms of a query, in posts of any date.
    pub fn new(query: &Query) -> Self {
        Self {
            terms: query.terms().to_vec(),
            from: None,
            before: None,
        }
    }

    /// Whether its period has a post that was published at this time, or never.
    pub fn includes(&self, published_at: Option<Timestamp>) -> bool {
        let is_since = |from| published_at.is_some_and(|at| at >= from);
        let is_until = |before| published_at.is_some_and(|at| at < before);
        self.from.is_none_or(is_since) && self.before.is_none_or(is_until)
    }
}

/// The search for all words of a text, in posts of any date. Nothing in the text is an operator.
impl FromStr for Search {
    type Err = ParseError;

    /// # Errors
    /// If the text has more than 16 words.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let too_many = |_| ParseError::new("a search has at most 16 words");
        Query::parse(text)
            .map_err(too_many)
            .map(|query| Self::new(&query))
    }
}

impl List {
    /// The lists that a live post is in.
    pub fn of(post: &PostSummary) -> Vec<Self> {
        let mut lists = Vec::new();
        if post.listed_at().is_some() {
            lists.push(Self::Public);
            lists.extend(post.owner.clone().map(Self::PublicOf));
        }
        lists.extend(post.owner.clone().map(Self::AllOf));
        lists
    }

    /// The place that a post has in this list, or would have if it were in it.
    pub fn place_of(&self, post: &PostSummary) -> Place {
        let time = match self {
            Self::AllOf(_) => post.created_at,
            Self::Public | Self::PublicOf(_) => post.date(),
        };
        Place { time, id: post.id }
    }
}

impl PageRequest {
    /// Page `page` of the public posts, counted from 1, of pages of `per_page` posts each.
    ///
    /// # Errors
    /// If `page` is 0, or `per_page` is not between 1 and [`PageSize::MAX`].
    pub fn new(page: u64, per_page: u32) -> Result<Self, ParseError> {
        let number = NonZeroU64::new(page).ok_or(OUT_OF_BOUNDS)?;
        let first = Self::first(PageSize::new(per_page)?);
        let start = PageStart::Skip(first.per_page.offset_of(number));
        Ok(first.with_start(start))
    }

    /// The first page of the public posts.
    pub const fn first(per_page: PageSize) -> Self {
        Self {
            list: List::Public,
            tag: None,
            search: None,
            start: PageStart::Skip(0),
            per_page,
            bodies: false,
        }
    }

    setters! {
        with_tag(tag: Option<Tag>);
        /// A search finds at most the latest 1,000 posts.
        ///
        /// ```
        /// use handbill::PageRequest;
        ///
        /// let found = PageRequest::new(1, 20)?.with_search(Some("café news".parse()?));
        /// # let _ = found;
        /// # Ok::<_, handbill::ParseError>(())
        /// ```
        with_search(search: Option<Search>);
        with_list(list: List);
        with_start(start: PageStart);
        with_bodies(bodies: bool);
    }

    /// The place that a post has in this list, had before it was deleted, or would have if it were in it.
    pub fn place_of(&self, post: &PostSummary) -> Place {
        self.list.place_of(post)
    }

    /// The posts after those that this request has found. `None` if the page is not full, and so the last one.
    pub fn next_after(&self, found: &PostList) -> Option<Self> {
        let is_full = found.posts.len() >= self.per_page.get() as usize;
        let last = found.posts.last().filter(|_| is_full)?;
        let start = PageStart::After(self.place_of(&last.summary));
        Some(self.clone().with_start(start))
    }

    /// The number of pages that `total` posts fill.
    pub fn pages_of(&self, total: u64) -> u64 {
        total.div_ceil(u64::from(self.per_page.get()))
    }
}

impl PageSize {
    /// Pages of 1,000 posts. Clients of the API get at most 50.
    pub const MAX: Self = Self(1000);

    /// Pages of this many posts.
    ///
    /// # Errors
    /// If the number is not between 1 and [`MAX`](Self::MAX).
    pub const fn new(posts: u32) -> Result<Self, ParseError> {
        if Self::is_valid(posts) {
            Ok(Self(posts))
        } else {
            Err(OUT_OF_BOUNDS)
        }
    }

    const fn is_valid(posts: u32) -> bool {
        posts >= 1 && posts <= Self::MAX.0
    }

    /// Pages of a number of posts that is known when a program is compiled. It does not compile with another one than
    /// [`new`](Self::new) accepts.
    ///
    /// ```
    /// use handbill::{PageRequest, PageSize};
    ///
    /// let latest = PageRequest::first(PageSize::of::<5>());
    /// ```
    pub const fn of<const POSTS: u32>() -> Self {
        const { assert!(Self::is_valid(POSTS)) };
        Self(POSTS)
    }

    /// The number of posts.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The number of posts before the page with this number, at most `u64::MAX`.
    ///
    /// ```
    /// use handbill::PageSize;
    ///
    /// let third = 3_u64.try_into()?;
    /// assert_eq!(PageSize::new(20)?.offset_of(third), 40);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn offset_of(self, page: NonZeroU64) -> u64 {
        (page.get() - 1).saturating_mul(u64::from(self.0))
    }
}

/// One page of a list of posts, newest first.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// let first = handbill::PageRequest::new(1, 20)?;
/// let list = handbill.posts().list(first.clone()).await?;
/// for post in &list {
///     println!("{}", post.summary.id);
/// }
/// println!("{} posts on {} pages", list.total, first.pages_of(list.total));
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PostList {
    /// The posts of this page.
    pub posts: Arc<[ListedPost]>,
    /// The number of posts on all pages.
    pub total: u64,
    /// Whether a search may have missed posts that are not indexed yet.
    pub is_incomplete: bool,
}

impl PostList {
    /// A page of a list that has `total` posts on all its pages.
    pub fn new(posts: Vec<ListedPost>, total: u64) -> Self {
        Self {
            posts: posts.into(),
            total,
            is_incomplete: false,
        }
    }

    setters! {
        with_incomplete(is_incomplete: bool);
    }
}

impl<'a> IntoIterator for &'a PostList {
    type Item = &'a ListedPost;
    type IntoIter = std::slice::Iter<'a, ListedPost>;

    fn into_iter(self) -> Self::IntoIter {
        self.posts.iter()
    }
}

/// A post in a list.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// # handbill.posts().create(handbill::Draft::new().body("A post.")).await?;
/// let with_bodies = handbill::PageRequest::new(1, 20)?.with_bodies(true);
/// let list = handbill.posts().list(with_bodies).await?;
/// assert_eq!(list.posts[0].body.as_deref(), Some("A post."));
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedPost {
    /// The post without its body.
    pub summary: PostSummary,
    /// The body, if the request asked for bodies.
    pub body: Option<String>,
}

impl ListedPost {
    /// A post without its body.
    pub const fn new(summary: PostSummary) -> Self {
        Self {
            summary,
            body: None,
        }
    }

    setters! {
        with_body(body: Option<String>);
    }
}
