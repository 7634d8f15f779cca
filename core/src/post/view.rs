//! The JSON of a post: one type for reads, updates, lists and the host's own code.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{ListedPost, PostSummary, TextField};

pub(crate) struct PostView<'a> {
    post: &'a PostSummary,
    /// Only the host's own code sees a post without it.
    url: Option<String>,
    body: Option<Option<&'a str>>,
    html: Option<Option<&'a str>>,
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
            post,
            url: None,
            body: None,
            html: None,
        }
    }

    /// Adds the body and its HTML, which are null if they do not fit into a list.
    pub(crate) fn with_body(self, source: Option<&'a str>, html: Option<&'a str>) -> Self {
        Self {
            body: Some(source),
            html: Some(html),
            ..self
        }
    }
}

impl Serialize for PostView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let post = self.post;
        let mut json = serializer.serialize_map(None)?;
        json.serialize_entry("id", &post.id)?;
        if let Some(url) = &self.url {
            json.serialize_entry("url", url)?;
        }
        json.serialize_entry("title", &post.title)?;
        if let Some(body) = self.body {
            json.serialize_entry("body", &body)?;
        }
        if let Some(html) = self.html {
            json.serialize_entry("html", &html)?;
        }
        json.serialize_entry("excerpt", &post.excerpt)?;
        json.serialize_entry("tags", &post.tags)?;
        for &field in TextField::ALL_BUT_TITLE {
            json.serialize_entry(field.name(), &post.text(field))?;
        }
        json.serialize_entry("visibility", &post.visibility)?;
        json.serialize_entry("created_at", &post.created_at)?;
        json.serialize_entry("published_at", &post.published_at)?;
        json.serialize_entry("updated_at", &post.updated_at)?;
        json.serialize_entry("publish_at", &post.publish_at)?;
        json.serialize_entry("expires_at", &post.expires_at)?;
        json.end()
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
