//! A mounted service, one call to it, and what every answer has whatever was asked.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use form_urlencoded::Serializer;
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::Service;

use super::SentBody;
use super::mount::{Client, Mount};
use super::patience;
use crate::client::ClientAddr;
use crate::problem::Code;
use crate::rate::RateLimits;
use crate::service::Handbill;
use crate::store::{MemoryStore, Store};

/// Looks like an edit token, and is none.
pub(super) const NO_TOKEN: &str = "0000000000000000000000000000000000000000000";
/// Looks like a post's identifier, and is none.
pub(super) const NO_POST: &str = "bbbbbbbbbb";
/// The media type of forms.
pub(super) const FORM: &str = "application/x-www-form-urlencoded";
/// The media type of pages.
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// A mounted service and one API key for it.
#[derive(Clone, Debug)]
pub struct App {
    /// The service, in process.
    pub service: Handbill,
    /// An API key that the service issued.
    pub key: Arc<str>,
    mount: Mount,
    client: Client,
}

/// A post that a check created.
#[derive(Clone, Debug)]
pub struct Created {
    /// Its identifier.
    pub id: String,
    /// Its edit token.
    pub token: String,
    /// The entity tag that it was created with.
    pub etag: String,
}

impl App {
    /// Over an empty store, without limits of rates.
    pub async fn new(mount: &Mount) -> Self {
        Self::over(mount, MemoryStore::new()).await
    }

    /// Over this store, without limits of rates.
    pub async fn over(mount: &Mount, store: impl Store) -> Self {
        let service = Self::service(mount, store);
        let issued = service.keys().issue(None).await.unwrap();
        Self::of(mount, service, issued.key.expose()).await
    }

    /// A service as the checks use it, not yet mounted.
    pub fn service(mount: &Mount, store: impl Store) -> Handbill {
        let service = Handbill::new(&mount.base_url(), store).unwrap();
        service.with_rate_limits(&RateLimits::off())
    }

    /// This service, mounted, and a key that its host issued.
    pub async fn of(mount: &Mount, service: Handbill, key: &str) -> Self {
        Self {
            client: mount.mount(service.clone()).await,
            mount: mount.clone(),
            key: key.into(),
            service,
        }
    }

    /// The same service with other settings, mounted anew over the same posts and keys.
    pub async fn set(&self, set: impl FnOnce(Handbill) -> Handbill) -> Self {
        Self::of(&self.mount, set(self.service.clone()), &self.key).await
    }

    /// The same service with another API key.
    pub async fn with_another_key(&self) -> Self {
        let issued = self.service.keys().issue(None).await.unwrap();
        self.with_key(issued.key.expose())
    }

    /// The same service with this API key.
    pub fn with_key(&self, key: &str) -> Self {
        Self {
            key: key.into(),
            ..self.clone()
        }
    }

    /// The public address of the mount point, without a slash at its end.
    pub fn base(&self) -> String {
        self.mount.base_url()
    }

    /// A request to a path, and perhaps a query, below the mount point. An empty path is the mount
    /// point without a slash.
    pub fn call(&self, method: &str, path: &str) -> Call {
        let mut request = Request::new(SentBody::default());
        *request.method_mut() = Method::from_bytes(method.as_bytes()).unwrap();
        *request.uri_mut() = rooted(&format!("{}{path}", self.mount.prefix()));
        let host = HeaderValue::from_static(super::HOST);
        request.headers_mut().insert(header::HOST, host);
        Call {
            app: self.clone(),
            path: path.to_owned(),
            request,
        }
    }

    /// A `GET`.
    pub fn get(&self, path: &str) -> Call {
        self.call("GET", path)
    }

    /// A `GET` of an address that the service gave out, absolute or beginning with a slash, which
    /// must lead to itself.
    #[track_caller]
    pub fn follow(&self, address: &str) -> Call {
        self.get(&self.path_of(address))
    }

    /// The path and query below the mount point that an address of the service's leads to.
    #[track_caller]
    pub(super) fn path_of(&self, address: &str) -> String {
        let start = if address.starts_with('/') {
            self.mount.prefix().to_owned()
        } else {
            self.base()
        };
        let without_fragment = address.split('#').next().unwrap_or_default();
        let path = without_fragment.strip_prefix(&start);
        let path = path.filter(|path| path.is_empty() || path.starts_with(['/', '?']));
        path.unwrap_or_else(|| panic!("{address} leads elsewhere than into {}", self.base()))
            .to_owned()
    }

    /// `POST /api/posts` with the app's key.
    pub fn post(&self, fields: &Value) -> Call {
        self.post_as().json(fields)
    }

