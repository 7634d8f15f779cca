//! The lines of an archive as JSON. With serde, stores can use the same format. Names that this version does not know
//! are ignored.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::post::{Bar, Entry, KeyRecord, Post, Tombstone};

#[derive(Deserialize, Serialize)]
pub(super) struct Header {
    pub(super) handbill_archive: u64,
    #[serde(default)]
    pub(super) created_at: String,
    #[serde(default)]
    pub(super) created_by: String,
}

/// Any line but the first one.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ArchiveLine {
    End(End),
    #[serde(untagged)]
    Record(Record),
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Record {
    Post(Arc<Post>),
    Tombstone(Tombstone),
    Key(KeyRecord),
    Bar(Bar),
}

#[derive(Deserialize, Serialize)]
pub(super) struct End {
    pub(super) lines: u64,
    pub(super) sha256: String,
}

/// The names that a line may have, one at a time.
#[derive(Deserialize)]
pub(super) struct LineNames {
    post: Option<Arc<Post>>,
    tombstone: Option<Tombstone>,
    key: Option<KeyRecord>,
    bar: Option<Bar>,
    end: Option<End>,
}

impl LineNames {
    /// The line, or `None` if it has other names only.
    pub(super) fn into_line(self) -> Result<Option<ArchiveLine>, &'static str> {
        let records = [
            self.post.map(Record::Post),
            self.tombstone.map(Record::Tombstone),
            self.key.map(Record::Key),
            self.bar.map(Record::Bar),
        ];
        let records = records.into_iter().flatten().map(ArchiveLine::Record);
        let mut lines = records.chain(self.end.map(ArchiveLine::End));
        match (lines.next(), lines.next()) {
            (_, Some(_)) => Err("a line has one of `post`, `tombstone`, `key`, `bar` and `end`"),
            (line, None) => Ok(line),
        }
    }
}

impl From<Entry> for Record {
    fn from(entry: Entry) -> Self {
        match entry {
            Entry::Live(post) => Self::Post(post),
            Entry::Gone(tombstone) => Self::Tombstone(tombstone),
        }
    }
}
