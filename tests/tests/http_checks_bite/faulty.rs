//! An adapter with at most one fault.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv4Addr};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use handbill::Handbill;
use handbill::testing::http::SentBody;
use handbill_tests::{bare, mount};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use http::uri::Uri;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::BodyExt;
use tower::ServiceExt;

/// The path of the mount.
pub(crate) const PATH: &str = "/a/b";

/// Faults of real frameworks and middleware. None of them may happen between a client and the
/// service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    KnowsNoMountPointWithoutSlash,
    KnowsNoMountPointWithSlash,
    RedirectsToTheSlash,
    DropsTrailingSlashes,
    RedirectsFromTrailingSlashes,
    MergesSlashes,
    ResolvesDots,
    DecodesPaths,
    LowercasesPaths,
    FallsBackToAnIndex,
    KeepsStyleSheetsToItself,

    LosesQueries,
    MakesQueriesAMap,
    KeepsOneLineOfEachHeader,
    LosesEmptyHeaders,
    JoinsHeaderLines,
    LosesIdempotencyKeys,
    LosesConditions,
    LosesFetchMetadata,
    LosesAccept,

    KnowsNoPatch,
    AnswersOptionsItself,
    AnswersPreflightsItself,
    Answers404ForOtherMethods,
    LosesAllow,
    OverridesMethods,
    TakesMethodsFromForms,

    KeepsTheClientToItself,
    TellsItsOwnAddress,
    BelievesXForwardedFor,

    CutsBodiesShort,
    HandsOnTheFirstChunkAlone,
    WantsLengths,
    RefusesLargeBodiesItself,
    BuffersChunkedBodies,
    RefusesEmptyBodies,
    ReadsBodiesFirst,
    DrainsBodies,

    AssumesJson,
    KeepsOneMediaType,
    DropsParametersOfMediaTypes,
    TakesEncodingsOff,
    TakesBodiesForText,
    EatsForms,
    MakesFormsAMap,

    LosesMediaTypes,
    AddsNewlines,
    CutsAnswersShort,
    LosesLocations,
    FollowsRedirections,
    LosesWhatIsNotAscii,
    TakesTheMountOffLocations,
    LosesLinks,
    PutsHostsIntoLocations,

    SwallowsErrorBodies,
    ReformatsErrors,
    TurnsErrorsInto500,
    PutsItsOwnErrorPages,
    TurnsTroubleInto500,
    LosesRetryAfter,
    LosesChallenges,

    SaysThatHeadIsEmpty,
    LosesLengthsOfHead,
    GivesHeadABody,
    GivesNoContentALength,
    GivesNotModifiedABody,
    LosesHeadersOfNotModified,

    WeakensTags,
    MarksTags,
    SaysThatItCompresses,

    LosesPolicies,
    LetsItselfFramePages,
    PutsScriptsIntoPages,
    HasPagesKept,
    LosesCacheControl,
    LosesOriginsOfErrors,
    AllowsAllOrigins,

    MixesUpAnswers,
    RemembersReads,
}

use Fault::*;

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
    });
    move |request| {
        let adapter = Arc::clone(&adapter);
        Box::pin(async move { adapter.answer(request).await })
    }
}

