//! The guarantees of `PostgresStore` beyond the contract of `Store`.

#![expect(clippy::expect_used, reason = "a test stops where it can't go on")]

mod counting;
mod every_order;
mod failures;
mod forgetting;
mod locks;
mod opening;
mod pages;
mod tls;

use handbill_sql::PostgresStore;
use handbill_tests::pgbouncer::Pgbouncer;
use handbill_tests::postgres::Postgres;

/// The contract of `Store`, behind a pooler that gives each transaction another connection.
mod pooled {
    use super::*;

    handbill_testing::store_checks!(async {
        let server = Postgres::shared().await?;
        let pooler = Pgbouncer::start(&server).await?;
        let url = pooler.url(&server.create_database().await);
        let store = PostgresStore::open(&format!("{url}?statement-cache-capacity=0")).await;
        Some((store.expect("a store"), (pooler, server)))
    });
}

async fn open(address: &str) -> PostgresStore {
    PostgresStore::open(address).await.expect("a store")
}

/// A connection to inspect the tables.
async fn connect(address: &str) -> sqlx::PgConnection {
    <sqlx::PgConnection as sqlx::Connection>::connect(address)
        .await
        .expect("a connection")
}
