use std::collections::{HashMap, HashSet};
use std::io::{self, Read, Seek};

use tokio::task::JoinSet;

use super::check::Checks;
use super::line::Record;
use super::reader::{ArchiveReader, Location, MAX_BYTES, MAX_RECORDS};
use super::{Archive, ArchiveError, Step};
use crate::observe::measured_store::MeasuredStore;
use crate::post::{KeyRecord, PostId};
use crate::store::{Bar, Freshness, Outcome, PostKey, StoreError, Write};

/// Inserts under way, so that stores commit many together. Stores have room for 1,024 writes.
const MAX_INSERTS: usize = 256;
/// The most bytes of their lines.
const MAX_INSERTED_BYTES: usize = 16 * 1024 * 1024;

/// What an import did, or would do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// The posts.
    pub posts: ImportCount,
    /// The tombstones of deleted posts.
    pub tombstones: ImportCount,
    /// The API keys.
    pub keys: ImportCount,
    /// The owners who are banned.
    pub bans: ImportCount,
}

/// How many posts, tombstones, keys or bans were inserted, and how many were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportCount {
    /// They were not in the store.
    pub inserted: u64,
    /// They were in the store already: their identifiers, or the keys under another identifier, or a longer ban.
    pub skipped: u64,
}

impl ImportCount {
    fn add(&mut self, is_new: bool) {
        match is_new {
            true => self.inserted += 1,
            false => self.skipped += 1,
        }
    }

    const fn total(&self) -> u64 {
        self.inserted + self.skipped
    }
}

impl Imported {
    const fn total(&self) -> u64 {
        self.posts.total() + self.tombstones.total() + self.keys.total() + self.bans.total()
    }
}

type CountOf = fn(&mut Imported) -> &mut ImportCount;

impl Record {
    fn count_of(&self) -> CountOf {
        match self {
            Self::Post(_) => |imported| &mut imported.posts,
            Self::Tombstone(_) => |imported| &mut imported.tombstones,
            Self::Key(_) => |imported| &mut imported.keys,
            Self::Bar(_) => |imported| &mut imported.bans,
        }
    }
}

pub(super) async fn run(
    archive: &Archive<'_>,
    source: impl Read + Seek + Send + 'static,
) -> Result<Imported, ArchiveError> {
    let (mut records, total) = check(archive, source).await?;
    let mut inserts = Inserts::default();
    loop {
        let batch;
        (records, batch) = blocking(|| records.read_batch()).await?;
        if batch.is_empty() {
            break;
        }
        for (record, bytes) in batch {
            inserts.make_room(bytes).await?;
            inserts.start(&archive.context.store, record, bytes);
        }
        archive.report(Step::Import, inserts.imported.total(), Some(total));
    }
    let imported = inserts.finish().await?;
    archive.report(Step::Import, imported.total(), Some(total));
    Ok(imported)
}

pub(super) async fn dry_run(
    archive: &Archive<'_>,
    source: impl Read + Seek + Send + 'static,
) -> Result<Imported, ArchiveError> {
    let (mut records, total) = check(archive, source).await?;
    let store = &archive.context.store;
    let mut stored_keys = HashSet::new();
    store
        .visit_keys(|key| {
            stored_keys.insert(key.id);
        })
        .await?;
    let stored_bars = super::bars(store).await?.into_iter();
    let stored_bars: HashMap<_, _> = stored_bars.map(|bar| (bar.owner, bar.until)).collect();
    let mut imported = Imported::default();
    loop {
        let batch;
        (records, batch) = blocking(|| records.read_batch()).await?;
        if batch.is_empty() {
            return Ok(imported);
        }
        for (record, _) in batch {
            let is_new = match &record {
                Record::Post(post) => is_unused(store, post.summary.id).await?,
                Record::Tombstone(tombstone) => is_unused(store, tombstone.id).await?,
                Record::Key(key) => {
                    !stored_keys.contains(&key.id) && store.find_key(key.secret).await?.is_none()
                }
                Record::Bar(bar) => stored_bars
                    .get(&bar.owner)
                    .is_none_or(|until| *until < bar.until),
            };
            record.count_of()(&mut imported).add(is_new);
        }
        archive.report(Step::Import, imported.total(), Some(total));
    }
}

