//! Calls of the host's own code.

use std::future::Future;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::{Instrument, Span};

const MAX_WAIT: Duration = Duration::from_secs(5);

/// What the host's code returns. It may panic or never end: the error says which.
pub(crate) async fn call<T: Send + 'static>(
    code: impl Future<Output = T> + Send + 'static,
) -> Result<T, String> {
    // Dropping the set ends the task.
    let mut task = JoinSet::new();
    task.spawn(code.instrument(Span::current()));
    match timeout(MAX_WAIT, task.join_next()).await {
        Ok(Some(Ok(returned))) => Ok(returned),
        Ok(Some(Err(failed))) => Err(failed.to_string()),
        Ok(None) | Err(_) => Err(format!(
            "the host's code did not return within {MAX_WAIT:?}"
        )),
    }
}
