//! A request to a mounted service, and to the service past the mount.

use handbill::ClientAddr;
use std::future::{Future, IntoFuture};
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{Method, Request, Response};
use http_body_util::BodyExt;
use serde_json::Value;
use tokio::time::timeout;
use tower::Service;

use super::{App, SentBody, TestResponse};

/// Longer than any response takes, even on a slow machine.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A request builder. Awaiting it sends the request.
#[derive(Clone, Debug)]
pub struct Call {
    app: App,
    path: String,
    request: Request<SentBody>,
}

impl Call {
    pub(super) fn new(app: App, method: &str, path: &str) -> Self {
        let mut request = Request::new(SentBody::default());
        *request.method_mut() = Method::from_bytes(method.as_bytes()).unwrap();
        *request.uri_mut() = rooted(&format!("{}{path}", app.mount.prefix()));
        let host = HeaderValue::from_static(super::HOST);
        request.headers_mut().insert(header::HOST, host);
        Self {
            app,
            path: path.to_owned(),
            request,
        }
    }

    /// Adds a header and preserves others of the same name.
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let name: HeaderName = name.parse().unwrap();
        let value = HeaderValue::from_bytes(value.as_ref()).unwrap();
        self.request.headers_mut().append(name, value);
        self
    }

    /// Sets a `Host` that differs from the public address.
    pub fn host(mut self, host: &str) -> Self {
        let host = host.parse().unwrap();
        self.request.headers_mut().insert(header::HOST, host);
        self
    }

    /// Sets a JSON body.
    pub fn json(self, value: &Value) -> Self {
        self.body("application/json", value.to_string())
    }

    /// Sets a body with its `Content-Length`.
    pub fn body(self, media_type: &str, body: impl Into<Bytes>) -> Self {
        self.header("content-type", media_type)
            .sending(SentBody::whole(body))
    }

    /// Sets a body without a media type.
    pub fn sending(mut self, body: SentBody) -> Self {
        *self.request.body_mut() = body;
        self
    }

    /// Sends the request directly to the service, without the mount. This is the expected response.
    pub async fn unmounted(mut self) -> TestResponse {
        self.announce();
        let mut request = self.request.clone();
        *request.uri_mut() = rooted(&self.path);
        let client = ClientAddr(IpAddr::V4(Ipv4Addr::LOCALHOST));
        request.extensions_mut().insert(client);
        let Ok(response) = self.app.service.call(request).await;
        let (parts, body) = response.into_parts();
        let Ok(body) = body.collect().await;
        self.checked(Response::from_parts(parts, body.to_bytes()))
    }

    async fn send(mut self) -> TestResponse {
        self.announce();
        let request = self.request.clone();
        let sending = self.app.client.send(request);
        let response = if self.request.body().stalls() {
            timeout(TIMEOUT, sending).await.unwrap_or_else(|_| {
                panic!(
                    "{}: no response before the end of the request body, although the part that was \
                     sent decides the response: the adapter must stream the body",
                    self.line()
                )
            })
        } else {
            sending.await
        };
        self.checked(response)
    }

    /// Sets `Content-Length` if the length is known, as every client does.
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

    fn checked(&self, response: Response<Bytes>) -> TestResponse {
        let response = TestResponse::new(self.line(), self.app.base(), response);
        response.check(self.request.method());
        response
    }
}

impl IntoFuture for Call {
    type Output = TestResponse;
    type IntoFuture = Pin<Box<dyn Future<Output = TestResponse> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

fn rooted(path: &str) -> http::Uri {
    if path.starts_with('/') {
        path.parse().unwrap()
    } else {
        format!("/{path}").parse().unwrap()
    }
}
