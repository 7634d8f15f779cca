//! What clients send, described with the limits that this host set; in words, by the messages (see
//! [`words`](super::words)).

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
    let label = text(limits.label);
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
        .property("title", text(limits.title))
        .property(
            "body",
            ObjectBuilder::new()
                .schema_type(Type::String)
                .min_length(Some(1))
                .max_length(Some(limits.body)),
        )
        .property("tags", tags(limits))
        .property("focus_keyword", text(limits.focus_keyword))
}

fn text(max: usize) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .max_length(Some(max))
}

fn tags(limits: &Limits) -> OneOfBuilder {
    let tag = ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(limits.tag));
    OneOfBuilder::new()
        .item(ObjectBuilder::new().schema_type(Type::String))
        .item(ArrayBuilder::new().items(tag).max_items(Some(limits.tags)))
        .item(ObjectBuilder::new().schema_type(Type::Null))
}
