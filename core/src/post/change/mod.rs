//! Changes as listeners receive them: what happened, when, and who did it.

mod line;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::post::{KeyId, Owner, PostId, PostSummary, Revision, Timestamp, Visibility};

/// A change that is stored durably. Events contain neither secrets nor hashes of secrets.
///
/// As JSON, it is an object with the event's name as `event`, such as `post.created`, and its fields. Events about
/// posts have the `id`, the `visibility` and the `owner` of the post. Those of a new or changed post also have the
/// other names of its [`PostSummary`]. The host should not show the owner to readers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event")]
#[non_exhaustive]
pub enum Event {
    /// `post.created`: the new post. Like all events, also about drafts: what others may see of a post
    /// depends on its visibility.
    #[serde(rename = "post.created")]
    PostCreated(#[serde(serialize_with = "with_owner")] PostSummary),
    /// `post.updated`: the post after the change. A change that readers do not see, such as a new edit
    /// token, is not an update.
    #[serde(rename = "post.updated")]
    PostUpdated(#[serde(serialize_with = "with_owner")] PostSummary),
    /// `post.deleted`: the post's addresses return 410 from now on, or 404 if it was a draft.
    #[serde(rename = "post.deleted")]
    #[non_exhaustive]
    PostDeleted {
        /// Identifies the post.
        id: PostId,
        /// Who could read it.
        visibility: Visibility,
        /// The owner of the post, if there was one.
        owner: Option<Owner>,
    },
    /// `key.issued`: a new API key.
    #[serde(rename = "key.issued")]
    #[non_exhaustive]
    KeyIssued {
        /// Identifies the key and is not secret.
        id: KeyId,
        /// The name that was chosen for the key, if any.
        label: Option<String>,
        /// The owner of the key.
        owner: Owner,
    },
    /// `key.revoked`: the key's identifier. The service refuses the key from now on.
    #[serde(rename = "key.revoked")]
    KeyRevoked(#[serde(serialize_with = "only_id")] KeyId),
}

impl Event {
    /// The event's name, such as `post.created`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::PostCreated(_) => "post.created",
            Self::PostUpdated(_) => "post.updated",
            Self::PostDeleted { .. } => "post.deleted",
            Self::KeyIssued { .. } => "key.issued",
            Self::KeyRevoked(_) => "key.revoked",
        }
    }

    /// The identifier of the post or key that it is about.
    pub fn subject(&self) -> &str {
        match self {
            Self::PostCreated(post) | Self::PostUpdated(post) => post.id.as_str(),
            Self::PostDeleted { id, .. } => id.as_str(),
            Self::KeyIssued { id, .. } | Self::KeyRevoked(id) => id.as_str(),
        }
    }
}

fn with_owner<S: Serializer>(post: &PostSummary, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Owned<'a> {
        #[serde(flatten)]
        post: &'a PostSummary,
        owner: &'a Option<Owner>,
    }
    let owner = &post.owner;
    Owned { post, owner }.serialize(serializer)
}

fn only_id<S: Serializer>(id: &KeyId, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Key<'a> {
        id: &'a KeyId,
    }
    Key { id }.serialize(serializer)
}

/// Who made a change. The host's own code chooses one with [`Handbill::by`](crate::Handbill::by).
///
/// ```
/// use handbill::Actor;
///
/// fn for_people(actor: &Actor) -> String {
///     match actor {
///         Actor::SignedIn(owner) => format!("the user {owner}"),
///         Actor::Key(id) => format!("a program with the key {id}"),
///         Actor::EditToken => "someone with the private link".to_owned(),
///         Actor::Host | Actor::Operator | Actor::Staff(_) | Actor::Job(_) => "we".to_owned(),
///         _ => "a visitor".to_owned(),
///     }
/// }
/// let alice = Actor::SignedIn("alice".parse()?);
/// assert_eq!(for_people(&alice), "the user alice");
/// assert_eq!(alice.to_string(), "owner alice");
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Actor {
    /// The host's own code.
    Host,
    /// The operator, by a command of the program.
    Operator,
    /// A member of the host's staff, by the host's name for them.
    Staff(Owner),
    /// A job of the host, by its name.
    Job(String),
    /// A client with this API key.
    Key(KeyId),
    /// Someone with the edit token of the post: an API client, or a person with the private link.
    EditToken,
    /// A visitor who is [signed in](crate::SignedIn) as this owner, or was named so by the host's decision on
    /// [key requests](crate::KeyRequests::decided_by).
    SignedIn(Owner),
    /// The service itself, at the time that the post says: see
    /// [`Draft::publish_at`](crate::Draft::publish_at) and [`Draft::expires_at`](crate::Draft::expires_at).
    Schedule,
    /// An unknown visitor: one who got a key or published where key requests are open.
    Visitor,
}

