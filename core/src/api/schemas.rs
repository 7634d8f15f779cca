//! What clients send, described with the limits that the host set. The messages say what each field
//! means (see [`words`](super::words)).

use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, OneOfBuilder, SchemaType};
use utoipa::openapi::{ObjectBuilder, Ref, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::posts::READ_ONLY;
use crate::limit::Limits;

/// White space, as Unicode defines it.
macro_rules! white_space {
    () => {
        r"\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
    };
}

/// Characters that override the direction of text.
macro_rules! bidi_overrides {
    () => {
        r"\u202a-\u202e\u2066-\u2069"
    };
}

/// White space around a line is trimmed, control characters in it are refused.
const ONE_LINE: &str = concat!(
    "^[",
    white_space!(),
    r"]*[^\u0000-\u001f\u007f-\u009f",
    bidi_overrides!(),
    "]*[",
    white_space!(),
    "]*$"
);

/// Not blank and without U+0000.
const BODY: &str = concat!(
    "^[",
    white_space!(),
    r"]*[^\u0000",
    white_space!(),
    r"][^\u0000]*$"
);

/// A character of a tag: no comma, and no control character that is not white space.
const TAG_CHARACTER: &str = concat!(
    r"[^,\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f",
    bidi_overrides!(),
    "]"
);

/// Names a schema that is made once the limits are known.
macro_rules! made_later {
    ($($name:ident),*) => {$(
        pub(crate) struct $name;

        impl ToSchema for $name {}

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new().into()
            }
        }
    )*};
}

made_later!(NewPost, PostChange, NewKey, Tag);

/// The schemas of the request bodies, and of a tag in a query or a body.
pub(super) fn of_requests(limits: &Limits) -> [(&'static str, RefOr<Schema>); 4] {
    let mut change = fields(limits).description(Some(
        "Omitted fields stay as they are; null or an empty string clears any field but `body`. \
         The other fields of a post are accepted and ignored.",
    ));
    for name in READ_ONLY {
        let any = ObjectBuilder::new().schema_type(SchemaType::AnyValue);
        change = change.property(name, any.read_only(Some(true)));
    }
    [
        ("NewPost", fields(limits).required("body").into()),
        ("PostChange", change.into()),
        ("NewKey", object().property("label", line(limits.label)).into()),
        ("Tag", tag(limits).into()),
    ]
}

/// An object that has the properties it names and no others.
fn object() -> ObjectBuilder {
    ObjectBuilder::new().additional_properties(Some(AdditionalProperties::FreeForm(false)))
}

fn fields(limits: &Limits) -> ObjectBuilder {
    let body = ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(limits.body))
        .pattern(Some(BODY));
    object()
        .property("title", line(limits.title))
        .property("body", body)
        .property("tags", tags(limits))
        .property("focus_keyword", line(limits.focus_keyword))
}

/// One line of text, or null.
fn line(max: usize) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .max_length(Some(max))
        .pattern(Some(ONE_LINE))
}

fn tag(limits: &Limits) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(limits.tag))
        .pattern(Some(format!("^{TAG_CHARACTER}*$")))
}

/// One string with commas, an array of tags, or null.
fn tags(limits: &Limits) -> OneOfBuilder {
    let tag = format!("{TAG_CHARACTER}{{0,{}}}", limits.tag);
    let others = limits.tags.saturating_sub(1);
    let text = ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(format!("^{tag}(,{tag}){{0,{others}}}$")));
    let array = ArrayBuilder::new()
        .items(Ref::from_schema_name("Tag"))
        .max_items(Some(limits.tags));
    OneOfBuilder::new()
        .item(text)
        .item(array)
        .item(ObjectBuilder::new().schema_type(Type::Null))
}
