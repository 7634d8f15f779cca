//! The disk is full and later has room again.

use handbill_tests::disk::Disk;
use handbill_tests::postgres::Postgres;
use sqlx::{Connection, Executor, PgConnection};

use super::trial::Trial;

#[tokio::test(flavor = "multi_thread")]
async fn the_disk_of_sqlite_is_full() {
    let Some(disk) = Disk::mount(64) else {
        return;
    };
    let database = format!("sqlite://{}", disk.path().join("posts.db").display());
    let mut trial = Trial::begin("disk full under SQLite", &database).await;
    let ballast = disk.fill();
    trial.refusals().await;
    trial.reads().await;
    drop(ballast);
    trial.recover().await;
    trial.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_disk_of_postgres_is_full() {
    let Some(disk) = Disk::mount(160) else {
        return;
    };
    let Some(postgres) = Postgres::start(disk.path(), &[]).await else {
        return;
    };
    let database = postgres.create_database().await;
    let mut trial = Trial::begin("disk full under PostgreSQL", &database).await;
    let ballast = disk.fill();
    // The current segment of the log is already allocated and would last for long. Whether the switch
    // succeeds does not matter: the server stops when it can't write its log.
    let mut connection = PgConnection::connect(&database).await.unwrap();
    let _ = connection.execute("SELECT pg_switch_wal()").await;
    trial.refusals().await;
    drop(ballast);
    postgres.run().await;
    trial.recover().await;
    trial.end().await;
}