struct Adapter {
    fault: Option<Fault>,
    handbill: Handbill,
    /// Responses that wait to be returned, to any request.
    ready: Mutex<Vec<Response<Bytes>>>,
    /// The responses to reads of these addresses.
    copies: Mutex<HashMap<Uri, Response<Bytes>>>,
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
        self.change_uri(&mut parts);
        self.change_method(&mut parts, &body);
        self.change_headers(&mut parts.headers);
        let body = self.change_body(&parts, body).await;
        let answer = self.call(Request::from_parts(parts, body)).await;
        self.change_answer(&asked, answer).await
    }

    async fn call(&self, request: Request<SentBody>) -> Response<Bytes> {
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

    /// Requests that the service never receives.
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

    fn change_uri(&self, parts: &mut Parts) {
        let (path, query) = (parts.uri.path(), parts.uri.query());
        let changed = match self.fault {
            Some(DropsTrailingSlashes) => format!("/{}", path.trim_matches('/')),
            Some(MergesSlashes) => {
                let mut merged = path.to_owned();
                while merged.contains("//") {
                    merged = merged.replace("//", "/");
                }
                merged
            }
            Some(ResolvesDots) => {
                let mut segments = Vec::new();
                for segment in path.split('/').skip(1) {
                    match segment {
                        "." => {}
                        ".." => drop(segments.pop()),
                        other => segments.push(other),
                    }
                }
                format!("/{}", segments.join("/"))
            }
            Some(DecodesPaths) => decoded(path),
            Some(LowercasesPaths) => path.to_lowercase(),
            _ => path.to_owned(),
        };
        let query = match self.fault {
            Some(LosesQueries) => None,
            Some(MakesQueriesAMap) => query.map(as_a_map),
            _ => query.map(str::to_owned),
        };
        let query = query.map_or(String::new(), |query| format!("?{query}"));
        parts.uri = format!("{changed}{query}").parse().unwrap();
    }

    fn change_method(&self, parts: &mut Parts, body: &SentBody) {
        let other = match self.fault {
            Some(OverridesMethods) => text(&parts.headers, "x-http-method-override").to_owned(),
            Some(TakesMethodsFromForms) if is_form(&parts.headers) => {
                let form = whole(body).unwrap_or_default();
                let form = String::from_utf8_lossy(&form);
                let mut fields = form.split('&');
                let method = fields.find_map(|field| field.strip_prefix("_method="));
                method.unwrap_or_default().to_owned()
            }
            Some(GivesHeadABody) if parts.method == Method::HEAD => "GET".to_owned(),
            _ => return,
        };
        if let Ok(other) = Method::from_bytes(other.to_uppercase().as_bytes()) {
            parts.method = other;
        }
    }

    fn change_headers(&self, headers: &mut HeaderMap) {
        match self.fault {
            Some(KeepsOneLineOfEachHeader) => change_lines(headers, |mut lines| {
                lines.truncate(1);
                lines
            }),
            Some(LosesEmptyHeaders) => change_lines(headers, |mut lines| {
                lines.retain(|line| !line.is_empty());
                lines
            }),
            Some(JoinsHeaderLines) => change_lines(headers, |lines| {
                let lines: Vec<_> = lines.iter().map(HeaderValue::as_bytes).collect();
                vec![HeaderValue::from_bytes(&lines.join(&b", "[..])).unwrap()]
            }),
            Some(LosesIdempotencyKeys) => drop(headers.remove("idempotency-key")),
            Some(LosesConditions) => {
                for name in ["if-match", "if-none-match", "if-unmodified-since"] {
                    headers.remove(name);
                }
            }
            Some(LosesFetchMetadata) => drop(headers.remove("sec-fetch-site")),
            Some(LosesAccept) => drop(headers.remove(header::ACCEPT)),
            Some(AssumesJson) => {
                let json = HeaderValue::from_static("application/json");
                headers.entry(header::CONTENT_TYPE).or_insert(json);
            }
            Some(KeepsOneMediaType) => {
                if let Some(first) = headers.get(header::CONTENT_TYPE).cloned() {
                    headers.insert(header::CONTENT_TYPE, first);
                }
            }
            Some(DropsParametersOfMediaTypes) => {
                let media_type = text(headers, "content-type").split(';').next();
                let media_type = media_type.unwrap_or_default().parse().unwrap();
                headers.insert(header::CONTENT_TYPE, media_type);
            }
            Some(TakesEncodingsOff) => drop(headers.remove(header::CONTENT_ENCODING)),
            _ => {}
        }
    }

    async fn change_body(&self, parts: &Parts, mut body: SentBody) -> SentBody {
        match self.fault {
            Some(CutsBodiesShort) => match whole(&body) {
                Some(bytes) => SentBody::whole(bytes.slice(..bytes.len().min(64 << 10))),
                None => body,
            },
            Some(HandsOnTheFirstChunkAlone) => {
                let first = body.frame().await.map(|frame| frame.unwrap().into_data());
                SentBody::chunked(first.map(Result::unwrap))
            }
            // This never ends if the body does not end. The check then fails.
            Some(ReadsBodiesFirst) => SentBody::whole(body.collect().await.unwrap().to_bytes()),
            Some(TakesBodiesForText) => {
                let bytes = whole(&body).unwrap_or_default();
                SentBody::whole(String::from_utf8_lossy(&bytes).into_owned())
            }
            Some(EatsForms) if is_form(&parts.headers) => SentBody::default(),
            Some(MakesFormsAMap) if is_form(&parts.headers) => {
                let bytes = whole(&body).unwrap_or_default();
                str::from_utf8(&bytes).map_or(body, |form| SentBody::whole(as_a_map(form)))
            }
            _ => body,
        }
    }

    async fn change_answer(&self, asked: &Parts, mut answer: Response<Bytes>) -> Response<Bytes> {
        let Some(fault) = self.fault else {
            return answer;
        };
        let status = answer.status();
        let is_error = status.is_client_error() || status.is_server_error();
        let is_page = text(answer.headers(), "content-type").starts_with("text/html");
        let location = text(answer.headers(), "location").to_owned();
        let etag = text(answer.headers(), "etag").to_owned();
        let encodings = text(&asked.headers, "accept-encoding");
        match fault {
            FallsBackToAnIndex if status == StatusCode::NOT_FOUND => {
                answer = own(200, "<!doctype html><title>An app</title>");
                set(&mut answer, "content-type", "text/html; charset=utf-8");
            }
            Answers404ForOtherMethods if status == StatusCode::METHOD_NOT_ALLOWED => {
                return not_found();
            }
            LosesAllow => lose(&mut answer, &["allow"]),

            LosesMediaTypes if !is_error => set(&mut answer, "content-type", "text/plain"),
            AddsNewlines if !answer.body().is_empty() => {
                let body = [answer.body(), &b"\n"[..]].concat();
                put(&mut answer, body);
            }
            CutsAnswersShort if !answer.body().is_empty() => {
                let kept = answer.body().len().min(64 << 10);
                let body = answer.body().slice(..kept);
                put(&mut answer, body);
            }
            LosesLocations => lose(&mut answer, &["location"]),
            FollowsRedirections if status == StatusCode::SEE_OTHER => {
                let next = Request::get(location).body(SentBody::default());
                return self.call(mount::below(PATH, next.unwrap())).await;
            }
            LosesWhatIsNotAscii if !answer.body().is_empty() => {
                let body = String::from_utf8_lossy(answer.body());
                let body = body.replace(|c: char| !c.is_ascii(), "?");
                put(&mut answer, body);
            }
            TakesTheMountOffLocations if !location.is_empty() => {
                let inner = location.replace(&format!("{PATH}/"), "/");
                set(&mut answer, "location", &inner);
            }
            LosesLinks => lose(&mut answer, &["link"]),
            PutsHostsIntoLocations if location.starts_with("http://") => {
                let path = location.splitn(4, '/').nth(3).unwrap_or_default();
                let host = text(&asked.headers, "host");
                set(&mut answer, "location", &format!("http://{host}/{path}"));
            }

            SwallowsErrorBodies if is_error => {
                answer = own(status.as_u16(), "");
                lose(&mut answer, &["content-type"]);
            }
            ReformatsErrors if is_error && !is_page && !answer.body().is_empty() => {
                let error: serde_json::Value = serde_json::from_slice(answer.body()).unwrap();
                put(&mut answer, error.to_string());
            }
            TurnsErrorsInto500 if status.is_client_error() => {
                *answer.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
            }
            PutsItsOwnErrorPages if is_error && is_page => {
                put(&mut answer, format!("<!doctype html><h1>{status}</h1>"));
            }
            TurnsTroubleInto500 if status == StatusCode::SERVICE_UNAVAILABLE => {
                return own(500, "Internal server error.");
            }
            LosesRetryAfter => lose(&mut answer, &["retry-after"]),
            LosesChallenges => lose(&mut answer, &["www-authenticate"]),

            SaysThatHeadIsEmpty if asked.method == Method::HEAD => {
                set(&mut answer, "content-length", "0");
            }
            LosesLengthsOfHead if asked.method == Method::HEAD => {
                lose(&mut answer, &["content-length"]);
            }
            GivesNoContentALength if status == StatusCode::NO_CONTENT => {
                set(&mut answer, "content-length", "0");
            }
            GivesNotModifiedABody if status == StatusCode::NOT_MODIFIED => {
                *answer.body_mut() = Bytes::from_static(b"Not modified.");
            }
            LosesHeadersOfNotModified if status == StatusCode::NOT_MODIFIED => {
                lose(&mut answer, &["cache-control", "last-modified"]);
            }

            WeakensTags if !etag.is_empty() => set(&mut answer, "etag", &format!("W/{etag}")),
            MarksTags if !etag.is_empty() && encodings.contains("gzip") => {
                let marked = format!("{}-gzip\"", etag.trim_end_matches('"'));
                set(&mut answer, "etag", &marked);
            }
            SaysThatItCompresses if encodings.contains("gzip") => {
                set(&mut answer, "content-encoding", "gzip");
            }

            LosesPolicies => lose(&mut answer, &["content-security-policy"]),
            LetsItselfFramePages if is_page => set(&mut answer, "x-frame-options", "SAMEORIGIN"),
            PutsScriptsIntoPages if is_page && !answer.body().is_empty() => {
                let body = [answer.body(), &b"<script>reload()</script>"[..]].concat();
                put(&mut answer, body);
            }
            HasPagesKept if is_page => set(&mut answer, "cache-control", "max-age=60"),
            LosesCacheControl if !is_error => lose(&mut answer, &["cache-control"]),
            LosesOriginsOfErrors if is_error => {
                lose(&mut answer, &["access-control-allow-origin"]);
            }
            AllowsAllOrigins => set(&mut answer, "access-control-allow-origin", "*"),

            MixesUpAnswers => {
                self.ready.lock().unwrap().push(answer);
                // A concurrent request gets the wrong response; a single request gets its own.
                tokio::task::yield_now().await;
                return self.ready.lock().unwrap().pop().unwrap();
            }
            RemembersReads if asked.method == Method::GET && !is_error => {
                let mut copies = self.copies.lock().unwrap();
                return copies.entry(asked.uri.clone()).or_insert(answer).clone();
            }
            _ => {}
        }
        answer
    }
}

