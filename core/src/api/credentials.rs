//! Credentials in requests: the API key and the edit token.

use http::header::{self, HeaderName, HeaderValue};

use crate::context::Context;
use crate::host::signed_in::SignedIn;
use crate::http::Head;
use crate::operations::access::Credentials;
use crate::operations::keys::{Keys, invalid_key};
use crate::post::{ApiKey, KeyRecord, SecretHash};
use crate::problem::{Code, Problem};

pub(super) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const EDIT_TOKEN: HeaderName = HeaderName::from_static("x-edit-token");

/// The required API key of the request, and its record.
pub(crate) async fn api_key(
    context: &Context,
    head: &Head,
) -> Result<(ApiKey, KeyRecord), Problem> {
    let Some(sent) = sent_api_key(head)? else {
        return Err(missing_api_key());
    };
    authenticate(context, head, sent).await
}

/// The text of the API key in `X-Api-Key`, or as a bearer token (RFC 6750, section 2.1). Other credentials in
/// `Authorization` are not for this service.
fn sent_api_key(head: &Head) -> Result<Option<&str>, Problem> {
    let in_header = head.single_header(&API_KEY)?;
    let in_header = in_header.map(HeaderValue::as_bytes);
    let in_header = in_header.filter(|key| !key.is_empty());
    let authorizations = head.headers().get_all(header::AUTHORIZATION).iter();
    let mut bearers = authorizations.filter_map(|value| bearer(value.as_bytes()));
    let bearer = bearers.next();
    if bearers.next().is_some()
        || bearer.is_some() && in_header.is_some_and(|key| Some(key) != bearer)
    {
        let detail = "There are several API keys in X-Api-Key and Authorization. Send only one.";
        return Err(Problem::new(Code::InvalidHeader, detail));
    }
    // Characters that no key has make it a wrong one.
    let sent = in_header.or(bearer);
    Ok(sent.map(|key| str::from_utf8(key).unwrap_or("?")))
}

/// The bearer token of a value of `Authorization`, if it is one of ours.
fn bearer(credentials: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = credentials.split_at_checked("bearer ".len())?;
    let token = token.trim_ascii_start();
    let is_ours =
        scheme.eq_ignore_ascii_case(b"bearer ") && token.starts_with(ApiKey::PREFIX.as_bytes());
    is_ours.then_some(token)
}

pub(crate) fn missing_api_key() -> Problem {
    Problem::new(Code::MissingApiKey, "Send an API key in X-Api-Key.")
}

/// The API key with this text, and its record. A wrong one counts as a wrong credential.
pub(crate) async fn authenticate(
    context: &Context,
    head: &Head,
    sent: &str,
) -> Result<(ApiKey, KeyRecord), Problem> {
    let authenticated = match sent.parse::<ApiKey>() {
        Ok(key) => Keys::new(context)
            .authenticate(&key)
            .await
            .map(|record| (key, record)),
        Err(_) => Err(invalid_key()),
    };
    authenticated.map_err(|problem| count_if_wrong(context, head, problem))
}

/// What the request shows for changing a post: an edit token, which then alone decides, or an API key.
pub(crate) async fn editor(context: &Context, head: &Head) -> Result<Credentials, Problem> {
    if let Some(token) = edit_token(head)? {
        return Ok(Credentials::Token(token));
    }
    if sent_api_key(head)?.is_none() {
        let detail = "Send the post's edit token in X-Edit-Token or ?token=, or an API key of its \
                      owner in X-Api-Key.";
        return Err(Problem::new(Code::MissingEditToken, detail));
    }
    let (_, key) = api_key(context, head).await?;
    let visitor = SignedIn::new(key.owner.clone());
    let key = Some(key);
    Ok(Credentials::Owner { visitor, key })
}

/// The hash of the edit token, from `X-Edit-Token` or `?token=`, if the request has one. A malformed token
/// is hashed too and then counts as a wrong one.
fn edit_token(head: &Head) -> Result<Option<SecretHash>, Problem> {
    let in_header = head
        .single_header(&EDIT_TOKEN)?
        .map(|value| value.as_bytes().to_vec());
    let in_query = head.query.all("token")?.into_iter().map(String::into_bytes);
    let mut sent = in_header
        .into_iter()
        .chain(in_query)
        .filter(|token| !token.is_empty());
    let Some(token) = sent.next() else {
        return Ok(None);
    };
    if sent.any(|other| other != token) {
        let detail = "The request contains different edit tokens. Send only one.";
        return Err(Problem::new(Code::ConflictingEditTokens, detail));
    }
    Ok(Some(SecretHash::of(token)))
}

/// Counts the problem against the client's rate limit for wrong credentials, if it is about one.
pub(crate) fn count_if_wrong(context: &Context, head: &Head, problem: Problem) -> Problem {
    match problem.code() {
        Code::InvalidApiKey | Code::InvalidEditToken | Code::NotTheOwner => {
            context.rate_limiter.count_wrong(head.requester(), problem)
        }
        _ => problem,
    }
}
