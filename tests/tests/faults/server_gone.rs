//! PostgreSQL is restarted, killed, and absent for a while.

use handbill_tests::postgres::Postgres;

use super::form::form;
use super::trial::Trial;

#[tokio::test(flavor = "multi_thread")]
async fn postgres_is_restarted() {
    again_and_again("PostgreSQL restarted", Postgres::stop).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_is_killed() {
    let kill = async |postgres: &Postgres| postgres.kill().await;
    again_and_again("kill -9 of PostgreSQL", kill).await;
}

async fn again_and_again(fault: &'static str, end: impl AsyncFn(&Postgres)) {
    let Some((postgres, mut trial)) = begin(fault).await else {
        return;
    };
    for _ in 0..form().rounds {
        end(&postgres).await;
        postgres.run().await;
        trial.survive().await;
    }
    trial.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_is_absent_for_a_while() {
    let Some((postgres, mut trial)) = begin("PostgreSQL gone for a while").await else {
        return;
    };
    postgres.stop().await;
    trial.refusals().await;
    postgres.run().await;
    trial.recover().await;
    trial.end().await;
}

async fn begin(fault: &'static str) -> Option<(Postgres, Trial)> {
    let postgres = Postgres::start(&std::env::temp_dir(), &[]).await?;
    let database = postgres.create_database().await;
    Some((postgres, Trial::begin(fault, &database).await))
}
