//! `GET /openapi.json`: the API described in OpenAPI 3.1, out of what the handlers say of
//! themselves.

use std::collections::BTreeMap;

use http::StatusCode;
use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::response::Response as Described;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, HeaderBuilder, ObjectBuilder, OpenApi as Document, Ref, RefOr, Required,
    ResponseBuilder, ServerBuilder, Type,
};
use utoipa::{IntoParams, OpenApi};

use super::schemas;
pub(crate) use super::schemas::{NewKey, NewPost, PostChange};
use crate::conditional::{self, Conditions};
use crate::context::Context;
use crate::problem::{Code, Problem, ProblemView};
use crate::request::Head;
use crate::response::{self, Response};

/// Names the problems that an operation answers, for its `responses`.
macro_rules! problems {
    ($($name:ident: [$($code:ident),* $(,)?])*) => {$(
        struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses() -> $crate::api::openapi::Responses {
                $crate::api::openapi::responses_of(&[$($crate::problem::Code::$code),*])
            }
        }
    )*};
}
pub(crate) use problems;

pub(crate) type Responses = BTreeMap<String, RefOr<Described>>;

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
        super::keys::issue, super::keys::read, super::keys::revoke, openapi, super::health,
    ),
    components(schemas(NewPost, PostChange, NewKey, ProblemView<'static>)),
)]
struct Handlers;

/// Names parameters that several operations take, for their `params`.
macro_rules! parameters {
    ($($name:ident: [$(($parameter:literal, $location:ident, $description:literal)),*])*) => {$(
        pub(crate) struct $name;

        impl IntoParams for $name {
            fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
                vec![$(parameter($parameter, ParameterIn::$location, $description)),*]
            }
        }
    )*};
}

parameters! {
    PostPath: [("id", Path, "The post: 10 lowercase consonants.")]
    EditTokenQuery: [("token", Query, "The edit token, where it is not in `X-Edit-Token`.")]
    IdempotencyKeyHeader: [(
        "Idempotency-Key", Header,
        "1 to 255 visible ASCII characters of the client's choice. A repetition with the same API \
         key, idempotency key and body creates nothing and is answered as the first request was."
    )]
    ReadConditions: [
        ("If-None-Match", Header, "Entity tags or `*`: 304 where one of them is current."),
        ("If-Modified-Since", Header, "A date: 304 where nothing was changed since; for lists, ignored.")
    ]
    WriteConditions: [
        ("If-Match", Header, "Entity tags or `*`: 412 where none of them is current."),
        ("If-None-Match", Header, "Entity tags or `*`: 412 where one of them is current."),
        ("If-Unmodified-Since", Header, "A date: 412 where something was changed since.")
    ]
}

fn parameter(name: &str, location: ParameterIn, description: &str) -> Parameter {
    let required = if location == ParameterIn::Path {
        Required::True
    } else {
        Required::False
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(location)
        .required(required)
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .build()
}

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
pub(crate) fn openapi(context: &Context, head: &Head) -> Result<Response, Problem> {
    let conditions = Conditions::of(head)?;
    let body = response::json_bytes(&document(context));
    let etag = context.etags.of_bytes(&body);
    Ok(conditional::answer(&conditions, &etag, None, || {
        response::bytes("application/json", body)
    }))
}

fn document(context: &Context) -> Document {
    let mut document = Handlers::openapi();
    document.servers = Some(vec![
        ServerBuilder::new().url(context.base_url.as_str()).build(),
    ]);
    for path in document.paths.paths.values_mut() {
        add_head_and_options(path);
    }
    if let Some(components) = &mut document.components {
        for (name, schema) in schemas::of_bodies(&context.limits) {
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

/// The responses that carry these problems: one for each status, naming its codes.
pub(crate) fn responses_of(codes: &[Code]) -> Responses {
    let mut by_status: BTreeMap<StatusCode, Vec<Code>> = BTreeMap::new();
    for code in codes {
        by_status.entry(code.status()).or_default().push(*code);
    }
    let responses = by_status.into_iter().map(|(status, codes)| {
        (
            status.as_str().to_owned(),
            RefOr::T(response_of(status, &codes)),
        )
    });
    responses.collect()
}

fn response_of(status: StatusCode, codes: &[Code]) -> Described {
    let described = codes
        .iter()
        .map(|code| format!("`{}`: {}.", code.as_str(), code.title()));
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("Problem")))
        .build();
    let mut response = ResponseBuilder::new()
        .description(described.collect::<Vec<_>>().join(" "))
        .content("application/problem+json", content);
    let header = match status {
        StatusCode::UNAUTHORIZED => Some(("WWW-Authenticate", "The credential that is needed.")),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            Some(("Retry-After", "Seconds to wait before trying again."))
        }
        _ => None,
    };
    if let Some((name, description)) = header {
        response = response.header(
            name,
            HeaderBuilder::new().description(Some(description)).build(),
        );
    }
    response.build()
}
