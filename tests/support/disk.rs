//! A small disk that can be filled.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::missing;

/// A file system in memory. It is unmounted when dropped.
#[derive(Debug)]
pub struct Disk {
    folder: TempDir,
}

impl Disk {
    /// A disk of this size in MiB. If it can't be mounted, this reports it and returns `None`.
    pub fn mount(mebibytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
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

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Fills the disk.
    pub fn fill(&self) -> Ballast {
        self.fill_but(0)
    }

    /// Fills the disk, except for so many bytes.
    pub fn fill_but(&self, room: u64) -> Ballast {
        let path = self.path().join("ballast");
        let mut file = File::create(&path).expect("a file");
        // In ever smaller pieces, down to the last byte.
        let mut piece = 1 << 20;
        while piece > 0 {
            match file.write_all(&vec![1; piece]) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => piece /= 2,
                Err(error) => panic!("the disk is not filled: {error}"),
            }
        }
        let size = file.metadata().expect("a file").len();
        file.set_len(size.saturating_sub(room)).expect("room");
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
#[derive(Debug)]
pub struct Ballast(PathBuf);

impl Drop for Ballast {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
