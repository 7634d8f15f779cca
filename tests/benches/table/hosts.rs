//! What creations cost a host that has a durable listener, or statements in the transaction of each change.

use std::net::SocketAddr;

use handbill::{Change, Handbill, RateLimits, Store};
use handbill_sql::{PostgresStore, SqliteStore};
use handbill_tests::mount;

use crate::creations;
use crate::databases::{Databases, sqlite_file};
use crate::load::{Load, any_of};
use crate::plan::Plan;
use crate::report::{Report, Wanted};
use crate::rounds::{Subject, rates};
use crate::servers::{self, BASE_URL, Server};

const CLIENTS: usize = 32;
/// A host that uses neither.
const PLAIN: &str = "a host with neither";
/// What a host has, and the ratio of its creations that is wanted.
const KINDS: [(&str, Wanted); 2] = [
    (
        "durable listener",
        Wanted::at_least(0.8).unless("a change is also a row, which is read and deleted"),
    ),
    ("statements", Wanted::NOTHING),
];

pub(crate) async fn measure(plan: &Plan, databases: &Databases, report: &mut Report) {
    report.table(
        "Hosts",
        "`POST /api/posts` by 32 clients, into databases that are new, in a host whose durable listener returns at \
         once, or whose statements add a row to its own table in the transaction of each change.",
    );
    for database in ["SQLite", "PostgreSQL"] {
        measure_on(database, plan, databases, report).await;
    }
}

async fn measure_on(database: &str, plan: &Plan, databases: &Databases, report: &mut Report) {
    let mut servers: Vec<(&str, Server)> = Vec::new();
    for (place, name) in [PLAIN, KINDS[0].0, KINDS[1].0].into_iter().enumerate() {
        let url = match database {
            "SQLite" => Some(databases.sqlite(&format!("host-{place}"))),
            _ => databases.postgres(&format!("host_{place}")).await,
        };
        let Some(url) = url else {
            return;
        };
        servers.push((name, servers::host(name, &url).await));
    }
    let mut subjects = Vec::new();
    for (name, server) in &servers {
        let requests = creations::requests(server.address).await;
        subjects.push(Subject {
            name,
            load: Load {
                servers: vec![server.address],
                clients: CLIENTS,
                requests: any_of(requests),
                status: 201,
            },
        });
    }
    let figures = rates(plan, &subjects).await;
    for (kind, wanted) in KINDS {
        report.compare(database, &figures, [kind, PLAIN], wanted);
    }
}

/// Serves as a host of this kind on this database.
pub(crate) async fn serve(kind: &str, database: &str) -> SocketAddr {
    match database.starts_with("sqlite:") {
        true => {
            let store = SqliteStore::open(sqlite_file(database)).await.unwrap();
            let store = match kind {
                "statements" => {
                    let pool = sqlx::SqlitePool::connect(database).await.unwrap();
                    sqlx::query(AUDIT).execute(&pool).await.unwrap();
                    pool.close().await;
                    store.with_statements(|connection, change| {
                        Box::pin(async move {
                            record(change).execute(connection).await?;
                            Ok(())
                        })
                    })
                }
                _ => store,
            };
            serve_over(kind, store.cached()).await
        }
        false => {
            let store = PostgresStore::open(database).await.unwrap();
            let store = match kind {
                "statements" => {
                    let pool = sqlx::PgPool::connect(database).await.unwrap();
                    sqlx::query(AUDIT).execute(&pool).await.unwrap();
                    pool.close().await;
                    store.with_statements(|connection, change| {
                        Box::pin(async move {
                            record(change).execute(connection).await?;
                            Ok(())
                        })
                    })
                }
                _ => store,
            };
            serve_over(kind, store).await
        }
    }
}

const AUDIT: &str = "CREATE TABLE audit (number BIGINT PRIMARY KEY, what TEXT, subject TEXT)";

fn record<'q, DB>(change: &'q Change) -> sqlx::query::Query<'q, DB, DB::Arguments>
where
    DB: sqlx::Database,
    i64: sqlx::Type<DB> + sqlx::Encode<'q, DB>,
    &'q str: sqlx::Type<DB> + sqlx::Encode<'q, DB>,
{
    sqlx::query("INSERT INTO audit (number, what, subject) VALUES ($1, $2, $3)")
        .bind(change.number.cast_signed())
        .bind(change.event.name())
        .bind(change.event.subject())
}

async fn serve_over(kind: &str, store: impl Store) -> SocketAddr {
    let handbill = Handbill::new(BASE_URL, store).unwrap();
    let handbill = handbill.with_rate_limits(RateLimits::off());
    let handbill = match kind {
        "durable listener" => handbill
            .with_durable_listener("audit", |_| async { Ok(()) })
            .unwrap(),
        _ => handbill,
    };
    mount::in_hyper("", handbill).await
}
