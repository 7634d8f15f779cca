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

use super::{Answer, App, SentBody};

/// Longer than any response takes on the slowest machine: one that takes longer never comes.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A request under way: made up step by step, sent when awaited.
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
            timeout(TIMEOUT, answering).await.unwrap_or_else(|_| {
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
        let answer = Answer::new(self.line(), self.app.base(), response);
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

fn rooted(path: &str) -> http::Uri {
    if path.starts_with('/') {
        path.parse().unwrap()
    } else {
        format!("/{path}").parse().unwrap()
    }
}
