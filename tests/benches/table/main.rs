//! What Handbill is worth beside a bare hyper server and beside a service written by hand: tables of
//! ratios, each measured in one run, in rounds that take turns. `BENCHMARKS.md` is what it prints.
//!
//! `cargo bench -p handbill-tests --bench table > BENCHMARKS.md`, or with the names of groups:
//! `cargo bench -p handbill-tests --bench table -- creations reads lists mounts resources`

#![expect(clippy::unwrap_used, reason = "a benchmark stops where it can't go on")]

mod alone;
mod creations;
mod databases;
mod figure;
mod handwritten;
mod lists;
mod machine;
mod million;
mod mounts;
mod reads;
mod report;
mod resources;
mod rounds;
mod servers;

use databases::Databases;
use handbill_tests::{pinned, program};
use million::Million;
use report::Report;

const GROUPS: [&str; 5] = ["creations", "reads", "lists", "mounts", "resources"];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if let Some(what) = pinned::to_serve() {
        pinned::listening(servers::serve(&what).await);
        return std::future::pending().await;
    }
    // Cargo adds options of its own.
    let mut groups: Vec<String> = std::env::args().skip(1).collect();
    groups.retain(|argument| !argument.starts_with('-'));
    for group in &groups {
        assert!(
            GROUPS.contains(&group.as_str()),
            "the groups are {GROUPS:?}"
        );
    }
    let wanted = |group: &str| groups.is_empty() || groups.iter().any(|named| named == group);

    program::path();
    let of_a_million = wanted("lists") || wanted("resources");
    if of_a_million {
        million::discard_outdated();
    }
    let databases = Databases::open().await;
    let million = match of_a_million {
        true => Some(Million::filled(&databases).await),
        false => None,
    };
    // From here on: PostgreSQL and the filling have both cores.
    pinned::client_on_its_own_core();

    let intro = include_str!("intro.md");
    let mut report = Report::begun_with(format!(
        "{intro}\n{}\n",
        machine::described(&databases).await
    ));
    if wanted("creations") {
        creations::measure(&databases, &mut report).await;
    }
    if wanted("reads") {
        reads::measure(&databases, &mut report).await;
    }
    if wanted("mounts") {
        mounts::measure(&mut report).await;
    }
    if let Some(million) = &million {
        if wanted("lists") {
            lists::measure(million, &mut report).await;
        }
        if wanted("resources") {
            resources::measure(&databases, million, &mut report).await;
        }
    }
    databases.close().await;
    report.print();
}
