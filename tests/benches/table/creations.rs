//! Creations of posts. All are durable.

use std::net::SocketAddr;
use std::sync::Arc;

use handbill_tests::load::key_header;
use handbill_tests::wire::Connection;

use crate::chart::{Chart, Group};
use crate::databases::Databases;
use crate::load::{Load, Requests, any_of};
use crate::plan::Plan;
use crate::report::{Report, Wanted};
use crate::rounds::{Subject, rates};
use crate::servers::{
    self, BARE, POSTGRES, POSTGRES_BY_HAND, SQLITE, SQLITE_BY_HAND, bare_like, handbill,
};
use crate::{handwritten, post};

/// Different posts that are created.
const CREATIONS: u64 = 512;

/// A number of clients, with the floors of Handbill compared with the hand-written service.
struct Clients {
    number: usize,
    on_sqlite: Wanted,
    on_postgres: Wanted,
    group: Option<Group>,
}

const CLIENTS: [Clients; 3] = [
    Clients {
        number: 1,
        on_sqlite: Wanted::AtLeast(0.85),
        on_postgres: Wanted::Nothing,
        group: Some(Group::CreationByOne),
    },
    Clients {
        number: 32,
        on_sqlite: Wanted::AtLeast(3.5),
        on_postgres: Wanted::AtLeast(1.8),
        group: Some(Group::CreationByMany),
    },
    Clients {
        number: 128,
        on_sqlite: Wanted::AtLeast(4.5),
        on_postgres: Wanted::AtLeast(2.2),
        group: None,
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
         The response is sent once the post is durable. The hand-written service checks no keys.",
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
    let creating = |name, server: SocketAddr, requests: &Requests| Subject {
        name,
        load: Load {
            server,
            clients: number,
            requests: Arc::clone(requests),
            status: 201,
        },
    };
    let by_hand = any_of((0..CREATIONS).map(handwritten::create).collect());
    let sqlite = handbill(&databases.sqlite(&format!("created-{number}"))).await;
    let url = databases.sqlite(&format!("created-by-hand-{number}"));
    let sqlite_by_hand = servers::handwritten(&url).await;
    let requests = requests(sqlite.address).await;
    let bare = bare_like(sqlite.address, &requests[0]).await;
    let ours = any_of(requests);
    let mut subjects = vec![
        creating(BARE, bare.address, &ours),
        creating(SQLITE_BY_HAND, sqlite_by_hand.address, &by_hand),
        creating(SQLITE, sqlite.address, &ours),
    ];
    let mut on_postgres = None;
    let url_by_hand = databases.postgres("created_by_hand").await;
    if let (Some(url), Some(url_by_hand)) = (databases.postgres("created").await, url_by_hand) {
        let postgres_by_hand = servers::handwritten(&url_by_hand).await;
        let postgres = handbill(&url).await;
        let ours = any_of(self::requests(postgres.address).await);
        subjects.push(creating(
            POSTGRES_BY_HAND,
            postgres_by_hand.address,
            &by_hand,
        ));
        subjects.push(creating(POSTGRES, postgres.address, &ours));
        on_postgres = Some((postgres_by_hand, postgres));
    }
    let figures = rates(plan, &subjects).await;
    drop(on_postgres);

    let measured = match number {
        1 => "1 client".to_owned(),
        number => format!("{number} clients"),
    };
    for (pair, wanted) in [
        ([SQLITE, SQLITE_BY_HAND], clients.on_sqlite),
        ([POSTGRES, POSTGRES_BY_HAND], clients.on_postgres),
        ([SQLITE, BARE], Wanted::Nothing),
        ([POSTGRES, BARE], Wanted::Nothing),
    ] {
        report.compare(&measured, &figures, pair, wanted);
    }
    if let Some(group) = clients.group {
        chart.set(group, &figures);
    }
}

/// A creation of each post, with a key of this server.
pub(crate) async fn requests(server: SocketAddr) -> Vec<Vec<u8>> {
    let mut connection = Connection::open(server).await.unwrap();
    let key = key_header(&mut connection, "").await;
    (0..CREATIONS)
        .map(|number| post::create("", &key, number))
        .collect()
}
