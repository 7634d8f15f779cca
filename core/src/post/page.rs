use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::{PostSummary, Tag};
use crate::owner::Owner;

/// A request for one page of a list of posts: of the public ones, the latest `published_at` first, or of
/// all posts of an owner, the latest `created_at` first.
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// use handbill::{Owner, PageRequest};
///
/// let user: Owner = "user:42".parse()?;
/// let second = PageRequest::new(2, 20)?.with_owner(Some(user));
/// let posts_of_the_user = handbill.posts().list(second).await?;
/// # assert_eq!(posts_of_the_user.total, 0);
/// # Ok(())
/// # }
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(example()).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PageRequest {
    page: u64,
    per_page: u32,
    tag: Option<Tag>,
    owner: Option<Owner>,
    bodies: bool,
}

/// The page is 0, or the number of posts per page is not between 1 and
/// [`PageRequest::MAX_PER_PAGE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequestError;

impl fmt::Display for PageRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let max = PageRequest::MAX_PER_PAGE;
        write!(f, "pages are counted from 1 and have 1 to {max} posts")
    }
}

impl Error for PageRequestError {}

impl PageRequest {
    /// The most posts that a page can have. Clients of the API get at most 50.
    pub const MAX_PER_PAGE: u32 = 1000;

    /// Page `page`, counted from 1, of pages of `per_page` posts each.
    ///
    /// ```
    /// let first = handbill::PageRequest::new(1, 20)?;
    /// assert_eq!(first.offset(), 0);
    /// # Ok::<_, handbill::PageRequestError>(())
    /// ```
    ///
    /// # Errors
    /// If `page` is 0, or `per_page` is not between 1 and [`MAX_PER_PAGE`](Self::MAX_PER_PAGE).
    pub fn new(page: u64, per_page: u32) -> Result<Self, PageRequestError> {
        if page == 0 || !(1..=Self::MAX_PER_PAGE).contains(&per_page) {
            return Err(PageRequestError);
        }
        Ok(Self {
            page,
            per_page,
            tag: None,
            owner: None,
            bodies: false,
        })
    }

    /// Lists only the posts that carry this tag.
    #[must_use]
    pub fn with_tag(self, tag: Option<Tag>) -> Self {
        Self { tag, ..self }
    }

    /// Lists all posts of this owner instead of the public ones: also drafts and unlisted posts.
    #[must_use]
    pub fn with_owner(self, owner: Option<Owner>) -> Self {
        Self { owner, ..self }
    }

    /// Sets whether the page includes the posts' bodies.
    #[must_use]
    pub fn with_bodies(self, bodies: bool) -> Self {
        Self { bodies, ..self }
    }

    /// The page's number, from 1.
    pub fn page(&self) -> u64 {
        self.page
    }

    /// The number of posts per page, from 1 to [`MAX_PER_PAGE`](Self::MAX_PER_PAGE).
    pub fn per_page(&self) -> u32 {
        self.per_page
    }

    /// The tag that the posts must carry, if any.
    pub fn tag(&self) -> Option<&Tag> {
        self.tag.as_ref()
    }

    /// Whose posts are listed. `None` for the public posts.
    pub fn owner(&self) -> Option<&Owner> {
        self.owner.as_ref()
    }

    /// Whether the page includes the posts' bodies.
    pub fn bodies(&self) -> bool {
        self.bodies
    }

    /// The number of posts before this page, at most `u64::MAX`.
    pub fn offset(&self) -> u64 {
        (self.page - 1).saturating_mul(u64::from(self.per_page))
    }

    /// The number of pages that `total` posts fill.
    pub fn pages_of(&self, total: u64) -> u64 {
        total.div_ceil(u64::from(self.per_page))
    }
}

/// One page of a list of posts, newest first.
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// let first = handbill::PageRequest::new(1, 20)?;
/// let list = handbill.posts().list(first.clone()).await?;
/// for post in list.posts.iter() {
///     println!("{}", post.summary.id);
/// }
/// println!("{} posts on {} pages", list.total, first.pages_of(list.total));
/// # Ok(())
/// # }
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(example()).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PostList {
    /// The posts of this page. They are shared, so a cache can return them without copying.
    pub posts: Arc<[ListedPost]>,
    /// The number of posts on all pages.
    pub total: u64,
}

impl PostList {
    /// A page of a list that has `total` posts on all its pages.
    pub fn new(posts: Vec<ListedPost>, total: u64) -> Self {
        Self {
            posts: posts.into(),
            total,
        }
    }
}

/// A post in a list.
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// # handbill.posts().create(handbill::Draft::new().body("A post.")).await?;
/// let with_bodies = handbill::PageRequest::new(1, 20)?.with_bodies(true);
/// let list = handbill.posts().list(with_bodies).await?;
/// assert_eq!(list.posts[0].body.as_deref(), Some("A post."));
/// # Ok(())
/// # }
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(example()).unwrap();
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

    /// Sets the body.
    #[must_use]
    pub fn with_body(self, body: Option<String>) -> Self {
        Self { body, ..self }
    }
}
