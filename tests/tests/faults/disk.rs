//! A small disk that can be filled.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use handbill_tests::missing;
use tempfile::TempDir;

/// A file system in memory. It is unmounted when dropped.
pub(crate) struct Disk {
    folder: TempDir,
}

impl Disk {
    /// A disk of this size in MiB. If it can't be mounted, this reports it and returns `None`.
    pub(crate) fn mount(mebibytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={mebibytes}m,mode=0755");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Self { folder });
        }
        missing::say_only(
            "a small disk can't be mounted",
            "Run it as root, where that may mount",
        );
        None
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Fills the disk.
    pub(crate) fn fill(&self) -> Ballast {
        let path = self.path().join("ballast");
        let mut file = File::create(&path).unwrap();
        // In ever smaller pieces, down to the last byte.
        let mut piece = 1 << 20;
        while piece > 0 {
            match file.write_all(&vec![1; piece]) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => piece /= 2,
                Err(error) => panic!("the disk is not filled: {error}"),
            }
        }
        Ballast(path)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // A lazy unmount: the folder is free at once, even if a process still has a file open.
        let mut unmount = Command::new("umount");
        let _ = unmount.arg("--lazy").arg(self.path()).status();
    }
}

/// The file that fills the disk, until it is dropped.
pub(crate) struct Ballast(PathBuf);

impl Drop for Ballast {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