    /// `POST /api/posts` with the app's key, as yet without a body.
    pub fn post_as(&self) -> Call {
        let call = self.call("POST", "/api/posts");
        call.header("x-api-key", &*self.key)
    }

    /// Creates a post.
    pub async fn create(&self, fields: &Value) -> Created {
        self.post(fields).await.created()
    }

    /// Creates a post of a body alone.
    pub async fn create_body(&self, body: &str) -> Created {
        self.create(&json!({ "body": body })).await
    }

    /// `PUT /api/posts/{id}` with the post's token.
    pub fn put(&self, post: &Created, fields: &Value) -> Call {
        self.edit("PUT", post).json(fields)
    }

    /// A request to `/api/posts/{id}` with the post's token.
    pub fn edit(&self, method: &str, post: &Created) -> Call {
        let call = self.call(method, &post.path());
        call.header("x-edit-token", &post.token)
    }

    /// Changes a post, and returns it as it is then.
    pub async fn update(&self, post: &Created, fields: &Value) -> Value {
        self.put(post, fields).await.ok()
    }

    /// Reads a post.
    pub async fn read(&self, post: &Created) -> Value {
        self.get(&post.path()).await.ok()
    }

    /// `DELETE /api/posts/{id}` with the post's token.
    pub fn delete(&self, post: &Created) -> Call {
        self.edit("DELETE", post)
    }

    /// Sends the form of a page as a browser does that shows this page.
    pub fn submit(&self, page: &str, fields: &[(&str, &str)]) -> Call {
        let form = Serializer::new(String::new()).extend_pairs(fields).finish();
        let call = self.call("POST", page);
        call.header("sec-fetch-site", "same-origin")
            .body(FORM, form)
    }
}

fn rooted(path: &str) -> http::Uri {
    if path.starts_with('/') {
        path.parse().unwrap()
    } else {
        format!("/{path}").parse().unwrap()
    }
}

impl Created {
    /// The post's path in the API.
    pub fn path(&self) -> String {
        format!("/api/posts/{}", self.id)
    }

    /// The path of its page.
    pub fn page(&self) -> String {
        format!("/p/{}", self.id)
    }

    /// The path of its edit page.
    pub fn edit_page(&self) -> String {
        format!("/e/{}", self.token)
    }
}

/// A request under way: made up step by step, sent when awaited.
#[derive(Clone, Debug)]
pub struct Call {
    app: App,
    path: String,
    request: Request<SentBody>,
}

impl Call {
    /// Adds a header beside those of the same name.
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let name: HeaderName = name.parse().unwrap();
        let value = HeaderValue::from_bytes(value.as_ref()).unwrap();
        self.request.headers_mut().append(name, value);
        self
    }

    /// Names another host than the public address does.
    pub fn host(mut self, host: &str) -> Self {
        let host = host.parse().unwrap();
        self.request.headers_mut().insert(header::HOST, host);
        self
    }

    /// Adds a body of JSON.
    pub fn json(self, value: &Value) -> Self {
        self.body("application/json", value.to_string())
    }

    /// Adds a body, whose length is announced.
    pub fn body(self, media_type: &str, body: impl Into<Bytes>) -> Self {
        self.header("content-type", media_type)
            .sending(SentBody::whole(body))
    }

    /// Adds a body that is sent as it says, without a media type.
    pub fn sending(mut self, body: SentBody) -> Self {
        *self.request.body_mut() = body;
        self
    }

    /// Sends the request to the service itself, past the mount: what is to arrive through it.
    pub async fn unmounted(mut self) -> Answer {
        self.announce();
        let mut request = self.request.clone();
        *request.uri_mut() = rooted(&self.path);
        let client = ClientAddr(IpAddr::V4(Ipv4Addr::LOCALHOST));
        request.extensions_mut().insert(client);
        let Ok(response) = self.app.service.call(request).await;
        let (parts, body) = response.into_parts();
        let Ok(body) = body.collect().await;
        self.answer(Response::from_parts(parts, body.to_bytes()))
    }

    async fn send(mut self) -> Answer {
        self.announce();
        let request = self.request.clone();
        let answering = self.app.client.send(request);
        let response = if self.request.body().stalls() {
            patience::wait(answering).await.unwrap_or_else(|| {
                panic!(
                    "{}: no answer came before the end of the body did, though what was sent of \
                     the request decides it: the body must be handed on while it arrives",
                    self.line()
                )
            })
        } else {
            answering.await
        };
        self.answer(response)
    }

    /// Says the body's length where it is known, as every client does.
    fn announce(&mut self) {
        if let Some(length) = self.request.body().announced() {
            let headers = self.request.headers_mut();
            headers
                .entry(header::CONTENT_LENGTH)
                .or_insert(length.into());
        }
    }

    fn line(&self) -> String {
        format!("{} {}", self.request.method(), self.request.uri())
    }

    fn answer(&self, response: Response<Bytes>) -> Answer {
        let (parts, body) = response.into_parts();
        let answer = Answer {
            request: self.line(),
            base: self.app.base(),
            status: parts.status,
            headers: parts.headers,
            body,
        };
        answer.check(self.request.method());
        answer
    }
}

