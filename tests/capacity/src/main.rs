//! The capacity model: how much of each resource a site uses, and what breaks first as it grows.
//!
//! `cargo run -p handbill-capacity -- --posts 1e9 --readers-per-minute 1e6`, as docs/scaling.md explains.

mod model;
mod site;

#[cfg(test)]
mod measured;

use std::io::Write;

use model::{cached, creations, memory, requests, times, utilisation};
use site::Site;

fn main() {
    let site = site::parse(std::env::args().skip(1)).unwrap_or_else(|reason| {
        eprintln!("{reason}");
        std::process::exit(2)
    });
    // A reader such as `head` may end early.
    let _ = std::io::stdout().write_all(format!("{}\n{}", report(&site), growth(&site)).as_bytes());
}

fn report(site: &Site) -> String {
    let [requests, creations] = [requests(site), creations(site)];
    let mut text = format!("{requests:.0} requests and {creations:.1} creations a second take\n");
    for (resource, share) in utilisation(site) {
        text += &format!("{:9.1} % of the {resource}\n", 100.0 * share);
    }
    let (cached, memory) = (100.0 * cached(site), memory(site));
    text + &format!(
        "{cached:9.1} % of pages are cached\n{memory:9.0} MB are taken by each instance\n"
    )
}

/// A site that grows tenfold in each step: what breaks, one after the other, and what is enough.
fn growth(goal: &Site) -> String {
    let mut site = goal.clone();
    let mut text = String::new();
    for step in (0..=5).rev() {
        let [posts, readers] = ["posts", "readers-per-minute"].map(|name| {
            site.insert(name, (goal[name] / 10_f64.powi(step)).max(1.0));
            site[name]
        });
        let before = site.clone();
        let broken = grow(&mut site);
        let [page, creation] = times(&site);
        text += &format!("{posts:e} posts, {readers:e} readers a minute: ");
        text += &format!("a page takes {page:.2} ms, a creation {creation:.2} ms\n");
        for (resource, share) in broken {
            text += &format!("    {resource} would be at {:.0} %\n", 100.0 * share);
        }
        let changed = site.iter().filter(|(name, value)| before[*name] != **value);
        let changed: String = changed
            .map(|(name, value)| format!(" --{name} {value}"))
            .collect();
        if !changed.is_empty() {
            text += &format!("    enough:{changed}\n");
        }
    }
    text
}

/// Adds what is missing, until nothing breaks or nothing helps. Returns what broke, and how much of it was used.
fn grow(site: &mut Site) -> Vec<(&'static str, f64)> {
    let mut broken: Vec<(_, _)> = Vec::new();
    loop {
        let used = utilisation(site).into_iter();
        let most = used.max_by(|(_, a), (_, b)| a.total_cmp(b));
        let Some((resource, share)) = most.filter(|(_, share)| *share > site["limit"]) else {
            return broken;
        };
        if broken.iter().all(|(name, _)| *name != resource) {
            broken.push((resource, share));
        }
        let mut cures = cures(site, resource).into_iter();
        let Some((name, value, _)) = cures.find(|(_, value, most)| value <= most) else {
            return broken;
        };
        site.insert(name, value);
    }
}

/// What helps: options with their next values, and the most that a server can have, or that there can be.
fn cures(site: &Site, resource: &str) -> Vec<(&'static str, f64, f64)> {
    let double = |name, most| (name, site[name] * 2.0, most);
    let add = |name, most| (name, site[name] + 1.0, most);
    let postgres = add("postgres", 1.0);
    match (resource, site["postgres"] == 0.0) {
        ("disk space", _) => vec![double("disk-gb", 1e5)],
        ("disk reads", _) => vec![double("disk-reads", 1e6), double("memory-gib", 1e3)],
        ("processors of the program", true) => vec![double("cores", 16.0), postgres],
        (_, true) => vec![postgres],
        ("creations on one primary", _) => Vec::new(),
        ("processors of the database", _) => {
            vec![double("database-cores", 16.0), add("standbys", 16.0)]
        }
        _ => vec![add("instances", 1e3)],
    }
}
