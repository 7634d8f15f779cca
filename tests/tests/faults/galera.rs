//! Nodes of a Galera cluster fail. Each of them has an instance, and all instances write.

use handbill_tests::galera::Galera;

use super::form::form;
use super::histories::Recording;
use super::trial::Trial;

/// The node that fails. The others are a majority.
const FAILING: usize = 2;

#[tokio::test(flavor = "multi_thread")]
async fn a_node_is_killed() {
    again_and_again("kill -9 of a Galera node", async |galera, trial| {
        galera.node(FAILING).kill().await;
        without_the_node(trial).await;
        galera.run(FAILING).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_is_stopped() {
    again_and_again("Galera node stopped", async |galera, trial| {
        galera.node(FAILING).stop().await;
        without_the_node(trial).await;
        galera.run(FAILING).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_loses_its_files() {
    again_and_again("Galera node without its files", async |galera, trial| {
        galera.node(FAILING).kill().await;
        without_the_node(trial).await;
        galera.run_without_files(FAILING).await;
    })
    .await;
}

/// The others exclude it after a few seconds.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_pauses() {
    again_and_again("Galera node paused", async |galera, trial| {
        galera.node(FAILING).pause().await;
        galera.joined(0, 2).await;
        without_the_node(trial).await;
        galera.node(FAILING).resume().await;
        galera.joined(FAILING, 3).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_is_cut_off() {
    again_and_again("Galera node cut off", async |galera, trial| {
        galera.cut(FAILING as u8);
        galera.refuses(FAILING).await;
        without_the_node(trial).await;
        galera.join(FAILING as u8);
        galera.joined(FAILING, 3).await;
    })
    .await;
}

/// No node is in a majority.
#[tokio::test(flavor = "multi_thread")]
async fn all_nodes_are_cut_off() {
    again_and_again(
        "Galera nodes cut off from each other",
        async |galera, trial| {
            for node in 1..3 {
                galera.cut(node);
            }
            for node in 0..3 {
                galera.refuses(node).await;
            }
            trial.refusals().await;
            for node in 1..3 {
                galera.join(node);
            }
            for node in 0..3 {
                galera.joined(node, 3).await;
            }
        },
    )
    .await;
}

/// The instance on the node refuses, and the others go on.
async fn without_the_node(trial: &Trial) {
    trial.refusals_of(FAILING..FAILING + 1).await;
    trial.load(form().load).await;
}

async fn again_and_again(fault: &'static str, happen: impl AsyncFn(&Galera, &Trial)) {
    let Some(galera) = Galera::start(3).await else {
        return;
    };
    let databases = galera.create_database().await;
    let mut trial = Trial::begin_on(databases, &[], fault).await;
    for _ in 0..form().rounds {
        happen(&galera, &trial).await;
        trial.survive().await;
    }
    trial.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn histories_are_linearizable_while_nodes_fail() {
    let Some(galera) = Galera::start(3).await else {
        return;
    };
    let recording = Recording::begin_on(galera.create_database().await).await;
    for _ in 0..form().rounds {
        recording.some_requests().await;
        galera.node(FAILING).kill().await;
        galera.run(FAILING).await;
        recording.some_requests().await;
        galera.cut(FAILING as u8);
        galera.refuses(FAILING).await;
        galera.join(FAILING as u8);
        galera.joined(FAILING, 3).await;
    }
    recording.end().await;
}
