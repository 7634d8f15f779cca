//! Requests that a faulty service refuses or misunderstands.

use bytes::Bytes;
use handbill::Code;
use http::request::Parts;
use http::{HeaderValue, Method, Response, header};
use serde_json::{Value, json};

use super::{is_create, is_editor, is_list, is_replacement, is_update};
use crate::adapter::Adapter;
use crate::edits::{is_form, name_of, own, put, refusal, set, text};
use crate::fault::Fault::*;

impl Adapter {
    /// Responses that the faulty service returns before it handles the request.
    pub(crate) fn refuse(&self, request: &Parts, sent: &[u8]) -> Option<Response<Bytes>> {
        let headers = &request.headers;
        let path = request.uri.path();
        let query = request.uri.query().unwrap_or_default();
        let mut memory = self.memory.lock().unwrap();
        match self.fault? {
            RepeatsCreations if is_create(request) => memory.created.clone(),
            CachesFailures if is_create(request) => {
                let name = text(headers, "idempotency-key");
                let (_, first) = memory.named.as_ref().filter(|(known, _)| known == name)?;
                Some(first.clone())
            }
            RefusesReadOnlyNames if is_update(request) => {
                let has_one = serde_json::from_slice(sent).is_ok_and(|sent: Value| {
                    sent.get("html").is_some() || sent.get("excerpt").is_some()
                });
                has_one.then(|| refusal(Code::InvalidPost))
            }
            ChecksKeysOnUpdate if is_update(request) && headers.contains_key("x-api-key") => {
                Some(refusal(Code::InvalidHeader))
            }
            RefusesUnknownParameters => {
                let names = ["page", "per_page", "tag", "include", "token", "lang"];
                let is_known = |field: &str| names.contains(&name_of(field));
                let is_unknown = is_list(request) && !query.split('&').all(is_known);
                is_unknown.then(|| refusal(Code::InvalidParameter))
            }
            LooksUpTagsInLowercase if is_list(request) && query.contains("tag=W") => {
                Some(own(200, "{}"))
            }
            LimitsNoListToATime if is_list(request) && query.contains("before=") => {
                Some(refusal(Code::InvalidParameter))
            }
            TakesQuotesForPhrases if is_list(request) && query.contains("%22x") => {
                Some(refusal(Code::InvalidParameter))
            }
            LosesTheSearchDescription if path == "/opensearch.xml" => Some(refusal(Code::NotFound)),
            ShowsNoMonth if query.starts_with("month=") => Some(refusal(Code::NotFound)),
            RefusesAllConditions if headers.contains_key(header::IF_MATCH) => {
                Some(refusal(Code::PreconditionFailed))
            }
            WantsLabels if path == "/api/keys" && sent.is_empty() => {
                Some(refusal(Code::InvalidJson))
            }
            ReplacesNoTokens if is_replacement(request) => {
                let token = "0".repeat(43);
                memory.replaced += 1;
                let mut made_up = own(200, "");
                let body = json!({ "edit_token": token, "edit_url": format!("/e/{token}") });
                set(&mut made_up, "content-type", "application/json");
                set(&mut made_up, "cache-control", "no-store");
                put(&mut made_up, body.to_string());
                Some(made_up)
            }
            WantsBodiesForReplacements if is_replacement(request) && sent.is_empty() => {
                Some(refusal(Code::InvalidJson))
            }
            IgnoresBearerTokens if headers.contains_key(header::AUTHORIZATION) => {
                Some(refusal(Code::MissingApiKey))
            }
            LooksAtBodiesFirst
                if request.uri.path().starts_with("/api/posts")
                    && (is_create(request) || is_update(request))
                    && serde_json::from_slice::<Value>(sent).is_err() =>
            {
                Some(refusal(Code::InvalidJson))
            }
            LosesTheDocs if path.starts_with("/docs") => Some(refusal(Code::NotFound)),
            RefusesKeyRequests if path == "/api/keys" => Some(refusal(Code::CrossSite)),
            RefusesAllForms if is_form(headers) => Some(refusal(Code::CrossSite)),
            Panics => panic!("the adapter has a bug"),
            RefusesCreations if is_create(request) => Some(refusal(Code::InvalidJson)),
            LosesTheSitemap if path == "/sitemap.xml" => Some(refusal(Code::NotFound)),
            IsNeverHealthy if path.ends_with("z") => Some(refusal(Code::StoreUnavailable)),
            _ => None,
        }
    }

    /// Changes the request as the faulty service misunderstands it.
    pub(crate) fn misread(&self, parts: &mut Parts, sent: &mut Bytes) {
        let Some(fault) = self.fault else { return };
        let media_type = text(&parts.headers, "content-type").to_owned();
        let is_update = is_update(parts);
        let headers = &mut parts.headers;
        let json = HeaderValue::from_static("application/json");
        match fault {
            IgnoresUpdates if is_update => parts.method = Method::GET,
            AcceptsEveryJsonMediaType if media_type.contains("json") => {
                headers.insert(header::CONTENT_TYPE, json);
            }
            TreatsEveryBodyAsJson if !media_type.is_empty() => {
                headers.insert(header::CONTENT_TYPE, json);
            }
            LosesEditTokenHeaders => drop(headers.remove("x-edit-token")),
            LosesDates => drop(headers.remove(header::IF_MODIFIED_SINCE)),
            RepeatsOnOneInstanceOnly if headers.contains_key("idempotency-key") => {
                let name = format!("{}-{self:p}", text(headers, "idempotency-key"));
                headers.insert("idempotency-key", name.parse().unwrap());
            }
            SortsTagsOneWayOnly if parts.uri.path() == "/tags" => {
                parts.uri = "/tags".parse().unwrap();
            }
            IgnoresSearches => {
                let uri = parts.uri.to_string().replace("q=", "x=");
                parts.uri = uri.parse().unwrap();
            }
            IgnoresLanguages => drop(headers.remove(header::ACCEPT_LANGUAGE)),
            IgnoresForms if is_editor(parts.uri.path()) => parts.method = Method::GET,
            TrimsForms if is_form(headers) => {
                let form = String::from_utf8_lossy(sent).into_owned();
                *sent = form.replace("%0D%0A", "").into();
            }
            PublishesFormsTwice if is_form(headers) => {
                let form = String::from_utf8_lossy(sent).into_owned();
                *sent = form.replace("idempotency_key=", "x=").into();
            }
            ForgetsWhatFormsSaw if parts.uri.path().starts_with("/e/") => {
                let form = String::from_utf8_lossy(sent).into_owned();
                let fields = form
                    .split('&')
                    .filter(|field| !field.starts_with("revision=") && !field.starts_with("seen="));
                *sent = fields.collect::<Vec<_>>().join("&").into();
            }
            _ => {}
        }
    }
}
