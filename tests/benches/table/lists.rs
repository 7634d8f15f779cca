//! Lists of a million posts, and reads of any of them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use handbill_tests::load::get;
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;

use crate::figure::{Figure, Unit};
use crate::handwritten;
use crate::million::{self, LISTS, List, Million};
use crate::report::{Report, Wanted};
use crate::rounds::{ROUNDS, Subject, Work, rates, typical};
use crate::servers::{self, Own, answer, bare_like, handbill};

const CLIENTS: usize = 32;
/// As many as keep the hand-written service busy. Its lists take so long that more clients would be
/// waited for, not measured.
const CLIENTS_BY_HAND: usize = 2;
const PER_PAGE: u64 = 20;
/// Pages that are read once each, at each place and in each round, so that none is remembered.
const PAGES_READ_ONCE: u64 = 200;
/// Different posts that are read.
const READ: u64 = 50_000;

const MEMORY: &str = "memory";
const SQLITE: &str = "SQLite";
const POSTGRES: &str = "PostgreSQL";
const BARE: &str = "bare hyper";
const SQLITE_BY_HAND: &str = "by hand";
const POSTGRES_BY_HAND: &str = "by hand on PostgreSQL";

struct Servers {
    memory: Own,
    sqlite: Program,
    sqlite_by_hand: Own,
    postgres: Option<Program>,
    postgres_by_hand: Option<Own>,
}

pub(crate) async fn measure(million: &Million, report: &mut Report) {
    report.table(
        "A million posts",
        "`GET /api/posts?per_page=20` of all posts and of a tag that half of them carry, and \
         `GET /api/posts/{id}` of 50,000 posts in turn: 32 clients, 2 for lists by hand, which \
         keep its core busy. Pages *read once* are 200 of each place, one after the other, none of \
         which was read before: the typical time of one. In memory there is Handbill in axum.",
    );
    let servers = Servers {
        memory: servers::million_in_memory().await,
        sqlite: handbill(&million.sqlite).await,
        sqlite_by_hand: servers::handwritten(&million.sqlite_by_hand).await,
        postgres: match &million.postgres {
            Some(database) => Some(handbill(database).await),
            None => None,
        },
        postgres_by_hand: match &million.postgres_by_hand {
            Some(database) => Some(servers::handwritten(database).await),
            None => None,
        },
    };
    any_of_them(&servers, report).await;
    for list in &LISTS {
        let pages = list.total.div_ceil(PER_PAGE);
        for (place, page) in [("first", 1), ("middle", pages / 2), ("last", pages)] {
            hot_page(&servers, list, place, page, report).await;
        }
        let sqlite = (SQLITE, servers.sqlite.address);
        let postgres = servers.postgres.as_ref();
        let postgres = postgres.map(|program| (POSTGRES, program.address));
        for (name, address) in [Some(sqlite), postgres].into_iter().flatten() {
            pages_read_once(name, address, list, report).await;
        }
    }
}

impl Servers {
    fn ours(&self) -> impl Iterator<Item = (&'static str, SocketAddr)> {
        let postgres = self.postgres.as_ref();
        let postgres = postgres.map(|program| (POSTGRES, program.address));
        let others = [(MEMORY, self.memory.address), (SQLITE, self.sqlite.address)];
        others.into_iter().chain(postgres)
    }

    fn by_hand(&self) -> impl Iterator<Item = (&'static str, SocketAddr)> {
        let postgres = self.postgres_by_hand.as_ref();
        let postgres = postgres.map(|server| (POSTGRES_BY_HAND, server.address));
        let sqlite = (SQLITE_BY_HAND, self.sqlite_by_hand.address);
        std::iter::once(sqlite).chain(postgres)
    }
}

async fn any_of_them(servers: &Servers, report: &mut Report) {
    let ours =
        million::numbers(READ).map(|number| get(&format!("/api/posts/{}", million::id(number))));
    let ours: Arc<Vec<_>> = Arc::new(ours.collect());
    let by_hand =
        million::numbers(READ).map(|number| get(&format!("/posts/{}", handwritten::id(number))));
    let by_hand = Arc::new(by_hand.collect());
    let bare = bare_like(servers.sqlite.address, &ours[0]).await;
    let mut subjects = vec![reading(BARE, bare.address, CLIENTS, &ours)];
    for (name, address) in servers.ours() {
        subjects.push(reading(name, address, CLIENTS, &ours));
    }
    for (name, address) in servers.by_hand() {
        subjects.push(reading(name, address, CLIENTS, &by_hand));
    }
    let figures = rates(&mut subjects).await;
    tell("read any of them", &figures, Wanted::Nothing, report);
}

