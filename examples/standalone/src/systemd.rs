//! What systemd is told of the program, where it has started it (sd_notify(3)). Elsewhere this does nothing.

use std::future::pending;

use sd_notify::{NotifyState, notify, watchdog_enabled};
use tokio::time::interval;

/// Says, as often as systemd wants to hear it, that the program still runs its tasks. What the database does is no
/// reason to start the program again.
pub(crate) async fn feed_watchdog() {
    let Some(timeout) = watchdog_enabled() else {
        return pending().await;
    };
    let mut interval = interval(timeout / 2);
    loop {
        interval.tick().await;
        tell(NotifyState::Watchdog);
    }
}

/// Says that the program accepts connections, or that it finishes the requests under way and then ends.
pub(crate) fn tell(state: NotifyState<'_>) {
    // Without systemd there is no socket, and it returns `Ok`.
    if let Err(error) = notify(&[state]) {
        tracing::warn!(%error, "could not notify systemd");
    }
}
