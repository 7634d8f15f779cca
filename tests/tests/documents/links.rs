//! Links lead somewhere, figures that are linked to the benchmarks are theirs, and the published crates have what their
//! front pages on a registry need.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{documents, files, root};

/// The texts of links in a document, outside of blocks of code.
fn links(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    lines
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| rest.split_once(')'))
        .map(|(link, _)| link)
        .collect()
}

fn is_absolute(link: &str) -> bool {
    ["https://", "http://", "mailto:"]
        .iter()
        .any(|scheme| link.starts_with(scheme))
}

/// The names by which headings are linked to.
fn anchors(document: &Path) -> Vec<String> {
    let text = fs::read_to_string(document).unwrap();
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(anchor).collect()
}

fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let heading = heading.replace(' ', "-");
    let is_part = |c: &char| c.is_alphanumeric() || "-_".contains(*c);
    heading.chars().filter(is_part).collect()
}

/// Why a link of a document leads nowhere, if it does.
fn fault(document: &Path, link: &str) -> Option<String> {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => document.to_owned(),
        path => document.parent().unwrap().join(path),
    };
    let is_found =
        target.exists() && (anchor.is_empty() || anchors(&target).contains(&anchor.to_owned()));
    (!is_found).then(|| format!("{}: {link}", document.display()))
}

/// All documents, also those for developers.
fn all_documents() -> Vec<PathBuf> {
    let mut all = documents();
    let others = [
        "ARCHITECTURE",
        "BENCHMARKS",
        "CHANGELOG",
        "CONTRIBUTING",
        "SECURITY",
    ];
    all.extend(others.map(|name| root().join(name).with_extension("md")));
    all
}

#[test]
fn each_link_between_documents_leads_to_a_file_and_a_heading() {
    let mut faults = Vec::new();
    let mut checked = 0;
    for document in &all_documents() {
        let text = fs::read_to_string(document).unwrap();
        let links = links(&text).into_iter().filter(|link| !is_absolute(link));
        let links: Vec<_> = links.collect();
        checked += links.len();
        faults.extend(links.iter().filter_map(|link| fault(document, link)));
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(checked > 50, "{checked} links");
}

/// The cells of the table below each heading of the benchmarks, by the heading's anchor.
fn benchmarks() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(root().join("BENCHMARKS.md")).unwrap();
    let sections = text.split("\n## ").skip(1).map(|section| {
        let rows = section.lines().filter(|line| line.starts_with('|'));
        let cells = rows.flat_map(|row| row.split('|').map(|cell| cell.trim().to_owned()));
        (anchor(section.lines().next().unwrap()), cells.collect())
    });
    sections.collect()
}

/// A figure such as `[2.5](BENCHMARKS.md#creations)` is in a row of the benchmarks, and so the same after they ran
/// again.
#[test]
fn figures_that_are_linked_to_the_benchmarks_are_theirs() {
    let benchmarks = benchmarks();
    let mut checked = 0;
    for document in &all_documents() {
        let text = fs::read_to_string(document).unwrap();
        for (before, after) in text
            .match_indices("](")
            .map(|(at, _)| (&text[..at], &text[at + 2..]))
        {
            let link = after
                .split_once(')')
                .and_then(|(link, _)| link.split_once("BENCHMARKS.md#"));
            let Some((_, section)) = link else {
                continue;
            };
            let (_, figure) = before.rsplit_once('[').unwrap();
            if figure.starts_with(|c: char| c.is_ascii_digit()) {
                let cells = &benchmarks[section];
                let is_there = |cell: &String| cell.split(' ').any(|word| word == figure);
                let place = document.display();
                assert!(cells.iter().any(is_there), "{place}: {figure}, {section}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 3, "{checked} figures");
}

#[test]
fn each_figure_of_the_benchmarks_that_misses_its_limit_has_a_reason() {
    let cells = benchmarks().into_values().flatten();
    let unexplained = cells.filter(|cell| cell.starts_with("**no**") && cell.len() < 20);
    assert_eq!(unexplained.count(), 0);
}

/// The folders of the crates that are published.
fn published() -> Vec<PathBuf> {
    let manifests =
        ["core", "integrations", "examples", "tests"].map(|folder| files(folder, "toml"));
    let mut folders = Vec::new();
    for manifest in manifests.concat() {
        let text = fs::read_to_string(&manifest).unwrap();
        if manifest.ends_with("Cargo.toml") && !text.contains("\npublish = false\n") {
            folders.push(manifest.parent().unwrap().to_owned());
        }
    }
    assert_eq!(folders.len(), 10, "{folders:?}");
    folders
}

#[test]
fn each_published_crate_has_its_licences_and_its_addresses() {
    for folder in published() {
        let place = folder.display();
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let [ours, its] = [root(), folder.clone()].map(|folder| folder.join(licence));
            let its = fs::read_to_string(its).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(its, fs::read_to_string(ours).unwrap(), "{place}");
        }
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let name = manifest.split('"').nth(1).unwrap();
        for line in [
            "license.workspace = true",
            "repository.workspace = true",
            &format!("documentation = \"https://docs.rs/{name}\""),
            "readme = \"README.md\"",
            "[package.metadata.docs.rs]\nall-features = true\nrustdoc-args = [\"--cfg\", \"docsrs\"]",
        ] {
            assert!(manifest.contains(&format!("\n{line}\n")), "{place}: {line}");
        }
        let code = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        let badges = "\n#![cfg_attr(docsrs, feature(doc_cfg))]\n";
        assert!(code.contains(badges), "{place} has no badges of features");
    }
}

/// The registry shows the README without the rest of the repository.
#[test]
fn the_readme_of_each_published_crate_stands_by_itself() {
    for folder in published() {
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        for link in links(&readme) {
            assert!(link.starts_with("https://"), "{}: {link}", folder.display());
        }
    }
}

/// The versions that a text names after these words, such as 0.2 after `handbill `.
fn versions<'a>(text: &'a str, words: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(words).skip(1).filter_map(|rest| {
        let is_part = |c: char| c.is_ascii_digit() || c == '.';
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let version = rest[..end].trim_end_matches('.');
        version.contains('.').then_some(version)
    })
}

#[test]
fn the_front_pages_of_the_published_crates_name_the_current_versions() {
    let (handbill, _) = env!("CARGO_PKG_VERSION").rsplit_once('.').unwrap();
    let rust = env!("CARGO_PKG_RUST_VERSION");
    for folder in published() {
        let place = folder.display();
        let pages = ["README.md", "src/lib.rs"].map(|name| folder.join(name));
        let pages = pages.map(|page| fs::read_to_string(page).unwrap());
        // A line may end between the words and the version.
        let text = pages.join("\n").replace("\n//!", "");
        for (words, current) in [
            ("handbill ", handbill),
            ("handbill = \"", handbill),
            ("handbill-sql = { version = \"", handbill),
            ("handbill-testing = \"", handbill),
            ("Rust ", rust),
        ] {
            let mut found = versions(&text, words);
            assert!(found.all(|version| version == current), "{place}: {words}");
        }
        assert!(versions(&text, "Rust ").count() >= 2, "{place}");
    }
}
