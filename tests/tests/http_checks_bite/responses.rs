//! Faults of the adapter in responses.

use bytes::Bytes;
use handbill_testing::http::SentBody;
use handbill_tests::mount;
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};

use crate::adapter::{Adapter, PATH};
use crate::edits::{lose, not_found, own, put, set, text};
use crate::fault::Fault::*;

impl Adapter {
    pub(crate) async fn change_response(
        &self,
        request: &Parts,
        mut response: Response<Bytes>,
    ) -> Response<Bytes> {
        let Some(fault) = self.fault else {
            return response;
        };
        let status = response.status();
        let is_error = status.is_client_error() || status.is_server_error();
        let is_page = text(response.headers(), "content-type").starts_with("text/html");
        let location = text(response.headers(), "location").to_owned();
        let etag = text(response.headers(), "etag").to_owned();
        let encodings = text(&request.headers, "accept-encoding");
        match fault {
            FallsBackToAnIndex if status == StatusCode::NOT_FOUND => {
                response = own(200, "<!doctype html><title>An app</title>");
                set(&mut response, "content-type", "text/html; charset=utf-8");
            }
            Returns404ForOtherMethods if status == StatusCode::METHOD_NOT_ALLOWED => {
                return not_found();
            }
            LosesAllow => lose(&mut response, &["allow"]),

            LosesMediaTypes if !is_error => set(&mut response, "content-type", "text/plain"),
            AddsNewlines if !response.body().is_empty() => {
                let body = [response.body(), &b"\n"[..]].concat();
                put(&mut response, body);
            }
            TruncatesResponses if !response.body().is_empty() => {
                let length = response.body().len().min(64 << 10);
                let body = response.body().slice(..length);
                put(&mut response, body);
            }
            LosesLocations => lose(&mut response, &["location"]),
            FollowsRedirections if status == StatusCode::SEE_OTHER => {
                let next = Request::get(location).body(SentBody::default());
                return self.call(mount::below(PATH, next.unwrap())).await;
            }
            ReplacesNonAsciiText if !response.body().is_empty() => {
                let body = String::from_utf8_lossy(response.body());
                let body = body.replace(|c: char| !c.is_ascii(), "?");
                put(&mut response, body);
            }
            RemovesTheMountFromLocations if !location.is_empty() => {
                let inner = location.replace(&format!("{PATH}/"), "/");
                set(&mut response, "location", &inner);
            }
            LosesLinks => lose(&mut response, &["link"]),
            PutsHostsIntoLocations if location.starts_with("http://") => {
                let path = location.splitn(4, '/').nth(3).unwrap_or_default();
                let host = text(&request.headers, "host");
                set(&mut response, "location", &format!("http://{host}/{path}"));
            }

            SwallowsErrorBodies if is_error => {
                response = own(status.as_u16(), "");
                lose(&mut response, &["content-type"]);
            }
            ReformatsErrors if is_error && !is_page && !response.body().is_empty() => {
                let error: serde_json::Value = serde_json::from_slice(response.body()).unwrap();
                put(&mut response, error.to_string());
            }
            TurnsErrorsInto500 if status.is_client_error() => {
                *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
            }
            SendsItsOwnErrorPages if is_error && is_page => {
                put(&mut response, format!("<!doctype html><h1>{status}</h1>"));
            }
            Turns503Into500 if status == StatusCode::SERVICE_UNAVAILABLE => {
                return own(500, "Internal server error.");
            }
            LosesRetryAfter => lose(&mut response, &["retry-after"]),
            LosesChallenges => lose(&mut response, &["www-authenticate"]),

            ClaimsThatHeadIsEmpty if request.method == Method::HEAD => {
                set(&mut response, "content-length", "0");
            }
            LosesLengthsOfHead if request.method == Method::HEAD => {
                lose(&mut response, &["content-length"]);
            }
            AddsLengthsToNoContent if status == StatusCode::NO_CONTENT => {
                set(&mut response, "content-length", "0");
            }
            AddsBodiesToNotModified if status == StatusCode::NOT_MODIFIED => {
                *response.body_mut() = Bytes::from_static(b"Not modified.");
            }
            LosesHeadersOfNotModified if status == StatusCode::NOT_MODIFIED => {
                lose(&mut response, &["cache-control", "last-modified"]);
            }

            WeakensTags if !etag.is_empty() => set(&mut response, "etag", &format!("W/{etag}")),
            MarksTags if !etag.is_empty() && encodings.contains("gzip") => {
                let marked = format!("{}-gzip\"", etag.trim_end_matches('"'));
                set(&mut response, "etag", &marked);
            }
            ClaimsToCompress if encodings.contains("gzip") => {
                set(&mut response, "content-encoding", "gzip");
            }

            LosesPolicies => lose(&mut response, &["content-security-policy"]),
            AllowsFramingByItself if is_page => set(&mut response, "x-frame-options", "SAMEORIGIN"),
            PutsScriptsIntoPages if is_page && !response.body().is_empty() => {
                let body = [response.body(), &b"<script>reload()</script>"[..]].concat();
                put(&mut response, body);
            }
            AllowsCachingOfPages if is_page => set(&mut response, "cache-control", "max-age=60"),
            LosesCacheControl if !is_error => lose(&mut response, &["cache-control"]),
            LosesOriginsOfErrors if is_error => {
                lose(&mut response, &["access-control-allow-origin"]);
            }
            AllowsAllOrigins => set(&mut response, "access-control-allow-origin", "*"),

            MixesUpResponses => {
                self.ready.lock().unwrap().push(response);
                // A concurrent request can take this response. A request without others gets its
                // own.
                tokio::task::yield_now().await;
                return self.ready.lock().unwrap().pop().unwrap();
            }
            CachesReads if request.method == Method::GET && !is_error => {
                let mut copies = self.copies.lock().unwrap();
                return copies
                    .entry(request.uri.clone())
                    .or_insert(response)
                    .clone();
            }
            _ => {}
        }
        response
    }
}
