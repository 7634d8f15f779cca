//! The service in process, one call to it, and what every answer has whatever was asked.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use handbill::{Code, Handbill, MemoryStore, RateLimits, Store};
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::Service;

/// Where the service says that it is mounted.
pub(crate) const BASE: &str = "https://example.org/blog";
/// Looks like an edit token, and is none.
pub(crate) const NO_TOKEN: &str = "0000000000000000000000000000000000000000000";
/// Looks like a post's identifier, and is none.
pub(crate) const NO_POST: &str = "bbbbbbbbbb";

/// A service and one API key for it.
#[derive(Clone, Debug)]
pub(crate) struct App {
    pub(crate) service: Handbill,
    pub(crate) key: Arc<str>,
}

/// A post that a test created.
#[derive(Clone, Debug)]
pub(crate) struct Created {
    pub(crate) id: String,
    pub(crate) token: String,
    pub(crate) etag: String,
}

impl App {
    /// Over an empty store, without limits of rates.
    pub(crate) async fn new() -> Self {
        Self::over(MemoryStore::new()).await
    }

    pub(crate) async fn over(store: impl Store) -> Self {
        let service = Handbill::new(BASE, store).unwrap();
        Self::of(service.with_rate_limits(&RateLimits::off())).await
    }

    pub(crate) async fn of(service: Handbill) -> Self {
        let issued = service.keys().issue(None).await.unwrap();
        Self {
            key: issued.key.expose().into(),
            service,
        }
    }

    /// The same service with other settings, over the same posts and keys.
    pub(crate) fn set(&self, set: impl FnOnce(Handbill) -> Handbill) -> Self {
        Self {
            service: set(self.service.clone()),
            key: Arc::clone(&self.key),
        }
    }

    pub(crate) fn call(&self, method: &str, path: &str) -> Call {
        let mut request = Request::new(Bytes::new());
        *request.method_mut() = Method::from_bytes(method.as_bytes()).unwrap();
        *request.uri_mut() = path.parse().unwrap();
        Call {
            service: self.service.clone(),
            request,
        }
    }

    pub(crate) fn get(&self, path: &str) -> Call {
        self.call("GET", path)
    }

    /// `POST /api/posts` with the app's key.
    pub(crate) fn post(&self, fields: &Value) -> Call {
        let call = self.call("POST", "/api/posts");
        call.header("x-api-key", &*self.key).json(fields)
    }

    pub(crate) async fn create(&self, fields: &Value) -> Created {
        self.post(fields).await.created()
    }

    pub(crate) async fn create_body(&self, body: &str) -> Created {
        self.create(&json!({ "body": body })).await
    }

    /// `PUT /api/posts/{id}` with the post's token.
    pub(crate) fn put(&self, post: &Created, fields: &Value) -> Call {
        let call = self.call("PUT", &post.path());
        call.header("x-edit-token", &post.token).json(fields)
    }

    pub(crate) async fn update(&self, post: &Created, fields: &Value) -> Value {
        self.put(post, fields).await.ok()
    }

    pub(crate) async fn read(&self, post: &Created) -> Value {
        self.get(&post.path()).await.ok()
    }

    pub(crate) fn delete(&self, post: &Created) -> Call {
        let call = self.call("DELETE", &post.path());
        call.header("x-edit-token", &post.token)
    }
}

impl Created {
    pub(crate) fn path(&self) -> String {
        format!("/api/posts/{}", self.id)
    }

    pub(crate) fn edit_page(&self) -> String {
        format!("/e/{}", self.token)
    }
}

/// A request under way: made up step by step, sent when awaited.
#[derive(Debug)]
pub(crate) struct Call {
    service: Handbill,
    request: Request<Bytes>,
}

impl Call {
    /// Adds a header beside those of the same name.
    pub(crate) fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let name: HeaderName = name.parse().unwrap();
        let value = HeaderValue::from_bytes(value.as_ref()).unwrap();
        self.request.headers_mut().append(name, value);
        self
    }

    pub(crate) fn json(self, value: &Value) -> Self {
        self.body("application/json", value.to_string())
    }

    pub(crate) fn body(mut self, media_type: &str, body: impl Into<Bytes>) -> Self {
        *self.request.body_mut() = body.into();
        self.header("content-type", media_type)
    }

    pub(crate) fn extension<T: Clone + Send + Sync + 'static>(mut self, extension: T) -> Self {
        self.request.extensions_mut().insert(extension);
        self
    }

    /// Sends it with a body that arrives in its own way.
    pub(crate) async fn send<B>(mut self, body: B) -> Answer
    where
        B: http_body::Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let method = self.request.method().clone();
        let request = self.request.map(|_| body);
        let (parts, body) = self.service.call(request).await.unwrap().into_parts();
        let answer = Answer {
            status: parts.status,
            headers: parts.headers,
            extensions: parts.extensions,
            body: body.collect().await.unwrap().to_bytes(),
        };
        answer.check(&method);
        answer
    }
}

