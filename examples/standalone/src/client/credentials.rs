//! What authorises requests.

use std::env::{self, VarError};
use std::fs;
use std::path::Path;

use handbill::{ApiKey, EditToken};
use http::header::{HeaderName, HeaderValue};

use super::Request;

/// The API key comes from here, and not from an option: other users of the machine can see options.
const VARIABLE: &str = "HANDBILL_API_KEY";

/// The header of an API key, or of the edit token of one post.
#[derive(Clone)]
pub(super) struct Credential(HeaderName, HeaderValue);

/// What may authorise a request about a post, the first one first.
#[derive(Default)]
pub(crate) struct Credentials(pub(super) Vec<Credential>);

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

impl Credential {
    pub(super) fn add_to(self, request: &mut Request) {
        request.headers_mut().insert(self.0, self.1);
    }

    pub(super) fn api_key(key: &ApiKey) -> Self {
        Self::new("x-api-key", key.expose())
    }

    fn new(name: &'static str, secret: &str) -> Self {
        let value = HeaderValue::from_str(secret);
        let mut value = value.unwrap_or_else(|_| unreachable!("it has letters and digits only"));
        value.set_sensitive(true);
        Self(HeaderName::from_static(name), value)
    }
}

impl Credentials {
    /// Tries the API key first, since an edit token may have been replaced and the server counts wrong ones. The token
    /// may be right where the key has another owner than the post.
    pub(crate) fn new(api_key: Option<&ApiKey>, edit_token: Option<EditToken>) -> Self {
        let edit_token = edit_token.map(|token| Credential::new("x-edit-token", token.expose()));
        let api_key = api_key.map(Credential::api_key);
        Self(api_key.into_iter().chain(edit_token).collect())
    }
}
