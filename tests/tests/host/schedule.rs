//! Posts that are published and deleted at their time, by the service itself.

use std::time::SystemTime;

use async_trait::async_trait;
use handbill::host::Verdict;
use handbill::store::{Changes, Decorator, Due, NewChange, StoreError, Write};
use handbill::{Actor, Event, PostSelection, PostSummary, Timestamp};
use handbill_testing::samples;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::*;

/// The time so many seconds from now.
fn ahead(seconds: i64) -> Timestamp {
    let now = Timestamp::from(SystemTime::now()).as_micros() / 1_000;
    Timestamp::from_micros((now + 1_000 * seconds) * 1_000)
}

/// A draft as it is in the store, to be published and deleted at these times.
fn due(number: u32, publish_at: Option<Timestamp>, expires_at: Option<Timestamp>) -> Post {
    let mut post = samples::hidden(number, Visibility::Draft);
    post.summary.publish_at = publish_at;
    post.summary.expires_at = expires_at;
    post
}

type Heard = mpsc::UnboundedReceiver<Event>;

/// A service over the store, and what its listener hears.
fn started(store: impl Store) -> (Handbill, Heard) {
    let (tell, heard) = mpsc::unbounded_channel();
    let handbill = Handbill::new(BASE, store).unwrap();
    let handbill = handbill.with_listener(move |event| {
        let told = tell.send(event);
        async move { told.unwrap_or_default() }
    });
    (handbill, heard)
}

async fn next(heard: &mut Heard) -> Event {
    let next = timeout(Duration::from_secs(10), heard.recv());
    next.await.unwrap().unwrap()
}

