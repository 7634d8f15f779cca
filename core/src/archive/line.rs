//! The lines of an archive as JSON, and the values that they stand for. With serde, stores can use the same
//! format. Names that this version does not know are ignored.

use std::sync::Arc;

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};

use crate::post::hex;
use crate::post::key::KeyRecord;
use crate::post::line::{Fault, SummaryLine, parse, parse_or_none, timestamp, timestamp_or_none};
use crate::post::secret::SecretHash;
use crate::post::time::Timestamp;
use crate::post::{Creation, Entry, Post, Tombstone};

/// The first line.
#[derive(Deserialize, Serialize)]
pub(super) struct Header {
    /// The version of the format.
    pub(super) handbill_archive: u64,
    #[serde(default)]
    pub(super) created_at: String,
    #[serde(default)]
    pub(super) created_by: String,
}

/// Any line but the first one.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Line {
    Post(Box<PostLine>),
    Tombstone(TombstoneLine),
    Key(KeyLine),
    End(End),
}

/// The names that a line may have, one at a time.
#[derive(Deserialize)]
pub(super) struct LineNames {
    post: Option<Box<PostLine>>,
    tombstone: Option<TombstoneLine>,
    key: Option<KeyLine>,
    end: Option<End>,
}

impl LineNames {
    /// The line, or `None` if it has other names only.
    pub(super) fn into_line(self) -> Result<Option<Line>, Fault> {
        let mut lines = [
            self.post.map(Line::Post),
            self.tombstone.map(Line::Tombstone),
            self.key.map(Line::Key),
            self.end.map(Line::End),
        ]
        .into_iter()
        .flatten();
        match (lines.next(), lines.next()) {
            (_, Some(_)) => {
                Err("a line has one of `post`, `tombstone`, `key` and `end`".to_owned())
            }
            (line, None) => Ok(line),
        }
    }
}

/// The last line.
#[derive(Deserialize, Serialize)]
pub(super) struct End {
    pub(super) lines: u64,
    pub(super) sha256: String,
}

#[derive(Deserialize, Serialize)]
pub(super) struct PostLine {
    #[serde(flatten)]
    summary: SummaryLine,
    body: String,
    edit_token: String,
    created_by: Option<String>,
    creation: Option<CreationLine>,
}

#[derive(Deserialize, Serialize)]
struct CreationLine {
    edit_token: String,
    request: String,
}

#[derive(Deserialize, Serialize)]
pub(super) struct TombstoneLine {
    id: String,
    edit_token: String,
    owner: Option<String>,
    visibility: String,
    creation: Option<CreationLine>,
}

#[derive(Deserialize, Serialize)]
pub(super) struct KeyLine {
    id: String,
    label: Option<String>,
    owner: String,
    secret: String,
    created_at: i64,
    last_used_at: Option<i64>,
}

impl From<Post> for PostLine {
    fn from(post: Post) -> Self {
        Self {
            summary: post.summary.into(),
            body: post.body,
            edit_token: hex::encode(post.edit_token.as_bytes()),
            created_by: post.created_by.map(|key| key.to_string()),
            creation: post.creation.map(CreationLine::from),
        }
    }
}

impl From<Tombstone> for TombstoneLine {
    fn from(tombstone: Tombstone) -> Self {
        Self {
            id: tombstone.id.to_string(),
            edit_token: hex::encode(tombstone.edit_token.as_bytes()),
            owner: tombstone.owner.map(|owner| owner.to_string()),
            visibility: tombstone.visibility.to_string(),
            creation: tombstone.creation.map(CreationLine::from),
        }
    }
}

impl From<KeyRecord> for KeyLine {
    fn from(key: KeyRecord) -> Self {
        Self {
            id: key.id.to_string(),
            label: key.label,
            owner: key.owner.to_string(),
            secret: hex::encode(key.secret.as_bytes()),
            created_at: key.created_at.as_micros(),
            last_used_at: key.last_used_at.map(Timestamp::as_micros),
        }
    }
}

impl From<Creation> for CreationLine {
    fn from(creation: Creation) -> Self {
        Self {
            edit_token: hex::encode(creation.edit_token.as_bytes()),
            request: hex::encode(creation.request.as_bytes()),
        }
    }
}

impl From<Entry> for Line {
    fn from(entry: Entry) -> Self {
        match entry {
            Entry::Live(post) => Self::Post(Box::new(Arc::unwrap_or_clone(post).into())),
            Entry::Gone(tombstone) => Self::Tombstone(tombstone.into()),
        }
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Line::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let line = LineNames::deserialize(deserializer)?.into_line();
        let entry = line.and_then(|line| match line {
            Some(Line::Post(line)) => Post::try_from(*line).map(|post| Self::Live(post.into())),
            Some(Line::Tombstone(line)) => line.try_into().map(Self::Gone),
            _ => Err("a post or a tombstone is expected".to_owned()),
        });
        entry.map_err(D::Error::custom)
    }
}

impl Serialize for KeyRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        KeyLine::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for KeyRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let line = KeyLine::deserialize(deserializer)?;
        line.try_into().map_err(D::Error::custom)
    }
}

impl TryFrom<PostLine> for Post {
    type Error = Fault;

    fn try_from(line: PostLine) -> Result<Self, Fault> {
        let edit_token = hash("edit_token", &line.edit_token)?;
        Ok(Self::new(line.summary.try_into()?, line.body, edit_token)
            .with_created_by(parse_or_none("created_by", line.created_by.as_deref())?)
            .with_creation(line.creation.map(Creation::try_from).transpose()?))
    }
}

impl TryFrom<TombstoneLine> for Tombstone {
    type Error = Fault;

    fn try_from(line: TombstoneLine) -> Result<Self, Fault> {
        let edit_token = hash("edit_token", &line.edit_token)?;
        Ok(Self::new(parse("id", &line.id)?, edit_token)
            .with_owner(parse_or_none("owner", line.owner.as_deref())?)
            .with_visibility(parse("visibility", &line.visibility)?)
            .with_creation(line.creation.map(Creation::try_from).transpose()?))
    }
}

impl TryFrom<KeyLine> for KeyRecord {
    type Error = Fault;

    fn try_from(line: KeyLine) -> Result<Self, Fault> {
        let created_at = timestamp("created_at", line.created_at)?;
        let secret = hash("secret", &line.secret)?;
        Ok(Self::new(parse("id", &line.id)?, secret, created_at)
            .with_label(line.label)
            .with_owner(parse("owner", &line.owner)?)
            .with_last_used_at(timestamp_or_none("last_used_at", line.last_used_at)?))
    }
}

impl TryFrom<CreationLine> for Creation {
    type Error = Fault;

    fn try_from(line: CreationLine) -> Result<Self, Fault> {
        let edit_token = hash("creation.edit_token", &line.edit_token)?;
        Ok(Self::new(
            edit_token,
            hash("creation.request", &line.request)?,
        ))
    }
}

fn hash(name: &str, text: &str) -> Result<SecretHash, Fault> {
    hex::decode(text)
        .map(SecretHash::from_bytes)
        .ok_or_else(|| format!("{name}: 64 lowercase hexadecimal digits are expected"))
}
