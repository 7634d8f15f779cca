//! What handlers say of themselves, in words that several of them use.

use std::collections::BTreeMap;

use http::StatusCode;
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::Response as Described;
use utoipa::openapi::{
    ContentBuilder, HeaderBuilder, ObjectBuilder, Ref, RefOr, Required, ResponseBuilder, Type,
};

use crate::problem::Code;

/// Names the problems that an operation answers, for its `responses`.
macro_rules! problems {
    ($($name:ident: [$($code:ident),* $(,)?])*) => {$(
        struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses() -> $crate::api::describe::Responses {
                $crate::api::describe::responses_of(&[$($crate::problem::Code::$code),*])
            }
        }
    )*};
}
pub(crate) use problems;

pub(crate) type Responses = BTreeMap<String, RefOr<Described>>;

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
