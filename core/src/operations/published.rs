//! What the host's own calls return: created posts, and posts as readers see them.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::post::{EditToken, PostId, PostSummary, PostView};

/// A post that the host created. Its edit token is not available later, since only a hash is stored.
#[derive(Debug)]
#[non_exhaustive]
pub struct CreatedPost {
    /// The post's identifier.
    pub id: PostId,
    /// The public address of the post.
    pub url: String,
    /// The edit token and the edit page, for people who may change the post.
    pub edit: EditAccess,
}

/// Authorises changing and deleting a post.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// let id = handbill.posts().create(handbill::Draft::new().body("A post.")).await?.id;
/// let access = handbill.posts().replace_edit_token(id).await?;
/// assert!(access.url.expose().ends_with(access.token.expose()));
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct EditAccess {
    /// The edit token.
    pub token: EditToken,
    /// The address of the edit page.
    pub url: EditUrl,
}

/// The address of a post's edit page. It is a secret, since it contains the edit token.
///
/// ```
/// # use handbill::{Draft, Handbill, MemoryStore};
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
/// let created = handbill.posts().create(Draft::new().body("A post.")).await?;
/// assert_eq!(format!("{:?}", created.edit.url), "EditUrl", "for logs");
/// assert!(created.edit.url.expose().starts_with("https://example.org/e/"), "for the author");
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct EditUrl(pub(super) String);

/// A post as readers see it. It serialises to the JSON of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PublishedPost {
    /// The post without its body.
    pub summary: PostSummary,
    /// The post's public address.
    pub url: String,
    /// The Markdown source.
    pub body: String,
    /// The body as safe HTML.
    pub html: String,
}

impl EditUrl {
    /// The address. Show it only to the person who may edit the post.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Serialize for PublishedPost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let view = PostView::new(&self.summary, self.url.clone());
        let view = view.with_body(Some(&self.body), Some(&self.html));
        view.serialize(serializer)
    }
}

impl fmt::Debug for EditUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EditUrl")
    }
}
