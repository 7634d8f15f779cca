//! A decorated store: the decorator makes all writes, and durable listeners hear of them.

use std::io::Cursor;
use std::sync::Mutex;

use async_trait::async_trait;
use handbill::Event;
use handbill::store::{Decorator, NewChange, Outcome, StoreError, Write};

use super::*;

/// Notes what is written.
#[derive(Default)]
struct Noting {
    inner: MemoryStore,
    noted: Arc<Mutex<Vec<&'static str>>>,
}

#[async_trait]
impl Decorator for Noting {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        self.noted.lock().unwrap().push(write.doing());
        self.inner.write(write, change).await
    }
}

const ALL: [&str; 5] = [
    "insert a post",
    "update a post",
    "delete a post",
    "insert a key",
    "revoke a key",
];

/// Makes each write that listeners hear of once.
async fn write(handbill: &Handbill) {
    let posts = handbill.posts();
    let id = posts.create(Draft::new().body("x")).await.unwrap().id;
    posts.update(id, Draft::new().body("y")).await.unwrap();
    posts.delete(id).await.unwrap();
    let key = handbill.keys().issue(None, None).await.unwrap().record;
    handbill.keys().revoke(key.id).await.unwrap();
}

#[tokio::test]
async fn a_decorator_makes_each_write_and_durable_listeners_hear_of_it() {
    let (store, heard) = (Noting::default(), Arc::<Mutex<Vec<Event>>>::default());
    let noted = Arc::clone(&store.noted);
    let handbill = Handbill::new(BASE, Decorated(store)).unwrap();
    write(&handbill).await;
    assert_eq!(*noted.lock().unwrap(), ALL);

    let told = Arc::clone(&heard);
    let handbill = handbill
        .with_durable_listener("test", move |change| {
            told.lock().unwrap().push(change.event);
            async { Ok(()) }
        })
        .unwrap();
    noted.lock().unwrap().clear();
    write(&handbill).await;
    handbill.flush().await.unwrap();
    assert_eq!(*noted.lock().unwrap(), ALL);
    assert_eq!(heard.lock().unwrap().len(), ALL.len());
}

/// As an import of an archive calls them.
#[tokio::test]
async fn a_decorator_makes_the_writes_that_no_listener_hears_of() {
    let source = handbill();
    let created = source.posts().create(Draft::new().body("x")).await.unwrap();
    source.keys().issue(None, None).await.unwrap();
    let mut archive = Vec::new();
    source.archive().export(&mut archive).await.unwrap();

    let store = Noting::default();
    let noted = Arc::clone(&store.noted);
    let handbill = Handbill::new(BASE, Decorated(store)).unwrap();
    handbill
        .archive()
        .import(Cursor::new(archive))
        .await
        .unwrap();
    noted.lock().unwrap().sort_unstable();
    assert_eq!(*noted.lock().unwrap(), ["insert a key", "insert a post"]);
    handbill.posts().read(created.id).await.unwrap();
}
