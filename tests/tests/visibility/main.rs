//! Random lives of many posts: created, hidden, shown, retagged, changed and deleted. After each step, every
//! public address is compared with a model. `HANDBILL_LIVES` sets how many lives are played on each store.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod inspection;
mod model;

use std::sync::Arc;

use handbill::store::Entry;
use handbill::{MemoryStore, Store};
use handbill_sql::{PostgresStore, SqliteStore};
use handbill_testing::http::App;
use handbill_tests::bare;
use handbill_tests::calls::Calls;
use handbill_tests::postgres::Postgres;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;

use crate::inspection::inspect;
use crate::model::{Life, TAGS, VISIBILITIES};

const STEPS: usize = 30;
const MOST_POSTS: usize = 10;

/// How many lives are played on a store.
fn lives(by_default: u64) -> u64 {
    let lives = std::env::var("HANDBILL_LIVES").ok();
    lives.map_or(by_default, |lives| lives.parse().unwrap())
}

/// Instances of the service on the same data, with the same API key.
async fn instances(stores: Vec<Arc<dyn Store>>) -> Vec<App> {
    let mount = bare::mount();
    let mut instances = Vec::<App>::new();
    for store in stores {
        let app = match instances.first() {
            None => App::over(&mount, store).await,
            Some(first) => App::of(&mount, App::service(&mount, store), &first.key).await,
        };
        instances.push(app);
    }
    instances
}

/// Makes a random step through one instance.
async fn step(app: &App, life: &mut Life, random: &mut StdRng) -> String {
    let mut tags = TAGS.to_vec();
    tags.retain(|_| random.random_bool(0.4));
    let visibility = VISIBILITIES[random.random_range(0..VISIBILITIES.len())];
    let live: Vec<usize> = life.live().collect();
    let is_full = life.posts.len() >= MOST_POSTS;
    if live.is_empty() || (!is_full && random.random_bool(0.3)) {
        let title = format!("Title {}", life.posts.len());
        let fields = json!({ "title": title, "body": "x", "tags": tags, "visibility": visibility });
        let created = app.create(&fields).await;
        life.create(created, title, &tags, visibility);
        return format!("a post was created: {fields}");
    }
    let at = live[random.random_range(0..live.len())];
    let post = life.posts[at].created.clone();
    match random.random_range(0..10) {
        0..5 => {
            app.update(&post, &json!({ "visibility": visibility }))
                .await;
            life.show(at, visibility);
            format!("post {at} became {visibility}")
        }
        5..7 => {
            app.update(&post, &json!({ "tags": tags })).await;
            life.retag(at, &tags);
            format!("post {at} got the tags {tags:?}")
        }
        7..9 => {
            let title = format!("Title {at}, version {}", random.random::<u32>());
            app.update(&post, &json!({ "title": title })).await;
            life.rename(at, title);
            format!("post {at} was renamed")
        }
        _ => {
            app.delete(&post).await.expect_status(204);
            life.posts[at].is_deleted = true;
            format!("post {at} was deleted")
        }
    }
}

/// Plays one life on instances that share these stores' data.
async fn play(stores: Vec<Arc<dyn Store>>, seed: u64) {
    let store = Arc::clone(&stores[0]);
    let instances = instances(stores).await;
    let mut random = StdRng::seed_from_u64(seed);
    let mut life = Life::default();
    for number in 0..STEPS {
        let app = &instances[random.random_range(0..instances.len())];
        let what = step(app, &mut life, &mut random).await;
        let what = format!("life {seed}, step {number}: {what}");
        for app in &instances {
            inspect(app, &*store, &mut life, &what).await;
        }
    }
    let restored = restored(&*store).await;
    let app = App::service(&bare::mount(), Arc::clone(&restored));
    let app = App::of(&bare::mount(), app, &instances[0].key).await;
    let what = format!("life {seed}, restored");
    inspect(&app, &*restored, &mut life, &what).await;
}

/// A copy of everything in the store, as an import makes it.
async fn restored(store: &dyn Store) -> Arc<dyn Store> {
    let copy = MemoryStore::new();
    for entry in store.walk_entries(None, 1000).await.unwrap() {
        let inserted = match entry {
            Entry::Live(post) => copy.insert_post(post).await,
            Entry::Gone(tombstone) => copy.insert_tombstone(tombstone).await,
        };
        let _ = inserted.unwrap();
    }
    for key in store.walk_keys(None, 1000).await.unwrap() {
        let _ = copy.insert_key(key).await.unwrap();
    }
    Arc::new(copy)
}

#[tokio::test]
async fn hidden_posts_leave_no_trace_on_the_store_in_memory() {
    for seed in 0..lives(12) {
        play(vec![Arc::new(MemoryStore::new())], seed).await;
    }
}

#[tokio::test]
async fn hidden_posts_leave_no_trace_with_cached_responses_on_sqlite() {
    for seed in 0..lives(3) {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("posts.db")).await;
        play(vec![Arc::new(store.unwrap().cached())], 1000 + seed).await;
    }
}

#[tokio::test]
async fn hidden_posts_leave_no_trace_on_two_instances_on_sqlite() {
    for seed in 0..lives(3) {
        let folder = tempfile::tempdir().unwrap();
        let mut stores = Vec::<Arc<dyn Store>>::new();
        for _ in 0..2 {
            let store = SqliteStore::open(folder.path().join("posts.db")).await;
            stores.push(Arc::new(store.unwrap()));
        }
        play(stores, 2000 + seed).await;
    }
}

#[tokio::test]
async fn hidden_posts_leave_no_trace_on_two_instances_on_postgres() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    for seed in 0..lives(3) {
        let database = server.create_database().await;
        let mut stores = Vec::<Arc<dyn Store>>::new();
        for _ in 0..2 {
            stores.push(Arc::new(PostgresStore::open(&database).await.unwrap()));
        }
        play(stores, 3000 + seed).await;
    }
}
