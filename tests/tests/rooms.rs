//! Which room of the core may use which, and how long a file may be.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A file is read in one sitting.
const MOST_LINES: usize = 500;

/// What a room may use besides itself.
const MAY_USE: [(&str, &[&str]); 5] = [
    (
        "post",
        &["field", "id", "key", "limit", "owner", "secret", "time"],
    ),
    ("change", &["id", "owner", "post", "time"]),
    (
        "store",
        &["change", "id", "key", "owner", "post", "secret", "time"],
    ),
    (
        "cache",
        &[
            "base_url", "http", "post", "problem", "queue", "store", "time",
        ],
    ),
    (
        "archive",
        &[
            "context",
            "field",
            "hex",
            "id",
            "key",
            "limit",
            "measured_store",
            "post",
            "secret",
            "store",
            "time",
        ],
    ),
];

/// What a room knows nothing of.
const NEVER_USES: [(&str, &[&str]); 4] = [
    (
        "http",
        &["api", "cache", "operations", "page", "route", "service"],
    ),
    (
        "operations",
        &[
            "api", "feed", "http", "language", "page", "route", "service",
        ],
    ),
    ("api", &["feed", "page", "route", "service"]),
    ("page", &["feed", "route", "service", "store"]),
];

/// What the core depends on neither by itself nor by a feature.
const FOREIGN: [&str; 10] = [
    "actix-web",
    "axum",
    "handbill-sql",
    "hyper",
    "poem",
    "rocket",
    "rusqlite",
    "salvo",
    "sqlx",
    "tower",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Rust files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The modules of the core that a room of it uses, comments aside.
fn used_by(room: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for file in files(&root().join("core/src").join(room)) {
        let text = std::fs::read_to_string(file).unwrap();
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for line in lines {
            let uses = line.split("crate::").skip(1);
            let names = uses.map(|rest| {
                rest.split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
            });
            used.extend(
                names
                    .flatten()
                    .filter(|name| *name != room)
                    .map(str::to_owned),
            );
        }
    }
    used
}

#[test]
fn a_room_uses_the_rooms_below_it_only() {
    for (room, allowed) in MAY_USE {
        let used = used_by(room);
        let others: Vec<_> = used
            .iter()
            .filter(|name| !allowed.contains(&name.as_str()))
            .collect();
        assert!(others.is_empty(), "{room} uses {others:?}");
        let unused: Vec<_> = allowed
            .iter()
            .filter(|name| !used.contains(**name))
            .collect();
        assert!(unused.is_empty(), "{room} does not use {unused:?}");
    }
    for (room, unknown) in NEVER_USES {
        let used = used_by(room);
        assert!(!used.is_empty(), "{room} has no files");
        for name in unknown {
            assert!(!used.contains(*name), "{room} uses {name}");
        }
    }
}

#[test]
fn the_core_depends_on_no_framework_and_no_database() {
    let manifest = std::fs::read_to_string(root().join("core/Cargo.toml")).unwrap();
    let (_, dependencies) = manifest.split_once("[dependencies]").unwrap();
    let (dependencies, _) = dependencies.split_once("[dev-dependencies]").unwrap();
    let names = dependencies
        .lines()
        .map(|line| line.split(['.', ' ', '=']).next().unwrap());
    let names: BTreeSet<_> = names.collect();
    assert!(names.contains("http"), "{names:?}");
    for name in FOREIGN {
        assert!(!names.contains(name), "the core depends on {name}");
    }
}

#[test]
fn no_file_is_longer_than_one_sitting() {
    let folders = ["core", "examples", "integrations", "tests"];
    for file in folders
        .iter()
        .flat_map(|folder| files(&root().join(folder)))
    {
        let lines = std::fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines", file.display());
    }
}
