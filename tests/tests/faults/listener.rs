//! Durable listeners hear of every acknowledged change, over failovers, while instances write and tell, and
//! on a Galera cluster while nodes fail.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use handbill::{Change, Draft, Handbill, RateLimits, Revision, Store};
use handbill_sql::{MySqlStore, PostgresStore};
use handbill_tests::galera::Galera;
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
    let mut writing = Writing::default();
    for _ in 0..2 {
        writing.start(PostgresStore::open(&cluster.url()).await.unwrap());
    }
    for round in 1..=form().failovers {
        writing.go_on().await;
        let killed = cluster.kill_primary().await;
        writing.go_on().await;
        if round < form().failovers {
            cluster.start_node(killed);
            cluster.is_whole().await;
        }
    }
    writing.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn durable_listeners_miss_nothing_while_nodes_fail() {
    let Some(galera) = Galera::start(3).await else {
        return;
    };
    // Leases go by the clocks of the nodes: that of one is wrong.
    let ahead = "SET GLOBAL init_connect = 'SET timestamp = UNIX_TIMESTAMP() + 3600'";
    galera.node(2).execute(ahead).await;
    let mut writing = Writing::default();
    for database in galera.create_database().await {
        writing.start(MySqlStore::open(&database).await.unwrap());
    }
    for _ in 0..form().failovers {
        writing.go_on().await;
        galera.node(0).kill().await;
        writing.go_on().await;
        galera.run(0).await;
        writing.go_on().await;
        galera.cut(1);
        galera.refuses(1).await;
        writing.go_on().await;
        galera.join(1);
        galera.joined(1, 3).await;
    }
    writing.end().await;
}

/// Instances that write, and what their listeners hear of.
#[derive(Default)]
struct Writing {
    instances: Vec<Handbill>,
    writers: JoinSet<()>,
    heard: Log<Change>,
    done: Log<Done>,
}

impl Writing {
    fn start(&mut self, store: impl Store) {
        let handbill = Handbill::new("https://example.org", store).unwrap();
        let heard = Arc::clone(&self.heard);
        let listener = move |change| {
            push(&heard, change);
            async { Ok(()) }
        };
        let handbill = handbill.with_rate_limits(RateLimits::off());
        let handbill = handbill.with_durable_listener("test", listener).unwrap();
        for _ in 0..form().clients / 2 {
            self.writers
                .spawn(write(handbill.clone(), Arc::clone(&self.done)));
        }
        self.instances.push(handbill);
    }

    /// Waits until more is done.
    async fn go_on(&self) {
        let enough = self.done.borrow().len() + usize::try_from(form().load).unwrap();
        let mut done = self.done.subscribe();
        done.wait_for(|done| done.len() >= enough).await.unwrap();
    }

    async fn end(mut self) {
        self.writers.shutdown().await;
        for instance in &self.instances {
            instance.flush().await.unwrap();
        }
        compare(&self.done.borrow(), &self.heard.borrow());
    }
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
