use handbill::store::Outcome;
use handbill::{KeyId, MemoryStore, Store, Timestamp};
use handbill_sql::{MySqlStore, PostgresStore, SqliteStore};
use handbill_tests::calls::Calls;
use handbill_tests::mariadb::MariaDb;
use handbill_tests::postgres::Postgres;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::world::{World, export, import, without_header, worlds};

/// The same archive, after it went through this store.
async fn through(store: impl Store + Clone, archive: &[u8], world: &World) -> Vec<u8> {
    import(archive, store.clone()).await.unwrap();
    assert_eq!(World::of(&store).await, *world);
    let exported = export(store).await;
    assert_eq!(without_header(&exported), without_header(archive));
    exported
}

/// Worlds that are the same in each run.
fn some_worlds() -> Vec<World> {
    let mut runner = TestRunner::deterministic();
    let worlds = worlds();
    let random = (0..5).map(|_| worlds.new_tree(&mut runner).unwrap().current());
    std::iter::once(World::small()).chain(random).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn from_memory_over_all_databases_and_back_nothing_changes() {
    let (postgres, mariadb) = (Postgres::shared().await, MariaDb::shared().await);
    for world in some_worlds() {
        let folder = tempfile::tempdir().unwrap();
        let open = async |name: &str| SqliteStore::open(folder.path().join(name)).await.unwrap();
        let mut archive = world.archive().await;
        archive = through(open("first.db").await, &archive, &world).await;
        if let Some(server) = &postgres {
            let database = PostgresStore::open(&server.create_database().await).await;
            archive = through(database.unwrap(), &archive, &world).await;
        }
        if let Some(server) = &mariadb {
            let database = MySqlStore::open(&server.create_database().await).await;
            archive = through(database.unwrap(), &archive, &world).await;
        }
        archive = through(open("second.db").await, &archive, &world).await;
        through(MemoryStore::new(), &archive, &world).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_was_dropped_is_completed_by_repeating_it() {
    let world = World::of_posts(200);
    let archive = world.archive().await;
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("posts.db"))
        .await
        .unwrap();
    // Each attempt is dropped a little later.
    for polls in 0..20 {
        let mut attempt = std::pin::pin!(import(&archive, store.clone()));
        for _ in 0..polls {
            tokio::select! {
                biased;
                done = &mut attempt => drop(done.unwrap()),
                () = tokio::task::yield_now() => continue,
            }
            break;
        }
        // The store makes the writes that are under way, and then this one.
        let unknown = KeyId::generate();
        let touched = store.touch_key(unknown, Timestamp::from_micros(0)).await;
        assert_eq!(touched.unwrap(), Outcome::NotFound);
    }
    import(&archive, store.clone()).await.unwrap();
    assert_eq!(World::of(&store).await, world);
}
