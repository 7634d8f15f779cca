//! Latencies of reads and creations at the same time, in a database of a million posts.

use std::net::SocketAddr;

use handbill_tests::load::key_header;
use handbill_tests::wire::Connection;

use crate::databases::Databases;
use crate::figure::{Figure, Unit};
use crate::load::{MixedLoad, Requests, any_of};
use crate::million::Million;
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
    let sqlite = handbill(&copy).await;
    let sqlite_by_hand = servers::handwritten(&copy_by_hand).await;
    let (reads_ours, creations) = (reads(&million.sqlite), creations(sqlite.address).await);
    let mut subjects = vec![
        subject(SQLITE, sqlite.address, reads_ours, creations),
        by_hand(SQLITE_BY_HAND, sqlite_by_hand.address, million),
    ];
    measure_in_turns(plan, &mut subjects).await;
    write_rows(subjects, [SQLITE, SQLITE_BY_HAND], report);
    assert!(sqlite.stop().await.success());
    drop(sqlite_by_hand);
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
    let (Some(copy), Some(copy_by_hand)) = (copy, copy_by_hand) else {
        return;
    };
    let postgres = handbill(&copy).await;
    let postgres_by_hand = servers::handwritten(&copy_by_hand).await;
    let creations = self::creations(postgres.address).await;
    let mut subjects = vec![
        subject(POSTGRES, postgres.address, reads(filled), creations),
        by_hand(POSTGRES_BY_HAND, postgres_by_hand.address, million),
    ];
    measure_in_turns(plan, &mut subjects).await;
    write_rows(subjects, [POSTGRES, POSTGRES_BY_HAND], report);
    assert!(postgres.stop().await.success());
    drop(postgres_by_hand);
    databases.drop_postgres("mixed").await;
    databases.drop_postgres("mixed_by_hand").await;
}

fn by_hand(name: &'static str, server: SocketAddr, million: &Million) -> Subject {
    let creations = any_of((0..CREATIONS).map(handwritten::create).collect());
    subject(name, server, reads_by_hand(million), creations)
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

async fn creations(server: SocketAddr) -> Requests {
    let mut connection = Connection::open(server).await.unwrap();
    let key = key_header(&mut connection, "").await;
    any_of(
        (0..CREATIONS)
            .map(|number| post::create(&key, number))
            .collect(),
    )
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

fn write_rows(subjects: Vec<Subject>, pair: [&str; 2], report: &mut Report) {
    let (reads, creations) = subjects
        .into_iter()
        .map(|subject| (subject.reads, subject.creations))
        .unzip();
    for (measured, figures) in [("reads", reads), ("creations", creations)] {
        let measured = format!("99th percentile of {measured}");
        report.compare(&measured, &Figures(figures), pair, Wanted::Nothing);
    }
}
