use std::io::Cursor;

use handbill::archive::ArchiveError;
use handbill::store::{Entry, Outcome, Post};
use handbill::{MemoryStore, Revision};
use handbill_tests::calls::Calls;

use crate::faulty_store::FailsAfter;
use crate::world::{World, import, import_with, service};

#[tokio::test]
async fn what_exists_is_counted_and_not_overwritten() {
    let world = World::small();
    let archive = world.archive().await;
    let store = MemoryStore::new();
    import(&archive, store.clone()).await.unwrap();

    // Since then, one post was changed and one deleted.
    let [Entry::Live(first), Entry::Live(second), _] = &world.entries[..] else {
        panic!("two posts and a tombstone");
    };
    let mut changed = Post::clone(first);
    changed.summary.title = Some("Changed".to_owned());
    changed.summary.revision = Revision::from_number(8);
    let before = first.summary.revision;
    assert_eq!(
        store.update_post(before, changed).await.unwrap(),
        Outcome::Applied
    );
    let (id, before) = (second.summary.id, second.summary.revision);
    assert_eq!(
        store.delete_post(id, before).await.unwrap(),
        Outcome::Applied
    );
    let now = World::of(&store).await;

    let again = import(&archive, store.clone()).await.unwrap();
    assert_eq!((again.posts.inserted, again.posts.skipped), (0, 2));
    assert_eq!(
        (again.tombstones.inserted, again.tombstones.skipped),
        (0, 1)
    );
    assert_eq!((again.keys.inserted, again.keys.skipped), (0, 1));
    assert_eq!(World::of(&store).await, now);
}

#[tokio::test]
async fn a_dry_run_counts_and_writes_nothing() {
    let world = World::small();
    let archive = world.archive().await;
    let store = MemoryStore::new();
    let service = service(store.clone());
    let would = service
        .archive()
        .dry_run(Cursor::new(archive.clone()))
        .await
        .unwrap();
    assert_eq!(World::of(&store).await, World::default());
    assert_eq!(would, import(&archive, MemoryStore::new()).await.unwrap());

    let half = World {
        entries: world.entries[..1].to_vec(),
        keys: world.keys.clone(),
    };
    half.insert_into(&store).await;
    let would = service
        .archive()
        .dry_run(Cursor::new(archive.clone()))
        .await
        .unwrap();
    assert_eq!(World::of(&store).await, half);
    assert_eq!(
        would,
        import_with(&archive, service.archive()).await.unwrap()
    );
    assert_eq!((would.posts.inserted, would.posts.skipped), (1, 1));
    assert_eq!((would.keys.inserted, would.keys.skipped), (0, 1));
}

#[tokio::test]
async fn an_import_that_failed_anywhere_is_completed_by_repeating_it() {
    let world = World::of_posts(40);
    let archive = world.archive().await;
    for writes in 0..40 {
        let store = MemoryStore::new();
        let error = import(&archive, FailsAfter::new(store.clone(), writes)).await;
        assert!(matches!(error, Err(ArchiveError::Store(_))), "{error:?}");
        let inserted = World::of(&store).await.entries.len() as u64;
        let again = import(&archive, store.clone()).await.unwrap();
        assert_eq!(again.posts.skipped, inserted);
        assert_eq!(World::of(&store).await, world);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_imports_at_once_insert_everything_once() {
    let world = World::of_posts(200);
    let archive = world.archive().await;
    let store = MemoryStore::new();
    let imports = [(); 2].map(|()| {
        let (archive, store) = (archive.clone(), store.clone());
        tokio::spawn(async move { import(&archive, store).await.unwrap() })
    });
    let (mut inserted, mut skipped) = (0, 0);
    for import in imports {
        let imported = import.await.unwrap();
        inserted += imported.posts.inserted;
        skipped += imported.posts.skipped;
    }
    assert_eq!((inserted, skipped), (200, 200));
    assert_eq!(World::of(&store).await, world);
}
