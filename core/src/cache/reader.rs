//! A read, as its handler sees it: the request, and what the client and the cache have already.

use super::{CacheKey, Reply, Representation, ResponseCache};
use crate::http::{Conditions, Head};
use crate::limits::queue::{Permit, Queue};
use crate::problem::Problem;
use crate::store::ReadStamp;

/// A read under way.
pub(crate) struct CacheReader<'a> {
    pub(crate) head: &'a Head,
    pub(crate) cache: &'a ResponseCache,
    /// `None` if the response is for this request alone.
    pub(crate) key: Option<&'a CacheKey>,
    pub(crate) read_at: ReadStamp,
}

impl CacheReader<'_> {
    /// The reply, if the client or the cache has the representation, also if another read has made it during the wait
    /// for a permit. Otherwise `make` makes it of an input of so many bytes.
    ///
    /// # Errors
    /// Those of [`Queue::permit`] and of `make`.
    pub(crate) async fn reply(
        &self,
        queue: &Queue,
        input_len: usize,
        representation: Representation,
        make: impl AsyncFnOnce(Permit, Representation) -> Result<Reply, Problem>,
    ) -> Result<Reply, Problem> {
        if let Some(reply) = self.cached_reply(&representation) {
            return Ok(reply);
        }
        let permit = queue.permit(self.head.client, input_len).await?;
        match self.cached_reply(&representation) {
            Some(reply) => Ok(reply),
            None => make(permit, representation).await,
        }
    }

    /// The reply, if the client or the cache has what the handler would send. Ask before the body is made.
    pub(crate) fn cached_reply(&self, representation: &Representation) -> Option<Reply> {
        if let Some(key) = self.key.filter(|_| representation.is_shared)
            && let Some(cached) = self
                .cache
                .reuse(key, representation.etag.as_ref(), self.read_at)
        {
            return Some(Reply::Cached(cached));
        }
        // Malformed conditions are reported after the handler's own problems.
        let conditions = Conditions::of(self.head).ok()?;
        let etag = representation.etag.as_ref()?;
        let is_current = conditions.are_current(etag, representation.modified);
        is_current.then(|| Reply::Current(representation.clone()))
    }
}
