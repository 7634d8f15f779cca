//! The JSON of a post: one type for reads, updates and lists.

use serde::Serialize;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::post::{PostSummary, Visibility};
use crate::time::Timestamp;

/// A post.
// The messages describe the fields that have no comment here (see `api/words.rs`).
#[derive(Serialize, ToSchema)]
#[schema(as = Post)]
pub(crate) struct PostView<'a> {
    #[schema(min_length = 10, max_length = 10, example = "kqzvbnmtrd")]
    id: &'a str,
    #[schema(format = "uri")]
    url: String,
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
        Self {
            id: post.id.as_str(),
            url,
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
