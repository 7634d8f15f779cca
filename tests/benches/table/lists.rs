//! Pages of lists of a million posts.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use handbill_tests::load::get;
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;

use crate::by_hand;
use crate::chart::{Chart, Group};
use crate::figure::{Figure, Unit};
use crate::load::{Load, always};
use crate::million::{List, Million};
use crate::plan::Plan;
use crate::report::{Report, Wanted};
use crate::rounds::{Subject, median_micros, rates};
use crate::servers::{
    self, BARE, BY_HAND, POSTGRES, POSTGRES_BY_HAND, Profile, SQLITE, Server, response,
};

const CLIENTS: usize = 32;
/// The service by hand counts and walks the list for each page. Two clients keep it busy; more
/// would only wait.
const CLIENTS_BY_HAND: usize = 2;
const PER_PAGE: u64 = 20;

struct Servers {
    sqlite: Program,
    sqlite_by_hand: Server,
    postgres: Option<Program>,
    postgres_by_hand: Option<Server>,
}

pub(crate) async fn measure(
    plan: &Plan,
    million: &Million,
    report: &mut Report,
    chart: &mut Chart,
) {
    report.table(
        "Lists",
        &format!(
            "`GET /api/posts?per_page=20` of {} posts, and of a tag that half of them have: one \
             page again and again, by 32 clients (2 for the service by hand, which they keep \
             busy). For *pages read once*, one client reads pages that no one has read before: the \
             median time of one, compared with pages near the beginning of the list.",
            plan.posts_in_words()
        ),
    );
    let servers = start(million).await;
    for list in &million.lists {
        let pages = list.total.div_ceil(PER_PAGE);
        for (place, page) in [("first", 1), ("middle", pages / 2), ("last", pages)] {
            hot_page(plan, &servers, list, place, page, report, chart).await;
        }
        for (name, address) in servers.ours() {
            pages_read_once(plan, name, address, list, report).await;
        }
    }
}

async fn start(million: &Million) -> Servers {
    Servers {
        sqlite: Profile::Release.handbill(&million.sqlite.database).await,
        sqlite_by_hand: servers::by_hand(&million.sqlite_by_hand).await,
        postgres: match &million.postgres {
            Some(filled) => Some(Profile::Release.handbill(&filled.database).await),
            None => None,
        },
        postgres_by_hand: match &million.postgres_by_hand {
            Some(database) => Some(servers::by_hand(database).await),
            None => None,
        },
    }
}

impl Servers {
    fn ours(&self) -> impl Iterator<Item = (&'static str, SocketAddr)> {
        let postgres = self.postgres.as_ref();
        let postgres = postgres.map(|program| (POSTGRES, program.address));
        std::iter::once((SQLITE, self.sqlite.address)).chain(postgres)
    }

    fn by_hand(&self) -> impl Iterator<Item = (&'static str, SocketAddr)> {
        let postgres = self.postgres_by_hand.as_ref();
        let postgres = postgres.map(|server| (POSTGRES_BY_HAND, server.address));
        std::iter::once((BY_HAND, self.sqlite_by_hand.address)).chain(postgres)
    }
}

/// One page again and again.
async fn hot_page(
    plan: &Plan,
    servers: &Servers,
    list: &List,
    place: &str,
    page: u64,
    report: &mut Report,
    chart: &mut Chart,
) {
    let request = get(&page_of(list, page));
    for (_, address) in servers.ours() {
        let found = response(address, &request).await.json();
        assert!(!found["posts"].as_array().unwrap().is_empty());
    }
    let bare = Profile::Release
        .bare_like(servers.sqlite.address, &request)
        .await;
    let mut subjects = vec![reading(BARE, bare.address, CLIENTS, &request)];
    for (name, address) in servers.ours() {
        subjects.push(reading(name, address, CLIENTS, &request));
    }
    // The service by hand takes up to seconds for a page, so two of its pages must do.
    let is_compared = list.query.is_empty() && place != "middle";
    if is_compared {
        let request = get(&by_hand::page(page));
        for (name, address) in servers.by_hand() {
            subjects.push(reading(name, address, CLIENTS_BY_HAND, &request));
        }
    }
    let figures = rates(plan, &subjects).await;
    let measured = format!("{}, {place} page", list.name);
    for (pair, wanted) in [
        (
            [SQLITE, BARE],
            Wanted::at_least(0.45).unless("lists are longer than posts"),
        ),
        ([SQLITE, BY_HAND], Wanted::NOTHING),
        ([POSTGRES, POSTGRES_BY_HAND], Wanted::NOTHING),
    ] {
        report.compare(&measured, &figures, pair, wanted);
    }
    if is_compared && place == "last" {
        chart.set(Group::LastPage, &figures);
    }
}

fn reading(name: &'static str, server: SocketAddr, clients: usize, request: &[u8]) -> Subject {
    Subject {
        name,
        load: Load {
            servers: vec![server],
            clients,
            requests: always(request.to_owned()),
            status: 200,
        },
    }
}

/// Pages near the beginning, in the middle and near the end, each read once.
async fn pages_read_once(
    plan: &Plan,
    name: &'static str,
    server: SocketAddr,
    list: &List,
    report: &mut Report,
) {
    let pages = list.total.div_ceil(PER_PAGE);
    let in_a_round = (plan.timed_requests as u64 / 10).min(pages / (4 * plan.rounds as u64));
    let mut connection = Connection::open(server).await.unwrap();
    let [mut first, mut middle, mut last] =
        ["first pages", name, name].map(|name| Figure::empty(name, Unit::Micros));
    for round in 0..plan.rounds as u64 {
        let shift = round * in_a_round;
        for (figure, from) in [
            // Page 1 itself was read before.
            (&mut first, 2 + shift),
            (&mut middle, pages / 2 + 1 + shift),
            (&mut last, pages - shift - in_a_round),
        ] {
            let mut times = Vec::new();
            for page in from..from + in_a_round {
                times.push(read(&mut connection, list, page).await);
            }
            figure.values.push(median_micros(&times));
        }
    }
    for (place, figure) in [("middle", middle), ("last", last)] {
        let measured = format!("{}, {place} pages read once", list.name);
        report.ratio(
            &measured,
            &figure,
            &first,
            Wanted::at_most(1.5).unless("the marks in the lists are 1,000 entries apart"),
        );
    }
}

async fn read(connection: &mut Connection, list: &List, page: u64) -> Duration {
    let request = get(&page_of(list, page));
    let sent = Instant::now();
    let status = connection.status_of(&request).await.unwrap();
    assert_eq!(status, 200);
    sent.elapsed()
}

fn page_of(list: &List, page: u64) -> String {
    format!("/api/posts?page={page}&per_page={PER_PAGE}{}", list.query)
}
