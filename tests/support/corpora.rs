//! The corpora of hostile input. They are outside the repository.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::missing;

/// The folder of the corpora. If it is missing, this reports it and returns `None`.
pub fn folder() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpora");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = std::env::var_os("HANDBILL_CORPORA").map_or_else(beside, |path| root.join(path));
    if folder.is_dir() {
        return Some(folder);
    }
    missing::say(
        &format!("there are no corpora at {}", folder.display()),
        "Name the folder that has them in HANDBILL_CORPORA: json/test_parsing/ and\n\
         json/test_transform/ (nst/JSONTestSuite), strings/blns.json\n\
         (minimaxir/big-list-of-naughty-strings), sqli/ and xss/ (payloadbox), markdown/.",
    );
    None
}

/// The value in a JSON file.
pub fn read_json(path: &Path) -> Value {
    let bytes = std::fs::read(path).expect("a file of the corpora");
    serde_json::from_slice(&bytes).expect("a JSON file")
}

/// The strings in a file with a JSON array of strings.
pub fn read_strings(path: &Path) -> Vec<String> {
    serde_json::from_value(read_json(path)).expect("an array of strings")
}
