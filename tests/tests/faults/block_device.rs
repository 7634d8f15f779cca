//! A file system whose power can be cut: ext4 on a loop device.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use handbill_tests::missing;
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

const MEBIBYTES: u64 = 512;
/// The maximum time until killed processes have closed their files.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The file system. It is unmounted when dropped.
pub(crate) struct BlockDevice {
    folder: TempDir,
}

impl BlockDevice {
    /// A new file system. If it can't be mounted, this reports it and returns `None`.
    pub(crate) fn mount() -> Option<Self> {
        if !runs("mkfs.ext4", &["-V"]) || !runs("xfs_io", &["-V"]) {
            missing::say(
                "mkfs.ext4 or xfs_io is missing",
                "Install them with: apt-get install e2fsprogs xfsprogs",
            );
            return None;
        }
        let device = Self {
            folder: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap(),
        };
        let image = File::create(device.image()).unwrap();
        image.set_len(MEBIBYTES << 20).unwrap();
        std::fs::create_dir(device.path()).unwrap();
        let image = device.image();
        assert!(runs("mkfs.ext4", &["-q", "-F", image.to_str().unwrap()]));
        if device.attach() {
            return Some(device);
        }
        missing::say_only(
            "a loop device can't be mounted",
            "Run it as root, where that may mount",
        );
        None
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    /// The folder where it is mounted.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("mounted")
    }

    fn attach(&self) -> bool {
        let (image, path) = (self.image(), self.path());
        runs_on("mount", &["-o", "loop"], &[&image, &path])
    }

    /// Writes everything to the device that is only in memory now.
    pub(crate) fn flush(&self) {
        assert!(runs_on("sync", &["--file-system"], &[&self.path()]));
    }

    /// Cuts the power: what was not flushed is lost, and from now on nothing can be read or written.
    pub(crate) fn cut_power(&self) {
        assert!(runs_on(
            "xfs_io",
            &["-x", "-c", "shutdown"],
            &[&self.path()]
        ));
    }

    /// Brings the power back, once all who had files open on it have ended.
    pub(crate) async fn restore_power(&self) {
        let unmounted = async {
            while !runs_on("umount", &[], &[&self.path()]) {
                sleep(Duration::from_millis(20)).await;
            }
        };
        let unmounted = timeout(TIMEOUT, unmounted).await;
        unmounted.expect("no process has files open on it");
        assert!(self.attach());
    }
}

impl Drop for BlockDevice {
    fn drop(&mut self) {
        runs_on("umount", &["--lazy"], &[&self.path()]);
    }
}

/// Whether the program exists and succeeds.
pub(crate) fn runs(program: &str, arguments: &[&str]) -> bool {
    runs_on(program, arguments, &[])
}

fn runs_on(program: &str, options: &[&str], paths: &[&Path]) -> bool {
    let mut command = Command::new(program);
    command.args(options).args(paths);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
