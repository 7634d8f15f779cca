//! Files that are replaced as a whole.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::Path;

/// Who may read a new file.
pub(super) enum Readers {
    /// Its user alone (mode 0600).
    User,
    /// Everyone, as far as the user's umask lets them.
    Everyone,
    /// Those who could read the file that it replaces.
    Same(Permissions),
}

/// Writes a file beside its name, and gives it the name when it is whole and durable. Whatever has the name is
/// replaced, also a link: nothing is written elsewhere.
pub(super) fn replace(name: &Path, text: &str, readers: Readers) -> io::Result<()> {
    let folder = match name.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".handbill-unfinished-");
    #[cfg(unix)]
    if matches!(readers, Readers::Everyone) {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Readers::Same(permissions) = readers {
        fs::set_permissions(file.path(), permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(name)?;
    Ok(())
}
