//! A recorded response of the service, for servers that send the same bytes without it.

use std::path::Path;

use http::{HeaderName, HeaderValue};
use serde_json::json;

use crate::wire::TestResponse;

/// Records the response, without its date: each server sends its own. `handbill_bare::recorded` reads it.
pub fn write(response: &TestResponse, file: &Path) {
    let named = |(name, value): (&HeaderName, &HeaderValue)| {
        let value = value.to_str().expect("visible ASCII");
        (*name != http::header::DATE).then(|| (name.to_string(), value.to_owned()))
    };
    let headers: Vec<_> = response.headers.iter().filter_map(named).collect();
    let body = str::from_utf8(&response.body).expect("text");
    let recorded = json!({ "status": response.status.as_u16(), "headers": headers, "body": body });
    std::fs::write(file, recorded.to_string()).expect("a file");
}