fn updated(event: Event) -> PostSummary {
    match event {
        Event::PostUpdated(post) => post,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_came_due_while_no_service_ran_is_published_with_its_time() {
    let store = MemoryStore::new();
    let times = [-30, -20, -10].map(ahead);
    let [older, newer] = [times[0], times[2]];
    for (number, at) in [(1, older), (3, newer)] {
        let _ = store.insert_post(samples::dated(number, at)).await.unwrap();
    }
    let draft = due(2, Some(times[1]), None);
    let _ = store.insert_post(draft.clone()).await.unwrap();

    let (handbill, mut heard) = started(store.clone());
    let post = updated(next(&mut heard).await);
    assert_eq!(post.id, draft.summary.id);
    assert_eq!(post.visibility, Visibility::Public);
    assert_eq!((post.published_at, post.publish_at), (Some(times[1]), None));
    assert_eq!(post.revision.number(), 2);
    assert!(post.updated_at > draft.summary.updated_at);
    let list = get(&handbill, "/api/posts").await;
    let ids = list["posts"].as_array().unwrap().iter();
    let ids: Vec<_> = ids.map(|post| post["id"].as_str().unwrap()).collect();
    let expected = [3, 2, 1].map(|number| samples::post_id(number).to_string());
    assert_eq!(ids, expected);
    assert_eq!(store.list_due(10).await.unwrap(), []);
}

/// The other instance may have ended before the time.
#[tokio::test]
async fn what_another_instance_wrote_is_published_at_its_time() {
    let store = MemoryStore::new();
    let (tell, mut asked) = mpsc::unbounded_channel();
    let (_handbill, mut heard) = started(Decorated(Asked {
        inner: store.clone(),
        changes: store.changes(),
        tell,
    }));
    asked.recv().await.unwrap();
    let draft = due(1, Some(ahead(1)), None);
    let _ = store.insert_post(draft.clone()).await.unwrap();
    assert_eq!(updated(next(&mut heard).await).id, draft.summary.id);
}

#[tokio::test(start_paused = true)]
async fn a_quiet_store_is_asked_once_a_minute() {
    let inner = MemoryStore::new();
    let notified = Changes::notified(Duration::from_secs(1));
    for changes in [inner.changes(), Some(notified), None] {
        let (tell, mut asked) = mpsc::unbounded_channel();
        let inner = inner.clone();
        let (_handbill, _heard) = started(Decorated(Asked {
            inner,
            changes,
            tell,
        }));
        asked.recv().await.unwrap();
        let asked_within = timeout(Duration::from_secs(59), asked.recv()).await;
        assert!(asked_within.is_err());
        let asked_within = timeout(Duration::from_secs(2), asked.recv()).await;
        assert!(asked_within.is_ok());
    }
}

/// A store that tells when it was asked for what is due.
struct Asked {
    inner: MemoryStore,
    changes: Option<Changes>,
    tell: mpsc::UnboundedSender<()>,
}

#[async_trait]
impl Decorator for Asked {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn list_due(&self, limit: u32) -> Result<Vec<Due>, StoreError> {
        let due = self.inner.list_due(limit).await;
        let _ = self.tell.send(());
        due
    }

    fn changes(&self) -> Option<Changes> {
        self.changes.clone()
    }
}

/// A ban takes nothing away that is there, and lets nothing come.
#[tokio::test]
async fn nothing_of_a_banned_owner_is_published() {
    let store = MemoryStore::new();
    let draft = due(1, Some(ahead(-5)), None);
    let _ = store.insert_post(draft.clone()).await.unwrap();
    let owner = draft.summary.owner.unwrap();
    let elsewhere = Handbill::new(BASE, Decorated(Commands(store.clone()))).unwrap();
    elsewhere.ban(&owner).await.unwrap();
    let (_handbill, mut heard) = started(store.clone());
    let post = updated(next(&mut heard).await);
    assert_eq!(post.visibility, Visibility::Draft);
    assert_eq!((post.published_at, post.publish_at), (None, None));
}

/// A store for commands, which make nothing that is due.
struct Commands(MemoryStore);

#[async_trait]
impl Decorator for Commands {
    fn inner(&self) -> &dyn Store {
        &self.0
    }

    async fn list_due(&self, _: u32) -> Result<Vec<Due>, StoreError> {
        Ok(Vec::new())
    }
}

#[tokio::test]
async fn a_post_that_was_public_before_returns_to_its_place() {
    let store = MemoryStore::new();
    let mut post = due(1, Some(ahead(-1)), None);
    let first = ahead(-1_000);
    post.summary.published_at = Some(first);
    let _ = store.insert_post(post).await.unwrap();
    let (_handbill, mut heard) = started(store.clone());
    assert_eq!(updated(next(&mut heard).await).published_at, Some(first));
}

#[tokio::test]
async fn what_expired_is_deleted_also_before_it_was_published() {
    let store = MemoryStore::new();
    let mut public = samples::post(1);
    public.summary.expires_at = Some(ahead(-1));
    let both = due(2, Some(ahead(-2)), Some(ahead(-1)));
    for post in [public, both] {
        let _ = store.insert_post(post).await.unwrap();
    }
    let (handbill, mut heard) = started(store.clone());
    for _ in 0..2 {
        let event = next(&mut heard).await;
        assert!(matches!(event, Event::PostDeleted { .. }), "{event:?}");
    }
    let path = format!("/api/posts/{}", samples::post_id(1));
    assert_eq!(get(&handbill, &path).await["code"], "gone");
    assert_eq!(store.list_due(10).await.unwrap(), []);
}

#[tokio::test]
async fn a_time_that_is_set_while_the_service_runs_is_met_by_the_schedule() {
    let (handbill, mut heard) = started(MemoryStore::new());
    let (by_whom, mut actors) = mpsc::unbounded_channel();
    let handbill = handbill
        .with_durable_listener("actors", move |change| {
            let told = by_whom.send(change.by);
            async move { Ok(told?) }
        })
        .unwrap();
    let posts = handbill.posts();
    let later = Draft::new().body("x").publish_at(ahead(30));
    posts.create(later).await.unwrap();
    let at = ahead(1);
    let soon = Draft::new().body("x").publish_at(at);
    let id = posts.create(soon).await.unwrap().id;
    for _ in 0..2 {
        assert_eq!(next(&mut heard).await.name(), "post.created");
    }
    let post = updated(next(&mut heard).await);
    assert_eq!((post.id, post.published_at), (id, Some(at)));
    let delay = ahead(0).as_micros() - at.as_micros();
    assert!((0..2_000_000).contains(&delay), "{delay} µs");
    for by in [Actor::Host, Actor::Host, Actor::Schedule] {
        assert_eq!(actors.recv().await.unwrap(), by);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_services_over_one_store_do_each_thing_once() {
    const POSTS: u32 = 3_000;
    let store = MemoryStore::new();
    for number in 0..POSTS {
        let _ = store
            .insert_post(due(number, Some(ahead(-1)), None))
            .await
            .unwrap();
    }
    let mut services = [(); 3].map(|()| started(store.clone()));
    let mut events = 0;
    while events < POSTS {
        for (_, heard) in &mut services {
            while heard.try_recv().is_ok() {
                events += 1;
            }
        }
        tokio::task::yield_now().await;
    }
    for (handbill, mut heard) in services {
        handbill.flush().await.unwrap();
        while heard.try_recv().is_ok() {
            events += 1;
        }
    }
    assert_eq!(events, POSTS);
    let entries = store.walk_entries(None, POSTS).await.unwrap();
    let once = entries.iter().all(|entry| match entry {
        Entry::Live(post) => post.summary.revision.number() == 2,
        Entry::Gone(_) => false,
    });
    assert!(once);
}

#[tokio::test(start_paused = true)]
async fn a_service_without_tasks_leaves_what_is_due_to_others() {
    let store = MemoryStore::new();
    let post = due(0, Some(ahead(-1)), None);
    let _ = store.insert_post(post).await.unwrap();
    let _manager = Handbill::new(BASE, store.clone())
        .unwrap()
        .with_tasks(false);
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert_eq!(store.list_due(10).await.unwrap().len(), 1);
    let _service = Handbill::new(BASE, store.clone()).unwrap();
    while !store.list_due(10).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Its timers go on by hours here, while the system's clock stands still: as after a clock was set back.
#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_an_hour_publishes_nothing_early_and_turns_no_post_back() {
    let store = MemoryStore::new();
    let mut written_before = due(1, Some(ahead(1)), None);
    written_before.summary.updated_at = ahead(3_600);
    let later = due(2, Some(ahead(1_800)), None);
    for post in [&written_before, &later] {
        let _ = store.insert_post(post.clone()).await.unwrap();
    }
    let (_handbill, mut heard) = started(store.clone());
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    let post = updated(heard.recv().await.unwrap());
    assert_eq!(post.id, written_before.summary.id);
    assert!(post.updated_at > written_before.summary.updated_at);
    let left = store.list_due(10).await.unwrap();
    assert!(matches!(*left, [Due { id, .. }] if id == later.summary.id));
}

/// A store in which one post cannot be changed.
struct Stuck(MemoryStore);

#[async_trait]
impl Decorator for Stuck {
    fn inner(&self) -> &dyn Store {
        &self.0
    }

    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        match write.post() == Some(samples::post_id(0)) {
            true => Err(StoreError::new("change a post", "it is stuck")),
            false => self.0.write(write, change).await,
        }
    }
}

#[tokio::test]
async fn a_post_that_fails_does_not_stop_the_others() {
    let store = MemoryStore::new();
    for number in 0..3 {
        let at = ahead(i64::from(number) - 10);
        let _ = store
            .insert_post(due(number, Some(at), None))
            .await
            .unwrap();
    }
    let handbill = Handbill::new(BASE, Decorated(Stuck(store.clone()))).unwrap();
    let left = async || store.list_due(10).await.unwrap();
    while left().await.len() > 1 {
        tokio::task::yield_now().await;
    }
    assert!(matches!(*left().await, [Due { id, .. }] if id == samples::post_id(0)));
    drop(handbill);
}

#[tokio::test]
async fn what_a_post_has_already_is_no_fault_and_a_replayed_creation_is_none() {
    let store = MemoryStore::new();
    let mut post = samples::post(1);
    let soon = ahead(30);
    post.summary.expires_at = Some(soon);
    let id = post.summary.id;
    let _ = store.insert_post(post).await.unwrap();
    let (handbill, mut heard) = started(store.clone());
    let posts = handbill.posts();
    let same = Draft::new().title("Changed").expires_at(soon);
    assert_eq!(
        posts.update(id, same).await.unwrap().summary.expires_at,
        Some(soon)
    );
    let other = Draft::new().expires_at(ahead(31));
    let refused = posts.update(id, other).await.unwrap_err();
    assert_eq!(refused.errors()[0].field, "expires_at");

    let draft = Draft::new().body("x").publish_at(ahead(1));
    let created = posts.create_once("once", draft.clone()).await.unwrap();
    while next(&mut heard).await.subject() != created.id.as_str() {}
    updated(next(&mut heard).await);
    let again = posts.create_once("once", draft.clone()).await.unwrap();
    assert_eq!(again.id, created.id);
    let refused = posts.create(draft).await.unwrap_err();
    assert_eq!(refused.errors()[0].field, "publish_at");
}

#[tokio::test]
async fn a_held_or_unlisted_draft_is_not_published_later() {
    let handbill = handbill();
    let later = || Draft::new().body("x").publish_at(ahead(60));
    let id = handbill.posts().create(later()).await.unwrap().id;
    let all = PostSelection::all().scheduled();
    assert_eq!(handbill.posts().unlist_all(&all).await.unwrap(), 1);
    let post = handbill.posts().summary(id).await.unwrap();
    assert_eq!(
        (post.visibility, post.publish_at),
        (Visibility::Draft, None)
    );

    let held = handbill.with_review(|_| async { Verdict::Hold });
    let id = held.posts().create(later()).await.unwrap().id;
    assert_eq!(held.posts().summary(id).await.unwrap().publish_at, None);
}
