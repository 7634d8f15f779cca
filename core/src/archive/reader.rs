//! Reads an archive line by line and checks each, and at its end the whole.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use sha2::{Digest, Sha256};

use super::line::{ArchiveLine, End, Header, LineNames, Record};
use super::{ArchiveError, MAX_LINE, VERSION};
use crate::post::{KeyId, PostId, SecretHash, Timestamp, hex};

const BUFFER: usize = 256 * 1024;
/// The most records that are read at a time, unless they have more bytes than that.
pub(super) const MAX_RECORDS: usize = 256;
pub(super) const MAX_BYTES: usize = 1024 * 1024;

pub(super) struct ArchiveReader<R> {
    source: BufReader<R>,
    line: Vec<u8>,
    /// The number of the current line, from 1.
    line_number: u64,
    /// The number of lines so far, without the header.
    lines: u64,
    /// Where the next line begins.
    offset: u64,
    last_key: Option<SortKey>,
    checksum: Sha256,
    is_finished: bool,
}

/// Lines are in this order: posts and tombstones, then keys, then bars.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SortKey {
    Entry(PostId),
    Key(KeyId),
    Bar([u8; 32]),
}

/// Where the line of a record is in an archive.
pub(super) struct Location {
    /// Inserted in this order, posts are appended to their lists, which costs stores the least.
    pub(super) order: Timestamp,
    pub(super) offset: u64,
    pub(super) len: usize,
    pub(super) line: u64,
}

impl Location {
    /// Reads the record again.
    pub(super) fn read(&self, source: &mut (impl Read + Seek)) -> Result<Record, ArchiveError> {
        let mut line = vec![0; self.len];
        source.seek(SeekFrom::Start(self.offset))?;
        source.read_exact(&mut line)?;
        match parse(&line, self.line)? {
            Some(ArchiveLine::Record(record)) => Ok(record),
            Some(ArchiveLine::End(_)) | None => Err(ArchiveError::Cut { line: self.line }),
        }
    }
}

impl Record {
    fn sort_key(&self) -> SortKey {
        match self {
            Self::Post(post) => SortKey::Entry(post.summary.id),
            Self::Tombstone(tombstone) => SortKey::Entry(tombstone.id),
            Self::Key(key) => SortKey::Key(key.id),
            Self::Bar(bar) => SortKey::Bar(*bar.owner.as_bytes()),
        }
    }

    pub(super) fn id(&self) -> String {
        match self.sort_key() {
            SortKey::Entry(id) => id.to_string(),
            SortKey::Key(id) => id.to_string(),
            SortKey::Bar(owner) => hex::encode(&owner),
        }
    }

    /// The hash of the edit token or of the key.
    pub(super) fn secret(&self) -> Option<SecretHash> {
        match self {
            Self::Post(post) => Some(post.edit_token),
            Self::Tombstone(tombstone) => Some(tombstone.edit_token),
            Self::Key(key) => Some(key.secret),
            Self::Bar(_) => None,
        }
    }

    fn order(&self) -> Timestamp {
        match self {
            Self::Post(post) => post.summary.listed_at().unwrap_or(post.summary.created_at),
            // Their order does not matter.
            Self::Tombstone(_) | Self::Key(_) | Self::Bar(_) => Timestamp::from_micros(0),
        }
    }
}

/// Parses the line with this number. `None` if it is something that a later version added to the format.
fn parse(line: &[u8], line_number: u64) -> Result<Option<ArchiveLine>, ArchiveError> {
    let line: LineNames = serde_json::from_slice(line).map_err(|error| {
        // There is no other line number than ours.
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        let reason = format!("{reason}, at column {}", error.column());
        ArchiveError::unreadable(line_number, reason)
    })?;
    line.into_line()
        .map_err(|reason| ArchiveError::unreadable(line_number, reason))
}

