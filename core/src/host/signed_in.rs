//! The visitor as the host's own login knows them.

use crate::post::owner::Owner;

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
/// request.extensions_mut().insert(SignedIn("user:42".parse()?));
/// # Ok::<_, handbill::ParseOwnerError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn(pub Owner);
