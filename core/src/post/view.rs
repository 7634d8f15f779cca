//! The JSON of a post: one type for reads, updates, lists and the host's own code. And that of an event, which may have
//! a post.

use serde::{Serialize, Serializer};

use super::{Event, KeyId, ListedPost, Owner, PostId, PostSummary, Timestamp, Visibility};

#[derive(Serialize)]
pub(crate) struct PostView<'a> {
    id: &'a str,
    /// Only the host's own code sees a post without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<Option<&'a str>>,
    excerpt: &'a str,
    tags: Vec<&'a str>,
    focus_keyword: Option<&'a str>,
    author: Option<&'a str>,
    language: Option<&'a str>,
    visibility: Visibility,
    created_at: String,
    published_at: Option<String>,
    updated_at: String,
    publish_at: Option<String>,
    expires_at: Option<String>,
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
            publish_at: post.publish_at.map(Timestamp::to_rfc3339),
            expires_at: post.expires_at.map(Timestamp::to_rfc3339),
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

/// An object with the event's name as `event`, such as `post.created`, and its fields. Events about posts have the
/// `id`, the `visibility` and the `owner` of the post. Those of a new or changed post also have the other names of its
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
