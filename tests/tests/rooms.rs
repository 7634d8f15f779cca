//! Which room of the core may use which, and how long a file may be.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A file is read in one sitting.
const MOST_LINES: usize = 500;

/// The rooms of the core, from the bottom. Each uses rooms above it in this list alone, and those that are named.
const ROOMS: [(&str, &[&str]); 16] = [
    ("post", &[]),
    ("store", &["post"]),
    ("problem", &["post", "store"]),
    ("host", &["post"]),
    ("observe", &["post", "store"]),
    ("limits", &["host", "observe", "post", "problem"]),
    ("http", &["host", "limits", "observe", "post", "problem"]),
    ("listener", &["host", "observe", "post", "store"]),
    ("cache", &["http", "limits", "post", "problem", "store"]),
    (
        "context",
        &[
            "cache", "host", "http", "limits", "listener", "observe", "post", "problem", "store",
        ],
    ),
    ("archive", &["context", "observe", "post", "store"]),
    (
        "operations",
        &[
            "context", "host", "limits", "observe", "post", "problem", "store",
        ],
    ),
    ("route", &["cache", "context", "http", "post", "problem"]),
    (
        "api",
        &[
            "cache",
            "context",
            "host",
            "http",
            "limits",
            "observe",
            "operations",
            "post",
            "problem",
            "route",
            "store",
        ],
    ),
    (
        "page",
        &[
            "api",
            "cache",
            "context",
            "host",
            "http",
            "limits",
            "observe",
            "operations",
            "post",
            "problem",
            "route",
        ],
    ),
    (
        "service",
        &[
            "api",
            "archive",
            "cache",
            "context",
            "host",
            "http",
            "limits",
            "listener",
            "observe",
            "operations",
            "page",
            "post",
            "problem",
            "route",
            "store",
        ],
    ),
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

/// The files of a room of the core: those in its folder, or the one of its name.
fn files_of(room: &str) -> Vec<PathBuf> {
    let folder = root().join("core/src").join(room);
    match folder.is_dir() {
        true => files(&folder),
        false => vec![folder.with_extension("rs")],
    }
}

/// The code of a file, without comments and tests.
fn code_of(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let (code, _) = text
        .split_once("\n#[cfg(test)]\nmod ")
        .unwrap_or((&text, ""));
    let (code, _) = code.split_once("\n#[cfg(all(test").unwrap_or((code, ""));
    let lines = code.lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The rooms that a room of the core uses.
fn used_by(room: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut used = BTreeSet::new();
    for file in files_of(room) {
        for rest in code_of(&file).split("crate::").skip(1) {
            let paths = match rest.strip_prefix('{') {
                Some(several) => several.split('}').next().unwrap(),
                None => rest.split(';').next().unwrap(),
            };
            let several = rest.starts_with('{');
            let paths = paths.split(',').take(if several { usize::MAX } else { 1 });
            used.extend(paths.filter_map(|path| {
                let name: String = path.trim().chars().take_while(|c| is_part(*c)).collect();
                (name.starts_with(char::is_lowercase) && name != room).then_some(name)
            }));
        }
    }
    used
}

#[test]
fn a_room_uses_the_rooms_below_it_only() {
    let mut below = BTreeSet::new();
    for (room, allowed) in ROOMS {
        let allowed: BTreeSet<_> = allowed.iter().map(|name| (*name).to_owned()).collect();
        assert!(allowed.is_subset(&below), "{room} uses a room above it");
        assert_eq!(used_by(room), allowed, "what {room} uses");
        below.insert(room.to_owned());
    }
    let found = std::fs::read_dir(root().join("core/src")).unwrap();
    let found = found.map(|entry| entry.unwrap().path());
    let found = found.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let found: BTreeSet<_> = found.filter(|name| name != "lib").collect();
    assert_eq!(found, below, "the rooms of the core");
}

/// The pages decide nothing: they ask `operations`.
#[test]
fn the_api_and_the_pages_do_not_call_the_store() {
    let files = ["api", "page"].map(files_of).concat();
    for file in files {
        let calls = code_of(&file).contains("context.store");
        assert!(!calls, "{} calls the store", file.display());
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

/// The longest line of a comment, in characters.
const WIDEST_COMMENT: usize = 120;

#[test]
fn no_line_of_a_comment_is_too_long_to_read() {
    let folders = ["core", "examples", "integrations", "tests"];
    for file in folders
        .iter()
        .flat_map(|folder| files(&root().join(folder)))
    {
        for (number, line) in std::fs::read_to_string(&file).unwrap().lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            let is_too_long = is_comment && line.chars().count() > WIDEST_COMMENT;
            assert!(!is_too_long, "{}:{}", file.display(), number + 1);
        }
    }
}