impl IntoFuture for Call {
    type Output = Answer;
    type IntoFuture = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        let body = self.request.body().clone();
        Box::pin(self.send(Full::new(body)))
    }
}

/// An answer, which is known to have what every answer has.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) extensions: http::Extensions,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next().map(|value| value.to_str().unwrap());
        assert!(values.next().is_none(), "{name} stands there twice");
        value
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }

    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).expect("the body is UTF-8")
    }

    /// The JSON of a success.
    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        self.json()
    }

    #[track_caller]
    pub(crate) fn created(&self) -> Created {
        assert_eq!(self.status, 201, "{}", self.text());
        let body = self.json();
        let text = |name: &str| body[name].as_str().unwrap().to_owned();
        Created {
            id: text("id"),
            token: text("edit_token"),
            etag: self.header("etag").unwrap().to_owned(),
        }
    }

    /// The problem, which must be this one.
    #[track_caller]
    pub(crate) fn problem(&self, code: &str) -> Value {
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json"),
            "{} {}",
            self.status,
            self.text()
        );
        let problem = self.json();
        assert_eq!(problem["code"], code, "{problem}");
        problem
    }

    /// The faulty fields of a post that is not valid, and what is wrong with each, sorted.
    #[track_caller]
    pub(crate) fn faults(&self) -> Vec<(String, String)> {
        let problem = self.problem("invalid_post");
        let errors = problem["errors"].as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut faults: Vec<_> = errors
            .map(|error| (text(&error["field"]), text(&error["code"])))
            .collect();
        faults.sort();
        faults
    }

    /// The fields' names alone.
    #[track_caller]
    pub(crate) fn faulty_fields(&self) -> Vec<String> {
        self.faults().into_iter().map(|(field, _)| field).collect()
    }

    pub(crate) fn is_problem(&self) -> bool {
        self.header("content-type") == Some("application/problem+json")
    }

    #[track_caller]
    fn check(&self, method: &Method) {
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"));
        if matches!(
            self.status,
            StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
        ) {
            assert!(self.body.is_empty());
            assert_eq!(self.header("content-length"), None);
        } else if method == Method::HEAD {
            assert!(self.body.is_empty());
            assert!(self.headers.contains_key(header::CONTENT_LENGTH));
        } else {
            let length = self.body.len().to_string();
            assert_eq!(self.header("content-length"), Some(&*length));
        }
        let (challenge, allow, retry) = match self.status.as_u16() {
            401 => (true, false, false),
            405 => (false, true, false),
            429 | 503 => (false, false, true),
            _ => return self.check_problem(method),
        };
        assert!(!challenge || self.header("www-authenticate").is_some());
        assert!(!allow || self.header("allow").is_some());
        let seconds = self.header("retry-after").map(|text| text.parse::<u64>());
        assert!(!retry || seconds.is_some_and(|seconds| seconds.is_ok_and(|seconds| seconds > 0)));
        self.check_problem(method);
    }

    #[track_caller]
    fn check_problem(&self, method: &Method) {
        let is_error = self.status.is_client_error() || self.status.is_server_error();
        assert!(is_error || !self.is_problem());
        if !self.is_problem() || method == Method::HEAD {
            return;
        }
        assert_eq!(self.header("cache-control"), Some("no-store"));
        let problem = self.json();
        let code = problem["code"].as_str().unwrap();
        let known = Code::ALL.iter().find(|known| known.as_str() == code);
        let known = known.unwrap_or_else(|| panic!("an unknown code: {problem}"));
        assert_eq!(self.status, known.status(), "{problem}");
        assert_eq!(problem["status"], self.status.as_u16());
        assert_eq!(problem["title"], known.title());
        let kind = format!("{BASE}/docs/errors#{}", code.replace('_', "-"));
        assert_eq!(problem["type"], kind);
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{problem}");
        let mut names: Vec<_> = problem.as_object().unwrap().keys().collect();
        names.sort();
        if *known == Code::InvalidPost {
            for error in problem["errors"].as_array().unwrap() {
                let texts = ["field", "code", "detail"].map(|name| error[name].as_str());
                assert!(
                    texts[1..]
                        .iter()
                        .all(|text| text.is_some_and(|t| !t.is_empty()))
                );
                assert!(texts[0].is_some(), "{problem}");
            }
            assert_ne!(problem["errors"], json!([]));
            names.retain(|name| *name != "errors");
        }
        assert_eq!(names, ["code", "detail", "status", "title", "type"]);
    }
}
