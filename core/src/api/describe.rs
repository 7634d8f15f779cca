//! Parameters and problems that several handlers have in common, for their descriptions. The messages
//! say what each parameter means (see [`words`](super::words)).

use std::collections::BTreeMap;

use http::StatusCode;
use utoipa::IntoParams;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::Response as Described;
use utoipa::openapi::schema::OneOfBuilder;
use utoipa::openapi::{
    ContentBuilder, HeaderBuilder, ObjectBuilder, Ref, RefOr, Required, ResponseBuilder, Schema,
    Type,
};

use crate::http::paging::MAX_PER_PAGE;
use crate::problem::Code;

const POST_ID: &str = "^[bcdfghjklmnpqrstvwxz]{10}$";
const IDEMPOTENCY_KEY: &str = "^[!-~]{1,255}$";
/// One entity tag or more, in a list that may have empty items (RFC 9110, section 5.6.1).
const ENTITY_TAGS: &str = concat!(
    r#"^(,[ \t]*)*(W/)?"[!#-~\u0080-\u00ff]*""#,
    r#"([ \t]*,[ \t]*((W/)?"[!#-~\u0080-\u00ff]*")?)*$"#,
);

/// The extension in which a response lists the codes of its problems, for programs.
const PROBLEM_CODES: &str = "x-problem-codes";

/// Names the problems that an operation can return, for its `responses`.
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

/// Names parameters that several operations have, for their `params`.
macro_rules! parameters {
    ($($name:ident: [$($parameter:literal in $location:ident),*])*) => {$(
        pub(crate) struct $name;

        impl IntoParams for $name {
            fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
                vec![$(parameter($parameter, ParameterIn::$location)),*]
            }
        }
    )*};
}

parameters! {
    PostPath: ["id" in Path]
    ListQuery: ["page" in Query, "per_page" in Query, "tag" in Query, "include" in Query]
    EditTokenQuery: ["token" in Query]
    IdempotencyKeyHeader: ["Idempotency-Key" in Header]
    ReadConditions: ["If-None-Match" in Header, "If-Modified-Since" in Header]
    WriteConditions: ["If-Match" in Header, "If-None-Match" in Header, "If-Unmodified-Since" in Header]
}

fn parameter(name: &str, location: ParameterIn) -> Parameter {
    let required = match location {
        ParameterIn::Path => Required::True,
        _ => Required::False,
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(location)
        .required(required)
        .schema(Some(schema_of(name)))
        .build()
}

/// Which values of a parameter the service accepts.
fn schema_of(name: &str) -> RefOr<Schema> {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let number = ObjectBuilder::new().schema_type(Type::Integer);
    match name {
        "id" => text().pattern(Some(POST_ID)).into(),
        "page" => number.minimum(Some(1)).maximum(Some(u64::MAX)).into(),
        "per_page" => number
            .minimum(Some(1))
            .maximum(Some(MAX_PER_PAGE.get()))
            .into(),
        "tag" => Ref::from_schema_name("Tag").into(),
        "include" => text().enum_values(Some(["", "body"])).into(),
        "Idempotency-Key" => text().pattern(Some(IDEMPOTENCY_KEY)).into(),
        "If-Match" | "If-None-Match" => OneOfBuilder::new()
            .item(text().enum_values(Some(["*"])))
            .item(text().pattern(Some(ENTITY_TAGS)))
            .into(),
        _ => text().into(),
    }
}

/// The responses that carry these problems: one for each status, naming its codes.
pub(crate) fn responses_of(codes: &[Code]) -> Responses {
    let mut by_status: BTreeMap<StatusCode, Vec<Code>> = BTreeMap::new();
    for code in codes {
        by_status.entry(code.status()).or_default().push(*code);
    }
    let responses = by_status.into_iter().map(|(status, codes)| {
        let response = response_of(status, &codes).into();
        (status.as_str().to_owned(), response)
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
    let codes: Vec<_> = codes.iter().map(|code| code.as_str()).collect();
    let mut response = ResponseBuilder::new()
        .description(described.collect::<Vec<_>>().join(" "))
        .content("application/problem+json", content)
        .extensions(Some(Extensions::from_iter([(PROBLEM_CODES, codes)])));
    let header = match status {
        StatusCode::UNAUTHORIZED => Some(("WWW-Authenticate", "The credential that is required.")),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            Some(("Retry-After", "Seconds to wait before trying again."))
        }
        _ => None,
    };
    if let Some((name, description)) = header {
        let header = HeaderBuilder::new().description(Some(description));
        response = response.header(name, header.build());
    }
    response.build()
}
