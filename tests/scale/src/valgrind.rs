//! Runs an operation under valgrind, which counts.
//!
//! What would move the figures is taken away:
//! - Random numbers are the same in each process (`getrandom.c`), and so are the environment and the length of paths.
//! - On one core and at a fixed priority, which needs root, a thread runs until it waits.
//! - The work of the allocator is left out, since it depends on all that was allocated before.
//! - What happens in less than half of the repetitions, such as asking SQLite for changes every 50 ms, is left out.

use std::env;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::operations::REPETITIONS;

/// The names of the figures of a [`Cost`].
pub(crate) const COST: [&str; 4] = [
    "instructions",
    "allocations",
    "bytes allocated",
    "bytes moved",
];
/// The instructions of all threads, and what the serving thread allocates, and moves by `memcpy` and `memmove`.
pub(crate) type Cost = [u64; 4];

/// The function that is counted.
const MEASURED: &str = "scale::operations::measured";
/// The functions of glibc that are left out.
const ALLOCATOR: [&str; 5] = ["malloc", "calloc", "realloc", "posix_memalign", "free"];
const GETRANDOM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/getrandom.c");

/// Runs operations in a folder of its own.
pub(crate) struct Valgrind {
    folder: TempDir,
}

impl Valgrind {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        symlink(env::current_exe().unwrap(), folder.path().join("scale")).unwrap();
        let library = folder.path().join("getrandom.so");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o"]).arg(library);
        assert!(compiler.arg(GETRANDOM).status().unwrap().success());
        Self { folder }
    }

    pub(crate) fn measure(&self, layer: &str, operation: &str) -> Cost {
        let operation = [layer, operation];
        let [allocations, allocated] = self.blocks("heap", operation);
        let [_, moved] = self.blocks("copy", operation);
        [self.instructions(operation), allocations, allocated, moved]
    }

    fn instructions(&self, operation: [&str; 2]) -> u64 {
        let mut options: Vec<_> = ALLOCATOR
            .map(|function| format!("--toggle-collect={function}"))
            .into();
        options.extend([
            "--tool=callgrind".to_owned(),
            "--collect-atstart=yes".to_owned(),
            format!("--zero-before={MEASURED}"),
            format!("--dump-after={MEASURED}"),
            "--callgrind-out-file=out".to_owned(),
        ]);
        self.run(&options, operation);
        let total = |repetition: usize| -> u64 {
            let profile = self.read(&format!("out.{repetition}"));
            let total = profile
                .lines()
                .find_map(|line| line.strip_prefix("totals: "));
            total.unwrap().parse().unwrap()
        };
        (1..=REPETITIONS).map(total).min().unwrap()
    }

    /// How many blocks a repetition allocates or copies, and how many bytes.
    fn blocks(&self, mode: &str, operation: [&str; 2]) -> [u64; 2] {
        let options = [
            "--tool=dhat".to_owned(),
            format!("--mode={mode}"),
            "--num-callers=200".to_owned(),
            "--dhat-out-file=out".to_owned(),
        ];
        self.run(&options, operation);
        let profile: Value = serde_json::from_str(&self.read("out")).unwrap();
        let is_measured = |frame: &Value| {
            let function = &profile["ftbl"][frame.as_u64().unwrap() as usize];
            function.as_str().unwrap().contains(MEASURED)
        };
        let mut each = [0, 0];
        for place in profile["pps"].as_array().unwrap() {
            if place["fs"].as_array().unwrap().iter().any(is_measured) {
                let [blocks, bytes] = ["tbk", "tb"].map(|total| place[total].as_u64().unwrap());
                let per_repetition = (2 * blocks + REPETITIONS as u64) / (2 * REPETITIONS as u64);
                each[0] += per_repetition;
                each[1] += bytes * per_repetition / blocks;
            }
        }
        each
    }

    fn run(&self, options: &[String], operation: [&str; 2]) {
        let messages = File::create(self.folder.path().join("messages")).unwrap();
        let mut valgrind = Command::new("taskset");
        valgrind
            .args(["-c", "0", "chrt", "--fifo", "1", "valgrind"])
            .args(options)
            .arg("./scale")
            .args(operation)
            .current_dir(&self.folder)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("LD_PRELOAD", "./getrandom.so")
            .stderr(messages);
        let status = valgrind.status().unwrap();
        assert!(status.success(), "{}", self.read("messages"));
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.path().join(file)).unwrap()
    }
}
