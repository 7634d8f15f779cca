//! An adapter with at most one fault.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use handbill::Handbill;
use handbill_testing::http::SentBody;
use handbill_tests::{bare, mount};
use http::header;
use http::request::Parts;
use http::uri::Uri;
use http::{Method, Request, Response};
use http_body::Body;
use http_body_util::BodyExt;
use tower::ServiceExt;

use crate::edits::{given_up, not_found, own, redirection, set, text, whole};
use crate::fault::Fault::{self, *};
use crate::service::Memory;

/// Where the service is mounted.
pub(crate) const PATH: &str = "/a/b";

type ResponseFuture = Pin<Box<dyn Future<Output = Response<Bytes>> + Send>>;

/// The service at [`PATH`], in process, with this fault or none.
pub(crate) async fn mount(
    fault: Option<Fault>,
    handbill: Handbill,
) -> impl Fn(Request<SentBody>) -> ResponseFuture {
    let adapter = Arc::new(Adapter {
        fault,
        handbill,
        ready: Mutex::default(),
        copies: Mutex::default(),
        memory: Mutex::default(),
    });
    move |request| {
        let adapter = Arc::clone(&adapter);
        Box::pin(async move { adapter.respond(request).await })
    }
}

pub(crate) struct Adapter {
    pub(crate) fault: Option<Fault>,
    handbill: Handbill,
    /// Responses that wait to be sent, to any client.
    pub(crate) ready: Mutex<Vec<Response<Bytes>>>,
    /// Responses to reads of these addresses.
    pub(crate) copies: Mutex<HashMap<Uri, Response<Bytes>>>,
    pub(crate) memory: Mutex<Memory>,
}

impl Adapter {
    async fn respond(&self, request: Request<SentBody>) -> Response<Bytes> {
        let inner = request.uri().path().strip_prefix(PATH).unwrap();
        match self.fault {
            Some(KnowsNoMountPointWithoutSlash) if inner.is_empty() => return not_found(),
            Some(KnowsNoMountPointWithSlash) if inner == "/" => return not_found(),
            Some(RedirectsToTheSlash) if inner.is_empty() => {
                return redirection(&format!("{PATH}/"));
            }
            _ => {}
        }
        let (mut parts, body) = mount::below(PATH, request).into_parts();
        let request = parts.clone();
        if let Some(response) = self.respond_itself(&request, &body) {
            return response;
        }
        let sent = whole(&body).unwrap_or_default();
        if let Some(response) = self.refuse(&request, &sent) {
            return response;
        }
        self.change_uri(&mut parts);
        self.change_method(&mut parts, &body);
        self.change_headers(&mut parts.headers);
        let mut body = self.change_body(&parts, body).await;
        let mut read = sent.clone();
        self.misread(&mut parts, &mut read);
        if read != sent {
            parts
                .headers
                .insert(header::CONTENT_LENGTH, read.len().into());
            body = SentBody::whole(read);
        }
        let mut response = self.call(Request::from_parts(parts, body)).await;
        self.show(&request, &sent, &mut response);
        self.change_response(&request, response).await
    }

    pub(crate) async fn call(&self, request: Request<SentBody>) -> Response<Bytes> {
        let client = match self.fault {
            Some(LosesClientAddresses) => {
                let Ok(response) = self.handbill.clone().oneshot(request).await;
                let (parts, body) = response.into_parts();
                let Ok(body) = body.collect().await;
                return Response::from_parts(parts, body.to_bytes());
            }
            Some(SendsItsOwnAddress) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            Some(BelievesXForwardedFor) => {
                let said = text(request.headers(), "x-forwarded-for").parse();
                said.unwrap_or(bare::LOCAL)
            }
            _ => bare::LOCAL,
        };
        bare::call(self.handbill.clone(), client, request).await
    }

    /// Responses of the adapter that do not come from the service.
    fn respond_itself(&self, request: &Parts, body: &SentBody) -> Option<Response<Bytes>> {
        let (method, path) = (&request.method, request.uri.path());
        let is_preflight = request
            .headers
            .contains_key("access-control-request-method");
        let announced = text(&request.headers, "content-length").parse::<u64>().ok();
        match self.fault? {
            RedirectsFromTrailingSlashes if path.len() > 1 && path.ends_with('/') => {
                let without = path.trim_end_matches('/');
                Some(redirection(&format!("{PATH}{without}")))
            }
            LosesStyleSheets if path.ends_with(".css") => Some(not_found()),
            KnowsNoPatch if method == Method::PATCH => Some(own(405, "Method not allowed.")),
            RespondsToOptionsItself if method == Method::OPTIONS && !is_preflight => {
                let mut response = own(204, "");
                set(&mut response, "allow", "GET, HEAD, POST, OPTIONS");
                Some(response)
            }
            RespondsToPreflightsItself if method == Method::OPTIONS && is_preflight => {
                let mut response = own(204, "");
                set(&mut response, "access-control-allow-origin", "*");
                set(&mut response, "access-control-allow-methods", "GET, POST");
                set(
                    &mut response,
                    "access-control-allow-headers",
                    "content-type",
                );
                Some(response)
            }
            WantsLengths if announced.is_none() && !body.is_end_stream() => {
                Some(own(411, "Length required."))
            }
            RefusesLargeBodiesItself if announced.is_some_and(|length| length > 1 << 20) => {
                Some(own(413, "Content too large."))
            }
            RefusesEmptyBodies
                if request.headers.contains_key(header::CONTENT_TYPE) && body.is_end_stream() =>
            {
                Some(own(400, "The body is missing."))
            }
            BuffersChunkedBodies if announced.is_none() && whole(body).is_none() => {
                Some(given_up())
            }
            DrainsBodies if whole(body).is_none() => Some(given_up()),
            _ => None,
        }
    }
}
