//! The primary is killed, and a standby replaces it behind the same address.

use super::cluster::Cluster;
use super::form::form;
use super::trial::Trial;

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_is_promoted() {
    let Some(mut cluster) = Cluster::start().await else {
        return;
    };
    let mut trial = Trial::begin("primary killed, standby promoted", &cluster.url()).await;
    for round in 1..=form().failovers {
        let killed = cluster.kill_primary().await;
        trial.recover().await;
        trial.check_and_go_on().await;
        if round < form().failovers {
            cluster.start_node(killed);
            cluster.is_whole().await;
            trial.load(form().load).await;
        }
    }
    trial.end().await;
}
