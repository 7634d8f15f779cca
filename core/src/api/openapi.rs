//! `GET /openapi.json`: the API described in OpenAPI 3.1, out of what the handlers say of
//! themselves.

use utoipa::OpenApi;
use utoipa::openapi::path::{OperationBuilder, PathItem};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{HeaderBuilder, OpenApi as Document, RefOr, ResponseBuilder, ServerBuilder};

use super::describe::{ReadConditions, problems};
use super::schemas::{self, NewKey, NewPost, PostChange};
use super::words;
use crate::context::Context;
use crate::http::representation::Representation;
use crate::http::response;
use crate::limit::Limits;
use crate::problem::ProblemView;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Handbill",
        description = "A publishing service for short web posts. Every error is an \
            `application/problem+json` (RFC 9457); every path answers `OPTIONS` with `Allow`, and \
            a method that it does not take with 405, `method_not_allowed`.",
    ),
    paths(
        super::posts::create, super::list::list, super::posts::read, super::posts::put,
        super::posts::patch, super::posts::delete, super::posts::replace_edit_token,
        super::keys::issue, super::keys::read, super::keys::revoke, openapi, super::health::health,
    ),
    tags((name = "Posts"), (name = "Keys"), (name = "Service")),
    components(schemas(NewPost, PostChange, NewKey, ProblemView<'static>)),
)]
struct Handlers;

problems! {
    DocumentProblems: [InvalidHeader]
}

/// This document.
#[utoipa::path(
    get, path = "/openapi.json", tag = "Service", operation_id = "openapi",
    params(ReadConditions),
    responses(
        (status = 200, description = "OpenAPI 3.1.", content_type = "application/json", headers(
            ("ETag" = String, description = "A strong entity tag."),
            ("Cache-Control" = String, description = "`public, no-cache`: ask before using a copy."),
        )),
        (status = 304, description = "The client has the document as it is.", headers(
            ("ETag" = String, description = "The entity tag that it has."),
            ("Cache-Control" = String, description = "`public, no-cache`: ask before using a copy."),
        )),
        DocumentProblems,
    ),
)]
pub(crate) fn openapi(context: &Context) -> Representation<'_> {
    let body = async { Ok(response::json_bytes(&document(context))) };
    Representation::new("application/json", body)
}

/// The document of this service.
pub(crate) fn document(context: &Context) -> Document {
    let mut document = without_words(&context.limits);
    words::fill(&mut document);
    document.servers = Some(vec![
        ServerBuilder::new().url(context.base_url.as_str()).build(),
    ]);
    for path in document.paths.paths.values_mut() {
        add_head_and_options(path);
    }
    document
}

/// The names of all messages that the document says.
#[cfg(test)]
pub(crate) fn messages() -> Vec<String> {
    words::messages(&mut without_words(&Limits::default()))
}

fn without_words(limits: &Limits) -> Document {
    let mut document = Handlers::openapi();
    if let Some(components) = &mut document.components {
        for (name, schema) in schemas::of_bodies(limits) {
            components.schemas.insert(name.to_owned(), schema);
        }
        for (name, location) in [
            ("api_key", ApiKey::Header(ApiKeyValue::new("X-Api-Key"))),
            (
                "edit_token",
                ApiKey::Header(ApiKeyValue::new("X-Edit-Token")),
            ),
            (
                "edit_token_in_query",
                ApiKey::Query(ApiKeyValue::new("token")),
            ),
        ] {
            components.add_security_scheme(name, SecurityScheme::ApiKey(location));
        }
    }
    document
}

/// `HEAD` is described as its `GET` is, without contents; `OPTIONS` is everywhere alike.
fn add_head_and_options(path: &mut PathItem) {
    if let Some(get) = &path.get {
        let mut head = get.clone();
        head.operation_id = get.operation_id.as_ref().map(|id| format!("{id}Head"));
        for answer in head.responses.responses.values_mut() {
            if let RefOr::T(answer) = answer {
                answer.content.clear();
            }
        }
        path.head = Some(head);
    }
    let allow = HeaderBuilder::new()
        .description(Some("The methods that the path takes."))
        .build();
    let answer = ResponseBuilder::new()
        .description("What may be asked for here, for CORS too.")
        .header("Allow", allow)
        .build();
    path.options = Some(OperationBuilder::new().response("204", answer).build());
}
