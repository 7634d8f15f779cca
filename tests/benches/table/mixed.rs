//! Latencies of reads and creations at the same time, in a database of a million posts.

use std::net::SocketAddr;

use crate::by_hand::ByHand;
use crate::creations;
use crate::databases::Databases;
use crate::figure::{Figure, Unit};
use crate::load::{MixedLoad, Requests, any_of};
use crate::million::{Filled, Million};
use crate::plan::Plan;
use crate::random::{reads, reads_by_hand};
use crate::report::{Report, Wanted};
use crate::rounds::{Figures, percentile_99_micros};
use crate::servers::{
    self, POSTGRES, POSTGRES_SAME_WORK, POSTGRES_SHORT, Profile, SAME_WORK, SHORT, SQLITE,
};

const CLIENTS: usize = 32;
const SHARE_OF_CREATIONS: f64 = 0.1;

/// A server with its load and its figures.
struct Subject {
    load: MixedLoad,
    reads: Figure,
    creations: Figure,
}

pub(crate) async fn measure(
    plan: &Plan,
    databases: &Databases,
    million: &Million,
    report: &mut Report,
) {
    report.table(
        "Reads and creations at the same time",
        &format!(
            "32 clients, of whose requests 90 % read a random post and 10 % create one, in copies \
             of the databases of {} posts. The figure is the time that 99 of 100 responses stay \
             below, so a ratio below 1 means that Handbill is faster.",
            plan.posts_in_words()
        ),
    );
    let copy = databases.copy_of_sqlite("mixed", &million.sqlite.database);
    let copy_by_hand = databases.copy_of_sqlite("mixed-by-hand", &million.sqlite_by_hand);
    let names = [SQLITE, SHORT, SAME_WORK];
    let on = [&*copy, &*copy_by_hand];
    compare(plan, names, on, &million.sqlite, million, report).await;
    databases.remove_sqlite(&copy);
    databases.remove_sqlite(&copy_by_hand);

    let Some(filled) = &million.postgres else {
        return;
    };
    let [name, name_by_hand] = &million.postgres_names;
    let copy = databases.copy_of_postgres("mixed", name).await;
    let copy_by_hand = databases
        .copy_of_postgres("mixed_by_hand", name_by_hand)
        .await;
    if let (Some(copy), Some(copy_by_hand)) = (copy, copy_by_hand) {
        let names = [POSTGRES, POSTGRES_SHORT, POSTGRES_SAME_WORK];
        compare(plan, names, [&copy, &copy_by_hand], filled, million, report).await;
    }
    databases.drop_postgres("mixed").await;
    databases.drop_postgres("mixed_by_hand").await;
}

/// Compares Handbill with the services by hand, under these names. Handbill and both of these have a database each.
async fn compare(
    plan: &Plan,
    names: [&'static str; 3],
    [database, database_by_hand]: [&str; 2],
    filled: &Filled,
    million: &Million,
    report: &mut Report,
) {
    let ours = Profile::Release.handbill(database).await;
    let by_hand = servers::by_hand(database_by_hand).await;
    let [name, short, same_work] = names;
    let creations = creations::requests(ours.address).await;
    let mut subjects = vec![subject(name, ours.address, reads(filled), creations)];
    for (name, service) in [(short, ByHand::Short), (same_work, ByHand::SameWork)] {
        let creations = creations::requests_by_hand(service);
        let reads = reads_by_hand(service, million);
        subjects.push(subject(name, by_hand.address, reads, creations));
    }
    measure_in_turns(plan, &mut subjects).await;
    let (reads, creations) = subjects
        .into_iter()
        .map(|subject| (subject.reads, subject.creations))
        .unzip();
    for (measured, figures) in [("reads", reads), ("creations", creations)] {
        let measured = format!("99th percentile of {measured}");
        let figures = Figures(figures);
        let wanted = Wanted::at_most(1.0)
            .unless("reads make HTML, and creations keep lists, on the same core");
        report.compare(&measured, &figures, [name, short], wanted);
        report.compare(&measured, &figures, [name, same_work], Wanted::NOTHING);
    }
}

fn subject(
    name: &'static str,
    server: SocketAddr,
    reads: Requests,
    creations: Vec<Vec<u8>>,
) -> Subject {
    Subject {
        load: MixedLoad {
            server,
            clients: CLIENTS,
            reads,
            creations: any_of(creations),
            share_of_creations: SHARE_OF_CREATIONS,
        },
        reads: Figure::empty(name, Unit::Micros),
        creations: Figure::empty(name, Unit::Micros),
    }
}

async fn measure_in_turns(plan: &Plan, subjects: &mut [Subject]) {
    for subject in subjects.iter_mut() {
        subject.load.latencies(plan.warm_up).await;
    }
    for _ in 0..plan.rounds {
        for subject in subjects.iter_mut() {
            let latencies = subject.load.latencies(plan.latency_window).await;
            let (reads, creations) = (latencies.reads, latencies.creations);
            subject.reads.values.push(percentile_99_micros(reads));
            subject
                .creations
                .values
                .push(percentile_99_micros(creations));
        }
    }
}
