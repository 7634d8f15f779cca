//! Lines on their way to standard error.

use parking_lot::{Condvar, Mutex};
use std::io::{self, BufWriter, Write, stderr};
use std::mem;
use std::thread;
use std::time::Duration;

/// The bytes that may be queued, besides those that are being written.
const MAX_BYTES: usize = 1024 * 1024;
/// The pause after a batch of lines. Without it, each request wakes the thread that writes.
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lines: String,
    /// Whether a batch was taken and is not yet written.
    is_writing: bool,
}

impl Queue {
    /// Adds a line, as soon as there is room for one.
    pub(super) fn add(&self, line: impl FnOnce(&mut String)) {
        let is_full = |state: &mut State| state.lines.len() >= MAX_BYTES;
        let mut state = self.state.lock();
        self.changed.wait_while(&mut state, is_full);
        if state.lines.is_empty() {
            self.changed.notify_all();
        }
        line(&mut state.lines);
    }

    /// Writes lines for as long as the process lives.
    pub(super) fn write_batches(&self) {
        let mut stderr = BufWriter::new(stderr());
        let mut batch = String::new();
        loop {
            self.take(&mut batch);
            // A log that cannot be written stops nothing. What is lost then are whole lines, so they are written apart.
            for line in batch.split_inclusive('\n') {
                let _ = stderr.write_all(line.as_bytes());
            }
            let _ = stderr.flush();
            batch.clear();
            thread::sleep(PAUSE);
        }
    }

    /// Puts all lines into this batch, as soon as there are some. The batch before it has been written.
    pub(super) fn take(&self, batch: &mut String) {
        let mut state = self.state.lock();
        state.is_writing = false;
        self.changed.notify_all();
        (self.changed).wait_while(&mut state, |state| state.lines.is_empty());
        mem::swap(&mut state.lines, batch);
        state.is_writing = true;
        self.changed.notify_all();
    }

    /// Waits until all lines are written, or so long.
    pub(super) fn wait(&self, timeout: Duration) {
        let is_unwritten = |state: &mut State| state.is_writing || !state.lines.is_empty();
        let mut state = self.state.lock();
        (self.changed).wait_while_for(&mut state, is_unwritten, timeout);
    }
}

/// Adds lines of `tracing`.
impl Write for &Queue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.add(|lines| lines.push_str(&String::from_utf8_lossy(line)));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_ordered_and_all_written() {
        const LINES: usize = 100_000;
        let queue = Queue::default();
        let line = |number: usize| format!("{number:040}\n");
        let (mut batch, mut all) = (String::new(), String::new());
        thread::scope(|scope| {
            scope
                .spawn(|| (0..LINES).for_each(|number| queue.add(|lines| *lines += &line(number))));
            while all.len() < LINES * 41 {
                batch.clear();
                queue.take(&mut batch);
                assert!(batch.len() < MAX_BYTES + 41, "{} bytes", batch.len());
                all += &batch;
            }
        });
        assert!(
            all.lines()
                .enumerate()
                .all(|(number, found)| line(number).trim_end() == found)
        );
    }
}
