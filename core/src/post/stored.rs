//! Values as stored JSON: in the lines of an archive, and in the changes that stores preserve for durable listeners.
//! Names that this version does not know are ignored.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};

use super::{Owner, PostId, PostSummary, Revision, Tag, Timestamp, Visibility};

/// A post without its body. Its own JSON is that of the API.
#[derive(Deserialize, Serialize)]
#[serde(remote = "PostSummary")]
pub(crate) struct StoredSummary {
    id: PostId,
    revision: Revision,
    #[serde(with = "micros")]
    created_at: Timestamp,
    #[serde(default, with = "optional_micros")]
    published_at: Option<Timestamp>,
    #[serde(with = "micros")]
    updated_at: Timestamp,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "optional_micros"
    )]
    publish_at: Option<Timestamp>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "optional_micros"
    )]
    expires_at: Option<Timestamp>,
    visibility: Visibility,
    owner: Option<Owner>,
    title: Option<String>,
    heading: Option<String>,
    excerpt: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    picture: Option<String>,
    #[serde(deserialize_with = "tags")]
    tags: Vec<Tag>,
    focus_keyword: Option<String>,
    author: Option<String>,
    language: Option<String>,
}

/// Restores tags without normalising them again.
fn tags<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Tag>, D::Error> {
    let tags = Vec::<String>::deserialize(deserializer)?;
    Ok(tags.into_iter().map(Tag::from_stored).collect())
}

pub(crate) fn from_text<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(D::Error::custom)
}

/// Lets types print and serialise the text of `as_str`, and deserialise what they parse.
macro_rules! as_text {
    ($($name:ident),*) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
                $crate::post::stored::from_text(text)
            }
        }
    )*};
}
pub(super) use as_text;

/// A time, in microseconds.
pub(crate) mod micros {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        time: &Timestamp,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(time.as_micros())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Timestamp, D::Error> {
        let micros = i64::deserialize(deserializer)?;
        let time = Timestamp::from_micros(micros);
        // Another one is returned for times out of bounds.
        (time.as_micros() == micros).then_some(time).ok_or_else(|| {
            D::Error::custom("a time is in microseconds, from the years 1970 to 9998")
        })
    }
}

/// A time, in microseconds, or null.
pub(crate) mod optional_micros {
    use super::*;

    #[derive(Deserialize, Serialize)]
    struct Micros(#[serde(with = "micros")] Timestamp);

    pub(crate) fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(Micros).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        let time = Option::<Micros>::deserialize(deserializer)?;
        Ok(time.map(|Micros(time)| time))
    }
}

/// The hash of a secret, in lowercase hexadecimal.
pub(crate) mod hash {
    use super::*;
    use crate::post::{SecretHash, hex};

    pub(crate) fn serialize<S: Serializer>(
        hash: &SecretHash,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(hash.as_bytes()))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<SecretHash, D::Error> {
        let hash = hex::decode(&String::deserialize(deserializer)?).map(SecretHash::from_bytes);
        hash.ok_or_else(|| {
            D::Error::custom("a hash of 64 lowercase hexadecimal digits is expected")
        })
    }
}
