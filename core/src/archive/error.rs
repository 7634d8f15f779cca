use std::error::Error;
use std::{fmt, io};

use super::VERSION;
use super::line::Record;
use crate::store::StoreError;

/// Why an archive was not exported or imported. Lines are counted from 1, the header's.
///
/// ```
/// use handbill::archive::ArchiveError;
/// use handbill::{Handbill, MemoryStore};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
/// let file = std::io::Cursor::new("{\"something\":\"else\"}\n");
/// match handbill.archive().import(file).await {
///     Ok(imported) => println!("imported {} posts", imported.posts.inserted),
///     Err(ArchiveError::NewerVersion { version, .. }) => println!("update Handbill for version {version}"),
///     Err(error) => println!("nothing was imported, or not all: {error}"),
/// }
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The first line is not the header of an archive.
    NotAnArchive,
    /// A later release made the archive.
    #[non_exhaustive]
    NewerVersion {
        /// The version of the archive's format.
        version: u64,
    },
    /// The archive ends before its last line.
    #[non_exhaustive]
    Cut {
        /// The line that is missing or not whole.
        line: u64,
    },
    /// A line is not what a line of an archive can be.
    #[non_exhaustive]
    Unreadable {
        /// The line.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The service would not have stored this post or key itself. Usually it is beyond the service's
    /// [`Limits`](crate::Limits), or has the edit token of another one.
    #[non_exhaustive]
    NotAccepted {
        /// The line.
        line: u64,
        /// The identifier of the post or key.
        id: String,
        /// The fields, and the limits or rules that they break.
        reason: String,
    },
    /// The identifier of a line is not greater than the one before: a line is repeated or misplaced.
    #[non_exhaustive]
    Repeated {
        /// The line.
        line: u64,
    },
    /// There are more or fewer lines than the last line says.
    #[non_exhaustive]
    WrongCount {
        /// The number that the last line says.
        stated: u64,
        /// The number of lines between the first and the last one.
        found: u64,
    },
    /// The checksum differs from the one in the last line: something was changed.
    WrongChecksum,
    /// A post is too large for a line.
    #[non_exhaustive]
    TooLong {
        /// What does not fit.
        id: String,
    },
    /// The archive could not be read or written.
    Io(io::Error),
    /// The store failed.
    Store(StoreError),
}

impl ArchiveError {
    pub(super) fn unreadable(line: u64, reason: impl fmt::Display) -> Self {
        /// A parser may repeat a whole value in its message.
        const MAX_REASON: usize = 200;
        let reason = reason.to_string().chars().take(MAX_REASON).collect();
        Self::Unreadable { line, reason }
    }

    pub(super) fn not_accepted(line: u64, record: &Record, reason: impl Into<String>) -> Self {
        let (id, reason) = (record.id(), reason.into());
        Self::NotAccepted { line, id, reason }
    }
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnArchive => f.write_str(
                "this is not a Handbill archive: its first line is not the header of one",
            ),
            Self::NewerVersion { version } => write!(
                f,
                "the archive has version {version} of the format, and this release reads up to \
                 version {VERSION}"
            ),
            Self::Cut { line } => write!(f, "the archive is cut: it ends before or in line {line}"),
            Self::Unreadable { line, reason } => write!(f, "line {line}: {reason}"),
            Self::NotAccepted { line, id, reason } => write!(f, "line {line} ({id}): {reason}"),
            Self::Repeated { line } => {
                write!(f, "line {line} is repeated or misplaced")
            }
            Self::WrongCount { stated, found } => write!(
                f,
                "the archive is damaged: its last line says {stated} lines, and there are {found}"
            ),
            Self::WrongChecksum => f.write_str(
                "the archive is damaged: its checksum differs from that in its last line",
            ),
            Self::TooLong { id } => write!(f, "the post {id} is too large for an archive"),
            Self::Io(_) => f.write_str("could not read or write the archive"),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl Error for ArchiveError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            // Its own text is ours.
            Self::Store(error) => error.source(),
            _ => None,
        }
    }
}

impl From<io::Error> for ArchiveError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<StoreError> for ArchiveError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
