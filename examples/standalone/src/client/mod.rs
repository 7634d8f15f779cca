//! Talks to a Handbill server over HTTP, for the commands that need no database.
//!
//! [`Client`] has one method per operation. A request is safe to repeat, since a creation has an `Idempotency-Key`, so
//! it is repeated a few times if the connection breaks or the server is busy. No redirect is followed: credentials go
//! to the server that the user named and to no other.

pub(crate) mod advice;
mod connection;
mod credentials;
mod description;
mod etag;
mod failure;
mod retries;
mod server_url;

use bytes::Bytes;
use handbill::{ApiKey, EditToken, PostId};
use http::header::{self, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use http_body_util::Full;
use serde_json::Value;
use url::form_urlencoded::Serializer;

use connection::Connection;
pub(crate) use credentials::{Credentials, read_api_key};
pub(crate) use description::{Description, Operation, Version};
pub(crate) use etag::ETag;
pub(crate) use failure::{Failure, Refusal};
use retries::Retries;
pub(crate) use server_url::ServerUrl;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const USER_AGENT: HeaderValue =
    HeaderValue::from_static(concat!("handbill/", env!("CARGO_PKG_VERSION")));

/// A client of one server, with one connection.
pub(crate) struct Client {
    pub(crate) server: ServerUrl,
    version: Version,
    connection: Option<Connection>,
    /// When the server sent its last response, by its own clock.
    pub(crate) server_time: Option<jiff::Timestamp>,
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// A request, as it is sent each time.
type Request = http::Request<Full<Bytes>>;

/// A whole response.
struct Response {
    status: StatusCode,
    headers: http::HeaderMap,
    body: Bytes,
}

/// What the server says of a new post.
pub(crate) struct Created {
    pub(crate) id: PostId,
    pub(crate) url: String,
    pub(crate) edit_token: EditToken,
    /// That of the post as it was created, also if this request repeats an earlier one.
    pub(crate) etag: ETag,
}

/// A post as the server returned it.
pub(crate) struct ReadPost {
    pub(crate) etag: ETag,
    pub(crate) json: Value,
}

impl Client {
    pub(crate) fn new(server: ServerUrl) -> Self {
        Self {
            server,
            version: Version::default(),
            connection: None,
            server_time: None,
        }
    }

    /// Asks the server what it is and what it can do. This sends no credentials, so something else at the address
    /// does not receive them.
    pub(crate) async fn describe(&mut self) -> Result<Description> {
        let request = self.request(Method::GET, "/openapi.json", "")?;
        let response = self.send(&request).await;
        let response = response.map_err(|failure| failure.of_description(&self.server))?;
        let description = Description::parse(&response.body);
        let description = description.ok_or_else(|| Failure::not_handbill(&self.server))?;
        self.version = description.version;
        Ok(description)
    }

    /// Creates a post, or finds the one that an earlier request with the same key and body has created.
    pub(crate) async fn create(
        &mut self,
        api_key: &ApiKey,
        idempotency_key: &str,
        post: &str,
    ) -> Result<Created> {
        let key = HeaderValue::from_str(idempotency_key);
        let key = key.map_err(|_| Failure::other("the idempotency key is not visible ASCII"))?;
        let mut request = self.request(Method::POST, "/api/posts", post)?;
        request.headers_mut().insert(IDEMPOTENCY_KEY, key);
        request
            .headers_mut()
            .extend([credentials::api_key(api_key)]);
        let response = self.send(&request).await?;
        let json = response.json()?;
        let created = || {
            Some(Created {
                id: json["id"].as_str()?.parse().ok()?,
                url: json["url"].as_str()?.to_owned(),
                edit_token: json["edit_token"].as_str()?.parse().ok()?,
                etag: response.etag()?,
            })
        };
        created().ok_or_else(|| Failure::unreadable("a new post"))
    }

    /// Replaces all fields of a post. With an entity tag, only if the post still has it.
    pub(crate) async fn update(
        &mut self,
        id: PostId,
        credentials: &Credentials,
        expected: Option<&ETag>,
        post: &str,
    ) -> Result<ReadPost> {
        let mut request = self.request(Method::PATCH, &format!("/api/posts/{id}"), post)?;
        if let Some(etag) = expected {
            request
                .headers_mut()
                .insert(header::IF_MATCH, etag.header());
        }
        self.send_with(&request, credentials).await?.read_post()
    }

    /// Reads a post, also a draft that the credentials open.
    pub(crate) async fn read(&mut self, id: PostId, credentials: &Credentials) -> Result<ReadPost> {
        let request = self.request(Method::GET, &format!("/api/posts/{id}"), "")?;
        self.send_with(&request, credentials).await?.read_post()
    }

    /// The entity tag that a post has now.
    pub(crate) async fn etag(&mut self, id: PostId, credentials: &Credentials) -> Result<ETag> {
        let request = self.request(Method::HEAD, &format!("/api/posts/{id}"), "")?;
        let response = self.send_with(&request, credentials).await;
        // A response to HEAD has no problem document.
        let response = response.map_err(Failure::without_document)?;
        response.etag().ok_or_else(|| Failure::unreadable("a post"))
    }

    /// One page of a list: of all posts of the owner of this key, or else of the public ones. Parameters without a
    /// value are left out.
    pub(crate) async fn list(
        &mut self,
        owner: Option<&ApiKey>,
        parameters: &[(&str, Option<&str>)],
    ) -> Result<Value> {
        let path = match owner {
            Some(_) => "/api/keys/current/posts?",
            None => "/api/posts?",
        };
        let given = parameters
            .iter()
            .filter_map(|(name, value)| Some((name, (*value)?)));
        let mut path = Serializer::for_suffix(path.to_owned(), path.len());
        let path = path.extend_pairs(given).finish();
        let mut request = self.request(Method::GET, &path, "")?;
        request
            .headers_mut()
            .extend(owner.map(credentials::api_key));
        self.send(&request).await?.json()
    }

    /// A request for what is at this path below the address of the server, with JSON unless the body is empty.
    fn request(&self, method: Method, path: &str, body: &str) -> Result<Request> {
        let mut request = http::Request::builder()
            .method(method)
            .uri(self.server.path_of(path))
            .header(header::HOST, self.server.authority())
            .header(header::USER_AGENT, USER_AGENT);
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, JSON);
        }
        let request = request.body(Full::from(body.to_owned()));
        request.map_err(|error| Failure::other(&error.to_string()))
    }

    /// Sends a request with one credential after the other, until one is accepted.
    async fn send_with(
        &mut self,
        request: &Request,
        credentials: &Credentials,
    ) -> Result<Response> {
        let mut refused = None;
        for credential in &credentials.0 {
            let mut authorised = request.clone();
            authorised.headers_mut().extend([credential.clone()]);
            match self.send(&authorised).await {
                Err(Failure::Refused(refusal)) if refusal.may_accept_another_credential() => {
                    refused = Some(refusal);
                }
                other => return other,
            }
        }
        match refused {
            Some(refusal) => Err(Failure::Refused(refusal)),
            None => self.send(request).await,
        }
    }

    /// Sends a request and repeats it while that may help. A response that is no success is a failure.
    async fn send(&mut self, request: &Request) -> Result<Response> {
        let mut retries = Retries::default();
        loop {
            let failure = match self.try_send(request).await {
                Ok(response) => return Ok(response),
                Err(failure) => failure,
            };
            let Some(wait) = retries.wait_after(&failure) else {
                return Err(failure);
            };
            if wait >= retries::ANNOUNCED {
                eprintln!("handbill: the server is busy; waiting {} s", wait.as_secs());
            }
            tokio::time::sleep(wait).await;
        }
    }

    async fn try_send(&mut self, request: &Request) -> Result<Response> {
        let mut connection = match self.connection.take() {
            Some(connection) if connection.is_open() => connection,
            _ => Connection::open(&self.server).await?,
        };
        let response = connection.send(&self.server, request).await?;
        self.connection = Some(connection);
        self.server_time = response.date().or(self.server_time);
        match response.status {
            status if status.is_success() => Ok(response),
            status if status.is_redirection() => Err(Failure::redirected(&self.server, &response)),
            _ => Err(Failure::Refused(
                Refusal::new(&response, self.version).into(),
            )),
        }
    }
}

impl Response {
    fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body).map_err(|_| Failure::unreadable("JSON"))
    }

    fn text_header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    fn etag(&self) -> Option<ETag> {
        ETag::from_header(self.text_header(&header::ETAG)?)
    }

    fn date(&self) -> Option<jiff::Timestamp> {
        retries::http_date(self.text_header(&header::DATE)?)
    }

    fn read_post(&self) -> Result<ReadPost> {
        let json = self.json()?;
        let etag = self.etag().filter(|_| json.is_object());
        let etag = etag.ok_or_else(|| Failure::unreadable("a post"))?;
        Ok(ReadPost { etag, json })
    }
}
