//! The policy for requests for API keys: open, closed, or the host's own decision.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use http::request::Parts;

use crate::http::request::Head;
use crate::problem::{Code, Problem};
use crate::rate::Meter;

type Decision = Pin<Box<dyn Future<Output = bool> + Send>>;

/// Which requests for an API key the service grants.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum KeyRequests {
    /// All of them.
    #[default]
    Open,
    /// None of them: only the host issues keys.
    Closed,
    /// Those that the host allows; see [`KeyRequests::decided_by`].
    Decided(KeyDecision),
}

/// The host's function that decides on requests for API keys.
#[derive(Clone)]
pub struct KeyDecision(Arc<dyn Fn(Parts) -> Decision + Send + Sync>);

impl KeyRequests {
    /// Grants the requests for which `decide` returns `true`.
    ///
    /// `decide` receives the request without its body, as the service sees it: with the extensions
    /// that the host's own layers inserted (for example the user who is logged in), with a path
    /// relative to the mount point, and with the [`ClientAddr`](crate::ClientAddr) of the client even
    /// behind a trusted proxy. It is called on `POST /api/keys` and `POST /keys`, after the rate limit
    /// for key requests.
    ///
    /// `decide` does not see requests that a browser sent from another site, which are refused with 403
    /// `cross_site`. So it may rely on a cookie.
    ///
    /// ```
    /// use handbill::{Handbill, KeyRequests, MemoryStore};
    ///
    /// #[derive(Clone)]
    /// struct LoggedIn;
    ///
    /// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
    ///     .with_key_requests(KeyRequests::decided_by(|request| async move {
    ///         request.extensions.get::<LoggedIn>().is_some()
    ///     }));
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn decided_by<F, Fut>(decide: F) -> Self
    where
        F: Fn(Parts) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = bool> + Send + 'static,
    {
        Self::Decided(KeyDecision(Arc::new(move |request| {
            Box::pin(decide(request))
        })))
    }

    /// Refuses a request that this policy or the client's rate limit does not allow.
    pub(crate) async fn allow(&self, head: &Head, meter: &Meter) -> Result<(), Problem> {
        if !matches!(self, Self::Closed) {
            meter.count_key_request(head.client)?;
        }
        let allowed = match self {
            Self::Closed => false,
            Self::Open => true,
            Self::Decided(KeyDecision(decide)) => {
                let mut request = head.parts.clone();
                if let Some(client) = head.client {
                    // Replaces the address of a trusted proxy.
                    request.extensions.insert(client);
                }
                decide(request).await
            }
        };
        if allowed {
            return Ok(());
        }
        let detail = "Ask the operator of this service for an API key.";
        Err(Problem::new(Code::KeyRequestsClosed, detail))
    }
}

impl fmt::Debug for KeyDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyDecision").finish_non_exhaustive()
    }
}
