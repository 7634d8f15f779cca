//! Reads of one post: its JSON, the same with `If-None-Match`, and its page.

use std::net::SocketAddr;

use handbill_tests::load::{get, key_header};
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;

use crate::by_hand::ByHand;
use crate::chart::{Chart, Group};
use crate::databases::Databases;
use crate::load::{Load, always};
use crate::plan::Plan;
use crate::post;
use crate::report::{Report, Wanted};
use crate::rounds::{Figures, Subject, rates};
use crate::servers::{
    self, BARE, POSTGRES, POSTGRES_SAME_WORK, POSTGRES_SHORT, Profile, SAME_WORK, SHORT, SQLITE,
    Server, response,
};

const CLIENTS: usize = 32;
/// The last of these is read.
const POSTS: u64 = 40;

/// What bare hyper does not do.
const OF_READS: &str = "the head is parsed, the request is counted, and a line is logged";

/// Handbill on a database, with the identifier of a post.
struct Ours {
    name: &'static str,
    program: Program,
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
         the response is 304; and the post's page, `GET /p/{id}`. The services by hand have no ETags \
         and no pages.",
    );
    let release = Profile::Release;
    let sqlite = release.handbill(&databases.sqlite("read")).await;
    let mut ours = vec![read_ours(SQLITE, sqlite).await];
    let database = databases.sqlite("read-by-hand");
    let (server, mut subjects) = by_hand(&database, [SHORT, SAME_WORK]).await;
    let mut servers = vec![server];
    if let Some(database) = databases.postgres("read").await {
        ours.push(read_ours(POSTGRES, release.handbill(&database).await).await);
    }
    if let Some(database) = databases.postgres("read_by_hand").await {
        let names = [POSTGRES_SHORT, POSTGRES_SAME_WORK];
        let (server, others) = by_hand(&database, names).await;
        servers.push(server);
        subjects.extend(others);
    }
    let wanted = [0.6, 0.55, 0.55].map(Wanted::at_least);
    let wanted = wanted.map(|wanted| wanted.unless(OF_READS));
    let figures = measure_kinds(plan, release, &ours, wanted, subjects, report).await;
    for pair in [
        [SQLITE, SHORT],
        [SQLITE, SAME_WORK],
        [POSTGRES, POSTGRES_SHORT],
        [POSTGRES, POSTGRES_SAME_WORK],
    ] {
        report.compare("read", &figures, pair, Wanted::NOTHING);
    }
    chart.set(Group::HotRead, &figures);
    drop(servers);

    report.table(
        "Reads of one post, built with the profile `dist`",
        "The same, as packages have the program: with link-time optimisation, also of bare hyper.",
    );
    let dist = Profile::Dist;
    let sqlite = dist.handbill(&databases.sqlite("read-dist")).await;
    let ours = [read_ours(SQLITE, sqlite).await];
    let wanted = [
        Wanted::at_least(0.7).unless(OF_READS),
        Wanted::NOTHING,
        Wanted::NOTHING,
    ];
    measure_kinds(plan, dist, &ours, wanted, Vec::new(), report).await;
}

async fn read_ours(name: &'static str, program: Program) -> Ours {
    let mut connection = Connection::open(program.address).await.unwrap();
    let key = key_header(&mut connection, "").await;
    let creations = (0..POSTS).map(|number| post::create("", &key, number));
    let id = create_all(&mut connection, creations).await;
    Ours { name, program, id }
}

/// The services by hand, under these names, on a database with posts.
async fn by_hand(database: &str, names: [&'static str; 2]) -> (Server, Vec<Subject>) {
    let server = servers::by_hand(database).await;
    let mut connection = Connection::open(server.address).await.unwrap();
    let creations = (0..POSTS).map(|number| ByHand::Short.create(number));
    let id = create_all(&mut connection, creations).await;
    let services = [ByHand::Short, ByHand::SameWork];
    let subjects = names.into_iter().zip(services);
    let subjects = subjects
        .map(|(name, service)| reading(name, server.address, get(&service.post(&id)), 200))
        .collect();
    (server, subjects)
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
            servers: vec![server],
            clients: CLIENTS,
            requests: always(request),
            status,
        },
    }
}

/// Compares reads, conditional reads and pages of Handbill with a bare server that sends the same responses. Others
/// take part in the reads, whose figures it returns.
async fn measure_kinds(
    plan: &Plan,
    profile: Profile,
    ours: &[Ours],
    [read, conditional, page]: [Wanted; 3],
    others: Vec<Subject>,
    report: &mut Report,
) -> Figures {
    let path = |ours: &Ours| format!("/api/posts/{}", ours.id);
    let requests: Vec<_> = ours.iter().map(|ours| get(&path(ours))).collect();
    let kind = ("read", 200, read);
    let figures = measure_kind(plan, profile, kind, ours, &requests, others, report).await;

    let mut with_etags = Vec::new();
    for (ours, request) in ours.iter().zip(&requests) {
        let whole = response(ours.program.address, request).await;
        let etag = whole.headers["etag"].to_str().unwrap();
        let head = format!("Host: localhost\r\nIf-None-Match: {etag}\r\n\r\n");
        with_etags.push(format!("GET {} HTTP/1.1\r\n{head}", path(ours)).into_bytes());
    }
    let kind = ("read with `If-None-Match`", 304, conditional);
    measure_kind(plan, profile, kind, ours, &with_etags, Vec::new(), report).await;

    let pages = ours.iter().map(|ours| get(&format!("/p/{}", ours.id)));
    let pages: Vec<_> = pages.collect();
    let kind = ("post page", 200, page);
    measure_kind(plan, profile, kind, ours, &pages, Vec::new(), report).await;
    figures
}

async fn measure_kind(
    plan: &Plan,
    profile: Profile,
    (measured, status, wanted): (&str, u16, Wanted),
    ours: &[Ours],
    requests: &[Vec<u8>],
    others: Vec<Subject>,
    report: &mut Report,
) -> Figures {
    let bare = profile
        .bare_like(ours[0].program.address, &requests[0])
        .await;
    let mut subjects = vec![reading(BARE, bare.address, requests[0].clone(), status)];
    for (ours, request) in ours.iter().zip(requests) {
        let address = ours.program.address;
        subjects.push(reading(ours.name, address, request.clone(), status));
    }
    subjects.extend(others);
    let figures = rates(plan, &subjects).await;
    report.compare(measured, &figures, [SQLITE, BARE], wanted);
    report.compare(measured, &figures, [POSTGRES, BARE], Wanted::NOTHING);
    figures
}
