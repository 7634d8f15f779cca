//! Faults of the adapter in requests.

use handbill_testing::http::SentBody;
use http::Method;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use http_body_util::BodyExt;

use crate::adapter::Adapter;
use crate::edits::{as_a_map, decoded, is_form, text, whole};
use crate::fault::Fault::*;

impl Adapter {
    pub(crate) fn change_uri(&self, parts: &mut Parts) {
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

    pub(crate) fn change_method(&self, parts: &mut Parts, body: &SentBody) {
        let other = match self.fault {
            Some(OverridesMethods) => text(&parts.headers, "x-http-method-override").to_owned(),
            Some(TakesMethodsFromForms) if is_form(&parts.headers) => {
                let form = whole(body).unwrap_or_default();
                let form = String::from_utf8_lossy(&form);
                let mut fields = form.split('&');
                let method = fields.find_map(|field| field.strip_prefix("_method="));
                method.unwrap_or_default().to_owned()
            }
            Some(AddsBodiesToHead) if parts.method == Method::HEAD => "GET".to_owned(),
            _ => return,
        };
        if let Ok(other) = Method::from_bytes(other.to_uppercase().as_bytes()) {
            parts.method = other;
        }
    }

    pub(crate) fn change_headers(&self, headers: &mut HeaderMap) {
        match self.fault {
            Some(PassesOneLineOfEachHeader) => change_lines(headers, |mut lines| {
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
            Some(PassesOneMediaType) => {
                if let Some(first) = headers.get(header::CONTENT_TYPE).cloned() {
                    headers.insert(header::CONTENT_TYPE, first);
                }
            }
            Some(DropsParametersOfMediaTypes) => {
                let media_type = text(headers, "content-type").split(';').next();
                let media_type = media_type.unwrap_or_default().parse().unwrap();
                headers.insert(header::CONTENT_TYPE, media_type);
            }
            Some(RemovesContentEncodings) => drop(headers.remove(header::CONTENT_ENCODING)),
            _ => {}
        }
    }

    pub(crate) async fn change_body(&self, parts: &Parts, mut body: SentBody) -> SentBody {
        match self.fault {
            Some(TruncatesRequestBodies) => match whole(&body) {
                Some(bytes) => SentBody::whole(bytes.slice(..bytes.len().min(64 << 10))),
                None => body,
            },
            Some(PassesTheFirstChunkOnly) => {
                let first = body.frame().await.map(|frame| frame.unwrap().into_data());
                SentBody::chunked(first.map(Result::unwrap))
            }
            // If the body never ends, neither does this: the check times out.
            Some(ReadsBodiesFirst) => SentBody::whole(body.collect().await.unwrap().to_bytes()),
            Some(TreatsBodiesAsText) => {
                let bytes = whole(&body).unwrap_or_default();
                SentBody::whole(String::from_utf8_lossy(&bytes).into_owned())
            }
            Some(LosesForms) if is_form(&parts.headers) => SentBody::default(),
            Some(MakesFormsAMap) if is_form(&parts.headers) => {
                let bytes = whole(&body).unwrap_or_default();
                str::from_utf8(&bytes).map_or(body, |form| SentBody::whole(as_a_map(form)))
            }
            _ => body,
        }
    }
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
