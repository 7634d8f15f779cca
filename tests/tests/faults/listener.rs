//! Durable listeners hear of every acknowledged change, over failovers, while two instances write and tell.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use handbill::{Change, Draft, Handbill, RateLimits, Revision};
use handbill_sql::PostgresStore;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::cluster::Cluster;
use super::form::form;

/// Between two attempts of a writer while the database is away.
const PAUSE: Duration = Duration::from_millis(50);

/// What happened to which post, with its revision.
type Done = (&'static str, String, u64);
type Log<T> = Arc<watch::Sender<Vec<T>>>;

fn push<T>(log: &Log<T>, entry: T) {
    log.send_modify(|entries| entries.push(entry));
}

#[tokio::test(flavor = "multi_thread")]
async fn durable_listeners_miss_nothing_over_failovers() {
    let Some(mut cluster) = Cluster::start().await else {
        return;
    };
    let (heard, done) = (Log::<Change>::default(), Log::<Done>::default());
    let mut writers = JoinSet::new();
    let mut instances = Vec::new();
    for _ in 0..2 {
        let instance = start(&cluster.url(), &heard).await;
        for _ in 0..form().clients / 2 {
            writers.spawn(write(instance.clone(), Arc::clone(&done)));
        }
        instances.push(instance);
    }
    for round in 1..=form().failovers {
        more_is_done(&done).await;
        let killed = cluster.kill_primary().await;
        more_is_done(&done).await;
        if round < form().failovers {
            cluster.start_node(killed);
            cluster.is_whole().await;
        }
    }
    writers.shutdown().await;
    for instance in &instances {
        instance.flush().await.unwrap();
    }
    compare(&done.borrow(), &heard.borrow());
}

async fn start(url: &str, heard: &Log<Change>) -> Handbill {
    let store = PostgresStore::open(url).await.unwrap();
    let handbill = Handbill::new("https://example.org", store).unwrap();
    let heard = Arc::clone(heard);
    let listener = move |change| {
        push(&heard, change);
        async { Ok(()) }
    };
    let handbill = handbill.with_rate_limits(RateLimits::off());
    handbill.with_durable_listener("test", listener).unwrap()
}

/// Creates, changes and deletes posts, and notes what is acknowledged.
async fn write(handbill: Handbill, done: Log<Done>) {
    let posts = handbill.posts();
    loop {
        let Ok(post) = posts.create(Draft::new().body("A post.")).await else {
            sleep(PAUSE).await;
            continue;
        };
        push(&done, ("post.created", post.id.to_string(), 1));
        let Ok(updated) = posts
            .update(post.id, Draft::new().body("A better post."))
            .await
        else {
            continue;
        };
        let revision = updated.summary.revision.number();
        push(&done, ("post.updated", post.id.to_string(), revision));
        if posts.delete(post.id).await.is_ok() {
            push(&done, ("post.deleted", post.id.to_string(), revision));
        }
    }
}

async fn more_is_done(done: &Log<Done>) {
    let enough = done.borrow().len() + usize::try_from(form().load).unwrap();
    let mut done = done.subscribe();
    done.wait_for(|done| done.len() >= enough).await.unwrap();
}

fn compare(done: &[Done], heard: &[Change]) {
    let name = |change: &Change| {
        let revision = change.revision.map_or(0, Revision::number);
        (
            change.event.name(),
            change.event.subject().to_owned(),
            revision,
        )
    };
    let distinct: BTreeSet<_> = heard.iter().map(name).collect();
    let lost: Vec<_> = done
        .iter()
        .filter(|change| !distinct.contains(*change))
        .collect();
    let numbers: BTreeSet<_> = heard.iter().map(|change| change.number).collect();
    println!(
        "{} changes acknowledged, {} heard of, {} repeated, {} lost",
        done.len(),
        numbers.len(),
        heard.len() - numbers.len(),
        lost.len(),
    );
    assert!(lost.is_empty(), "{lost:?}");
    assert_eq!(numbers.len(), distinct.len(), "a change has two numbers");
    // The first time that a change is heard of comes after that of the post's earlier ones.
    let mut latest = HashMap::new();
    let mut known = BTreeSet::new();
    for change in heard.iter().filter(|change| known.insert(change.number)) {
        let before = latest.insert(change.event.subject(), change.number);
        assert!(
            before < Some(change.number),
            "{change:?} comes after {before:?}"
        );
    }
}
