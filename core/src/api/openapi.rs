//! `GET /openapi.json`: a description of the API in OpenAPI 3.1, generated from the handlers. Three
//! tools check in CI (`.ci/openapi`) that it is valid and that the service does what it says.

use bytes::Bytes;
use utoipa::OpenApi;
use utoipa::openapi::path::{Operation, OperationBuilder, ParameterIn};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{HeaderBuilder, OpenApi as Document, RefOr, ResponseBuilder, ServerBuilder};

use super::describe::{ReadConditions, problems, responses_of};
use super::posts::JSON;
use super::schemas::{self, NewKey, NewPost, PostChange, Tag};
use super::words;
use crate::cache::Representation;
use crate::context::Context;
use crate::http::problem::ProblemView;
use crate::limit::Limits;
use crate::problem::Code;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Handbill",
        description = "A publishing service for short web posts. Every error is an \
            `application/problem+json` document (RFC 9457). Every path supports `OPTIONS`. A method \
            that a path does not support gets 405, `method_not_allowed`.",
    ),
    paths(
        super::posts::create, super::list::list, super::list::list_own, super::posts::read, super::posts::put,
        super::posts::patch, super::posts::delete, super::posts::replace_edit_token,
        super::keys::issue, super::keys::read, super::keys::revoke, openapi, super::health::live,
        super::health::ready, super::health::health,
    ),
    tags((name = "Posts"), (name = "Keys"), (name = "Service")),
    components(schemas(NewPost, PostChange, NewKey, Tag, ProblemView<'static>)),
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
            ("Cache-Control" = String, description = "`public, no-cache`: caches revalidate before reuse."),
        )),
        (status = 304, description = "The client's copy of the document is current.", headers(
            ("ETag" = String, description = "The current entity tag."),
            ("Cache-Control" = String, description = "`public, no-cache`: caches revalidate before reuse."),
        )),
        DocumentProblems,
    ),
)]
pub(crate) fn openapi(context: &Context) -> Representation {
    Representation::new(JSON).with_body(json(context))
}

/// The document of this service, as it is sent.
pub(crate) fn json(context: &Context) -> Bytes {
    let mut document = without_words(&context.limits);
    words::fill(&mut document);
    document.servers = Some(vec![
        ServerBuilder::new().url(context.base_url.as_str()).build(),
    ]);
    for path in document.paths.paths.values_mut() {
        path.head = path.get.as_ref().map(head_of);
    }
    // utoipa 5.5 misspells this field of a link. Texts can't contain it, since their quotes are escaped.
    let text = serde_json::to_string(&document).unwrap_or_else(|_| unreachable!("it is JSON"));
    text.replace("\"operation_id\":", "\"operationId\":").into()
}

/// The names of all messages in the document.
#[cfg(test)]
pub(crate) fn messages() -> Vec<String> {
    words::messages(&mut without_words(&Limits::default()))
}

fn without_words(limits: &Limits) -> Document {
    let mut document = Handlers::openapi();
    if let Some(components) = &mut document.components {
        for (name, schema) in schemas::of_requests(limits) {
            components.schemas.insert(name.to_owned(), schema);
        }
        let in_header = |name| SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new(name)));
        let in_query = |name| SecurityScheme::ApiKey(ApiKey::Query(ApiKeyValue::new(name)));
        components.add_security_scheme("api_key", in_header("X-Api-Key"));
        components.add_security_scheme("edit_token", in_header("X-Edit-Token"));
        components.add_security_scheme("edit_token_in_query", in_query("token"));
    }
    for path in document.paths.paths.values_mut() {
        let options = words::operations(path)
            .next()
            .map(|other| options_beside(other));
        path.options = options;
        for operation in words::operations(path) {
            // An empty list says that no credential is needed.
            operation.security.get_or_insert_default();
        }
    }
    document
}

/// `HEAD` has the statuses and headers of its `GET`, without contents.
fn head_of(get: &Operation) -> Operation {
    let mut head = get.clone();
    head.operation_id = get.operation_id.as_ref().map(|id| format!("{id}Head"));
    for response in head.responses.responses.values_mut() {
        if let RefOr::T(response) = response {
            response.content.clear();
        }
    }
    head
}

/// `OPTIONS` of the path that another operation has: it takes the same parameters in the path.
fn options_beside(other: &Operation) -> Operation {
    let allow = HeaderBuilder::new()
        .description(Some("The methods of this path."))
        .build();
    let success = ResponseBuilder::new()
        .description("The methods of this path, also for a CORS preflight.")
        .header("Allow", allow);
    let mut options = OperationBuilder::new()
        .tags(other.tags.clone())
        .operation_id(other.operation_id.as_ref().map(|id| format!("{id}Options")))
        .response("204", success);
    let parameters = other.parameters.iter().flatten();
    for parameter in parameters.filter(|one| one.parameter_in == ParameterIn::Path) {
        options = options.parameter(parameter.clone());
        // An id of another form is no path of the API.
        for (status, response) in responses_of(&[Code::NotFound]) {
            options = options.response(status, response);
        }
    }
    options.build()
}
