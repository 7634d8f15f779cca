//! Creations of posts. All are durable.

use std::net::SocketAddr;

use handbill_tests::load::key_header;
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;

use crate::by_hand::ByHand;
use crate::chart::{Chart, Group};
use crate::databases::Databases;
use crate::load::{Load, any_of};
use crate::plan::Plan;
use crate::post;
use crate::report::{Report, Wanted};
use crate::rounds::{Subject, rates};
use crate::servers::{
    self, POSTGRES, POSTGRES_SAME_WORK, POSTGRES_SHORT, Profile, SAME_WORK, SHORT, SQLITE, Server,
};

/// Why a creation takes longer than by hand.
const MORE_WORK: &str = "a post also goes into the lists and the index for searches";

/// Different posts that are created.
pub(crate) const CREATIONS: u64 = 512;

/// A number of clients, with the floors of Handbill compared with the same work by hand.
struct Clients {
    number: usize,
    on_sqlite: Wanted,
    on_postgres: Wanted,
    group: Group,
}

const CLIENTS: [Clients; 2] = [
    Clients {
        number: 1,
        on_sqlite: Wanted::at_least(0.95).unless(MORE_WORK),
        on_postgres: Wanted::at_least(1.0).unless(MORE_WORK),
        group: Group::CreationByOne,
    },
    Clients {
        number: 32,
        on_sqlite: Wanted::at_least(3.8).unless(MORE_WORK),
        on_postgres: Wanted::at_least(1.8).unless(MORE_WORK),
        group: Group::CreationByMany,
    },
];

pub(crate) async fn measure(
    plan: &Plan,
    databases: &Databases,
    report: &mut Report,
    chart: &mut Chart,
) {
    report.table(
        "Creations",
        "`POST /api/posts` with an API key, into databases that are new for each number of clients. \
         The response is sent once the post is durable. The short service checks no keys.",
    );
    for clients in &CLIENTS {
        measure_with(clients, plan, databases, report, chart).await;
    }
}

async fn measure_with(
    clients: &Clients,
    plan: &Plan,
    databases: &Databases,
    report: &mut Report,
    chart: &mut Chart,
) {
    let number = clients.number;
    let mut servers = Vec::new();
    let mut subjects = Vec::new();
    let ours = databases.sqlite(&format!("created-{number}"));
    let by_hand = databases.sqlite(&format!("created-by-hand-{number}"));
    let names = [SQLITE, SHORT, SAME_WORK];
    servers.push(start(names, [&ours, &by_hand], number, &mut subjects).await);
    let ours = databases.postgres("created").await;
    let by_hand = databases.postgres("created_by_hand").await;
    if let (Some(ours), Some(by_hand)) = (ours, by_hand) {
        let names = [POSTGRES, POSTGRES_SHORT, POSTGRES_SAME_WORK];
        servers.push(start(names, [&ours, &by_hand], number, &mut subjects).await);
    }
    let figures = rates(plan, &subjects).await;
    let measured = match number {
        1 => "1 client".to_owned(),
        number => format!("{number} clients"),
    };
    for (pair, wanted) in [
        ([SQLITE, SHORT], Wanted::NOTHING),
        ([SQLITE, SAME_WORK], clients.on_sqlite),
        ([POSTGRES, POSTGRES_SHORT], Wanted::NOTHING),
        ([POSTGRES, POSTGRES_SAME_WORK], clients.on_postgres),
    ] {
        report.compare(&measured, &figures, pair, wanted);
    }
    chart.set(clients.group, &figures);
}

/// Starts Handbill and the services by hand on two databases of one kind, and adds them under these names.
async fn start(
    names: [&'static str; 3],
    [ours, by_hand]: [&str; 2],
    clients: usize,
    subjects: &mut Vec<Subject>,
) -> (Program, Server) {
    let ours = Profile::Release.handbill(ours).await;
    let by_hand = servers::by_hand(by_hand).await;
    let requests = [
        (ours.address, requests(ours.address).await),
        (by_hand.address, requests_by_hand(ByHand::Short)),
        (by_hand.address, requests_by_hand(ByHand::SameWork)),
    ];
    for (name, (server, requests)) in names.into_iter().zip(requests) {
        let load = Load {
            servers: vec![server],
            clients,
            requests: any_of(requests),
            status: 201,
        };
        subjects.push(Subject { name, load });
    }
    (ours, by_hand)
}

/// A creation of each post by hand.
pub(crate) fn requests_by_hand(service: ByHand) -> Vec<Vec<u8>> {
    (0..CREATIONS)
        .map(|number| service.create(number))
        .collect()
}

/// A creation of each post, with a key of this server.
pub(crate) async fn requests(server: SocketAddr) -> Vec<Vec<u8>> {
    let mut connection = Connection::open(server).await.unwrap();
    let key = key_header(&mut connection, "").await;
    (0..CREATIONS)
        .map(|number| post::create("", &key, number))
        .collect()
}
