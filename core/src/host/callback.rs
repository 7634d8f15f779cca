//! The host's own code, which the service calls.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::{Instrument, Span};

const MAX_WAIT: Duration = Duration::from_secs(5);

pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;
pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// An asynchronous function of the host.
pub(crate) type Callback<I, O> = Arc<dyn Fn(I) -> BoxFuture<'static, O> + Send + Sync>;

pub(crate) fn boxed<I, F, Fut>(code: F) -> Callback<I, Fut::Output>
where
    F: Fn(I) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
{
    Arc::new(move |input| Box::pin(code(input)))
}

/// What the host's code returns. It may panic or never end: the error says which.
pub(crate) async fn call<I, O>(code: &Callback<I, O>, input: I) -> Result<O, String>
where
    I: Send + 'static,
    O: Send + 'static,
{
    let code = Arc::clone(code);
    // Dropping the set ends the task.
    let mut task = JoinSet::new();
    task.spawn(async move { code(input).await }.instrument(Span::current()));
    match timeout(MAX_WAIT, task.join_next()).await {
        Ok(Some(Ok(returned))) => Ok(returned),
        Ok(Some(Err(failed))) => Err(failed.to_string()),
        Ok(None) | Err(_) => Err(format!(
            "the host's code did not return within {MAX_WAIT:?}"
        )),
    }
}
