//! What a server is and can do, from its own description of the API.

use std::collections::BTreeSet;
use std::fmt;

use handbill::Limits;
use serde_json::Value;

use super::Failure;

/// No real limit, where the server names none: it then decides by itself.
const UNLIMITED: usize = 1 << 30;

/// A server as its OpenAPI document describes it.
pub(crate) struct Description {
    pub(crate) version: Version,
    /// The limits of its posts, as far as the document says them in a form that is known here.
    pub(crate) limits: Limits,
    /// The names of the fields of a new post.
    pub(crate) fields: BTreeSet<String>,
    document: Value,
}

/// The version of a server, or `None` where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version(Option<(u64, u64, u64)>);

/// An operation of the API that a command needs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    CreatePost,
    UpdatePost,
    ReadPost,
    ListPosts,
    ListOwnPosts,
}

impl Description {
    /// Reads the document. `None` if it is not that of a Handbill server.
    pub(super) fn parse(document: &[u8]) -> Option<Self> {
        let document: Value = serde_json::from_slice(document).ok()?;
        let info = &document["info"];
        if info["title"] != "Handbill" {
            return None;
        }
        let properties = &document["components"]["schemas"]["NewPost"]["properties"];
        Some(Self {
            version: Version::parse(info["version"].as_str()?),
            limits: limits(&document, properties),
            fields: properties.as_object()?.keys().cloned().collect(),
            document,
        })
    }

    /// Whether an operation has a parameter of this name. A server ignores those that it does not know.
    pub(crate) fn has_parameter(&self, operation: Operation, name: &str) -> bool {
        let (method, path, _) = operation.row();
        let parameters = self.document["paths"][path][method]["parameters"].as_array();
        let mut parameters = parameters.into_iter().flatten();
        parameters.any(|parameter| parameter["name"] == name)
    }

    /// Refuses a server that has not all of these operations, before anything is sent to it.
    pub(crate) fn check(&self, operations: &[Operation]) -> Result<(), Failure> {
        for operation in operations {
            let (method, path, purpose) = operation.row();
            if self.document["paths"][path][method].is_null() {
                let note = self.version.note();
                let note = note.unwrap_or_else(|| format!("it has Handbill {}", self.version));
                return Err(Failure::Other(format!(
                    "the server cannot {purpose}: {note}"
                )));
            }
        }
        Ok(())
    }
}

impl Operation {
    pub(crate) const fn is_change(&self) -> bool {
        matches!(self, Self::CreatePost | Self::UpdatePost)
    }

    /// Its method and path in the document, and what it is for.
    const fn row(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::CreatePost => ("post", "/api/posts", "create posts"),
            Self::UpdatePost => ("patch", "/api/posts/{id}", "change posts"),
            Self::ReadPost => ("get", "/api/posts/{id}", "show posts"),
            Self::ListPosts => ("get", "/api/posts", "list posts"),
            Self::ListOwnPosts => ("get", "/api/keys/current/posts", "list the posts of a key"),
        }
    }
}

impl Version {
    fn parse(text: &str) -> Self {
        let numbers = text.split(['-', '+']).next().unwrap_or_default();
        let mut numbers = numbers.split('.').map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten();
        Self((|| Some((next()?, next()?, next()?)))())
    }

    /// Says whether the server is older or newer than this program. `None` if it is neither.
    pub(crate) fn note(self) -> Option<String> {
        let this = Self::parse(env!("CARGO_PKG_VERSION"));
        let is_newer = self.0? > this.0?;
        (self != this).then(|| {
            let age = if is_newer { "newer" } else { "older" };
            format!("the server has Handbill {self}, which is {age} than this program ({this})")
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((major, minor, patch)) => write!(f, "{major}.{minor}.{patch}"),
            None => f.write_str("of an unknown version"),
        }
    }
}

/// The limits that the schemas state. The length of a line is only in its pattern, since white space around it does not
/// count.
fn limits(document: &Value, properties: &Value) -> Limits {
    let number = |value: &Value| value.as_u64().and_then(|number| number.try_into().ok());
    let in_pattern = |schema: &Value| repetitions(schema["pattern"].as_str()?);
    let line = |schema: &Value| in_pattern(schema).unwrap_or(UNLIMITED);
    let mut arrays = properties["tags"]["oneOf"].as_array().into_iter().flatten();
    let tags = arrays.find_map(|schema| number(&schema["maxItems"]));
    let mut limits = Limits::default();
    limits.title = line(&properties["title"]);
    limits.focus_keyword = line(&properties["focus_keyword"]);
    limits.author = line(&properties["author"]);
    limits.body = number(&properties["body"]["maxLength"]).unwrap_or(UNLIMITED);
    limits.tags = tags.unwrap_or(UNLIMITED);
    limits.tag = line(&document["components"]["schemas"]["Tag"]);
    limits
}

/// The number in the first `{0,…}` of a pattern.
fn repetitions(pattern: &str) -> Option<usize> {
    let (_, rest) = pattern.split_once("{0,")?;
    rest.split_once('}')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_limits_of_a_host_are_found_in_the_description_of_its_service() {
        let mut expected = Limits::default();
        expected.title = 7;
        expected.body = 1234;
        expected.tags = 3;
        expected.tag = 5;
        expected.focus_keyword = 8;
        expected.author = 9;
        let store = handbill::MemoryStore::new();
        let service = handbill::Handbill::new("http://localhost", store).unwrap();
        let mut service = service.with_limits(expected.clone());
        let request = http::Request::get("/openapi.json")
            .body(String::new())
            .unwrap();
        let response = tower::Service::call(&mut service, request).await.unwrap();
        let body = http_body_util::BodyExt::collect(response.into_body())
            .await
            .unwrap();
        let description = Description::parse(&body.to_bytes()).unwrap();
        assert_eq!(description.limits, expected);
        assert_eq!(description.version.note(), None);
        let all = [
            Operation::CreatePost,
            Operation::UpdatePost,
            Operation::ReadPost,
            Operation::ListPosts,
            Operation::ListOwnPosts,
        ];
        assert!(description.check(&all).is_ok());
        for field in [
            "title",
            "body",
            "tags",
            "focus_keyword",
            "author",
            "language",
            "visibility",
        ] {
            assert!(description.fields.contains(field), "{field}");
        }
    }

    #[test]
    fn a_server_that_says_no_limits_has_none_here() {
        let document = br#"{"info":{"title":"Handbill","version":"99.0.0"},
            "components":{"schemas":{"NewPost":{"properties":{"body":{}}}}}}"#;
        let description = Description::parse(document).unwrap();
        assert_eq!(description.limits.title, UNLIMITED);
        assert_eq!(description.limits.tag, UNLIMITED);
    }
}
