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
    pub(crate) began: ReadStamp,
}

impl CacheReader<'_> {
    /// Waits in a queue for a permit to make the body, with an input of so many bytes. The inner error is the reply, if
    /// there is nothing to make: the client or the cache has it, also if another read has made it during the wait.
    ///
    /// # Errors
    /// Those of [`Queue::permit`].
    pub(crate) async fn permit(
        &self,
        queue: &Queue,
        input_len: usize,
        wanted: &Representation,
    ) -> Result<Result<Permit, Box<Reply>>, Problem> {
        if let Some(reply) = self.known(wanted) {
            return Ok(Err(reply.into()));
        }
        let permit = queue.permit(self.head.client, input_len).await?;
        Ok(match self.known(wanted) {
            Some(reply) => Err(reply.into()),
            None => Ok(permit),
        })
    }

    /// The reply, if the client or the cache has what the handler would send. Ask before the body is made.
    pub(crate) fn known(&self, wanted: &Representation) -> Option<Reply> {
        if let Some(key) = self.key.filter(|_| wanted.is_shared)
            && let Some(cached) = self.cache.reuse(key, wanted.etag.as_ref(), self.began)
        {
            return Some(Reply::Cached(cached));
        }
        // Malformed conditions are reported after the handler's own problems.
        let conditions = Conditions::of(self.head).ok()?;
        let etag = wanted.etag.as_ref()?;
        let is_current = conditions.are_current(etag, wanted.modified);
        is_current.then(|| Reply::Current(wanted.clone()))
    }
}