/// Reads the whole archive. Returns its records and their number, if all are accepted.
async fn check<R: Read + Seek + Send + 'static>(
    archive: &Archive<'_>,
    source: R,
) -> Result<(OrderedRecords<R>, u64), ArchiveError> {
    let mut reader = blocking(|| ArchiveReader::open(source)).await?;
    let mut checks = Checks::new(&archive.context.limits);
    let (mut locations, mut secrets) = (Vec::new(), HashSet::new());
    loop {
        let batch;
        (reader, batch) = match blocking(|| reader.read_batch()).await {
            Ok(read) => read,
            // What is wrong with an earlier line is reported first.
            Err(error) => return Err(checks.finish().await.err().unwrap_or(error)),
        };
        let total = (locations.len() + batch.len()) as u64;
        archive.report(Step::Check, total, None);
        if batch.is_empty() {
            checks.finish().await?;
            return Ok((OrderedRecords::new(reader.into_source(), locations), total));
        }
        let mut records = Vec::with_capacity(batch.len());
        let (mut bytes, mut repeated) = (0, None);
        for (record, location) in batch {
            let is_new = record.secret().is_none_or(|secret| secrets.insert(secret));
            if !is_new && repeated.is_none() {
                let reason = "an earlier line has the same edit token or key";
                repeated = Some(ArchiveError::not_accepted(location.line, &record, reason));
            }
            bytes += location.len;
            records.push((location.line, record));
            locations.push(location);
        }
        checks.start(records, bytes).await?;
        if let Some(error) = repeated {
            return Err(checks.finish().await.err().unwrap_or(error));
        }
    }
}

/// Reads and parses on a thread that may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ArchiveError> + Send + 'static,
) -> Result<T, ArchiveError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(io::Error::other)?
}

/// A checked archive whose records are read again, in the order of their locations.
struct OrderedRecords<R> {
    source: R,
    locations: std::vec::IntoIter<Location>,
}

impl<R: Read + Seek> OrderedRecords<R> {
    fn new(source: R, mut locations: Vec<Location>) -> Self {
        locations.sort_unstable_by_key(|location| (location.order, location.offset));
        let locations = locations.into_iter();
        Self { source, locations }
    }

    /// The next records and the lengths of their lines. None at the end.
    fn read_batch(mut self) -> Result<(Self, Vec<(Record, usize)>), ArchiveError> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < MAX_RECORDS && bytes < MAX_BYTES {
            let Some(location) = self.locations.next() else {
                break;
            };
            bytes += location.len;
            batch.push((location.read(&mut self.source)?, location.len));
        }
        Ok((self, batch))
    }
}

/// The inserts under way, and the outcomes of those before.
#[derive(Default)]
struct Inserts {
    tasks: JoinSet<(CountOf, usize, Result<Outcome, StoreError>)>,
    bytes: usize,
    imported: Imported,
}

impl Inserts {
    /// Waits until an insert of so many bytes may start.
    async fn make_room(&mut self, bytes: usize) -> Result<(), ArchiveError> {
        while self.tasks.len() >= MAX_INSERTS
            || (!self.tasks.is_empty() && self.bytes + bytes > MAX_INSERTED_BYTES)
        {
            self.end_one().await?;
        }
        Ok(())
    }

    fn start(&mut self, store: &MeasuredStore, record: Record, bytes: usize) {
        let (store, count_of) = (store.clone(), record.count_of());
        self.bytes += bytes;
        self.tasks.spawn(async move {
            let outcome = match record {
                Record::Post(post) => {
                    let insert = Write::InsertPost {
                        post,
                        words: None,
                        by: None,
                    };
                    store.write(insert, None).await
                }
                Record::Tombstone(tombstone) => {
                    store.write(Write::InsertTombstone(tombstone), None).await
                }
                Record::Key(key) => insert_key(&store, key).await,
                Record::Bar(Bar { owner, until }) => {
                    store.write(Write::Bar { owner, until }, None).await
                }
            };
            (count_of, bytes, outcome)
        });
    }

    async fn finish(mut self) -> Result<Imported, ArchiveError> {
        while !self.tasks.is_empty() {
            self.end_one().await?;
        }
        Ok(self.imported)
    }

    async fn end_one(&mut self) -> Result<(), ArchiveError> {
        let Some(ended) = self.tasks.join_next().await else {
            return Ok(());
        };
        let (count_of, bytes, outcome) =
            ended.map_err(|failed| StoreError::new("finish an insert", failed))?;
        self.bytes -= bytes;
        count_of(&mut self.imported).add(outcome? == Outcome::Applied);
        Ok(())
    }
}

/// Inserts a key, unless the store has it under any identifier.
async fn insert_key(store: &MeasuredStore, key: KeyRecord) -> Result<Outcome, StoreError> {
    match store.find_key(key.secret).await? {
        None => store.write(Write::InsertKey { key, by: None }, None).await,
        Some(_) => Ok(Outcome::Conflict),
    }
}

/// Whether there is no post and no tombstone with this identifier.
async fn is_unused(store: &MeasuredStore, id: PostId) -> Result<bool, StoreError> {
    let found = store.get_post(PostKey::Id(id), Freshness::Current).await?;
    Ok(found.is_none())
}
