//! Memory of the program, and how soon it answers after its start.

use std::sync::Arc;
use std::time::{Duration, Instant};

use handbill_tests::load::{get, key_header, publish_note, throughput};
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;

use crate::databases::Databases;
use crate::figure::{Figure, Unit};
use crate::million::{self, BODY_BYTES, LISTS, Million, POSTGRES};
use crate::report::{Report, Wanted};
use crate::servers::handbill;

const STARTS: usize = 5;
const READERS: usize = 24;
const WRITERS: usize = 8;
const LOAD: Duration = Duration::from_secs(4);
/// Different requests of each kind.
const REQUESTS: u64 = 10_000;

pub(crate) async fn measure(databases: &Databases, million: &Million, report: &mut Report) {
    report.table(
        "Memory and start",
        "Of the program's process. The first answer is to `GET /api/posts`, and its time is from \
         the start of the process; at rest is thereafter (`VmRSS`). Under load, 24 clients read \
         posts, their pages and pages of lists, all of them spread over a million posts, and 8 \
         create posts; that is the most memory that was in use (`VmHWM`).",
    );
    let mut stores = vec![("SQLite", databases.sqlite("empty"), million.sqlite.clone())];
    if let Some((empty, million)) = databases
        .postgres("empty")
        .await
        .zip(million.postgres.clone())
    {
        stores.push(("PostgreSQL", empty, million));
    }
    for (name, empty, million) in stores {
        starts(name, "an empty database", &empty, report).await;
        starts(name, "a million posts", &million, report).await;
    }

    // What is created does not stay with the million that are kept.
    let copy = databases.sqlite_file("copy");
    std::fs::copy(&million.sqlite_file, &copy).unwrap();
    under_load("SQLite", &databases.sqlite("copy"), report).await;
    if million.postgres.is_some()
        && let Some(copy) = databases.postgres_like("copy", POSTGRES).await
    {
        under_load("PostgreSQL", &copy, report).await;
    }
}

async fn starts(name: &'static str, what: &str, database: &str, report: &mut Report) {
    let mut first_answer = Figure::none(name, Unit::Millis);
    let mut at_rest = Figure::none(name, Unit::Megabytes);
    for _ in 0..STARTS {
        let started = Instant::now();
        let program = handbill(database).await;
        let mut connection = Connection::open(program.address).await.unwrap();
        let status = connection.status_of(&get("/api/posts")).await.unwrap();
        assert_eq!(status, 200);
        first_answer
            .values
            .push(started.elapsed().as_secs_f64() * 1e3);
        at_rest.values.push(megabytes(&program, "VmRSS:"));
        assert!(program.stop().await.success());
    }
    let what = |figure| format!("{figure}, {what}");
    report.figure(&what("first answer"), &first_answer, Wanted::AtMost(50.0));
    report.figure(&what("memory at rest"), &at_rest, Wanted::AtMost(20.0));
}

async fn under_load(name: &'static str, database: &str, report: &mut Report) {
    let program = handbill(database).await;
    let mut connection = Connection::open(program.address).await.unwrap();
    let key = key_header(&mut connection, "").await;
    let mut reads = Vec::new();
    for (at, number) in million::numbers(REQUESTS).enumerate() {
        let id = million::id(number);
        let list = &LISTS[at % LISTS.len()];
        let page = 1 + number * (list.total / 20) / million::POSTS;
        reads.push(get(&format!("/api/posts/{id}")));
        reads.push(get(&format!("/p/{id}")));
        reads.push(get(&format!("/api/posts?page={page}{}", list.query)));
    }
    let notes = (0..REQUESTS as usize).map(|seed| publish_note(&key, "", seed, BODY_BYTES));
    let (reads, notes) = (Arc::new(reads), Arc::new(notes.collect()));
    let servers = [program.address];
    tokio::join!(
        throughput(&servers, READERS, LOAD, &reads, 200),
        throughput(&servers, WRITERS, LOAD, &notes, 201),
    );
    let mut most = Figure::none(name, Unit::Megabytes);
    most.values.push(megabytes(&program, "VmHWM:"));
    assert!(program.stop().await.success());
    let what = "memory under load, a million posts";
    report.figure(what, &most, Wanted::AtMost(100.0));
}

/// A line of what the kernel says of the process.
fn megabytes(program: &Program, field: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    let kilobytes: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes * 1024.0 / 1e6
}
