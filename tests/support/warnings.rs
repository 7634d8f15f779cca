//! Handbill's warnings and errors, as the log of a host gets them.

use std::fmt::Debug;

use tokio::sync::watch;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Level, Metadata, Subscriber};

/// Collects the warnings and errors of this thread.
#[derive(Clone, Debug, Default)]
pub struct Warnings(watch::Sender<Vec<String>>);

impl Warnings {
    /// Begins, until the guard is dropped.
    pub fn collect() -> (Self, DefaultGuard) {
        let warnings = Self::default();
        let guard = tracing::subscriber::set_default(warnings.clone());
        (warnings, guard)
    }

    /// Those that were there until now.
    pub fn texts(&self) -> Vec<String> {
        self.0.borrow().clone()
    }

    /// Waits for a warning that contains this text.
    pub async fn wait_for(&self, text: &str) {
        let mut warnings = self.0.subscribe();
        let is_there = |warnings: &Vec<String>| warnings.iter().any(|one| one.contains(text));
        let found = warnings.wait_for(is_there).await;
        found.expect("this has the other end");
    }
}

/// The message of an event.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN && metadata.target().starts_with("handbill")
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        self.0.send_modify(|warnings| warnings.push(message.0));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}