/// The same page, again and again.
async fn hot_page(servers: &Servers, list: &List, place: &str, page: u64, report: &mut Report) {
    let (query, name) = (list.query, list.name);
    let ours = get(&format!(
        "/api/posts?page={page}&per_page={PER_PAGE}{query}"
    ));
    for (_, address) in servers.ours() {
        let answer = answer(address, &ours).await.json();
        assert_eq!(answer["total"], list.total);
        assert_eq!(answer["posts"].as_array().unwrap().len() as u64, PER_PAGE);
    }
    let bare = bare_like(servers.sqlite.address, &ours).await;
    let ours = Arc::new(vec![ours]);
    let by_hand = Arc::new(vec![get(&format!("/posts?page={page}{query}"))]);
    let mut subjects = vec![reading(BARE, bare.address, CLIENTS, &ours)];
    for (name, address) in servers.ours() {
        subjects.push(reading(name, address, CLIENTS, &ours));
    }
    for (name, address) in servers.by_hand() {
        subjects.push(reading(name, address, CLIENTS_BY_HAND, &by_hand));
    }
    let figures = rates(&mut subjects).await;
    let what = format!("{name}, {place} page");
    tell(&what, &figures, Wanted::AtLeast(0.5), report);
}

fn reading(
    name: &'static str,
    address: SocketAddr,
    clients: usize,
    requests: &Arc<Vec<Vec<u8>>>,
) -> Subject {
    Subject {
        name,
        work: Work::Requests {
            servers: vec![address],
            clients,
            requests: Arc::clone(requests),
            status: 200,
        },
    }
}

fn tell(what: &str, figures: &[Figure], wanted_on_sqlite: Wanted, report: &mut Report) {
    let mut compare = |ours: &str, reference: &str, wanted| {
        let named = |name: &str| figures.iter().find(|figure| figure.name == name);
        if let (Some(ours), Some(reference)) = (named(ours), named(reference)) {
            report.ratio(what, ours, reference, wanted);
        }
    };
    compare(MEMORY, BARE, Wanted::Nothing);
    compare(SQLITE, BARE, wanted_on_sqlite);
    compare(POSTGRES, BARE, Wanted::Nothing);
    compare(SQLITE, SQLITE_BY_HAND, Wanted::Nothing);
    compare(POSTGRES, POSTGRES_BY_HAND, Wanted::Nothing);
}

/// Pages at the beginning, in the middle and at the end, each read once.
async fn pages_read_once(
    name: &'static str,
    address: SocketAddr,
    list: &List,
    report: &mut Report,
) {
    let pages = list.total.div_ceil(PER_PAGE);
    let mut connection = Connection::open(address).await.unwrap();
    let names = [name, "first pages"];
    let [mut first, mut middle, mut last] =
        [names[1], names[0], names[0]].map(|name| Figure::none(name, Unit::Micros));
    for round in 0..ROUNDS as u64 {
        // Page 1 itself was read before.
        let shift = round * PAGES_READ_ONCE;
        for (figure, from) in [
            (&mut first, 2 + shift),
            (&mut middle, pages / 2 + 1 + shift),
            (&mut last, pages - shift - PAGES_READ_ONCE),
        ] {
            let mut times = Vec::new();
            for page in from..from + PAGES_READ_ONCE {
                times.push(read(&mut connection, list, page).await);
            }
            figure.values.push(typical(&times));
        }
    }
    for (place, figure) in [("middle", middle), ("last", last)] {
        let what = format!("{}, {place} pages read once", list.name);
        report.ratio(&what, &figure, &first, Wanted::AtMost(1.5));
    }
}

async fn read(connection: &mut Connection, list: &List, page: u64) -> Duration {
    let query = list.query;
    let request = get(&format!(
        "/api/posts?page={page}&per_page={PER_PAGE}{query}"
    ));
    let started = Instant::now();
    let status = connection.status_of(&request).await.unwrap();
    assert_eq!(status, 200);
    started.elapsed()
}
