//! What authors set of a post, in the form in which the API shows it.

use std::collections::{BTreeMap, BTreeSet};

use handbill::store::TextField;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::client::{self, Failure, ReadPost};

/// The fields that are no text field and that authors set.
const OTHERS: [&str; 5] = ["body", "tags", "visibility", "publish_at", "expires_at"];
/// Those of them that may have no value.
const TIMES: [&str; 2] = ["publish_at", "expires_at"];
/// The fields that only the service sets.
const READ_ONLY: &str = "id url html excerpt created_at published_at updated_at";

/// All fields of a post that authors set. A field that has no value is null.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Content(BTreeMap<&'static str, Value>);

impl Content {
    /// Reads the JSON of a post. `None` if a field has a form that is not known here.
    pub(super) fn of_post(post: &Value) -> Option<Self> {
        let is_text = |value: &Value| value.is_string();
        let is_tags = post["tags"].as_array()?.iter().all(is_text);
        let is_complete = is_tags && is_text(&post["body"]) && is_text(&post["visibility"]);
        let is_optional_text = |name| post[name].is_null() || is_text(&post[name]);
        let are_texts = texts().chain(TIMES).all(is_optional_text);
        let value = |name| (name, post[name].clone());
        (is_complete && are_texts).then(|| Self(texts().chain(OTHERS).map(value).collect()))
    }

    /// The same of a post of a server.
    pub(super) fn of_read(post: &ReadPost) -> client::Result<Self> {
        let unreadable =
            || Failure::other("the server did not respond with a post as this program knows it");
        Self::of_post(&post.json).ok_or_else(unreadable)
    }

    /// The content of a post before it was published at its time.
    pub(super) fn before_publication(post: &Value) -> Option<Self> {
        let mut content = Self::of_post(post)?;
        content.0.insert("visibility", "draft".into());
        content.0.insert("publish_at", post["published_at"].clone());
        Some(content)
    }

    /// The names in the JSON of a post that this program does not know. A newer server may have them.
    pub(super) fn unknown_names(post: &Value) -> Vec<&str> {
        let names = post.as_object().into_iter().flat_map(|post| post.keys());
        let known: BTreeSet<_> = texts().chain(OTHERS).chain(READ_ONLY.split(' ')).collect();
        let names = names.map(String::as_str);
        names.filter(|name| !known.contains(name)).collect()
    }

    /// The text of a field, if it has one.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    pub(super) fn tags(&self) -> impl Iterator<Item = &str> {
        let tags = self.0.get("tags").and_then(Value::as_array);
        tags.into_iter().flatten().filter_map(Value::as_str)
    }

    /// The body of a request that gives a post this content. Fields without a value are null, which clears them; those
    /// that an older server does not have are left out. The error names one of these that has a value here.
    pub(super) fn request(&self, fields: &BTreeSet<String>) -> Result<String, String> {
        let mut sent = BTreeMap::new();
        for (name, value) in &self.0 {
            if fields.contains(*name) {
                sent.insert(*name, value);
            } else if !value.is_null() {
                return Err(format!("{name}: the server is older and has no such field"));
            }
        }
        serde_json::to_string(&sent).map_err(|error| error.to_string())
    }

    /// Identifies the content. A field that later versions add does not change it, as long as it has no value.
    pub(super) fn hash(&self) -> String {
        let filled = self.0.iter().filter(|(_, value)| !value.is_null());
        let filled: BTreeMap<_, _> = filled.collect();
        let text = serde_json::to_string(&filled).unwrap_or_default();
        let mut hash = hex::encode(Sha256::digest(text));
        // 128 bits are enough to notice changes of others, and easier on the eyes of authors.
        hash.truncate(32);
        hash
    }
}

fn texts() -> impl Iterator<Item = &'static str> {
    TextField::ALL.iter().map(|field| field.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn post() -> Value {
        json!({
            "id": "bcdfghjklm", "url": "https://example.org/p/bcdfghjklm", "title": "Hello", "body": "Text.",
            "html": "<p>Text.</p>\n", "excerpt": "Text.", "tags": ["a", "b"], "focus_keyword": null, "author": null,
            "language": "en", "visibility": "public", "created_at": "2026-11-20T10:00:00.000Z",
            "published_at": null, "updated_at": "2026-11-20T10:00:00.000Z",
        })
    }

    #[test]
    fn the_hash_of_a_post_stays_the_same_in_later_versions() {
        // Files have it in their front matter.
        let hash = Content::of_post(&post()).unwrap().hash();
        assert_eq!(hash, "a80a26b6c5362a3ba600e44c8704fed5");
    }

    #[test]
    fn names_of_newer_servers_are_noticed_and_other_forms_refused() {
        let mut newer = post();
        newer["summary"] = "A post.".into();
        assert_eq!(Content::unknown_names(&newer), ["summary"]);
        assert_eq!(Content::of_post(&newer), Content::of_post(&post()));
        newer["tags"] = json!([{"name": "a"}]);
        assert_eq!(Content::of_post(&newer), None);
        assert_eq!(Content::of_post(&Value::Null), None);
    }
}
