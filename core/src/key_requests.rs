use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use http::request::Parts;

use crate::http::request::Head;
use crate::problem::{Code, Problem};
use crate::rate::Meter;

type Decision = Pin<Box<dyn Future<Output = bool> + Send>>;

/// Who gets an API key on request.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum KeyRequests {
    /// Whoever asks.
    #[default]
    Open,
    /// Nobody: keys come from the host alone.
    Closed,
    /// Whoever the host's own decision allows; see [`KeyRequests::decided_by`].
    Decided(KeyDecision),
}

/// The host's own decision on a request for an API key.
#[derive(Clone)]
pub struct KeyDecision(Arc<dyn Fn(Parts) -> Decision + Send + Sync>);

impl KeyRequests {
    /// Whoever this allows, once its future is ready. It is shown the request without its body, as
    /// the service sees it: with the extensions that the host's own layers inserted (who is logged
    /// in, for instance), its path relative to the mount point, and the client's own
    /// [`ClientAddr`](crate::ClientAddr) where a trusted proxy stands between. It is asked on
    /// `POST /api/keys` and `POST /keys`, after the rate of key requests.
    ///
    /// The page refuses forms of other sites; the API does not. A decision by a cookie that browsers
    /// send along from other sites has to look at `Sec-Fetch-Site` or `Origin` itself.
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
}

impl KeyRequests {
    /// Refuses a request for a key that this policy or the client's rate does not allow.
    pub(crate) async fn allow(&self, head: &Head, meter: &Meter) -> Result<(), Problem> {
        let allowed = match self {
            Self::Closed => false,
            Self::Open => {
                meter.count_key_request(head.client)?;
                true
            }
            Self::Decided(decision) => {
                meter.count_key_request(head.client)?;
                let mut request = head.parts.clone();
                if let Some(client) = head.client {
                    // Behind a trusted proxy, this is not the address of the connection.
                    request.extensions.insert(client);
                }
                decision.allows(request).await
            }
        };
        if allowed {
            return Ok(());
        }
        let detail = "Ask the operator of this service for an API key.";
        Err(Problem::new(Code::KeyRequestsClosed, detail))
    }
}

impl KeyDecision {
    pub(crate) async fn allows(&self, request: Parts) -> bool {
        (self.0)(request).await
    }
}

impl fmt::Debug for KeyRequests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "Open",
            Self::Closed => "Closed",
            Self::Decided(_) => "Decided",
        })
    }
}

impl fmt::Debug for KeyDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyDecision").finish_non_exhaustive()
    }
}
