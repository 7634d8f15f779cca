//! The methods of [`Handbill`] that set what the host decides: who gets keys, where visitors sign in, who is an author,
//! and what is published.

use std::error::Error;

use super::Handbill;
use crate::host::author::{Author, AuthorKey};
use crate::host::callback::boxed;
use crate::host::key_requests::KeyRequests;
use crate::host::login::LoginAddress;
use crate::host::review::{Submission, Verdict};

impl Handbill {
    /// Sets who gets an API key on request. By default, everyone does.
    pub fn with_key_requests(self, policy: KeyRequests) -> Self {
        self.with(|settings| settings.key_requests = policy)
    }

    /// Sets the address of the host's login. Visitors who are not [`SignedIn`](crate::SignedIn) are led there, and
    /// back, where signing in is how they may go on: from `/write` if they get no key on request, and from
    /// `/p/{id}/edit`. A form that they had sent when their session ended comes back with a link to the login, and
    /// their text.
    ///
    /// ```
    /// use handbill::{Handbill, KeyRequests, MemoryStore};
    ///
    /// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
    ///     .with_key_requests(KeyRequests::SignedIn)
    ///     .with_login("/login?next=".parse()?);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_login(self, address: LoginAddress) -> Self {
        self.with(|settings| settings.login = Some(address))
    }

    /// Sets the function that finds an author by slug or owner. Without it, which is the default, no author has a page,
    /// and readers learn nothing of owners.
    ///
    /// Each author has a page at `/by/{slug}` with the public posts of the owner, and `?by=` of `GET /api/posts` lists
    /// them. The page of a public post that has an author leads there, so its readers learn which posts have the same
    /// owner.
    ///
    /// The function is called for each list of an author, and for each page of such a post that is not in the cache.
    /// It may take 5 seconds. If it fails, panics or takes longer, a list is 503 `store_unavailable`, and a post's page
    /// has no link. A link stays in the cache until the post changes. If an author is found by an older slug, the page
    /// leads to the new address.
    ///
    /// ```
    /// use handbill::host::{Author, AuthorKey};
    /// use handbill::{Handbill, MemoryStore};
    /// # struct User { id: u32, login: &'static str, name: &'static str }
    /// # async fn user_by_login(_: &str) -> Result<Option<User>, std::io::Error> { Ok(None) }
    /// # async fn user_by_id(_: &str) -> Result<Option<User>, std::io::Error> { Ok(None) }
    ///
    /// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
    ///     .with_authors(|key| async move {
    ///         let user = match key {
    ///             AuthorKey::Slug(slug) => user_by_login(&slug).await?,
    ///             AuthorKey::Owner(owner) => user_by_id(owner.as_str()).await?,
    ///         };
    ///         let Some(user) = user else { return Ok(None) };
    ///         let owner = user.id.to_string().parse()?;
    ///         Ok(Some(Author::new(owner, user.login, user.name)?))
    ///     });
    /// # Ok::<_, handbill::ParseError>(())
    /// ```
    pub fn with_authors<F, Fut>(self, find: F) -> Self
    where
        F: Fn(AuthorKey) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<Author>, Box<dyn Error + Send + Sync>>> + Send + 'static,
    {
        self.with(|settings| settings.find_author = Some(boxed(find)))
    }

    /// Sets a review that decides on each new post and each change of a post, whether a client of the API, a visitor of
    /// the pages or the host's own code makes it. By default, there is none. It is not asked for deletions, new edit
    /// tokens, changes that only hide a post, what a post does at its time, and what an archive brings.
    ///
    /// It may take 5 seconds. If it takes longer or panics, the response is 503 `store_unavailable`, and nothing is
    /// written. It may be asked again for the same request: after another change of the post, and when a creation with
    /// an `Idempotency-Key` is repeated. So it should change nothing.
    ///
    /// ```
    /// use handbill::host::Verdict;
    /// use handbill::{Actor, FieldError, Handbill, MemoryStore};
    ///
    /// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
    ///     .with_review(|submission| async move {
    ///         match submission.by {
    ///             _ if submission.body.contains("casino") => {
    ///                 Verdict::Refuse(vec![FieldError::refused("body", "We do not advertise casinos.")])
    ///             }
    ///             Actor::Visitor => Verdict::Hold,
    ///             _ => Verdict::Accept,
    ///         }
    ///     });
    /// # Ok::<_, handbill::ParseError>(())
    /// ```
    pub fn with_review<F, Fut>(self, review: F) -> Self
    where
        F: Fn(Submission) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Verdict> + Send + 'static,
    {
        self.with(|settings| settings.review = Some(boxed(review)))
    }
}
