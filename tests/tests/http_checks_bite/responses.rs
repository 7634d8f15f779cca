//! What the adapter changes in responses.

use bytes::Bytes;
use handbill_testing::http::SentBody;
use handbill_tests::mount;
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};

use crate::adapter::{Adapter, PATH};
use crate::edits::{lose, not_found, own, put, set, text};
use crate::fault::Fault::*;

impl Adapter {
    pub(crate) async fn change_answer(
        &self,
        asked: &Parts,
        mut answer: Response<Bytes>,
    ) -> Response<Bytes> {
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
                // Who asks at the same time comes in between; who asks alone finds his own.
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
