//! Latencies of reads and creations at the same time, in a database of a million posts.

use std::net::SocketAddr;

use handbill_tests::load::key_header;
use handbill_tests::wire::Connection;

use crate::databases::Databases;
use crate::figure::{Figure, Unit};
use crate::load::{MixedLoad, Requests, any_of};
use crate::million::{Filled, Million};
use crate::plan::Plan;
use crate::random::{reads, reads_by_hand};
use crate::report::{Report, Wanted};
use crate::rounds::{Figures, percentile_99_micros};
use crate::servers::{self, POSTGRES, POSTGRES_BY_HAND, SQLITE, SQLITE_BY_HAND, handbill};
use crate::{handwritten, post};

const CLIENTS: usize = 32;
const SHARE_OF_CREATIONS: f64 = 0.1;
/// Different posts that are created.
const CREATIONS: u64 = 512;

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
    let ours = (SQLITE, &*copy, &million.sqlite);
    let by_hand = (SQLITE_BY_HAND, &*copy_by_hand, million);
    compare(plan, ours, by_hand, report).await;
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
        let ours = (POSTGRES, &*copy, filled);
        let by_hand = (POSTGRES_BY_HAND, &*copy_by_hand, million);
        compare(plan, ours, by_hand, report).await;
    }
    databases.drop_postgres("mixed").await;
    databases.drop_postgres("mixed_by_hand").await;
}

/// Compares Handbill with the hand-written service. Each has its name, its database and its posts.
async fn compare(
    plan: &Plan,
    (ours, database, filled): (&'static str, &str, &Filled),
    (by_hand, database_by_hand, million): (&'static str, &str, &Million),
    report: &mut Report,
) {
    let handbill = handbill(database).await;
    let handwritten = servers::handwritten(database_by_hand).await;
    let mut connection = Connection::open(handbill.address).await.unwrap();
    let key = key_header(&mut connection, "").await;
    let creations = any_of(
        (0..CREATIONS)
            .map(|at| post::create("", &key, at))
            .collect(),
    );
    let creations_by_hand = any_of((0..CREATIONS).map(handwritten::create).collect());
    let mut subjects = [
        subject(ours, handbill.address, reads(filled), creations),
        subject(
            by_hand,
            handwritten.address,
            reads_by_hand(million),
            creations_by_hand,
        ),
    ];
    measure_in_turns(plan, &mut subjects).await;
    let (reads, creations) = subjects
        .into_iter()
        .map(|subject| (subject.reads, subject.creations))
        .unzip();
    for (measured, figures) in [("reads", reads), ("creations", creations)] {
        let measured = format!("99th percentile of {measured}");
        let figures = Figures(figures);
        report.compare(&measured, &figures, [ours, by_hand], Wanted::Nothing);
    }
}

fn subject(
    name: &'static str,
    server: SocketAddr,
    reads: Requests,
    creations: Requests,
) -> Subject {
    Subject {
        load: MixedLoad {
            server,
            clients: CLIENTS,
            reads,
            creations,
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
