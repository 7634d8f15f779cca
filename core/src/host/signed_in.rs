//! The visitor as the host's own login knows them.

use super::author;
use crate::post::Owner;

/// The owner that the visitor is signed in as, by the host's own login.
///
/// Insert it into the extensions of each request of a visitor who is logged in to your app. On the pages the visitor
/// may then do what a key of this owner may do, without a key and without an edit token:
///
/// - `/p/{id}` shows the owner's drafts (`Cache-Control: private, no-store`), and a link to `/p/{id}/edit` if the post
///   is the owner's.
/// - `/p/{id}/edit` edits and deletes the post. To others who are signed in it is 403 `not_the_owner`, and to visitors
///   who are not it is 404.
/// - `/write` needs no key, and the post belongs to the owner.
/// - `/keys` issues keys of the owner, if [`KeyRequests`](crate::KeyRequests) allow it.
///
/// Forms that a browser sent from another site are refused (403 `cross_site`), so the login may rely on a cookie.
/// Rates that count by the client's address count by this owner. Pages of a visitor who is signed in are made for each
/// request, and say `Cache-Control: private`. The API ignores it: programs send keys.
///
/// A client cannot send an extension, so nothing that it sends can pose as one. In Rocket, whose requests have no
/// extensions, put an `Option<SignedIn>` into the request's local cache.
///
/// ```
/// use handbill::SignedIn;
/// # let mut request = http::Request::new(());
///
/// let visitor = SignedIn::new("user:42".parse()?).with_author("Ada Lovelace");
/// request.extensions_mut().insert(visitor);
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct SignedIn {
    owner: Owner,
    pub(crate) author: Option<String>,
    /// Whose posts the visitor may change besides their own.
    others: OtherOwners,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum OtherOwners {
    Of(Vec<Owner>),
    All,
}

impl SignedIn {
    /// The visitor is signed in as this owner.
    pub const fn new(owner: Owner) -> Self {
        Self {
            owner,
            author: None,
            others: OtherOwners::Of(Vec::new()),
        }
    }

    /// Sets the visitor's name, which is then the author of what they write with their login. Forms have no field for
    /// the author, and what is sent for it is ignored. Characters that no author may have are left out, and a name that
    /// is too long is cut. A name without a visible character is none.
    pub fn with_author(self, name: &str) -> Self {
        let author = author::visible_name(name);
        Self { author, ..self }
    }

    /// The visitor is staff: on the pages they may read, change and delete the posts of these owners, too. Such a
    /// change is made by [`Actor::Staff`](crate::Actor::Staff).
    pub fn with_posts_of(self, owners: impl IntoIterator<Item = Owner>) -> Self {
        let others = OtherOwners::Of(owners.into_iter().collect());
        Self { others, ..self }
    }

    /// The same for all posts, also those without an owner.
    pub fn with_all_posts(self) -> Self {
        let others = OtherOwners::All;
        Self { others, ..self }
    }

    /// The owner that the visitor is signed in as.
    pub const fn owner(&self) -> &Owner {
        &self.owner
    }

    pub(crate) fn may_edit(&self, owner: Option<&Owner>) -> bool {
        let is_one = |owner: &Owner| match &self.others {
            OtherOwners::Of(owners) => *owner == self.owner || owners.contains(owner),
            OtherOwners::All => true,
        };
        owner.map_or(self.others == OtherOwners::All, is_one)
    }
}