/// A response of the framework itself, with the headers of every response. Its only fault is that
/// it does not come from the service.
fn own(status: u16, body: &'static str) -> Response<Bytes> {
    let mut answer = Response::default();
    *answer.status_mut() = status.try_into().unwrap();
    set(&mut answer, "x-content-type-options", "nosniff");
    if status != 204 {
        set(&mut answer, "content-type", "text/plain");
        put(&mut answer, body);
    }
    answer
}

fn not_found() -> Response<Bytes> {
    own(404, "Not found.")
}

fn redirection(location: &str) -> Response<Bytes> {
    let mut answer = own(308, "");
    set(&mut answer, "location", location);
    answer
}

/// Where a framework would wait for the rest of a body and then give up. Here it gives up at once,
/// because the tests never send the rest.
fn given_up() -> Response<Bytes> {
    own(408, "The body did not come.")
}

/// The whole body, if it ends.
fn whole(body: &SentBody) -> Option<Bytes> {
    let mut collected = pin!(body.clone().collect());
    match collected
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(Ok(whole)) => Some(whole.to_bytes()),
        Poll::Pending => None,
    }
}

fn is_form(headers: &HeaderMap) -> bool {
    text(headers, "content-type") == "application/x-www-form-urlencoded"
}

/// A query or a form with only the last field of each name.
fn as_a_map(fields: &str) -> String {
    let fields = fields.split('&');
    let fields: BTreeMap<_, _> = fields
        .map(|field| (field.split('=').next().unwrap_or_default(), field))
        .collect();
    fields.into_values().collect::<Vec<_>>().join("&")
}

