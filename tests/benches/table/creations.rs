//! Creations, all of them durable but those in memory.

use std::sync::Arc;

use handbill_tests::load::{key_header, prose, publish_note};
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{Connection as _, SqliteConnection};

use crate::databases::Databases;
use crate::figure::Figure;
use crate::report::{Report, Wanted};
use crate::rounds::{Subject, Work, rates};
use crate::servers::{self, bare_like, handbill, handbill_on_cores};
use crate::{handwritten, machine};

const CLIENTS: [usize; 4] = [1, 8, 32, 128];
const BODY_BYTES: usize = 1000;
/// Different posts that are created in turn.
const NOTES: usize = 512;

const MEMORY: &str = "memory";
const SQLITE: &str = "SQLite";
const SQLITE_ON_ALL_CORES: &str = "SQLite, on all cores";
const POSTGRES: &str = "PostgreSQL";
const TWO_INSTANCES: &str = "PostgreSQL, two instances";
const BARE: &str = "bare hyper";
const SINGLE_INSERTS: &str = "single inserts";
const SQLITE_BY_HAND: &str = "by hand";
const POSTGRES_BY_HAND: &str = "by hand on PostgreSQL";

pub(crate) async fn measure(databases: &Databases, report: &mut Report) {
    report.table(
        "Creations",
        "`POST /api/posts` of about 1 KB with an API key, into databases that are new for each \
         number of clients. *Single inserts* are rows that one connection to SQLite inserts in \
         process, each in a transaction of its own. *On all cores* the program shares the client's. Of \
         two instances the second runs on another core than the first: on the client's, where \
         there are only two.",
    );
    for clients in CLIENTS {
        measure_with(clients, databases, report).await;
    }
}

async fn measure_with(clients: usize, databases: &Databases, report: &mut Report) {
    let memory = handbill("memory:").await;
    let sqlite = handbill(&databases.sqlite(&format!("created-{clients}"))).await;
    let url = databases.sqlite(&format!("created-on-all-cores-{clients}"));
    let sqlite_on_all_cores = handbill_on_cores(&all_cores(), &url).await;
    let url = databases.sqlite(&format!("by-hand-{clients}"));
    let sqlite_by_hand = servers::handwritten(&url).await;

    let notes = notes(&memory).await;
    let bare = bare_like(memory.address, &notes[0]).await;
    let load = |name, servers, requests: &Arc<_>| Subject {
        name,
        work: Work::Requests {
            servers,
            clients,
            requests: Arc::clone(requests),
            status: 201,
        },
    };
    let notes_by_hand = Arc::new(notes_by_hand());
    let mut subjects = vec![
        load(BARE, vec![bare.address], &notes),
        load(MEMORY, vec![memory.address], &notes),
        single_inserts(databases, clients).await,
        load(SQLITE_BY_HAND, vec![sqlite_by_hand.address], &notes_by_hand),
        load(SQLITE, vec![sqlite.address], &self::notes(&sqlite).await),
        load(
            SQLITE_ON_ALL_CORES,
            vec![sqlite_on_all_cores.address],
            &self::notes(&sqlite_on_all_cores).await,
        ),
    ];

    let by_hand = databases.postgres("by_hand_created").await;
    let mut running = Vec::new();
    if let (Some(database), Some(by_hand)) = (databases.postgres("created").await, by_hand) {
        let by_hand = servers::handwritten(&by_hand).await;
        let first = handbill(&database).await;
        let second = handbill_on_cores(second_core(), &database).await;
        let notes = self::notes(&first).await;
        let one = vec![first.address];
        let two = vec![first.address, second.address];
        subjects.push(load(
            POSTGRES_BY_HAND,
            vec![by_hand.address],
            &notes_by_hand,
        ));
        subjects.push(load(POSTGRES, one, &notes));
        if clients > 1 {
            subjects.push(load(TWO_INSTANCES, two, &notes));
        }
        running.push((by_hand, first, second));
    }
    let figures = rates(&mut subjects).await;
    tell(clients, &figures, report);
}

fn tell(clients: usize, figures: &[Figure], report: &mut Report) {
    let what = match clients {
        1 => "1 client".to_owned(),
        clients => format!("{clients} clients"),
    };
    let (on_sqlite, on_postgres, two_instances) = match clients {
        32 => (
            Wanted::AtLeast(5.0),
            Wanted::AtLeast(2.0),
            Wanted::Above(1.0),
        ),
        128 => (
            Wanted::AtLeast(7.0),
            Wanted::AtLeast(2.0),
            Wanted::Above(1.0),
        ),
        _ => (Wanted::Nothing, Wanted::Nothing, Wanted::Nothing),
    };
    let mut compare = |ours: &str, reference: &str, wanted| {
        let named = |name: &str| figures.iter().find(|figure| figure.name == name);
        if let (Some(ours), Some(reference)) = (named(ours), named(reference)) {
            report.ratio(&what, ours, reference, wanted);
        }
    };
    for ours in [MEMORY, SQLITE, POSTGRES] {
        compare(ours, BARE, Wanted::Nothing);
    }
    compare(SQLITE, SINGLE_INSERTS, Wanted::Nothing);
    let of_single_inserts = match clients {
        128 => Wanted::AtLeast(5.0),
        _ => Wanted::Nothing,
    };
    compare(SQLITE_ON_ALL_CORES, SINGLE_INSERTS, of_single_inserts);
    compare(SQLITE, SQLITE_BY_HAND, on_sqlite);
    compare(POSTGRES, POSTGRES_BY_HAND, on_postgres);
    compare(TWO_INSTANCES, POSTGRES, two_instances);
}

/// The first core serves and the second one has the client; a third one may be there.
fn second_core() -> &'static str {
    if machine::cores() > 2 { "2" } else { "1" }
}

fn all_cores() -> String {
    format!("0-{}", machine::cores() - 1)
}

async fn notes(program: &Program) -> Arc<Vec<Vec<u8>>> {
    let mut connection = Connection::open(program.address).await.unwrap();
    let key = key_header(&mut connection, "").await;
    let notes = (0..NOTES).map(|seed| publish_note(&key, "", seed, BODY_BYTES));
    Arc::new(notes.collect())
}

/// The same posts, as the hand-written service takes them.
fn notes_by_hand() -> Vec<Vec<u8>> {
    (0..NOTES)
        .map(|seed| handwritten::publish_note(seed, BODY_BYTES))
        .collect()
}

async fn single_inserts(databases: &Databases, clients: usize) -> Subject {
    let options = SqliteConnectOptions::new()
        .filename(databases.sqlite_file(&format!("single-{clients}")))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    let table = "CREATE TABLE posts (id INTEGER PRIMARY KEY, title TEXT, body TEXT)";
    sqlx::query(table).execute(&mut connection).await.unwrap();
    Subject {
        name: SINGLE_INSERTS,
        work: Work::SingleInserts {
            connection,
            body: prose(1, BODY_BYTES),
        },
    }
}
