//! What a host can listen to, and how it is told.

use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use tokio::sync::Mutex;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::id::{KeyId, PostId};
use crate::post::PostSummary;
use crate::store::{StoreError, Write};

/// Posts and keys whose changes are told one after the other: two that fall to the same turn wait
/// for each other, which with so many is rare.
const TURNS: usize = 1024;

/// Something that has happened, durably. It holds no secret, nor the hash of one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// `post.created`: the post as it was created.
    PostCreated(PostSummary),
    /// `post.updated`: the post as it is after the change. What changes nothing that readers see,
    /// a new edit token for instance, is no update.
    PostUpdated(PostSummary),
    /// `post.deleted`: the identifier that answers 410 from now on.
    PostDeleted(PostId),
    /// `key.issued`.
    #[non_exhaustive]
    KeyIssued {
        /// Names the key without being secret.
        id: KeyId,
        /// What its holder calls it, if anything.
        label: Option<String>,
    },
    /// `key.revoked`: the key that is refused from now on.
    KeyRevoked(KeyId),
}

impl Event {
    /// The event's name, such as `post.created`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::PostCreated(_) => "post.created",
            Self::PostUpdated(_) => "post.updated",
            Self::PostDeleted(_) => "post.deleted",
            Self::KeyIssued { .. } => "key.issued",
            Self::KeyRevoked(_) => "key.revoked",
        }
    }
}

type Told = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The host's listener, and the way of events to it.
pub(crate) struct Listener {
    tell: Box<dyn Fn(Event) -> Told + Send + Sync>,
    /// Made at the first event: there is a runtime then.
    waiting: OnceLock<UnboundedSender<Event>>,
    turns: Vec<Mutex<()>>,
}

impl Listener {
    pub(crate) fn new<F, Fut>(tell: F) -> Self
    where
        F: Fn(Event) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        Self {
            tell: Box::new(move |event| Box::pin(tell(event))),
            waiting: OnceLock::new(),
            turns: (0..TURNS).map(|_| Mutex::default()).collect(),
        }
    }

    /// Makes a change to what `subject` identifies, then leaves the event for the listener.
    ///
    /// A request whose client goes away ends at once, wherever it is. The change and its event
    /// belong together, so that they have a task of their own. Changes of one subject take turns,
    /// so that events come in the order of the changes.
    pub(crate) async fn after(
        self: &Arc<Self>,
        subject: impl Hash,
        event: Event,
        change: impl Future<Output = Result<Write, StoreError>> + Send + 'static,
    ) -> Result<Write, StoreError> {
        let mut hasher = DefaultHasher::new();
        subject.hash(&mut hasher);
        let turn = hasher.finish() as usize % TURNS;
        let listener = Arc::clone(self);
        let changing = tokio::spawn(async move {
            let _turn = listener.turns[turn].lock().await;
            let written = change.await;
            if matches!(written, Ok(Write::Applied)) {
                listener.leave(event);
            }
            written
        });
        changing
            .await
            .unwrap_or_else(|failed| Err(StoreError::new("finish a change", failed)))
    }

    fn leave(self: &Arc<Self>, event: Event) {
        let waiting = self.waiting.get_or_init(|| {
            let (waiting, events) = mpsc::unbounded_channel();
            tokio::spawn(Arc::clone(self).tell_all(events));
            waiting
        });
        // Nobody is there to hear it where the runtime that told events has ended.
        let _ = waiting.send(event);
    }

    async fn tell_all(self: Arc<Self>, mut events: UnboundedReceiver<Event>) {
        while let Some(event) = events.recv().await {
            let name = event.name();
            // In a task of its own, since the host's code may panic.
            if let Err(failed) = tokio::spawn((self.tell)(event)).await {
                tracing::error!(event = name, %failed, "the event listener did not finish");
            }
        }
    }
}
