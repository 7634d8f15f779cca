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

use crate::content::Memory;
use crate::edits::{given_up, not_found, own, redirection, set, text, whole};
use crate::fault::Fault::{self, *};

/// Where the service is mounted.
pub(crate) const PATH: &str = "/a/b";

type Answering = Pin<Box<dyn Future<Output = Response<Bytes>> + Send>>;

/// The service at [`PATH`], in process, with this fault or none.
pub(crate) async fn mount(
    fault: Option<Fault>,
    handbill: Handbill,
) -> impl Fn(Request<SentBody>) -> Answering {
    let adapter = Arc::new(Adapter {
        fault,
        handbill,
        ready: Mutex::default(),
        copies: Mutex::default(),
        memory: Mutex::default(),
    });
    move |request| {
        let adapter = Arc::clone(&adapter);
        Box::pin(async move { adapter.answer(request).await })
    }
}

pub(crate) struct Adapter {
    pub(crate) fault: Option<Fault>,
    handbill: Handbill,
    /// Answers that wait to be handed out, to whomever.
    pub(crate) ready: Mutex<Vec<Response<Bytes>>>,
    /// What was answered to reads of these addresses.
    pub(crate) copies: Mutex<HashMap<Uri, Response<Bytes>>>,
    pub(crate) memory: Mutex<Memory>,
}

impl Adapter {
    async fn answer(&self, request: Request<SentBody>) -> Response<Bytes> {
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
        let asked = parts.clone();
        if let Some(answer) = self.answer_itself(&asked, &body) {
            return answer;
        }
        let sent = whole(&body).unwrap_or_default();
        if let Some(answer) = self.refuse(&asked, &sent) {
            return answer;
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
        let mut answer = self.call(Request::from_parts(parts, body)).await;
        self.show(&asked, &sent, &mut answer);
        self.change_answer(&asked, answer).await
    }

    pub(crate) async fn call(&self, request: Request<SentBody>) -> Response<Bytes> {
        let client = match self.fault {
            Some(KeepsTheClientToItself) => {
                let Ok(answer) = self.handbill.clone().oneshot(request).await;
                let (parts, body) = answer.into_parts();
                let Ok(body) = body.collect().await;
                return Response::from_parts(parts, body.to_bytes());
            }
            Some(TellsItsOwnAddress) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            Some(BelievesXForwardedFor) => {
                let said = text(request.headers(), "x-forwarded-for").parse();
                said.unwrap_or(bare::LOCAL)
            }
            _ => bare::LOCAL,
        };
        bare::call(self.handbill.clone(), client, request).await
    }

    /// What the service is not asked.
    fn answer_itself(&self, asked: &Parts, body: &SentBody) -> Option<Response<Bytes>> {
        let (method, path) = (&asked.method, asked.uri.path());
        let is_preflight = asked.headers.contains_key("access-control-request-method");
        let announced = text(&asked.headers, "content-length").parse::<u64>().ok();
        match self.fault? {
            RedirectsFromTrailingSlashes if path.len() > 1 && path.ends_with('/') => {
                let without = path.trim_end_matches('/');
                Some(redirection(&format!("{PATH}{without}")))
            }
            KeepsStyleSheetsToItself if path.ends_with(".css") => Some(not_found()),
            KnowsNoPatch if method == Method::PATCH => Some(own(405, "Method not allowed.")),
            AnswersOptionsItself if method == Method::OPTIONS && !is_preflight => {
                let mut answer = own(204, "");
                set(&mut answer, "allow", "GET, HEAD, POST, OPTIONS");
                Some(answer)
            }
            AnswersPreflightsItself if method == Method::OPTIONS && is_preflight => {
                let mut answer = own(204, "");
                set(&mut answer, "access-control-allow-origin", "*");
                set(&mut answer, "access-control-allow-methods", "GET, POST");
                set(&mut answer, "access-control-allow-headers", "content-type");
                Some(answer)
            }
            WantsLengths if announced.is_none() && !body.is_end_stream() => {
                Some(own(411, "Length required."))
            }
            RefusesLargeBodiesItself if announced.is_some_and(|length| length > 1 << 20) => {
                Some(own(413, "Content too large."))
            }
            RefusesEmptyBodies
                if asked.headers.contains_key(header::CONTENT_TYPE) && body.is_end_stream() =>
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
