//! The policy for requests for API keys: open, closed, or the host's own decision.

use http::request::Parts;

use super::callback::{self, Callback};
use crate::post::Owner;

/// Which requests for an API key the service grants. Clients that would get a key can also publish on
/// `/write` without one.
///
/// ```
/// use handbill::{Handbill, KeyRequests, MemoryStore};
///
/// let handbill = Handbill::new("https://example.org", MemoryStore::new())?
///     .with_key_requests(KeyRequests::SignedIn);
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum KeyRequests {
    /// All of them.
    #[default]
    Open,
    /// None of them: only the host issues keys.
    Closed,
    /// Those of visitors who are [`SignedIn`](crate::SignedIn), on the page `/keys`. The keys belong to their owners.
    /// Programs get no key.
    SignedIn,
    /// Those that the host allows; see [`KeyRequests::decided_by`].
    Decided(KeyDecision),
}

/// The host's decision on a request for an API key. A `bool` grants or refuses it, too.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyGrant {
    /// No key.
    Refused,
    /// A key of the owner that the visitor is [`SignedIn`](crate::SignedIn) as, or else of no named owner: it owns its
    /// own posts.
    Granted,
    /// A key of this owner, who is, for example, the user that is logged in.
    GrantedTo(Owner),
}

impl From<bool> for KeyGrant {
    fn from(is_granted: bool) -> Self {
        match is_granted {
            true => Self::Granted,
            false => Self::Refused,
        }
    }
}

/// The host's function that decides on requests for API keys.
#[derive(Clone)]
pub struct KeyDecision(pub(crate) Callback<Parts, KeyGrant>);

impl KeyRequests {
    /// Grants the requests for which `decide` returns `true`, [`KeyGrant::Granted`] or
    /// [`KeyGrant::GrantedTo`].
    ///
    /// `decide` receives the request without its body, as the service sees it: with the extensions
    /// that the host's own layers inserted (for example the user who is logged in), with a path
    /// relative to the mount point, and with the [`ClientAddr`](crate::ClientAddr) of the client even
    /// behind a trusted proxy. It is called on `POST /api/keys` and `POST /keys`, after the rate limit
    /// for key requests.
    ///
    /// It is also called on `/write`: visitors who would get a key publish there without one, and their posts
    /// belong to the owner that it names. `GET /write` asks it too, to know whether the form needs a field
    /// for a key. So a decision should change nothing.
    ///
    /// It may take 5 seconds. If it takes longer or panics, the response is 503 `store_unavailable`, and no key is
    /// granted.
    ///
    /// Except for `GET /write`, which gives nothing away, `decide` does not see requests that a browser sent
    /// from another site: they are refused with 403 `cross_site`. So it may rely on a cookie.
    ///
    /// ```
    /// use handbill::host::KeyGrant;
    /// use handbill::{Handbill, KeyRequests, MemoryStore, Owner};
    ///
    /// #[derive(Clone)]
    /// struct User(Owner);
    ///
    /// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
    ///     .with_key_requests(KeyRequests::decided_by(|request| async move {
    ///         match request.extensions.get::<User>() {
    ///             Some(User(owner)) => KeyGrant::GrantedTo(owner.clone()),
    ///             None => KeyGrant::Refused,
    ///         }
    ///     }));
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn decided_by<F, Fut, D>(decide: F) -> Self
    where
        F: Fn(Parts) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = D> + Send + 'static,
        D: Into<KeyGrant>,
    {
        Self::Decided(KeyDecision(callback::boxed(move |request| {
            let decision = decide(request);
            async move { decision.await.into() }
        })))
    }
}

crate::post::opaque_debug!(KeyDecision);
