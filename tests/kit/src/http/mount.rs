use handbill::Handbill;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};

use super::SentBody;
use crate::check::setup;

type ResponseFuture = Pin<Box<dyn Future<Output = Response<Bytes>> + Send>>;
type Mounting = Pin<Box<dyn Future<Output = Client> + Send>>;

/// Sends requests to a mounted service.
#[derive(Clone)]
pub(super) struct Client(Arc<dyn Fn(Request<SentBody>) -> ResponseFuture + Send + Sync>);

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

impl Client {
    pub(super) async fn send(&self, request: Request<SentBody>) -> Response<Bytes> {
        setup((self.0)(request)).await
    }
}

/// Mounts the service, with the settings that each check needs.
#[derive(Clone)]
pub struct Mount {
    path: &'static str,
    mount: Arc<dyn Fn(Handbill) -> Mounting + Send + Sync>,
}

impl Mount {
    /// A way to mount the service at `path`: `/`, or one or more segments (`/a/b`).
    ///
    /// `mount` puts the service into an app and returns a function that sends a request to the app
    /// and returns the complete response. The request's URI has only path and query, and starts
    /// with the path of the mount. `Host` is set, and so is `Content-Length` if the length is
    /// known. Some bodies never end, so do not wait until the body is sent. Whatever the function
    /// owns lives until the check ends.
    pub fn at<F, Fut, S, Sent>(path: &'static str, mount: F) -> Self
    where
        F: Fn(Handbill) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = S> + Send + 'static,
        S: Fn(Request<SentBody>) -> Sent + Send + Sync + 'static,
        Sent: Future<Output = Response<Bytes>> + Send + 'static,
    {
        Self {
            path,
            mount: Arc::new(move |handbill| {
                let mounted = mount(handbill);
                Box::pin(async move {
                    let send = mounted.await;
                    Client(Arc::new(move |request| Box::pin(send(request))))
                })
            }),
        }
    }

    pub(super) async fn mount(&self, handbill: Handbill) -> Client {
        (self.mount)(handbill).await
    }

    /// The mount's path before a path below it: empty at the root.
    pub(super) fn prefix(&self) -> &'static str {
        self.path.trim_end_matches('/')
    }

    /// The public address of the mount point.
    pub(super) fn base_url(&self) -> String {
        format!("http://{}{}", super::HOST, self.prefix())
    }
}

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mount")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
