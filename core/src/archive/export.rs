use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::line::{ArchiveLine, End, Header, Record};
use super::{Archive, ArchiveError, MAX_LINE, Step, VERSION};
use crate::post::{Entry, hex};

/// How many posts or keys are read from the store at a time. They are in memory together.
const WALK_BATCH: u32 = 100;

/// What an export wrote.
///
/// ```
/// # use handbill::{Draft, Handbill, MemoryStore};
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
/// # handbill.posts().create(Draft::new().body("A post.")).await?;
/// # let mut file = Vec::new();
/// let exported = handbill.archive().export(&mut file).await?;
/// println!("{} posts, {} deleted ones, {} keys", exported.posts, exported.tombstones, exported.keys);
/// # assert_eq!((exported.posts, exported.tombstones, exported.keys), (1, 0, 0));
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// The number of posts.
    pub posts: u64,
    /// The number of tombstones of deleted posts.
    pub tombstones: u64,
    /// The number of API keys.
    pub keys: u64,
    /// The number of owners who are banned.
    pub bans: u64,
}

impl Exported {
    fn total(&self) -> u64 {
        self.posts + self.tombstones + self.keys + self.bans
    }
}

pub(super) async fn run(
    archive: &Archive<'_>,
    sink: &mut (impl AsyncWrite + Unpin + Send),
) -> Result<Exported, ArchiveError> {
    let (store, now) = (&archive.context.store, archive.context.clock.now());
    // Bars that have ended concern only requests that have ended.
    let mut bars = super::bars(store).await?;
    bars.retain(|bar| bar.until > now);
    let header = Header {
        handbill_archive: if bars.is_empty() { 1 } else { VERSION },
        created_at: now.to_rfc3339(),
        created_by: concat!("handbill ", env!("CARGO_PKG_VERSION")).to_owned(),
    };
    let (mut batch, mut checksum) = (Vec::new(), Sha256::new());
    append_line(&mut batch, &header)?;
    sink.write_all(&batch).await?;

    let (mut exported, mut last_id) = (Exported::default(), None);
    loop {
        let entries = store.walk_entries(last_id, WALK_BATCH).await?;
        let Some(last) = entries.last() else { break };
        last_id = Some(last.id());
        batch.clear();
        for entry in entries {
            let id = entry.id();
            match &entry {
                Entry::Live(_) => exported.posts += 1,
                Entry::Gone(_) => exported.tombstones += 1,
            }
            if append_line(&mut batch, &Record::from(entry))? > MAX_LINE {
                return Err(ArchiveError::TooLong { id: id.to_string() });
            }
        }
        checksum.update(&batch);
        sink.write_all(&batch).await?;
        archive.report(Step::Export, exported.total(), None);
    }

    let mut last_id = None;
    loop {
        let keys = store.walk_keys(last_id, WALK_BATCH).await?;
        let Some(last) = keys.last() else { break };
        last_id = Some(last.id);
        batch.clear();
        for key in keys {
            exported.keys += 1;
            append_line(&mut batch, &Record::Key(key))?;
        }
        checksum.update(&batch);
        sink.write_all(&batch).await?;
        archive.report(Step::Export, exported.total(), None);
    }

    batch.clear();
    for bar in bars {
        exported.bans += 1;
        append_line(&mut batch, &Record::Bar(bar))?;
    }
    checksum.update(&batch);
    sink.write_all(&batch).await?;

    batch.clear();
    let end = End {
        lines: exported.total(),
        sha256: hex::encode(&checksum.finalize()),
    };
    append_line(&mut batch, &ArchiveLine::End(end))?;
    sink.write_all(&batch).await?;
    sink.flush().await?;
    Ok(exported)
}

/// Adds a line and returns its length.
fn append_line(batch: &mut Vec<u8>, line: &impl Serialize) -> Result<usize, ArchiveError> {
    let before = batch.len();
    serde_json::to_writer(&mut *batch, line).map_err(std::io::Error::from)?;
    batch.push(b'\n');
    Ok(batch.len() - before)
}
