//! The code in the documents compiles and does what they say: each block is in a file that is compiled. What is in no
//! other file is here, in tests that run it.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod database;
mod erasing;
mod events;
mod importing;
mod links;
mod login;
mod look;
mod mounts;
mod owners;
mod testing;

use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use handbill::{Handbill, MemoryStore, RateLimits};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use tower::ServiceExt;

/// What a function returns that is in a document as a whole.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The folders with code that is compiled.
const CODE: [&str; 4] = ["core", "integrations", "examples", "tests"];

/// What begins a block that is not compiled here. loco, leptos and dioxus are large frameworks with many crates, and
/// Handbill needs none of their code: `tests/tests/mounts/on_axum.rs` mounts it into routers that are made as theirs
/// are.
const OF_LARGE_FRAMEWORKS: [&str; 3] = [
    "async fn after_routes(",
    "let app = Router::new()\n    .leptos_routes(",
    "let app = dioxus::server::router(",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files below a folder of the repository with this extension.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found
}

/// The README, the guides, and the READMEs of folders.
fn documents() -> Vec<PathBuf> {
    let mut documents = vec![root().join("README.md")];
    documents.extend(files("docs", "md"));
    for folder in ["core", "integrations", "examples", "packaging", "tests/kit"] {
        let found = files(folder, "md").into_iter();
        documents.extend(found.filter(|path| path.ends_with("README.md")));
    }
    documents
}

/// A block of Rust in a document.
struct Block {
    /// Where it begins, for messages.
    place: String,
    is_ignored: bool,
    lines: Vec<String>,
}

fn blocks(document: &Path) -> Vec<Block> {
    let text = fs::read_to_string(document).unwrap();
    let name = document.strip_prefix(root()).unwrap().display();
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(rest) = line.trim_start().strip_prefix("```rust") else {
            continue;
        };
        let block = lines.by_ref().map(|(_, line)| line);
        let block = block.take_while(|line| line.trim_start() != "```");
        blocks.push(Block {
            place: format!("{name}:{}", number + 1),
            is_ignored: rest == ",ignore",
            lines: without_indentation(block.collect()),
        });
    }
    blocks
}

fn without_indentation(lines: Vec<&str>) -> Vec<String> {
    let indented = lines.iter().filter(|line| !line.trim().is_empty());
    let width = indented.map(|line| line.len() - line.trim_start().len());
    let width = width.min().unwrap_or(0);
    let lines = lines.iter();
    lines
        .map(|line| line.get(width..).unwrap_or_default().to_owned())
        .collect()
}

/// Whether the lines of a block follow each other in a file, all indented by the same.
fn has(file: &[String], block: &[String]) -> bool {
    file.windows(block.len()).any(|window| {
        let Some(indentation) = window[0].strip_suffix(&block[0]) else {
            return false;
        };
        let mut pairs = window.iter().zip(block);
        indentation.trim().is_empty()
            && pairs.all(|(line, wanted)| match wanted.is_empty() {
                true => line.is_empty(),
                false => line.strip_prefix(indentation) == Some(wanted),
            })
    })
}

#[test]
fn each_block_of_rust_is_in_a_file_that_is_compiled() {
    let code: Vec<Vec<String>> = CODE
        .iter()
        .flat_map(|folder| files(folder, "rs"))
        .map(|file| fs::read_to_string(file).unwrap())
        .map(|text| text.lines().map(str::to_owned).collect())
        .collect();
    let blocks = documents().into_iter().flat_map(|path| blocks(&path));
    let (ignored, blocks): (Vec<_>, Vec<_>) = blocks.partition(|block| block.is_ignored);
    assert!(blocks.len() > 30, "{} blocks", blocks.len());

    // A block of comments could stand in a comment.
    let is_code = |line: &String| !line.trim_start().starts_with("//") && !line.is_empty();
    let is_compiled = |block: &Block| {
        block.lines.iter().any(is_code) && code.iter().any(|file| has(file, &block.lines))
    };
    let missing = blocks.iter().filter(|block| !is_compiled(block));
    let missing: Vec<_> = missing.map(|block| &block.place).collect();
    assert!(missing.is_empty(), "not in a compiled file: {missing:#?}");

    let is_allowed = |block: &Block| {
        let text = block.lines.join("\n");
        let mut allowed = OF_LARGE_FRAMEWORKS.iter();
        allowed.any(|begin| text.starts_with(begin))
    };
    let places: Vec<_> = ignored.iter().map(|block| &block.place).collect();
    assert!(ignored.iter().all(is_allowed), "{places:#?}");
    assert_eq!(ignored.len(), OF_LARGE_FRAMEWORKS.len(), "{places:#?}");
}

/// A service in memory, without rates, as the documents call it.
fn handbill() -> Handbill {
    let handbill = Handbill::new("https://example.org/blog", MemoryStore::new()).unwrap();
    handbill.with_rate_limits(RateLimits::off())
}

/// The response of a service or an app, with its text.
async fn send<S>(app: &S, request: Request<Full<Bytes>>) -> Response<String>
where
    S: tower::Service<Request<Full<Bytes>>, Response = Response<Full<Bytes>>> + Clone,
    S::Error: std::fmt::Debug,
{
    let response = app.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Response::from_parts(parts, String::from_utf8(body.into()).unwrap())
}

/// The same, of an axum app.
async fn send_to_axum(app: &axum::Router, request: Request<axum::body::Body>) -> Response<String> {
    let response = app.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Response::from_parts(parts, String::from_utf8(body.into()).unwrap())
}