/// For a log or an audit: `host`, `operator`, `staff user:7`, `job cleanup`, `key bcdfghjklm`, `edit token`,
/// `owner user:42`, `schedule` or `visitor`.
impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("host"),
            Self::Operator => f.write_str("operator"),
            Self::Staff(name) => write!(f, "staff {name}"),
            Self::Job(name) => write!(f, "job {name}"),
            Self::Key(id) => write!(f, "key {id}"),
            Self::EditToken => f.write_str("edit token"),
            Self::SignedIn(owner) => write!(f, "owner {owner}"),
            Self::Schedule => f.write_str("schedule"),
            Self::Visitor => f.write_str("visitor"),
        }
    }
}

impl Actor {
    /// A visitor, whose owner the host may have named.
    pub(crate) fn of_visitor(owner: Option<&Owner>) -> Self {
        owner.map_or(Self::Visitor, |owner| Self::SignedIn(owner.clone()))
    }
}

/// A change that a durable listener receives.
///
/// ```
/// use handbill::{Change, Draft, Handbill, MemoryStore};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let handbill = Handbill::new("https://example.org", MemoryStore::new())?
///     .with_durable_listener("log", |change| async move {
///         let Change { number, at, by, event, .. } = change;
///         let at = at.to_rfc3339();
///         println!("{number} {at}: {by}: {} {}", event.name(), event.subject());
///         Ok(())
///     })?;
/// handbill.posts().create(Draft::new().body("A post.")).await?;
/// handbill.flush().await?;
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Its number in the order of commits, and its identifier: no other change of this store has it, and of two
    /// changes, one of which was made after the other had returned, the later one has the greater number. Numbers have
    /// gaps.
    pub number: u64,
    /// When it was made. Of two changes of one post, the later one has the later time.
    pub at: Timestamp,
    /// Who made it.
    pub by: Actor,
    /// The revision of the post after the change, or of the post that was deleted. None for keys.
    pub revision: Option<Revision>,
    /// The identifier of the request that made it, if the host gave it one: see [`RequestId`](crate::RequestId).
    pub request: Option<String>,
    /// What the host noted about it: see [`ChangeNote`].
    pub note: Option<ChangeNote>,
    /// What happened.
    pub event: Event,
}

/// A note of the host's about a change, such as the reason for it, which listeners and statements see with the
/// [`Change`].
///
/// Insert it into the extensions of a request. The host's own code sets it with
/// [`Handbill::with_note`](crate::Handbill::with_note).
///
/// ```
/// use handbill::ChangeNote;
/// # let mut request = http::Request::new(());
///
/// request.extensions_mut().insert(ChangeNote::from("from the office in Lyon"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct ChangeNote(Arc<str>);

impl ChangeNote {
    /// The note.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ChangeNote {
    fn from(note: &str) -> Self {
        Self(note.into())
    }
}

impl From<String> for ChangeNote {
    fn from(note: String) -> Self {
        Self(note.into())
    }
}

/// A change that is about to be made, and will get its number with the commit. It is stored as text: see
/// [`Outbox`](crate::store::Outbox).
#[derive(Clone, Debug)]
pub struct NewChange {
    at: Timestamp,
    by: Actor,
    revision: Option<Revision>,
    request: Option<String>,
    note: Option<ChangeNote>,
    event: Box<Event>,
}

impl NewChange {
    /// A change at this time, by this actor. The revision is that of the post after it, or of the post that is deleted.
    pub fn new(at: Timestamp, by: Actor, revision: Option<Revision>, event: Event) -> Self {
        Self {
            at,
            by,
            revision,
            request: None,
            note: None,
            event: Box::new(event),
        }
    }

    /// A new post.
    pub(crate) fn post_created(at: Timestamp, by: Actor, post: &PostSummary) -> Self {
        let event = Event::PostCreated(post.clone());
        Self::new(at, by, Some(post.revision), event)
    }

    /// A changed post, as it is after the change.
    pub(crate) fn post_updated(by: Actor, post: &PostSummary) -> Self {
        let event = Event::PostUpdated(post.clone());
        Self::new(post.updated_at, by, Some(post.revision), event)
    }

    setters! {
        /// It is the identifier of the request that makes the change.
        with_request(request: Option<String>);
        /// It is the host's note about the change.
        with_note(note: Option<ChangeNote>);
    }

    /// What the change is about: the identifier of a post or a key. Changes of one subject are delivered in their
    /// order.
    pub fn subject(&self) -> &str {
        self.event.subject()
    }

    /// When it is made.
    pub const fn at(&self) -> Timestamp {
        self.at
    }

    /// The change with its number.
    pub fn numbered(self, number: u64) -> Change {
        Change {
            number,
            at: self.at,
            event: *self.event,
            by: self.by,
            revision: self.revision,
            request: self.request,
            note: self.note,
        }
    }

    /// The text to store: one line of JSON without secrets.
    pub fn to_text(&self) -> String {
        line::write(self)
    }

    /// The change that a stored text stands for.
    pub(crate) fn from_text(text: &str) -> Result<Self, serde_json::Error> {
        line::read(text)
    }

    pub(crate) fn event(&self) -> &Event {
        &self.event
    }
}
