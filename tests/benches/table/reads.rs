//! Reads of one post: its JSON, the same with `If-None-Match`, and its page.

use std::net::SocketAddr;

use handbill_tests::load::{get, key_header};
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;

use crate::chart::{Chart, Group};
use crate::databases::Databases;
use crate::figure::{Figure, Unit};
use crate::load::{Load, always};
use crate::plan::Plan;
use crate::report::{Report, Wanted};
use crate::rounds::{Figures, Subject, median_micros, rates};
use crate::servers::{
    self, BARE, POSTGRES, POSTGRES_BY_HAND, SQLITE, SQLITE_BY_HAND, SQLITE_DIST, Server, bare_like,
    handbill, handbill_dist, response,
};
use crate::{handwritten, post};

const CLIENTS: usize = 32;
/// The last of these is read.
const POSTS: u64 = 40;
const OF_BARE: Wanted = Wanted::AtLeast(0.7);

/// Handbill on a database, with the identifier of a post.
struct Ours {
    name: &'static str,
    program: Program,
    id: String,
}

/// The hand-written service on a database, with the identifier of a post.
struct ByHand {
    name: &'static str,
    server: Server,
    id: String,
}

pub(crate) async fn measure(
    plan: &Plan,
    databases: &Databases,
    report: &mut Report,
    chart: &mut Chart,
) {
    report.table(
        "Reads of one post",
        "32 clients read one post: `GET /api/posts/{id}`; the same with `If-None-Match`, to which \
         the response is 304; and the post's page, `GET /p/{id}`. The hand-written service has no \
         ETags and no pages.",
    );
    let sqlite = handbill(&databases.sqlite("read")).await;
    let dist = handbill_dist(&databases.sqlite("read-dist")).await;
    let mut ours = vec![
        read_ours(SQLITE, sqlite).await,
        read_ours(SQLITE_DIST, dist).await,
    ];
    let database = databases.sqlite("read-by-hand");
    let mut by_hand = vec![read_by_hand(SQLITE_BY_HAND, &database).await];
    if let Some(database) = databases.postgres("read").await {
        ours.push(read_ours(POSTGRES, handbill(&database).await).await);
    }
    if let Some(database) = databases.postgres("read_by_hand").await {
        by_hand.push(read_by_hand(POSTGRES_BY_HAND, &database).await);
    }

    let path = |ours: &Ours| format!("/api/posts/{}", ours.id);
    let json: Vec<_> = ours.iter().map(|ours| get(&path(ours))).collect();
    let subjects = by_hand.iter().map(|by_hand| {
        let request = get(&format!("/posts/{}", by_hand.id));
        reading(by_hand.name, by_hand.server.address, request, 200)
    });
    let figures = measure_kind(plan, "read", &ours, &json, 200, subjects.collect(), report).await;
    for pair in [[SQLITE, SQLITE_BY_HAND], [POSTGRES, POSTGRES_BY_HAND]] {
        report.compare("read", &figures, pair, Wanted::Nothing);
    }
    chart.set(Group::HotRead, &figures);

    let mut conditional = Vec::new();
    for (ours, json) in ours.iter().zip(&json) {
        let whole = response(ours.program.address, json).await;
        let etag = whole.headers["etag"].to_str().unwrap();
        let head = format!("Host: localhost\r\nIf-None-Match: {etag}\r\n\r\n");
        conditional.push(format!("GET {} HTTP/1.1\r\n{head}", path(ours)).into_bytes());
    }
    let measured = "read with `If-None-Match`";
    measure_kind(plan, measured, &ours, &conditional, 304, Vec::new(), report).await;

    let page = |ours: &Ours| get(&format!("/p/{}", ours.id));
    let pages: Vec<_> = ours.iter().map(page).collect();
    measure_kind(plan, "post page", &ours, &pages, 200, Vec::new(), report).await;

    let sqlite = ours[0].program.address;
    let (page, json) = first_bytes(plan, sqlite, &pages[0], &json[0]).await;
    let measured = "time to the first byte, 1 client: page compared with JSON";
    report.ratio(measured, &page, &json, Wanted::Nothing);
}

async fn read_ours(name: &'static str, program: Program) -> Ours {
    let mut connection = Connection::open(program.address).await.unwrap();
    let key = key_header(&mut connection, "").await;
    let creations = (0..POSTS).map(|number| post::create("", &key, number));
    let id = create_all(&mut connection, creations).await;
    Ours { name, program, id }
}

async fn read_by_hand(name: &'static str, database: &str) -> ByHand {
    let server = servers::handwritten(database).await;
    let mut connection = Connection::open(server.address).await.unwrap();
    let id = create_all(&mut connection, (0..POSTS).map(handwritten::create)).await;
    ByHand { name, server, id }
}

/// Creates posts and returns the identifier of the last one.
async fn create_all(
    connection: &mut Connection,
    creations: impl Iterator<Item = Vec<u8>>,
) -> String {
    let mut id = String::new();
    for creation in creations {
        let created = connection.send(&creation).await.unwrap().json();
        created["id"].as_str().unwrap().clone_into(&mut id);
    }
    id
}

fn reading(name: &'static str, server: SocketAddr, request: Vec<u8>, status: u16) -> Subject {
    Subject {
        name,
        load: Load {
            server,
            clients: CLIENTS,
            requests: always(request),
            status,
        },
    }
}

/// Compares Handbill, which has a request for each database, with a bare server that sends the same
/// response. Others may take part.
async fn measure_kind(
    plan: &Plan,
    measured: &str,
    ours: &[Ours],
    requests: &[Vec<u8>],
    status: u16,
    others: Vec<Subject>,
    report: &mut Report,
) -> Figures {
    let bare = bare_like(ours[0].program.address, &requests[0]).await;
    let mut subjects = vec![reading(BARE, bare.address, requests[0].clone(), status)];
    for (ours, request) in ours.iter().zip(requests) {
        let address = ours.program.address;
        subjects.push(reading(ours.name, address, request.clone(), status));
    }
    subjects.extend(others);
    let figures = rates(plan, &subjects).await;
    report.compare(measured, &figures, [SQLITE, BARE], OF_BARE);
    report.compare(measured, &figures, [SQLITE_DIST, BARE], Wanted::Nothing);
    report.compare(measured, &figures, [POSTGRES, BARE], Wanted::Nothing);
    figures
}

/// The times to the first byte of a post's page and of its JSON, which take turns.
async fn first_bytes(
    plan: &Plan,
    server: SocketAddr,
    page: &[u8],
    json: &[u8],
) -> (Figure, Figure) {
    let mut connection = Connection::open(server).await.unwrap();
    let [mut pages, mut jsons] = ["page", "JSON"].map(|name| Figure::empty(name, Unit::Micros));
    for _ in 0..plan.rounds {
        let [mut page_times, mut json_times] = [Vec::new(), Vec::new()];
        for _ in 0..plan.timed_requests {
            page_times.push(connection.first_byte_of(page).await.unwrap());
            json_times.push(connection.first_byte_of(json).await.unwrap());
        }
        pages.values.push(median_micros(&page_times));
        jsons.values.push(median_micros(&json_times));
    }
    (pages, jsons)
}
