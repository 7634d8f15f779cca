//! What a request waits for: measured for the host, and shown by spans of `tracing`.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::time::{Duration, Instant};

use tracing::{Instrument, Span};

tokio::task_local! {
    static TIMINGS: Cell<Timings>;
}

/// How long a request has waited, and for what: an extension of each response of the service, for a host that reports
/// slow requests. What was there at once was not waited for.
///
/// ```
/// use std::time::Duration;
/// use handbill::Timings;
///
/// fn log<B>(response: &http::Response<B>, took: Duration) {
///     let waited: Timings = response.extensions().get().copied().unwrap_or_default();
///     if took - waited.body > Duration::from_secs(1) {
///         println!("a slow request, which waited for the store for {:?}", waited.store);
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timings {
    /// For the client, which sent the body.
    pub body: Duration,
    /// For others, until it was its turn.
    pub queue: Duration,
    /// For the store.
    pub store: Duration,
    /// For work on another thread, such as rendering a long text.
    pub work: Duration,
}

/// What a request waits for.
#[derive(Clone, Copy)]
pub(crate) enum Phase {
    Body,
    Queue,
    Store,
    Work,
}

/// Handles a request, and measures what it waits for.
pub(crate) async fn of_request<T>(request: impl Future<Output = T>) -> (T, Timings) {
    let request = async {
        let outcome = request.await;
        (outcome, TIMINGS.with(Cell::get))
    };
    TIMINGS.scope(Cell::default(), request).await
}

/// Waits, in a span. The clock is read only if the future is not ready at once. Outside of a request nothing is
/// measured.
pub(crate) async fn measure<T>(phase: Phase, span: Span, future: impl Future<Output = T>) -> T {
    measure_since(None, phase, span, future).await
}

/// The same, if it is waited for since an instant before.
pub(crate) async fn measure_since<T>(
    mut began: Option<Instant>,
    phase: Phase,
    span: Span,
    future: impl Future<Output = T>,
) -> T {
    let mut future = pin!(future.instrument(span));
    let outcome = poll_fn(|context| {
        let polled = future.as_mut().poll(context);
        if polled.is_pending() {
            began.get_or_insert_with(Instant::now);
        }
        polled
    })
    .await;
    if let Some(began) = began {
        // An error means that no request waits.
        let _ = TIMINGS.try_with(|timings| timings.set(timings.get().with(phase, began.elapsed())));
    }
    outcome
}

/// Whether the request has waited for its client, in a queue or for a thread: long enough for others to do something.
/// Waits for the store do not count: they are short, and the store also applies a late write.
pub(crate) fn was_held_up() -> bool {
    let waited = TIMINGS.try_with(Cell::get).unwrap_or_default();
    waited.body + waited.queue + waited.work > Duration::ZERO
}

impl Timings {
    fn with(mut self, phase: Phase, time: Duration) -> Self {
        *match phase {
            Phase::Body => &mut self.body,
            Phase::Queue => &mut self.queue,
            Phase::Store => &mut self.store,
            Phase::Work => &mut self.work,
        } += time;
        self
    }
}
