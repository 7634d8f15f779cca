//! Reads of one post: its JSON, whole and asked for with what is there already, and its page.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use handbill_tests::load::{get, publish};
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;

use crate::databases::Databases;
use crate::figure::{Figure, Unit};
use crate::handwritten;
use crate::report::{Report, Wanted};
use crate::rounds::{ROUNDS, Subject, Work, rates, typical};
use crate::servers::{self, Own, answer, bare_like, handbill};

const CLIENTS: usize = 32;
const POSTS: usize = 40;
const BODY_BYTES: usize = 1000;
/// Reads whose time to the first byte is taken, in each round.
const FIRST_BYTES: usize = 3_000;

/// Handbill on a store, with a post to read.
struct Ours {
    name: &'static str,
    program: Program,
    id: String,
    wanted: bool,
}

/// The hand-written service on a database, with a post to read, beside ours on the same.
struct ByHand {
    name: &'static str,
    beside: &'static str,
    server: Own,
    id: String,
}

pub(crate) async fn measure(databases: &Databases, report: &mut Report) {
    report.table(
        "Reads of a post",
        "`GET /api/posts/{id}` of about 1 KB, the same with `If-None-Match`, which is answered with \
         304, and the post's page `GET /p/{id}`: 32 clients, one post. What is written by hand has \
         no ETag and no pages.",
    );
    let (ours, by_hand) = servers(databases).await;
    let sqlite = &ours[1];

    let path = |ours: &Ours| format!("/api/posts/{}", ours.id);
    let json = |ours: &Ours| get(&path(ours));
    let bare = bare_like(sqlite.program.address, &json(sqlite)).await;
    let mut subjects = vec![reading("bare hyper", bare.address, json(sqlite), 200)];
    for ours in &ours {
        subjects.push(reading(ours.name, ours.program.address, json(ours), 200));
    }
    for by_hand in &by_hand {
        let request = get(&format!("/posts/{}", by_hand.id));
        subjects.push(reading(by_hand.name, by_hand.server.address, request, 200));
    }
    let figures = rates(&mut subjects).await;
    compare("read", &ours, 0.85, &figures, report);
    for by_hand in &by_hand {
        let named = |name| figures.iter().find(|figure| figure.name == name).unwrap();
        let (reference, ours) = (named(by_hand.name), named(by_hand.beside));
        report.ratio("read", ours, reference, Wanted::Nothing);
    }

    let mut conditional = Vec::new();
    for ours in &ours {
        let whole = answer(ours.program.address, &json(ours)).await;
        let etag = whole.headers["etag"].to_str().unwrap();
        let head = format!("Host: localhost\r\nIf-None-Match: {etag}\r\n\r\n");
        conditional.push(format!("GET {} HTTP/1.1\r\n{head}", path(ours)).into_bytes());
    }
    measure_of_bare(
        "read with `If-None-Match`",
        &ours,
        &conditional,
        304,
        0.85,
        report,
    )
    .await;
    let pages: Vec<_> = ours
        .iter()
        .map(|ours| get(&format!("/p/{}", ours.id)))
        .collect();
    measure_of_bare("post page", &ours, &pages, 200, 0.8, report).await;

    let (page, json) = first_bytes(sqlite.program.address, &pages[1], &json(sqlite)).await;
    let what = "time to the first byte, 1 client: post page against JSON";
    report.ratio(what, &page, &json, Wanted::Nothing);
}

async fn servers(databases: &Databases) -> (Vec<Ours>, Vec<ByHand>) {
    let mut stores = vec![
        ("memory", "memory:".to_owned(), false),
        ("SQLite", databases.sqlite("read"), true),
    ];
    let sqlite = databases.sqlite("read-by-hand");
    let mut databases_by_hand = vec![("by hand", "SQLite", sqlite)];
    if let Some(database) = databases.postgres("read").await {
        stores.push(("PostgreSQL", database, false));
    }
    if let Some(database) = databases.postgres("read_by_hand").await {
        databases_by_hand.push(("by hand on PostgreSQL", "PostgreSQL", database));
    }
    let (mut ours, mut by_hand) = (Vec::new(), Vec::new());
    for (name, database, wanted) in stores {
        let program = handbill(&database).await;
        let id = publish(program.address, "", POSTS, BODY_BYTES).await;
        ours.push(Ours {
            name,
            program,
            id,
            wanted,
        });
    }
    for (name, beside, database) in databases_by_hand {
        let server = servers::handwritten(&database).await;
        let mut id = String::new();
        for seed in 0..POSTS {
            let note = handwritten::publish_note(seed, BODY_BYTES);
            let created = answer(server.address, &note).await.json();
            created["id"].as_str().unwrap().clone_into(&mut id);
        }
        by_hand.push(ByHand {
            name,
            beside,
            server,
            id,
        });
    }
    (ours, by_hand)
}

fn reading(name: &'static str, address: SocketAddr, request: Vec<u8>, status: u16) -> Subject {
    Subject {
        name,
        work: Work::Requests {
            servers: vec![address],
            clients: CLIENTS,
            requests: Arc::new(vec![request]),
            status,
        },
    }
}

/// Each of ours with its request, against a bare server that answers as SQLite's does.
async fn measure_of_bare(
    what: &str,
    ours: &[Ours],
    requests: &[Vec<u8>],
    status: u16,
    wanted: f64,
    report: &mut Report,
) {
    let bare = bare_like(ours[1].program.address, &requests[1]).await;
    let mut subjects = vec![reading(
        "bare hyper",
        bare.address,
        requests[1].clone(),
        status,
    )];
    for (ours, request) in ours.iter().zip(requests) {
        subjects.push(reading(
            ours.name,
            ours.program.address,
            request.clone(),
            status,
        ));
    }
    let figures = rates(&mut subjects).await;
    compare(what, ours, wanted, &figures, report);
}

/// Rows of each of ours, whose figures come after the bare server's.
fn compare(what: &str, ours: &[Ours], wanted: f64, figures: &[Figure], report: &mut Report) {
    let (bare, figures) = figures.split_first().unwrap();
    for (ours, figure) in ours.iter().zip(figures) {
        let wanted = match ours.wanted {
            true => Wanted::AtLeast(wanted),
            false => Wanted::Nothing,
        };
        report.ratio(what, figure, bare, wanted);
    }
}

/// The times to the first byte of a post's page and of its JSON, read in turn.
async fn first_bytes(address: SocketAddr, page: &[u8], json: &[u8]) -> (Figure, Figure) {
    let mut connection = Connection::open(address).await.unwrap();
    let mut figures = ["page", "JSON"].map(|name| Figure::none(name, Unit::Micros));
    for _ in 0..ROUNDS {
        let mut times: [Vec<Duration>; 2] = Default::default();
        for _ in 0..FIRST_BYTES {
            for (request, times) in [page, json].into_iter().zip(&mut times) {
                times.push(connection.first_byte_of(request).await.unwrap());
            }
        }
        for (figure, times) in figures.iter_mut().zip(&times) {
            figure.values.push(typical(times));
        }
    }
    let [page, json] = figures;
    (page, json)
}
