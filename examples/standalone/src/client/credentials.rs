//! What authorises requests.

use std::env::{self, VarError};
use std::fs;
use std::path::Path;

use handbill::{ApiKey, EditToken};
use http::header::{HeaderName, HeaderValue};

/// The API key comes from here, and not from an option: other users of the machine can see options.
const VARIABLE: &str = "HANDBILL_API_KEY";

/// What may authorise a request about a post, the first one first: headers with an API key, or with the edit token of
/// one post.
pub(crate) struct Credentials(pub(super) Vec<(HeaderName, HeaderValue)>);

/// The API key in a file, or else in the environment, if there is one.
pub(crate) fn read_api_key(file: Option<&Path>) -> Result<Option<ApiKey>, String> {
    let (name, text) = match file {
        Some(file) => {
            let name = file.display().to_string();
            let text = fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
            (name, text)
        }
        None => match env::var(VARIABLE) {
            Err(VarError::NotPresent) => return Ok(None),
            Err(VarError::NotUnicode(_)) => (VARIABLE.to_owned(), String::new()),
            // Variables of CI jobs are empty where a secret is missing.
            Ok(text) if text.trim().is_empty() => return Ok(None),
            Ok(text) => (VARIABLE.to_owned(), text),
        },
    };
    // The error does not repeat the text.
    let key = text.trim().parse().map_err(|_| {
        format!(
            "{name} has no API key: one is hb_ and 49 letters and digits, which have a checksum"
        )
    })?;
    Ok(Some(key))
}

impl Credentials {
    /// Tries the API key first, since an edit token may have been replaced and the server counts wrong ones. The token
    /// may be right where the key has another owner than the post.
    pub(crate) fn new(key: Option<&ApiKey>, edit_token: Option<&EditToken>) -> Self {
        let edit_token = edit_token.map(|token| secret("x-edit-token", token.expose()));
        Self(key.map(api_key).into_iter().chain(edit_token).collect())
    }
}

pub(super) fn api_key(key: &ApiKey) -> (HeaderName, HeaderValue) {
    secret("x-api-key", key.expose())
}

fn secret(name: &'static str, secret: &str) -> (HeaderName, HeaderValue) {
    let value = HeaderValue::from_str(secret);
    let mut value = value.unwrap_or_else(|_| unreachable!("it has letters and digits only"));
    value.set_sensitive(true);
    (HeaderName::from_static(name), value)
}
