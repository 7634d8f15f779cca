//! What a host can listen to, and how it is told.

use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::error::SendError;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::id::{KeyId, PostId};
use crate::post::PostSummary;
use crate::store::{StoreError, Write};

/// Changes of posts and keys take turns in so many rows. Two that meet in one wait for each other,
/// whatever they change, and are written apart.
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

type Tell = dyn Fn(Event) -> Told + Send + Sync;

/// The host's listener, and the way of events to it.
pub(crate) struct Listener {
    tell: Arc<Tell>,
    /// To the task that tells; none before the first event, since there may be no runtime then.
    waiting: Mutex<Option<UnboundedSender<Event>>>,
    turns: Vec<tokio::sync::Mutex<()>>,
}

impl Listener {
    pub(crate) fn new<F, Fut>(tell: F) -> Self
    where
        F: Fn(Event) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        Self {
            tell: Arc::new(move |event| Box::pin(tell(event))),
            waiting: Mutex::default(),
            turns: (0..TURNS).map(|_| tokio::sync::Mutex::default()).collect(),
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

    fn leave(&self, event: Event) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let event = match &*waiting {
            None => event,
            // The task ends with its runtime; the service may live on in another one.
            Some(sender) => match sender.send(event) {
                Ok(()) => return,
                Err(SendError(event)) => event,
            },
        };
        let (sender, events) = mpsc::unbounded_channel();
        tokio::spawn(tell_all(Arc::clone(&self.tell), events));
        let _ = sender.send(event);
        *waiting = Some(sender);
    }
}

/// Tells one event after the other, until the service is dropped.
async fn tell_all(tell: Arc<Tell>, mut events: UnboundedReceiver<Event>) {
    while let Some(event) = events.recv().await {
        let (name, tell) = (event.name(), Arc::clone(&tell));
        // In a task of its own, since the host's code may panic.
        if let Err(failed) = tokio::spawn(async move { tell(event).await }).await {
            tracing::error!(event = name, %failed, "the event listener did not finish");
        }
    }
}
