//! The power is cut while clients write: no acknowledged change is lost. Where commits are not
//! flushed, the same test finds losses.
//!
//! All processes that write are paused before the cut. On ext4, an `fsync` under way while the file
//! system is shut down can succeed although it has written nothing. A machine without power
//! acknowledges nothing either.

use handbill_tests::missing;
use handbill_tests::postgres::Postgres;

use super::block_device::{BlockDevice, runs};
use super::form::form;
use super::trial::Trial;

/// A program that runs another one whose calls of `fsync` do nothing, as if SQLite had
/// `synchronous=OFF`.
const WITHOUT_FSYNC: &str = "eatmydata";

#[tokio::test(flavor = "multi_thread")]
async fn power_is_cut_under_sqlite() {
    let Some(device) = BlockDevice::mount() else {
        return;
    };
    let mut trial = Trial::begin("power cut under SQLite", &sqlite_on(&device)).await;
    for _ in 0..form().rounds {
        cut_power_under_instances(&device, &mut trial).await;
        start_instances(&mut trial).await;
        trial.survive().await;
    }
    trial.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn power_is_cut_under_postgres() {
    let Some(device) = BlockDevice::mount() else {
        return;
    };
    let Some(postgres) = Postgres::start(&device.path(), &[]).await else {
        return;
    };
    let database = postgres.create_database().await;
    // The tests' servers don't flush what they are made of.
    device.flush();
    let mut trial = Trial::begin("power cut under PostgreSQL", &database).await;
    for _ in 0..form().rounds {
        cut_power_under_server(&device, &postgres).await;
        postgres.run().await;
        trial.survive().await;
    }
    trial.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_trial_finds_what_a_power_cut_loses_without_fsync() {
    let Some(device) = BlockDevice::mount() else {
        return;
    };
    if !runs(WITHOUT_FSYNC, &["true"]) {
        let install = "Install it with: apt-get install eatmydata";
        missing::say("eatmydata is missing", install);
        return;
    }
    let database = sqlite_on(&device);
    let mut trial = Trial::begin_under(&[WITHOUT_FSYNC], "no fsync", &database).await;
    device.flush();
    trial.load(form().load).await;
    cut_power_under_instances(&device, &mut trial).await;
    start_instances(&mut trial).await;
    assert!(trial.compare().await.lost > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_trial_finds_what_a_power_cut_loses_without_synchronous_commits() {
    let Some(device) = BlockDevice::mount() else {
        return;
    };
    let settings = ["synchronous_commit=off", "wal_writer_delay=10s"];
    let Some(postgres) = Postgres::start(&device.path(), &settings).await else {
        return;
    };
    let database = postgres.create_database().await;
    let mut trial = Trial::begin("no synchronous commits", &database).await;
    device.flush();
    trial.load(form().load).await;
    cut_power_under_server(&device, &postgres).await;
    postgres.run().await;
    trial.recover().await;
    assert!(trial.compare().await.lost > 0);
}

fn sqlite_on(device: &BlockDevice) -> String {
    format!("sqlite://{}", device.path().join("posts.db").display())
}

async fn cut_power_under_instances(device: &BlockDevice, trial: &mut Trial) {
    trial.pause(0);
    trial.pause(1);
    device.cut_power();
    trial.kill(0).await;
    trial.kill(1).await;
    device.restore_power().await;
}

async fn cut_power_under_server(device: &BlockDevice, postgres: &Postgres) {
    postgres.pause().await;
    device.cut_power();
    postgres.kill().await;
    device.restore_power().await;
}

async fn start_instances(trial: &mut Trial) {
    trial.start(0).await;
    trial.start(1).await;
}
