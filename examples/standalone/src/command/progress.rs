//! Progress on a terminal.

use parking_lot::Mutex;
use std::io::{self, IsTerminal, Write};
use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout};

/// Only work that takes longer shows progress.
const DELAY: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(200);
/// Carriage return, and "erase to the end of the line".
const ERASE: &str = "\r\x1b[K";

/// One line on standard error that is written again and again, and erased at the end. It is shown on a
/// terminal only.
pub(crate) struct ProgressLine<W: Write = io::Stderr>(Option<Mutex<Line<W>>>);

struct Line<W> {
    out: W,
    next: Instant,
    is_shown: bool,
}

impl ProgressLine {
    pub(crate) fn new() -> Self {
        let stderr = io::stderr();
        let is_terminal = stderr.is_terminal();
        Self::on(stderr, is_terminal)
    }

    /// Runs something that does not report how far it is. `text` finds that out.
    pub(crate) async fn during<T>(
        run: impl Future<Output = T>,
        text: impl AsyncFn() -> String,
    ) -> T {
        let progress = Self::new();
        let mut run = pin!(run);
        loop {
            match timeout(PAUSE, &mut run).await {
                Ok(done) => return done,
                Err(_) if progress.0.is_none() => {}
                Err(_) => {
                    let text = text().await;
                    progress.show(|| text);
                }
            }
        }
    }
}

impl<W: Write> ProgressLine<W> {
    fn on(out: W, is_terminal: bool) -> Self {
        let line = Line {
            out,
            next: Instant::now() + DELAY,
            is_shown: false,
        };
        Self(is_terminal.then(|| Mutex::new(line)))
    }

    /// May be called as often as there is something to say.
    pub(crate) fn show(&self, text: impl FnOnce() -> String) {
        let Some(line) = &self.0 else { return };
        let mut line = line.lock();
        let now = Instant::now();
        if now >= line.next {
            line.next = now + PAUSE;
            line.is_shown = true;
            // Progress that can't be shown is no reason to stop.
            let _ = write!(line.out, "{ERASE}{}", text()).and_then(|()| line.out.flush());
        }
    }
}

impl<W: Write> Drop for ProgressLine<W> {
    fn drop(&mut self) {
        if let Some(line) = &mut self.0 {
            let line = line.get_mut();
            if line.is_shown {
                let _ = write!(line.out, "{ERASE}").and_then(|()| line.out.flush());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown if each step takes so long.
    async fn shown(is_terminal: bool, step: Duration) -> String {
        let mut out = Vec::new();
        let progress = ProgressLine::on(&mut out, is_terminal);
        for number in 0..4 {
            progress.show(|| number.to_string());
            tokio::time::advance(step).await;
        }
        drop(progress);
        String::from_utf8(out).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_terminal_shows_progress_after_a_second_and_then_erases_it() {
        let slow = shown(true, Duration::from_secs(1)).await;
        assert_eq!(slow, "\r\x1b[K1\r\x1b[K2\r\x1b[K3\r\x1b[K");
        let often = shown(true, Duration::from_millis(500)).await;
        assert_eq!(often, "\r\x1b[K2\r\x1b[K3\r\x1b[K");
        assert_eq!(shown(true, Duration::from_millis(100)).await, "");
    }

    #[tokio::test(start_paused = true)]
    async fn a_pipe_gets_no_progress() {
        assert_eq!(shown(false, Duration::from_secs(1)).await, "");
    }
}
