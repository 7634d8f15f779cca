//! The archive: everything that a store has, as one file that any other store can read.
//!
//! [`Archive`] describes the format.

mod check;
mod error;
mod export;
mod import;
mod line;
mod reader;

use std::io::{Read, Seek};

use tokio::io::AsyncWrite;

pub use self::error::ArchiveError;
pub use self::export::Exported;
pub use self::import::{ImportCount, Imported};

use crate::context::Context;
use crate::observe::measured_store::MeasuredStore;
use crate::store::{Bar, StoreError};

/// The latest version of the format. An archive without a bar has version 1, so that earlier releases read it.
const VERSION: u64 = 2;

/// The most bytes that a line may have. The largest posts have a few MiB, unless the host raised the limits.
const MAX_LINE: usize = 64 * 1024 * 1024;

const BARS_AT_ONCE: u32 = 1000;

/// Moves everything that a service has to another store: posts, tombstones, keys and bans, with every time, revision
/// and hash. All addresses keep working, also those of edit pages, and so do API keys.
///
/// ```
/// use handbill::{Draft, Handbill, MemoryStore};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let old = Handbill::new("https://example.org", MemoryStore::new())?;
/// let post = old.posts().create(Draft::new().body("Some *Markdown*.")).await?;
/// let mut file = Vec::new();
/// old.archive().export(&mut file).await?;
///
/// let new = Handbill::new("https://example.org", MemoryStore::new())?;
/// let imported = new.archive().import(std::io::Cursor::new(file)).await?;
/// assert_eq!(imported.posts.inserted, 1);
/// assert!(new.posts().read(post.id).await.is_ok());
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
///
/// # Format, version 2
///
/// Newline-delimited JSON in UTF-8. Every line ends with U+000A, also the last one.
///
/// | line | content |
/// |---|---|
/// | first | `{"handbill_archive":2,"created_at":"…","created_by":"handbill 0.2.0"}` |
/// | posts and tombstones | `{"post":{…}}` and `{"tombstone":{…}}`, in ascending order of their identifiers |
/// | keys | `{"key":{…}}`, in ascending order of their identifiers |
/// | bans | `{"bar":{…}}`, in ascending order of the hashes of their owners |
/// | last | `{"end":{"lines":2,"sha256":"…"}}` |
///
/// The first line has the version of the format, and when (RFC 3339) and by what the archive was made. The last one has
/// the number of the lines between both, and their SHA-256 in lowercase hexadecimal, newlines included.
///
/// A later release may add names to lines, and lines with other names. A reader ignores those that it does not know;
/// what must not be ignored needs a new version. Version 2 has bans. An archive without them says version 1. Each
/// release reads the archives of all releases before it. What is absent may be `null` or left out. Times are
/// microseconds since 1970, up to the end of 9998; revisions are from 1 to 2^53. Hashes are lowercase hexadecimal.
///
/// | line | names |
/// |---|---|
/// | post | `id`, `revision`, `created_at`, `published_at`, `updated_at`, `publish_at`, `expires_at`, |
/// | | `visibility`, `owner`, `heading`, `picture`, |
/// | | `excerpt`, `tags`, the name of each [`TextField`](crate::store::TextField), `body`, |
/// | | `edit_token` (the hash), `created_by` (the identifier of a key), `creation` |
/// | tombstone | `id`, `edit_token` (the hash), `owner`, `visibility`, `creation` |
/// | key | `id`, `label`, `owner`, `secret` (the hash), `created_at`, `last_used_at` |
/// | bar | `owner` (the SHA-256 of its text), `until` |
///
/// `creation` is `{"edit_token":"…","request":"…"}`, two hashes that identify a retry of the request which
/// created the post (see [`Creation`](crate::store::Creation)).
///
/// An archive holds no secret in plain text, and not the installation's secret. So a request with an
/// `Idempotency-Key` that was first sent before the move and is repeated after it creates a new post.
pub struct Archive<'a> {
    context: &'a Context,
    progress: Option<Box<dyn Fn(Progress) + Send + Sync + 'a>>,
}

