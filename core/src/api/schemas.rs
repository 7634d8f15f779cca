//! What clients send, described with the limits that this host set.

use utoipa::openapi::schema::{ArrayBuilder, OneOfBuilder, SchemaType};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::limit::Limits;

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

made_later!(NewPost, PostChange, NewKey);

/// The schemas of all bodies that clients send.
pub(super) fn of_bodies(limits: &Limits) -> [(&'static str, RefOr<Schema>); 3] {
    let label = text(limits.label, "What the key's holder calls it: one line.");
    [
        ("NewPost", fields(limits).required("body").into()),
        (
            "PostChange",
            fields(limits)
                .description(Some(
                    "Fields that are left out are kept; null or an empty string clears all but \
                     `body`. What else a read returns is accepted and passed over.",
                ))
                .into(),
        ),
        (
            "NewKey",
            ObjectBuilder::new().property("label", label).into(),
        ),
    ]
}

fn fields(limits: &Limits) -> ObjectBuilder {
    ObjectBuilder::new()
        .property("title", text(limits.title, "One line; empty means none."))
        .property(
            "body",
            ObjectBuilder::new()
                .schema_type(Type::String)
                .min_length(Some(1))
                .max_length(Some(limits.body))
                .description(Some(
                    "Markdown: CommonMark with tables, strikethrough and task lists. Not blank, \
                     no U+0000; kept byte for byte.",
                )),
        )
        .property("tags", tags(limits))
        .property(
            "focus_keyword",
            text(limits.focus_keyword, "One line; empty means none."),
        )
}

fn text(max: usize, description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .max_length(Some(max))
        .description(Some(description))
}

fn tags(limits: &Limits) -> OneOfBuilder {
    let tag = ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(limits.tag));
    OneOfBuilder::new()
        .item(ObjectBuilder::new().schema_type(Type::String))
        .item(ArrayBuilder::new().items(tag).max_items(Some(limits.tags)))
        .item(ObjectBuilder::new().schema_type(Type::Null))
        .description(Some(
            "Tags separated by commas, or one an item. Normalised: trimmed, without leading `#`, \
             Unicode NFC, lowercase, single spaces; empty ones and duplicates are dropped.",
        ))
}
