//! Many events, a receiver that fails at random, and three instances, of which one is killed half way.

use std::collections::HashMap;

use handbill_sql::{PostgresStore, SqliteStore};
use handbill_tests::postgres::Postgres;
use tokio::task::JoinSet;

use super::*;

const POSTS: usize = 200;
const EVENTS_PER_POST: u64 = 10;
/// Of a hundred requests, how many the receiver refuses.
const REFUSED: u8 = 2;

#[tokio::test(flavor = "multi_thread")]
async fn each_event_arrives_in_order_from_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posts.db");
    let mut stores = Vec::new();
    for _ in 0..3 {
        stores.push(SqliteStore::open(&path).await.unwrap());
    }
    each_event_arrives_in_order(stores).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_event_arrives_in_order_from_postgres() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let mut stores = Vec::new();
    for _ in 0..3 {
        stores.push(PostgresStore::open(&address).await.unwrap());
    }
    each_event_arrives_in_order(stores).await;
}

async fn each_event_arrives_in_order(stores: Vec<impl Store>) {
    let mut receiver = Receiver::start(|_| match rand::random_range(0..100) < REFUSED {
        true => response(503),
        false => response(204),
    })
    .await;
    let start = |store| {
        let webhook = webhook(&receiver.url);
        webhook.add_to(service(store)).unwrap()
    };
    let mut instances: Vec<_> = stores.into_iter().map(start).collect();
    let killed = instances.pop().unwrap();
    // The listener is known before the first write of any instance.
    killed.flush().await.unwrap();
    let mut writers = JoinSet::new();
    for writer in 0..20 {
        let handbill = instances[writer % 2].clone();
        writers.spawn(async move {
            for _ in 0..POSTS / 20 {
                let draft = Draft::new().body("0");
                let id = handbill.posts().create(draft).await.unwrap().id;
                for round in 1..EVENTS_PER_POST {
                    let draft = Draft::new().body(round.to_string());
                    handbill.posts().update(id, draft).await.unwrap();
                }
            }
        });
    }
    let mut last = HashMap::<String, u64>::new();
    let (mut received, mut complete, mut killed) = (0, 0, Some(killed));
    while complete < POSTS {
        let request = receiver.next().await;
        let event = request.json();
        received += 1;
        if received == POSTS {
            killed = None;
        }
        let post = event["data"]["id"].as_str().unwrap().to_owned();
        let revision = event["data"]["revision"].as_u64().unwrap();
        let last = last.entry(post).or_default();
        assert!(revision <= *last + 1, "{revision} after {last}");
        assert!(revision <= EVENTS_PER_POST, "{revision} was not written");
        if request.status.is_success() && revision > *last {
            *last = revision;
            complete += usize::from(revision == EVENTS_PER_POST);
        }
    }
    assert!(killed.is_none());
    writers.join_all().await;
    assert_eq!(last.len(), POSTS);
    instances[0].flush().await.unwrap();
}