impl<R: Read + Seek> ArchiveReader<R> {
    pub(super) fn open(mut source: R) -> Result<Self, ArchiveError> {
        source.seek(SeekFrom::Start(0))?;
        let mut reader = Self {
            source: BufReader::with_capacity(BUFFER, source),
            line: Vec::new(),
            line_number: 0,
            lines: 0,
            offset: 0,
            last_key: None,
            checksum: Sha256::new(),
            is_finished: false,
        };
        let not_an_archive = |error| match error {
            ArchiveError::Io(error) => ArchiveError::Io(error),
            _ => ArchiveError::NotAnArchive,
        };
        reader.read_line().map_err(not_an_archive)?;
        let header: Header =
            serde_json::from_slice(&reader.line).map_err(|_| ArchiveError::NotAnArchive)?;
        match header.handbill_archive {
            0 => Err(ArchiveError::NotAnArchive),
            1..=VERSION => Ok(reader),
            version => Err(ArchiveError::NewerVersion { version }),
        }
    }

    /// The next record and where it is. `None` at the end of a whole archive.
    fn next(&mut self) -> Result<Option<(Record, Location)>, ArchiveError> {
        if self.is_finished {
            return Ok(None);
        }
        let (record, offset) = loop {
            let offset = self.offset;
            self.read_line()?;
            match parse(&self.line, self.line_number)? {
                Some(ArchiveLine::Record(record)) => break (record, offset),
                Some(ArchiveLine::End(end)) => return self.end(&end).map(|()| None),
                None => self.count_line(),
            }
        };
        let sort_key = record.sort_key();
        if self.last_key.is_some_and(|last| last >= sort_key) {
            return Err(ArchiveError::Repeated {
                line: self.line_number,
            });
        }
        self.last_key = Some(sort_key);
        self.count_line();
        let location = Location {
            order: record.order(),
            offset,
            line: self.line_number,
            len: self.line.len(),
        };
        Ok(Some((record, location)))
    }

    /// The next records and where they are. There are none at the end of a whole archive.
    pub(super) fn read_batch(mut self) -> Result<(Self, Vec<(Record, Location)>), ArchiveError> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < MAX_RECORDS && bytes < MAX_BYTES {
            let Some((record, location)) = self.next()? else {
                break;
            };
            bytes += location.len;
            batch.push((record, location));
        }
        Ok((self, batch))
    }

    /// The source, to read it again.
    pub(super) fn into_source(self) -> R {
        self.source.into_inner()
    }

    /// Adds the current line to what the last line states.
    fn count_line(&mut self) {
        self.lines += 1;
        self.checksum.update(&self.line);
    }

    fn end(&mut self, end: &End) -> Result<(), ArchiveError> {
        let (stated, found) = (end.lines, self.lines);
        if stated != found {
            return Err(ArchiveError::WrongCount { stated, found });
        }
        let checksum = std::mem::take(&mut self.checksum).finalize();
        if end.sha256 != hex::encode(&checksum) {
            return Err(ArchiveError::WrongChecksum);
        }
        if !self.source.fill_buf()?.is_empty() {
            let reason = "the archive has ended before this line";
            return Err(ArchiveError::unreadable(self.line_number + 1, reason));
        }
        self.is_finished = true;
        Ok(())
    }

    /// Reads a whole line with its newline.
    fn read_line(&mut self) -> Result<(), ArchiveError> {
        self.line_number += 1;
        self.line.clear();
        let mut limited = (&mut self.source).take(MAX_LINE as u64);
        let read = limited.read_until(b'\n', &mut self.line)?;
        self.offset += read as u64;
        if self.line.ends_with(b"\n") {
            return Ok(());
        }
        if self.line.len() == MAX_LINE {
            let reason = format!("a line has at most {MAX_LINE} bytes");
            return Err(ArchiveError::unreadable(self.line_number, reason));
        }
        Err(ArchiveError::Cut {
            line: self.line_number,
        })
    }
}
