//! The summary of a post as JSON: in the lines of an archive, and in the changes that stores preserve for durable
//! listeners. Names that this version does not know are ignored.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::{PerTextField, PostSummary, Revision, Tag, TextField};
use crate::post::time::Timestamp;

/// A post without its body.
#[derive(Deserialize, Serialize)]
pub(crate) struct SummaryLine {
    id: String,
    revision: u64,
    created_at: i64,
    published_at: Option<i64>,
    updated_at: i64,
    visibility: String,
    owner: Option<String>,
    title: Option<String>,
    heading: Option<String>,
    excerpt: String,
    tags: Vec<String>,
    #[serde(flatten)]
    texts: Texts,
}

/// The texts that come after the tags.
#[derive(Default)]
struct Texts(PerTextField<Option<String>>);

impl From<PostSummary> for SummaryLine {
    fn from(summary: PostSummary) -> Self {
        let tags = summary.tags.iter();
        let mut texts = Texts::default();
        for &field in TextField::ALL_BUT_TITLE {
            texts.0[field as usize] = summary.text(field).map(str::to_owned);
        }
        Self {
            id: summary.id.to_string(),
            revision: summary.revision.number(),
            created_at: summary.created_at.as_micros(),
            published_at: summary.published_at.map(Timestamp::as_micros),
            updated_at: summary.updated_at.as_micros(),
            visibility: summary.visibility.to_string(),
            owner: summary.owner.map(|owner| owner.to_string()),
            title: summary.title,
            heading: summary.heading,
            excerpt: summary.excerpt,
            tags: tags.map(|tag| tag.as_str().to_owned()).collect(),
            texts,
        }
    }
}

impl Serialize for Texts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = TextField::ALL_BUT_TITLE.iter();
        serializer.collect_map(fields.map(|field| (field.name(), &self.0[*field as usize])))
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut names = BTreeMap::<String, Value>::deserialize(deserializer)?;
        let mut texts = Self::default();
        for &field in TextField::ALL_BUT_TITLE {
            let text = names.remove(field.name()).map(Option::deserialize);
            let text = text.transpose().map_err(D::Error::custom)?;
            texts.0[field as usize] = text.flatten();
        }
        Ok(texts)
    }
}

/// What is wrong with a value, and under which name.
pub(crate) type Fault = String;

impl TryFrom<SummaryLine> for PostSummary {
    type Error = Fault;

    fn try_from(line: SummaryLine) -> Result<Self, Fault> {
        let mut summary = Self::new(
            parse("id", &line.id)?,
            timestamp("created_at", line.created_at)?,
        )
        .with_revision(revision(line.revision)?)
        .with_published_at(timestamp_or_none("published_at", line.published_at)?)
        .with_updated_at(timestamp("updated_at", line.updated_at)?)
        .with_visibility(parse("visibility", &line.visibility)?)
        .with_owner(parse_or_none("owner", line.owner.as_deref())?)
        .with_title(line.title)
        .with_heading(line.heading)
        .with_excerpt(line.excerpt)
        .with_tags(line.tags.into_iter().map(Tag::from_stored).collect());
        let mut texts = line.texts.0;
        for &field in TextField::ALL_BUT_TITLE {
            summary = summary.with_text(field, texts[field as usize].take());
        }
        Ok(summary)
    }
}

pub(crate) fn parse<T: FromStr<Err: Display>>(name: &str, text: &str) -> Result<T, Fault> {
    text.parse().map_err(|error| format!("{name}: {error}"))
}

pub(crate) fn parse_or_none<T: FromStr<Err: Display>>(
    name: &str,
    text: Option<&str>,
) -> Result<Option<T>, Fault> {
    text.map(|text| parse(name, text)).transpose()
}

pub(crate) fn timestamp(name: &str, micros: i64) -> Result<Timestamp, Fault> {
    let timestamp = Timestamp::from_micros(micros);
    // Another one is returned for times out of bounds.
    (timestamp.as_micros() == micros)
        .then_some(timestamp)
        .ok_or_else(|| format!("{name}: a time is in microseconds, from the years 1970 to 9998"))
}

pub(crate) fn timestamp_or_none(
    name: &str,
    micros: Option<i64>,
) -> Result<Option<Timestamp>, Fault> {
    micros.map(|micros| timestamp(name, micros)).transpose()
}

fn revision(number: u64) -> Result<Revision, Fault> {
    let revision = Revision::from_number(number);
    (Revision::FIRST..=Revision::LAST)
        .contains(&revision)
        .then_some(revision)
        .ok_or_else(|| {
            let last = Revision::LAST.number();
            format!("revision: a number from 1 to {last} is expected")
        })
}
