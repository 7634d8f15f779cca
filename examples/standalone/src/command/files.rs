//! Files that appear under their name only when they are whole.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Who may read a new file.
pub(crate) enum Readers {
    /// Its user alone (mode 0600).
    User,
    /// Everyone, as far as the user's umask lets them.
    Everyone,
    /// Those who could read the file that it replaces.
    Same(Permissions),
}

/// Writes a file beside its name, and gives it the name when it is whole and durable. Whatever has the name is
/// replaced, also a link: nothing is written elsewhere.
pub(crate) fn replace(name: &Path, text: &str, readers: &Readers) -> io::Result<()> {
    let mut file = beside(name, readers)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(name)?;
    Ok(())
}

/// An empty file beside the name that it is to get. It is removed when dropped.
pub(crate) fn beside(name: &Path, readers: &Readers) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".handbill-unfinished-");
    #[cfg(unix)]
    if matches!(readers, Readers::Everyone) {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder_of(name))?;
    if let Readers::Same(permissions) = readers {
        fs::set_permissions(file.path(), permissions.clone())?;
    }
    Ok(file)
}

pub(crate) fn folder_of(name: &Path) -> &Path {
    match name.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}