/// A path without unnecessary escapes.
fn decoded(path: &str) -> String {
    let mut decoded = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('%') {
        let byte = after
            .get(..2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        decoded += before;
        rest = match byte.filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'/') {
            Some(byte) => {
                decoded.push(byte.into());
                &after[2..]
            }
            None => {
                decoded.push('%');
                after
            }
        };
    }
    decoded + rest
}

/// The first line of a header, or an empty one.
fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    let line = headers.get(name).map(HeaderValue::to_str);
    line.and_then(Result::ok).unwrap_or_default()
}

fn change_lines(headers: &mut HeaderMap, change: fn(Vec<HeaderValue>) -> Vec<HeaderValue>) {
    let names: Vec<HeaderName> = headers.keys().cloned().collect();
    for name in names {
        let lines = headers.get_all(&name).iter().cloned().collect();
        headers.remove(&name);
        for line in change(lines) {
            headers.append(&name, line);
        }
    }
}

fn set(answer: &mut Response<Bytes>, name: &'static str, value: &str) {
    let value = value.parse().unwrap();
    answer.headers_mut().insert(name, value);
}

fn lose(answer: &mut Response<Bytes>, names: &[&str]) {
    for name in names {
        answer.headers_mut().remove(*name);
    }
}

/// Replaces the body of a response and its length.
fn put(answer: &mut Response<Bytes>, body: impl Into<Bytes>) {
    *answer.body_mut() = body.into();
    let length = answer.body().len().to_string();
    set(answer, "content-length", &length);
}
