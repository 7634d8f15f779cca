//! `/api/keys`: requesting, inspecting and revoking an API key.

use http::StatusCode;
use http::header::CONTENT_TYPE;
use serde::Serialize;
use serde_json::Value;

use super::credentials;
use crate::http::{Body, Response, json, response};
use crate::operations::keys::{IssuedKey, Keys};
use crate::post::Actor;
use crate::problem::{Code, Problem};
use crate::route::Call;

/// A new API key. It is shown only once.
#[derive(Serialize)]
struct IssuedKeyView<'a> {
    id: &'a str,
    api_key: &'a str,
    label: Option<&'a str>,
    created_at: String,
}

/// Issues an API key, if the host gives them out on request. The body may be left out. What a browser
/// sends from a page of another site is refused.
pub(crate) async fn issue(call: Call<'_>, body: Body) -> Result<Response, Problem> {
    let Call { context, head, .. } = call;
    let has_media_type = head.headers().contains_key(CONTENT_TYPE);
    if has_media_type {
        head.check_media_type(&[response::JSON])?;
    }
    // Otherwise any site could get keys through the browsers of its visitors, also on an intranet.
    head.check_origin(context.base_url.origin())?;
    let (keys, at) = (Keys::new(context), context.clock.now());
    let owner = context
        .key_requests
        .allow(head, &context.rate_limiter)
        .await?;
    let actor = Actor::of_visitor(owner.as_ref());
    let body = body.read(context.limits.request).await?;
    if !has_media_type && !body.is_empty() {
        let detail = "Content-Type must be application/json.";
        return Err(Problem::new(Code::UnsupportedMediaType, detail));
    }
    let label = if body.is_empty() {
        None
    } else {
        let writes = &context.queues.writes;
        let permit = writes.permit(head.client, body.len()).await?;
        permit.run(move || read_label(&body)).await?
    };

    let IssuedKey { record, key } = keys.issue_by(label.as_deref(), owner, &actor, at).await?;

    let view = IssuedKeyView {
        id: record.id.as_str(),
        api_key: key.expose(),
        label: record.label.as_deref(),
        created_at: record.created_at.to_rfc3339(),
    };
    Ok(response::json(StatusCode::CREATED, &view))
}

fn read_label(body: &[u8]) -> Result<Option<String>, Problem> {
    let mut label = None;
    let mut errors = Vec::new();
    for (name, value) in json::object(body)? {
        match (name.as_str(), value) {
            ("label", Value::String(text)) => label = Some(text),
            ("label", Value::Null) => {}
            ("label", other) => errors.push(json::wrong_type("label", "a string or null", &other)),
            (name, _) => errors.push(json::unknown_field(name)),
        }
    }
    if errors.is_empty() {
        Ok(label)
    } else {
        Err(Problem::invalid_fields(errors))
    }
}

#[derive(Serialize)]
struct KeyView<'a> {
    id: &'a str,
    label: Option<&'a str>,
    owner: &'a str,
    created_at: String,
    last_used_at: Option<String>,
}

/// Shows the API key that the request carries, without its secret.
pub(crate) async fn read(call: Call<'_>) -> Result<Response, Problem> {
    let (_, record) = credentials::api_key(call.context, call.head).await?;
    let view = KeyView {
        id: record.id.as_str(),
        label: record.label.as_deref(),
        owner: record.owner.as_str(),
        created_at: record.created_at.to_rfc3339(),
        last_used_at: record.last_used_at.map(|at| at.to_rfc3339()),
    };
    Ok(response::json(StatusCode::OK, &view))
}

/// Revokes the API key that the request carries. The next request with it is refused.
pub(crate) async fn revoke(call: Call<'_>) -> Result<Response, Problem> {
    let Call { context, head, .. } = call;
    let (_, record) = credentials::api_key(context, head).await?;
    // Another request may have revoked the key after this one was authorised. The result is the same.
    match Keys::new(context)
        .revoke_by(record.id, &Actor::Key(record.id))
        .await
    {
        Err(problem) if problem.code() != Code::NotFound => Err(problem),
        _ => Ok(response::empty(StatusCode::NO_CONTENT)),
    }
}
