//! What clients send, described with the limits that the host set. The messages say what each field
//! means (see [`words`](super::words)).

use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, OneOfBuilder, SchemaType};
use utoipa::openapi::{ObjectBuilder, Ref, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::draft::READ_ONLY;
use crate::limit::Limits;
use crate::post::{Rule, TextField};
use crate::view::VisibilityName;

// Parts of patterns: character classes without their brackets.
const WHITE_SPACE: &str = r"\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";
const CONTROL: &str = r"\u0000-\u001f\u007f-\u009f\u2028\u2029";
const CONTROL_BUT_WHITE_SPACE: &str = r"\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f";
const BIDI_OVERRIDE: &str = r"\u202a-\u202e\u2066-\u2069";

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
        "Omitted fields stay as they are; null or an empty string clears any field but `body` \
         and `visibility`. The other fields of a post are accepted and ignored.",
    ));
    for name in READ_ONLY {
        let any = ObjectBuilder::new().schema_type(SchemaType::AnyValue);
        change = change.property(name, any.read_only(Some(true)));
    }
    [
        ("NewPost", fields(limits).required("body").into()),
        ("PostChange", change.into()),
        (
            "NewKey",
            object().property("label", line(limits.label)).into(),
        ),
        ("Tag", tag(limits).into()),
    ]
}

/// An object that has the properties it names and no others.
fn object() -> ObjectBuilder {
    ObjectBuilder::new().additional_properties(Some(AdditionalProperties::FreeForm(false)))
}

fn fields(limits: &Limits) -> ObjectBuilder {
    let with_text = |object: ObjectBuilder, field: TextField| {
        let text = match field.rule(limits) {
            Rule::Line(max) | Rule::Name(max) => line(max),
            Rule::LanguageTag => language_tag(),
        };
        object.property(field.name(), text)
    };
    let first = with_text(object(), TextField::Title)
        .property("body", body(limits))
        .property("tags", tags(limits));
    let others = TextField::AFTER_TAGS.iter().copied();
    others
        .fold(first, with_text)
        .property("visibility", VisibilityName::schema())
}

/// Text that is not blank and has no U+0000.
fn body(limits: &Limits) -> ObjectBuilder {
    let pattern = format!(r"^[{WHITE_SPACE}]*[^\u0000{WHITE_SPACE}][^\u0000]*$");
    text(pattern).max_length(Some(limits.body))
}

/// One line of text, or null. White space around it does not count.
fn line(max: usize) -> ObjectBuilder {
    let pattern =
        format!("^[{WHITE_SPACE}]*[^{CONTROL}{BIDI_OVERRIDE}]{{0,{max}}}[{WHITE_SPACE}]*$");
    text(pattern).schema_type(SchemaType::from_iter([Type::String, Type::Null]))
}

/// A language tag (BCP 47), or null. An empty one means none.
fn language_tag() -> ObjectBuilder {
    let pattern = format!("^[{WHITE_SPACE}]*([A-Za-z0-9]+(-[A-Za-z0-9]+)*)?[{WHITE_SPACE}]*$");
    text(pattern).schema_type(SchemaType::from_iter([Type::String, Type::Null]))
}

/// One string with commas, an array of tags, or null.
fn tags(limits: &Limits) -> OneOfBuilder {
    let tag = tag_pattern(limits);
    let others = limits.tags.saturating_sub(1);
    let array = ArrayBuilder::new()
        .items(Ref::from_schema_name("Tag"))
        .max_items(Some(limits.tags));
    OneOfBuilder::new()
        .item(text(format!("^{tag}(,{tag}){{0,{others}}}$")))
        .item(array)
        .item(ObjectBuilder::new().schema_type(Type::Null))
}

fn tag(limits: &Limits) -> ObjectBuilder {
    text(format!("^{}$", tag_pattern(limits)))
}

fn tag_pattern(limits: &Limits) -> String {
    format!(
        "[^,{CONTROL_BUT_WHITE_SPACE}{BIDI_OVERRIDE}]{{0,{}}}",
        limits.tag
    )
}

fn text(pattern: String) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(pattern))
}
