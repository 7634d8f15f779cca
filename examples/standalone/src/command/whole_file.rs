//! Files that appear under their name only when they are whole.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// A file that is being written beside its name. It is removed when dropped.
pub(crate) struct WholeFile {
    unfinished: TempPath,
    name: PathBuf,
}

impl WholeFile {
    /// A new file that only its user can read.
    pub(crate) fn create(name: &Path) -> io::Result<(File, Self)> {
        let name = match name.canonicalize() {
            // A link still leads to the file.
            Ok(name) => name,
            Err(_) => std::path::absolute(name)?,
        };
        let folder = name.parent().unwrap_or(&name);
        let file = tempfile::Builder::new()
            .prefix(".handbill-export-")
            .tempfile_in(folder)?;
        let (file, unfinished) = file.into_parts();
        Ok((file, Self { unfinished, name }))
    }

    /// Makes the file durable and gives it its name.
    pub(crate) async fn publish(self) -> io::Result<()> {
        let file = tokio::fs::File::open(&self.unfinished).await?;
        file.sync_all().await?;
        self.unfinished.persist(&self.name)?;
        Ok(())
    }
}
