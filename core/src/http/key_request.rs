//! Requests for an API key: whether the host's policy grants them.

use crate::host::callback;
use crate::host::key_requests::{KeyDecision, KeyGrant, KeyRequests};
use crate::http::Head;
use crate::limits::rate_limiter::RateLimiter;
use crate::post::Owner;
use crate::problem::{Code, Problem};

impl KeyRequests {
    /// Refuses a request that this policy or the client's rate limit does not allow. Returns the owner of
    /// the key, if the host names one.
    pub(crate) async fn allow(
        &self,
        head: &Head,
        rate_limiter: &RateLimiter,
    ) -> Result<Option<Owner>, Problem> {
        if self.is_open_to(head) {
            rate_limiter.key_requests.count(head.requester())?;
        }
        match self.grant(head).await? {
            KeyGrant::Granted => Ok(None),
            KeyGrant::GrantedTo(owner) => Ok(Some(owner)),
            KeyGrant::Refused => {
                let detail = "Ask the operator of this service for an API key.";
                Err(Problem::new(Code::KeyRequestsClosed, detail))
            }
        }
    }

    /// Whether this policy may grant a key to the client of a request.
    pub(crate) fn is_open_to(&self, head: &Head) -> bool {
        match self {
            Self::Open | Self::Decided(_) => true,
            Self::SignedIn => head.signed_in.is_some(),
            Self::Closed => false,
        }
    }

    /// Whether this policy grants a key to the client of a request.
    pub(crate) async fn grant(&self, head: &Head) -> Result<KeyGrant, Problem> {
        let grant = match self {
            Self::Decided(KeyDecision(decide)) => {
                let mut request = head.parts.clone();
                if let Some(client) = head.client {
                    // Replaces the address of a trusted proxy.
                    request.extensions.insert(client);
                }
                let decided = callback::call(decide, request).await;
                decided.map_err(|cause| Problem::host_failed("decide on a key request", cause))?
            }
            Self::Open | Self::SignedIn | Self::Closed => self.is_open_to(head).into(),
        };
        Ok(match (grant, &head.signed_in) {
            (KeyGrant::Granted, Some(visitor)) => KeyGrant::GrantedTo(visitor.owner().clone()),
            (grant, _) => grant,
        })
    }
}
