//! Connections to PostgreSQL are cut, all of them wait, or none is available.

use handbill_tests::postgres::Postgres;
use sqlx::{Connection, Executor, PgConnection};

use super::form::form;
use super::trial::Trial;

/// Cuts all connections except these.
const CUT_OTHERS: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> ALL ($1)";

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_cut() {
    let Some(postgres) = Postgres::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let database = postgres.create_database().await;
    let mut trial = Trial::begin("connections cut by pg_terminate_backend", &database).await;
    let mut own = [PgConnection::connect(&database).await.unwrap()];
    let here = pids(&mut own).await;
    for _ in 0..form().rounds {
        let cut = sqlx::query(CUT_OTHERS).bind(&here);
        cut.execute(&mut own[0]).await.unwrap();
        trial.recover().await;
        trial.load(form().load).await;
    }
    trial.end().await;
}

/// Every read and write of a post waits for another transaction.
#[tokio::test(flavor = "multi_thread")]
async fn all_connections_wait() {
    let Some(postgres) = Postgres::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let database = postgres.create_database().await;
    let mut trial = Trial::begin("pool exhausted: all connections wait", &database).await;
    let mut connection = PgConnection::connect(&database).await.unwrap();
    let mut transaction = connection.begin().await.unwrap();
    transaction
        .execute("LOCK TABLE handbill_posts IN ACCESS EXCLUSIVE MODE")
        .await
        .unwrap();
    trial.refusals().await;
    transaction.rollback().await.unwrap();
    trial.recover().await;
    trial.end().await;
}

/// Another program uses all connections that the server accepts.
#[tokio::test(flavor = "multi_thread")]
async fn no_connection_is_available() {
    let Some(postgres) = Postgres::start(&std::env::temp_dir(), &["max_connections=40"]).await
    else {
        return;
    };
    let database = postgres.create_database().await;
    let mut trial = Trial::begin("pool exhausted: no connection to be had", &database).await;
    let mut taken = vec![PgConnection::connect(&database).await.unwrap()];
    loop {
        while let Ok(connection) = PgConnection::connect(&database).await {
            taken.push(connection);
        }
        let here = pids(&mut taken).await;
        let cut = sqlx::query(CUT_OTHERS).bind(here);
        if cut.fetch_all(&mut taken[0]).await.unwrap().is_empty() {
            break;
        }
    }
    trial.refusals().await;
    drop(taken);
    trial.recover().await;
    trial.end().await;
}

async fn pids(connections: &mut [PgConnection]) -> Vec<i32> {
    let mut pids = Vec::new();
    for connection in connections {
        let pid = sqlx::query_scalar("SELECT pg_backend_pid()");
        pids.push(pid.fetch_one(connection).await.unwrap());
    }
    pids
}