/// How far an export or an import is.
///
/// ```
/// # use handbill::archive::{Progress, Step};
/// # use handbill::{Handbill, MemoryStore};
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
/// # let mut file = Vec::new();
/// let report = |Progress { step, done, total, .. }| match (step, total) {
///     (Step::Import, Some(total)) => eprint!("\rimported {done} of {total}"),
///     _ => eprint!("\r{step:?}: {done}"),
/// };
/// handbill.archive().with_progress(report).export(&mut file).await?;
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done.
    pub step: Step,
    /// The posts, tombstones, keys and bans that it is done with.
    pub done: u64,
    /// How many there are in all, if that is known: an export and a check find out at their end.
    pub total: Option<u64>,
}

/// A step of an export or an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Writing an archive.
    Export,
    /// Reading a whole archive before anything is written.
    Check,
    /// Writing to the store.
    Import,
}

impl<'a> Archive<'a> {
    pub(crate) fn new(context: &'a Context) -> Self {
        Self {
            context,
            progress: None,
        }
    }

    /// Sets a function that is called with the progress: often, so it should return at once.
    #[must_use]
    pub fn with_progress(self, progress: impl Fn(Progress) + Send + Sync + 'a) -> Self {
        let progress: Option<Box<dyn Fn(Progress) + Send + Sync + 'a>> = Some(Box::new(progress));
        Self { progress, ..self }
    }

    /// Writes everything that the store has.
    ///
    /// Each post is whole, and what exists from the beginning to the end is in the archive once; what
    /// changes during the export may be in it before or after its change. It takes the memory of 100 posts. Two exports
    /// of the same posts and keys differ only in their first line. Make sure that a file which was not
    /// completed is not mistaken for an archive, although an import would refuse it.
    ///
    /// # Errors
    /// If the store cannot be read or the sink cannot be written.
    pub async fn export(
        &self,
        sink: &mut (impl AsyncWrite + Unpin + Send),
    ) -> Result<Exported, ArchiveError> {
        export::run(self, sink).await
    }

    /// Inserts everything that the archive has and the store has not.
    ///
    /// The source is read twice from its beginning: nothing is written before the whole archive was checked. What
    /// exists already by its identifier is skipped, also as a tombstone, and never overwritten. A key that exists
    /// under another identifier is skipped, too. So an import may be repeated, may be interrupted at any time and
    /// then repeated, and may run more than once at the same time. Posts are inserted in the order of their lists,
    /// which takes 32 bytes of memory for each. The check takes up to 120 more, for a set of the hashes of all edit
    /// tokens and keys. An import sends no events.
    ///
    /// What this service could not have stored itself is refused: its posts and keys are validated like new ones,
    /// with the service's own [`Limits`](crate::Limits), and no two may have the same edit token or key. So a
    /// service imports what a service with the same limits exported. For the archive of a service with larger
    /// limits, set those.
    ///
    /// # Trust
    /// Import only archives that you trust. The checksum finds damage, and is no signature. An archive may add
    /// posts and keys for any [`Owner`](crate::Owner), and a key may change all posts of its owner.
    ///
    /// # Errors
    /// If the source cannot be read, is not a whole archive of a version that this release knows, or has a post or
    /// key that is [not accepted](ArchiveError::NotAccepted); then nothing was written. If the store fails; then
    /// some of the archive may have been inserted.
    pub async fn import(
        &self,
        source: impl Read + Seek + Send + 'static,
    ) -> Result<Imported, ArchiveError> {
        import::run(self, source).await
    }

    /// Checks the archive, and counts what [`import`](Self::import) would insert and skip. Writes nothing.
    ///
    /// # Errors
    /// As for `import`.
    pub async fn dry_run(
        &self,
        source: impl Read + Seek + Send + 'static,
    ) -> Result<Imported, ArchiveError> {
        import::dry_run(self, source).await
    }

    fn report(&self, step: Step, done: u64, total: Option<u64>) {
        if let Some(progress) = &self.progress {
            progress(Progress { step, done, total });
        }
    }
}

/// All bars of a store. They are few.
async fn bars(store: &MeasuredStore) -> Result<Vec<Bar>, StoreError> {
    let mut bars = Vec::<Bar>::new();
    loop {
        let after = bars.last().map(|bar| bar.owner);
        let batch = store.walk_bars(after, BARS_AT_ONCE).await?;
        if batch.is_empty() {
            return Ok(bars);
        }
        bars.extend(batch);
    }
}

crate::post::opaque_debug!(Archive<'_>);
