//! The time limit of requests' heads, which is set anew for each request and hardly ever comes.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::rt;
use tokio::time::Sleep;

/// The timer of one connection. All its limits share one alarm, which goes on when a limit is lifted,
/// and is moved on when it comes too early for the next: most limits cost no way to the runtime's timers.
pub(crate) struct HeadTimer {
    alarm: Arc<Mutex<Pin<Box<Sleep>>>>,
}

struct Limit {
    deadline: Instant,
    alarm: Arc<Mutex<Pin<Box<Sleep>>>>,
}

impl HeadTimer {
    /// A timer whose alarm comes after so long at first.
    pub(crate) fn new(patience: Duration) -> Self {
        let alarm = Box::pin(tokio::time::sleep(patience));
        Self {
            alarm: Arc::new(Mutex::new(alarm)),
        }
    }
}

impl rt::Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn rt::Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn rt::Sleep>> {
        Box::pin(Limit {
            deadline,
            alarm: Arc::clone(&self.alarm),
        })
    }

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }
}

impl rt::Sleep for Limit {}

impl Future for Limit {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let deadline = self.deadline.into();
        let mut alarm = self.alarm.lock().unwrap_or_else(PoisonError::into_inner);
        if deadline < alarm.deadline() {
            alarm.as_mut().reset(deadline);
        }
        while alarm.as_mut().poll(context).is_ready() {
            if deadline <= alarm.deadline() {
                return Poll::Ready(());
            }
            alarm.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use hyper::rt::Timer;
    use tokio::time::{advance, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn each_limit_comes_in_its_own_time() {
        let timer = HeadTimer::new(30 * SECOND);
        let lifted = timer.sleep(30 * SECOND);
        assert!(timeout(20 * SECOND, lifted).await.is_err());

        let mut second = timer.sleep(30 * SECOND);
        assert!(timeout(29 * SECOND, &mut second).await.is_err());
        second.await;

        let sooner = timer.sleep(SECOND);
        assert!(timeout(2 * SECOND, sooner).await.is_ok());

        advance(100 * SECOND).await;
        let after_a_pause = timer.sleep(30 * SECOND);
        assert!(timeout(29 * SECOND, after_a_pause).await.is_err());
    }
}