impl IntoFuture for Call {
    type Output = Answer;
    type IntoFuture = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// An answer, which is known to have what every answer has.
///
/// As text it says what was asked and what came, for what assertions say.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its headers, those of the server included.
    pub headers: HeaderMap,
    /// Its whole body.
    pub body: Bytes,
    request: String,
    base: String,
}

impl Answer {
    /// The header of this name, which may stand there once.
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next().map(|value| {
            let text = value.to_str();
            text.unwrap_or_else(|_| panic!("{self}: {name} is not ASCII: {value:?}"))
        });
        assert!(values.next().is_none(), "{self}: {name} stands there twice");
        value
    }

    /// Holds the header of this name to a value.
    #[track_caller]
    pub fn expect_header(&self, name: &str, value: &str) -> &Self {
        assert_eq!(self.header(name), Some(value), "{self}: {name}");
        self
    }

    /// Holds the answer to having no header of this name.
    #[track_caller]
    pub fn expect_no_header(&self, name: &str) -> &Self {
        assert_eq!(self.header(name), None, "{self}: {name}");
        self
    }

    /// Holds the answer to a status.
    #[track_caller]
    pub fn expect_status(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{self}");
        self
    }

    /// The headers of those names that another answer has: where that comes from the service, past the
    /// mount, these are the service's. Hosts and servers add others, of which some are never twice the
    /// same.
    pub(super) fn headers_named_as(&self, other: &Self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for name in other.headers.keys() {
            for line in self.headers.get_all(name) {
                headers.append(name, line.clone());
            }
        }
        headers
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        let parsed = serde_json::from_slice(&self.body);
        parsed.unwrap_or_else(|_| panic!("{self}: the body is not JSON"))
    }

    /// The body as text.
    #[track_caller]
    pub fn text(&self) -> &str {
        let text = str::from_utf8(&self.body);
        text.unwrap_or_else(|_| panic!("{self}: the body is not UTF-8"))
    }

    /// Holds the body to containing a text.
    #[track_caller]
    pub fn expect_text(&self, text: &str) -> &Self {
        let whole = self.text();
        assert!(
            whole.contains(text),
            "{self}: `{text}` is not in it:\n{whole}"
        );
        self
    }

    /// Holds the body to not containing a text.
    #[track_caller]
    pub fn expect_no_text(&self, text: &str) -> &Self {
        let whole = self.text();
        assert!(!whole.contains(text), "{self}: `{text}` is in it:\n{whole}");
        self
    }

    /// The JSON of a success.
    #[track_caller]
    pub fn ok(&self) -> Value {
        self.expect_status(200).json()
    }

    /// The entity tag, which must be there.
    #[track_caller]
    pub fn etag(&self) -> String {
        let etag = self.header("etag");
        etag.unwrap_or_else(|| panic!("{self}: it has no ETag"))
            .to_owned()
    }

    /// The post that was created.
    #[track_caller]
    pub fn created(&self) -> Created {
        let body = self.expect_status(201).json();
        let text = |name: &str| {
            let text = body[name].as_str();
            text.unwrap_or_else(|| panic!("{self}: `{name}` is no text"))
                .to_owned()
        };
        Created {
            id: text("id"),
            token: text("edit_token"),
            etag: self.etag(),
        }
    }

    /// The problem, which must be this one.
    #[track_caller]
    pub fn problem(&self, code: &str) -> Value {
        assert!(
            self.is_problem(),
            "{self}: it is not the problem `{code}`, but of type {:?}",
            self.header("content-type")
        );
        let problem = self.json();
        assert_eq!(problem["code"], code, "{self}");
        problem
    }

    /// The faulty fields of a post that is not valid, and what is wrong with each, sorted.
    #[track_caller]
    pub fn faults(&self) -> Vec<(String, String)> {
        let problem = self.problem("invalid_post");
        let errors = problem["errors"].as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut faults: Vec<_> = errors
            .map(|error| (text(&error["field"]), text(&error["code"])))
            .collect();
        faults.sort();
        faults
    }

    /// Holds the faulty fields, and what is wrong with each, to these, sorted.
    #[track_caller]
    pub fn expect_faults(&self, faults: &[(&str, &str)]) {
        let found = self.faults();
        let found: Vec<_> = found
            .iter()
            .map(|(field, code)| (&**field, &**code))
            .collect();
        assert_eq!(found, faults, "{self}");
    }

    /// The fields' names alone.
    #[track_caller]
    pub fn faulty_fields(&self) -> Vec<String> {
        self.faults().into_iter().map(|(field, _)| field).collect()
    }

    /// Whether it is a problem.
    #[track_caller]
    pub fn is_problem(&self) -> bool {
        self.header("content-type") == Some("application/problem+json")
    }

    #[track_caller]
    fn check(&self, method: &Method) {
        self.expect_header("x-content-type-options", "nosniff");
        self.check_length(method);
        self.check_companions();
        let is_error = self.status.is_client_error() || self.status.is_server_error();
        let media_type = self.header("content-type");
        assert_eq!(
            is_error && media_type != Some(HTML),
            self.is_problem(),
            "{self}: every error is application/problem+json, or a page of ours, and nothing else \
             is; this is of type {media_type:?}"
        );
        if self.is_problem() && method != Method::HEAD {
            self.check_problem();
        }
    }

    /// RFC 9110, sections 6.4.1 and 8.6.
    #[track_caller]
    fn check_length(&self, method: &Method) {
        let is_empty = self.body.is_empty();
        if matches!(
            self.status,
            StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
        ) {
            assert!(is_empty, "{self}: this status has no body");
            self.expect_no_header("content-length");
            self.expect_no_header("content-type");
        } else if method == Method::HEAD {
            assert!(is_empty, "{self}: an answer to HEAD has no body");
            let has_length = self.headers.contains_key(header::CONTENT_LENGTH);
            assert!(has_length, "{self}: it lacks the Content-Length of GET");
        } else {
            let length = self.body.len().to_string();
            let said = self.header("content-length");
            assert_eq!(said, Some(&*length), "{self}: Content-Length");
        }
    }

    /// Headers that go with a status.
    #[track_caller]
    fn check_companions(&self) {
        let needed = match self.status.as_u16() {
            401 => "www-authenticate",
            405 => "allow",
            429 | 503 => "retry-after",
            _ => return,
        };
        let Some(value) = self.header(needed) else {
            panic!("{self}: {needed} goes with this status")
        };
        if needed == "retry-after" {
            let seconds = value.parse::<u64>();
            let is_wait = seconds.is_ok_and(|seconds| seconds > 0);
            assert!(is_wait, "{self}: Retry-After is {value}");
        }
    }

    #[track_caller]
    fn check_problem(&self) {
        self.expect_header("cache-control", "no-store");
        let problem = self.json();
        let code = problem["code"].as_str().unwrap_or_default();
        let known = Code::ALL.iter().find(|known| known.as_str() == code);
        let known = known.unwrap_or_else(|| panic!("{self}: the code is unknown"));
        assert_eq!(
            self.status,
            known.status(),
            "{self}: the status of the code"
        );
        assert_eq!(problem["status"], self.status.as_u16(), "{self}: `status`");
        assert_eq!(problem["title"], known.title(), "{self}: `title`");
        let kind = format!("{}/docs/errors#{}", self.base, code.replace('_', "-"));
        assert_eq!(problem["type"], kind, "{self}: `type`");
        let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
        assert!(is_text(&problem["detail"]), "{self}: `detail` is missing");
        let names = problem.as_object().unwrap().keys();
        let mut names: Vec<_> = names.map(String::as_str).collect();
        names.sort_unstable();
        if *known == Code::InvalidPost {
            let errors = problem["errors"].as_array();
            let errors = errors.filter(|errors| !errors.is_empty());
            for error in errors.unwrap_or_else(|| panic!("{self}: `errors` is missing")) {
                // A client can send a field without a name, too.
                let is_whole = error["field"].is_string()
                    && is_text(&error["code"])
                    && is_text(&error["detail"]);
                assert!(is_whole, "{self}: {error} does not say what is wrong");
            }
            names.retain(|name| *name != "errors");
        }
        let expected = ["code", "detail", "status", "title", "type"];
        assert_eq!(names, expected, "{self}: the members of a problem");
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(&self.body);
        let start: String = text.chars().take(300).collect();
        write!(f, "{} was answered {}", self.request, self.status)?;
        match (&*start, self.header("content-type")) {
            ("", _) => Ok(()),
            (_, Some(HTML)) => write!(f, " with a page"),
            _ if start.len() < text.len() => write!(f, ", {start}…"),
            _ => write!(f, ", {start}"),
        }
    }
}
