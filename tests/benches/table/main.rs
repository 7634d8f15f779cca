//! Compares Handbill with a bare hyper server and with services by hand, and prints
//! `BENCHMARKS.md`. A full run also writes the chart at its top, `benchmarks.svg`.
//!
//! `cargo bench -p handbill-tests --bench table > BENCHMARKS.md`
//!
//! Names of groups measure a part: `-- reads creations`. `-- quick` is a short run with few posts,
//! which shows that everything works; its figures mean nothing.

#![expect(clippy::unwrap_used, reason = "a benchmark stops where it can't go on")]

mod attack;
mod by_hand;
mod chart;
mod clusters;
mod creations;
mod databases;
mod figure;
mod frameworks;
mod hostile;
mod hosts;
mod lists;
mod load;
mod machine;
mod million;
mod mixed;
mod mounts;
mod plan;
mod post;
mod random;
mod reads;
mod report;
mod resources;
mod rounds;
mod servers;

use std::path::Path;
use std::time::Instant;

use chart::Chart;
use databases::Databases;
use handbill_tests::pinned;
use million::Million;
use plan::Plan;
use report::Report;
use servers::Profile;

const GROUPS: [&str; 10] = [
    "reads",
    "random",
    "lists",
    "creations",
    "clusters",
    "hosts",
    "mixed",
    "mounts",
    "resources",
    "hostile",
];
const QUICK: &str = "quick";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if let Some(what) = pinned::to_serve() {
        pinned::listening(servers::serve(&what).await);
        return std::future::pending().await;
    }
    // Cargo adds options of its own.
    let mut groups: Vec<String> = std::env::args().skip(1).collect();
    groups.retain(|argument| !argument.starts_with('-'));
    let is_quick = groups.iter().any(|group| group == QUICK);
    groups.retain(|group| group != QUICK);
    for group in &groups {
        let known = GROUPS.contains(&group.as_str());
        assert!(
            known,
            "the groups are {GROUPS:?}, and {QUICK:?} is a short run"
        );
    }
    let plan = if is_quick { Plan::QUICK } else { Plan::FULL };
    run(&plan, is_quick, &groups).await;
}

async fn run(plan: &Plan, is_quick: bool, groups: &[String]) {
    let wanted = |group: &str| groups.is_empty() || groups.iter().any(|named| named == group);

    for profile in [Profile::Release, Profile::Dist] {
        if profile == Profile::Release || wanted("reads") {
            profile.program();
            profile.bare();
        }
    }
    let databases = Databases::open().await;
    let million = match ["random", "lists", "mixed", "resources"]
        .into_iter()
        .any(wanted)
    {
        true => Some(Million::open(plan, &databases).await),
        false => None,
    };
    // Not earlier: PostgreSQL and filling have both cores.
    pinned::client_on_its_own_core();

    let intro = include_str!("intro.md");
    let machine = machine::describe(&databases).await;
    let mut report = Report::new(format!("{intro}\n{machine}\n"));
    let mut chart = Chart::default();
    for group in GROUPS.into_iter().filter(|group| wanted(group)) {
        let started = Instant::now();
        match (group, &million) {
            ("reads", _) => reads::measure(plan, &databases, &mut report, &mut chart).await,
            ("creations", _) => creations::measure(plan, &databases, &mut report, &mut chart).await,
            ("clusters", _) => clusters::measure(plan, &mut report).await,
            ("hosts", _) => hosts::measure(plan, &databases, &mut report).await,
            ("hostile", _) => hostile::measure(plan, &databases, &mut report).await,
            ("mounts", _) => mounts::measure(plan, &mut report).await,
            ("random", Some(million)) => {
                random::measure(plan, million, &mut report, &mut chart).await;
            }
            ("lists", Some(million)) => {
                lists::measure(plan, million, &mut report, &mut chart).await;
            }
            ("mixed", Some(million)) => {
                mixed::measure(plan, &databases, million, &mut report).await;
            }
            ("resources", Some(million)) => {
                resources::measure(plan, &databases, million, &mut report).await;
            }
            _ => unreachable!("the million posts are there"),
        }
        eprintln!("{group}: {:.0} s", started.elapsed().as_secs_f64());
    }
    databases.close().await;
    if chart.is_complete() {
        let folder = match is_quick {
            true => Path::new(env!("CARGO_TARGET_TMPDIR")).to_owned(),
            false => Path::new(env!("CARGO_MANIFEST_DIR")).join(".."),
        };
        let file = folder.join("benchmarks.svg");
        chart.write(plan, &file);
        eprintln!("The chart is {}", file.display());
    }
    report.print();
}
