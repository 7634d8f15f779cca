//! The model predicts what BENCHMARKS.md measured, from costs that were measured otherwise.

use crate::model::*;
use crate::site::{Site, parse};
use crate::{grow, growth};

const BENCHMARKS: &str = include_str!("../../../BENCHMARKS.md");
const GROWTH: &str = include_str!("../../../docs/scaling.md");
const SCALE: &str = include_str!("../../scale/figures.md");

/// A figure of BENCHMARKS.md: section, begin of the row, and the words before the figure.
fn measured(place: &str) -> f64 {
    let (section, row) = place.split_once(" / ").expect(place);
    let begin = format!("| {} ", row.replace(" / ", " | "));
    let mut sections = BENCHMARKS.split("\n## ");
    let section = sections.find(|text| text.starts_with(&format!("{section}\n")));
    let rest = section.and_then(|text| text.lines().find_map(|line| line.strip_prefix(&begin)));
    let figure = rest.and_then(|rest| rest.split([' ', '/']).next());
    let figure = figure.and_then(|figure| figure.replace(',', "").parse().ok());
    figure.expect(place)
}

/// Thousands of instructions over a connection.
fn counted(operation: &str) -> f64 {
    let begin = format!("| connection | {operation:10} | ");
    let rest = SCALE.lines().find_map(|line| line.strip_prefix(&begin));
    let figure = rest.and_then(|rest| rest.split_whitespace().next());
    figure
        .and_then(|figure| figure.parse::<f64>().ok())
        .expect(operation)
        / 1e3
}

fn site(options: &str) -> Result<Site, String> {
    parse(options.split_whitespace().map(str::to_owned))
}

fn check(what: &str, predicted: f64, measured: f64, tolerance: f64) {
    println!("{what}: {predicted:.0}, measured {measured:.0}");
    let is_near = (predicted / measured - 1.0).abs() < tolerance;
    assert!(is_near, "{what}: {predicted}, measured {measured}");
}

/// The documents change when they are measured again.
#[test]
fn what_the_model_starts_from_is_as_measured() {
    let operations = ["warm read", "cold read", "page", "list of 20"];
    for (operation, given) in operations.iter().zip([READ, COLD_READ, PAGE, LIST]) {
        check(operation, given, counted(operation), 0.15);
    }
    let random = "Reads of random posts / read a random post";
    for (place, given) in [
        ("Reads of one post / read / SQLite", 1e6 / micros(READ)),
        (&format!("{random} / SQLite"), 1e6 / micros(COLD_READ)),
        (&format!("{random} / PostgreSQL"), RANDOM_ON_POSTGRES),
        ("Creations / 32 clients / SQLite", CREATIONS[0]),
        ("Creations / 32 clients / PostgreSQL", CREATIONS[1]),
        ("Creations / 1 client / SQLite", CREATIONS_OF_ONE[0]),
        ("Creations / 1 client / PostgreSQL", CREATIONS_OF_ONE[1]),
    ] {
        check(place, given, measured(place), 0.15);
    }
}

/// An operation, and where its rate is.
const RATES: &str = "
304: Reads of one post / read with `If-None-Match` / SQLite
warm read: Reads of one post / read / PostgreSQL
page: Reads of one post / post page / SQLite
page: Reads of one post / post page / PostgreSQL
list of 20: Lists / all posts, first page / SQLite
list of 20: Lists / all posts, middle page / SQLite
list of 20: Lists / posts of a tag, first page / SQLite
wrong key: Hostile clients / wrong keys / 401: 49.9/s, 429:";

#[test]
fn rates_follow_from_instructions() {
    for (operation, place) in RATES.lines().filter_map(|line| line.split_once(": ")) {
        let predicted = 1e6 / micros(counted(operation));
        check(place, predicted, measured(place), 0.3);
    }
}

/// Each of 32 clients waits for the others. The system runs several threads in turn, so the slowest requests take
/// longer than in this one queue.
#[test]
fn slow_reads_beside_creations_follow_from_the_rates_of_each_within_a_factor_of_two() {
    let reads = [1e6 / micros(COLD_READ), RANDOM_ON_POSTGRES];
    for (store, name) in ["SQLite", "PostgreSQL"].iter().enumerate() {
        let mix = [(0.9, 1e6 / reads[store]), (0.1, 1e6 / CREATIONS[store])];
        let mean: f64 = mix.iter().map(|(share, time)| share * time).sum();
        let squares: f64 = mix
            .iter()
            .map(|(share, time)| share * 2.0 * time * time)
            .sum();
        let deviation = (32.0 * (squares - mean * mean)).sqrt();
        let section = "Reads and creations at the same time";
        let place = format!("{section} / 99th percentile of reads / {name}");
        check(
            &place,
            32.0 * mean + 2.33 * deviation,
            measured(&place),
            0.5,
        );
    }
}

#[test]
fn memory_under_load_is_that_of_a_full_cache() {
    for store in ["SQLite", "PostgreSQL"] {
        let place = format!("Memory and start / memory under load, a million posts / {store}");
        check(
            &place,
            memory(&site("").expect("defaults")),
            measured(&place),
            0.2,
        );
    }
}

#[test]
fn queues_and_popularity_follow_known_laws() {
    // M/M/1 and M/M/2, half used, wait for 1 and for 1/3 of the time of their work.
    assert!((wait(1.0, &[(5e5, 1.0)]) - 1.0).abs() < 1e-9);
    assert!((wait(2.0, &[(1e6, 1.0)]) - 1.0 / 3.0).abs() < 1e-9);
    assert!((share_of_reads(1e3, 1e6, 0.0) - 1e-3).abs() < 1e-5);
    assert_eq!(share_of_reads(2e6, 1e6, 0.8), 1.0);
}

#[test]
fn a_site_grows_until_nothing_breaks_or_nothing_helps() {
    let mut grown = site("").expect("defaults");
    assert!(GROWTH.contains(&growth(&grown)), "{}", growth(&grown));
    assert!(grow(&mut grown).len() > 3);
    assert!(grow(&mut grown).is_empty());
    let mut written = site("--years 0.01").expect("a site");
    let broken = grow(&mut written);
    assert!(
        broken
            .iter()
            .any(|(resource, _)| *resource == "creations on one primary")
    );
    for wrong in ["--colour 1", "--posts", "--posts many"] {
        assert!(site(wrong).is_err());
    }
}
