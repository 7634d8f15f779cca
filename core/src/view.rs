//! The JSON of a post: one type for reads, updates, lists and the host's own code. And that of an event, which may have
//! a post.

use serde::{Serialize, Serializer};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::change::Event;
use crate::id::{KeyId, PostId};
use crate::owner::Owner;
use crate::post::{ListedPost, PostSummary, Visibility};
use crate::time::Timestamp;

/// A post.
// The messages describe the fields that have no comment here (see `api/words.rs`).
#[derive(Serialize, ToSchema)]
#[schema(as = Post)]
pub(crate) struct PostView<'a> {
    #[schema(min_length = 10, max_length = 10, example = "kqzvbnmtrd")]
    id: &'a str,
    /// Only the host's own code sees a post without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, format = "uri", required)]
    url: Option<String>,
    /// One line, or null.
    #[schema(required)]
    title: Option<&'a str>,
    /// The Markdown source, byte for byte as it was sent. Lists have it with `include=body`, and null
    /// where it does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    body: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    html: Option<Option<&'a str>>,
    excerpt: &'a str,
    /// Normalised: Unicode NFC, lowercase, without duplicates.
    tags: Vec<&'a str>,
    /// One line, or null.
    #[schema(required)]
    focus_keyword: Option<&'a str>,
    /// One line, or null.
    #[schema(required)]
    author: Option<&'a str>,
    /// In its canonical case, or null.
    #[schema(required)]
    language: Option<&'a str>,
    #[schema(inline, value_type = VisibilityName)]
    visibility: Visibility,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(required, format = DateTime)]
    published_at: Option<String>,
    #[schema(format = DateTime)]
    updated_at: String,
}

/// A body and its HTML, which go together.
pub(crate) struct BodyView<'a> {
    pub(crate) source: &'a str,
    pub(crate) html: &'a str,
}

impl<'a> PostView<'a> {
    /// A post without its body.
    pub(crate) fn new(post: &'a PostSummary, url: String) -> Self {
        let url = Some(url);
        Self {
            url,
            ..Self::without_url(post)
        }
    }

    fn without_url(post: &'a PostSummary) -> Self {
        Self {
            id: post.id.as_str(),
            url: None,
            title: post.title.as_deref(),
            body: None,
            html: None,
            excerpt: &post.excerpt,
            tags: post.tags.iter().map(|tag| tag.as_str()).collect(),
            focus_keyword: post.focus_keyword.as_deref(),
            author: post.author.as_deref(),
            language: post.language.as_deref(),
            visibility: post.visibility,
            published_at: post.published_at.map(Timestamp::to_rfc3339),
            created_at: post.created_at.to_rfc3339(),
            updated_at: post.updated_at.to_rfc3339(),
        }
    }

    /// Adds the body, which is null if it does not fit into a list.
    pub(crate) fn with_body(self, body: Option<BodyView<'a>>) -> Self {
        let (source, html) = body.map(|body| (body.source, body.html)).unzip();
        Self {
            body: Some(source),
            html: Some(html),
            ..self
        }
    }
}

/// The JSON of a post in a list of the API, without its `url`, which depends on the service
/// ([`Posts::url`](crate::Posts::url)). Like the API, it shows neither the owner nor the revision.
impl Serialize for PostSummary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        PostView::without_url(self).serialize(serializer)
    }
}

/// The JSON of its summary. If the list was requested with bodies, it has a `body`, but no `html`.
impl Serialize for ListedPost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let view = PostView {
            body: self.body.as_deref().map(Some),
            ..PostView::without_url(&self.summary)
        };
        view.serialize(serializer)
    }
}

/// An object with the event's name as `event`, such as `post.created`, and its fields. Events about posts have the `id`,
/// the `visibility` and the `owner` of the post. Those of a new or changed post also have the other names of its
/// [`PostSummary`]. The host should not show the owner to readers.
impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = match self {
            Self::PostCreated(post) | Self::PostUpdated(post) => EventFields::Post {
                post,
                owner: post.owner.as_ref(),
            },
            Self::PostDeleted {
                id,
                visibility,
                owner,
            } => EventFields::PostDeleted {
                id: *id,
                visibility: *visibility,
                owner: owner.as_ref(),
            },
            Self::KeyIssued { id, label, owner } => EventFields::KeyIssued {
                id: *id,
                label: label.as_deref(),
                owner,
            },
            Self::KeyRevoked(id) => EventFields::KeyRevoked { id: *id },
        };
        let event = self.name();
        EventView { event, fields }.serialize(serializer)
    }
}

#[derive(Serialize)]
struct EventView<'a> {
    event: &'static str,
    #[serde(flatten)]
    fields: EventFields<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum EventFields<'a> {
    Post {
        #[serde(flatten)]
        post: &'a PostSummary,
        owner: Option<&'a Owner>,
    },
    PostDeleted {
        id: PostId,
        visibility: Visibility,
        owner: Option<&'a Owner>,
    },
    KeyIssued {
        id: KeyId,
        label: Option<&'a str>,
        owner: &'a Owner,
    },
    KeyRevoked {
        id: KeyId,
    },
}

/// The schema of a visibility.
pub(crate) struct VisibilityName;

impl ToSchema for VisibilityName {}

impl PartialSchema for VisibilityName {
    fn schema() -> RefOr<Schema> {
        let names = Visibility::ALL.map(Visibility::as_str);
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(names))
            .into()
    }
}
