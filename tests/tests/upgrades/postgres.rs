//! Dumps of PostgreSQL databases of each schema.

use std::error::Error;

use handbill::store::StoreError;
use handbill_sql::PostgresStore;
use handbill_tests::postgres::Postgres;
use sqlx::{Connection, Executor, PgConnection, Row};
use tokio::process::Command;
use tokio::task::JoinHandle;

/// The earliest schema that can be upgraded.
pub(crate) const FIRST_SCHEMA: i64 = 4;

fn dump(server: &Postgres, address: &str) -> Command {
    let mut dump = server.command("pg_dump");
    dump.args(["--inserts", "--no-owner", "--no-privileges", address]);
    dump
}

crate::dumps::dumps!(Postgres, PostgresStore, PgConnection, "postgres");

#[tokio::test]
async fn an_upgraded_database_has_the_tables_of_a_new_one() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let old = restore(&server, FIRST_SCHEMA).await;
    let new = server.create_database().await;
    let mut tables = Vec::new();
    for address in [old, new] {
        PostgresStore::open(&address).await.unwrap().close().await;
        let statement = "
            SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable AS text
            FROM information_schema.columns WHERE table_schema = 'public'
            UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
            ORDER BY text";
        let statement = sqlx::query_scalar::<_, String>(statement);
        tables.push(
            statement
                .fetch_all(&mut connect(&address).await)
                .await
                .unwrap(),
        );
    }
    assert_eq!(tables[0], tables[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_instances_that_start_at_once_one_upgrades_the_database() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = restore(&server, FIRST_SCHEMA).await;
    let opened = (0..10).map(|_| open(&address));
    for opened in opened.collect::<Vec<_>>() {
        opened.await.unwrap().unwrap().close().await;
    }
    check(&address, FIRST_SCHEMA).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_waits_for_a_long_transaction_and_lets_others_read() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = restore(&server, FIRST_SCHEMA).await;
    let mut busy = Busy::begin(&address).await;
    let opening = open(&address);
    let waiting = busy.waiting().await;
    let totals = "SELECT COUNT(*) FROM handbill_list_totals";
    connect(&address).await.fetch_one(totals).await.unwrap();
    // The server gives up waiting, and the upgrade tries again.
    while busy.waiting().await == waiting {}
    busy.end().await;
    opening.await.unwrap().unwrap().close().await;
    check(&address, FIRST_SCHEMA).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_that_is_killed_changes_nothing_and_can_be_repeated() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = restore(&server, FIRST_SCHEMA).await;
    let mut busy = Busy::begin(&address).await;
    let opening = open(&address);
    busy.waiting().await;
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = CURRENT_DATABASE() AND wait_event_type = 'Lock'";
    busy.0.execute(kill).await.unwrap();
    assert!(opening.await.unwrap().is_err());
    busy.end().await;
    assert_eq!(schema_of(&address).await, FIRST_SCHEMA);
    check(&address, FIRST_SCHEMA).await;
}

#[tokio::test]
async fn a_user_that_may_not_upgrade_is_told_who_may() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = restore(&server, FIRST_SCHEMA).await;
    let user = format!("visitor_{}", address.rsplit('_').next().unwrap());
    let grant = format!(
        "CREATE ROLE {user} LOGIN;
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {user}"
    );
    let grant = sqlx::raw_sql(sqlx::AssertSqlSafe(grant));
    grant.execute(&mut connect(&address).await).await.unwrap();
    let as_user = address.replacen("handbill@", &format!("{user}@"), 1);
    let refused = PostgresStore::open(&as_user).await.unwrap_err();
    let reason = refused.source().unwrap().to_string();
    assert!(reason.contains("as the owner of the tables"), "{reason}");
    assert_eq!(schema_of(&address).await, FIRST_SCHEMA);
    PostgresStore::open(&address).await.unwrap().close().await;
    check(&as_user, FIRST_SCHEMA).await;
}

#[tokio::test]
async fn a_table_of_the_host_that_is_named_like_one_of_handbill_is_refused_and_left_alone() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let mut host = connect(&address).await;
    let create = "CREATE TABLE handbill_posts (title TEXT)";
    host.execute(create).await.unwrap();
    let refused = PostgresStore::open(&address).await.unwrap_err();
    let reason = refused.source().unwrap();
    let expected = "schema 4 cannot be made: relation \"handbill_posts\" already exists";
    assert_eq!(reason.to_string(), expected);
    assert!(reason.source().is_none(), "it says it twice");
    let tables = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'";
    let tables: i64 = host.fetch_one(tables).await.unwrap().get(0);
    assert_eq!(tables, 1);
}

/// Opens a store in the background.
fn open(address: &str) -> JoinHandle<Result<PostgresStore, StoreError>> {
    let address = address.to_owned();
    tokio::spawn(async move { PostgresStore::open(&address).await })
}

/// A transaction that has written what an upgrade needs to lock.
struct Busy(PgConnection);

impl Busy {
    async fn begin(address: &str) -> Self {
        let mut connection = connect(address).await;
        let write = "BEGIN; UPDATE handbill_list_totals SET entries = entries";
        connection.execute(write).await.unwrap();
        Self(connection)
    }

    /// Waits until an upgrade waits for the transaction. Returns since when it does.
    async fn waiting(&mut self) -> String {
        let waiting = "SELECT MIN(query_start)::TEXT FROM pg_stat_activity
            WHERE datname = CURRENT_DATABASE() AND wait_event_type = 'Lock'";
        loop {
            // A new transaction would see no newer statistics.
            self.0
                .execute("SELECT pg_stat_clear_snapshot()")
                .await
                .unwrap();
            let since: Option<String> = self.0.fetch_one(waiting).await.unwrap().get(0);
            if let Some(since) = since {
                return since;
            }
        }
    }

    async fn end(mut self) {
        self.0.execute("ROLLBACK").await.unwrap();
    }
}
