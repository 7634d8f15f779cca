//! Durable listeners: each change comes at least once, in the order of its post, with who made it.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use handbill::host::KeyGrant;
use handbill::store::{Decorator, Outbox};
use handbill::{
    Actor, Change, ChangeNote, DeliveryError, Draft, Event, RequestId, Revision, SignedIn,
};
use tokio::sync::mpsc;

use super::*;

type Heard = mpsc::UnboundedReceiver<Change>;
type Failed = Box<dyn std::error::Error + Send + Sync>;

/// A service with a durable listener that forwards what it hears.
fn heard(handbill: Handbill) -> (Handbill, Heard) {
    let (tell, heard) = mpsc::unbounded_channel();
    let listener = move |change| {
        let told = tell.send(change);
        async move { told.map_err(Failed::from) }
    };
    let handbill = handbill.with_durable_listener("test", listener).unwrap();
    (handbill, heard)
}

async fn next(heard: &mut Heard) -> Change {
    heard.recv().await.unwrap()
}

fn body(text: &str) -> Draft {
    Draft::new().body(text)
}

#[tokio::test]
async fn each_change_has_a_number_a_time_a_revision_and_its_event() {
    let (handbill, mut heard) = heard(handbill());
    let posts = handbill.posts();
    let owned = body("x").owner("alice".parse().unwrap());
    let id = posts.create(owned).await.unwrap().id;
    posts.update(id, body("x")).await.unwrap();
    let updated = posts.update(id, body("y")).await.unwrap();
    posts.replace_edit_token(id).await.unwrap();
    posts.delete(id).await.unwrap();
    let key = handbill
        .keys()
        .issue(Some("ci"), None)
        .await
        .unwrap()
        .record;
    handbill.keys().revoke(key.id).await.unwrap();
    handbill.flush().await.unwrap();

    let mut changes = Vec::new();
    while let Ok(change) = heard.try_recv() {
        changes.push(change);
    }
    let (of_keys, of_posts): (Vec<_>, Vec<_>) = changes
        .into_iter()
        .partition(|change| change.revision.is_none());
    let [created, changed, deleted] = of_posts.try_into().unwrap();
    assert!(matches!(&created.event, Event::PostCreated(post) if post.owner.is_some()));
    assert_eq!(created.revision.map(Revision::number), Some(1));
    assert_eq!(changed.event, Event::PostUpdated(updated.summary.clone()));
    assert_eq!(changed.revision, Some(updated.summary.revision));
    assert_eq!(changed.at, updated.summary.updated_at);
    let Event::PostDeleted {
        id: gone, owner, ..
    } = &deleted.event
    else {
        panic!("{deleted:?}");
    };
    assert_eq!((*gone, owner.as_ref().unwrap().as_str()), (id, "alice"));
    assert_eq!(
        deleted.revision.map(Revision::number),
        Some(3),
        "after the new token"
    );
    assert!(created.number < changed.number && changed.number < deleted.number);
    assert!(created.at < changed.at && changed.at < deleted.at);
    let names: Vec<_> = of_keys.iter().map(|change| change.event.name()).collect();
    assert_eq!(names, ["key.issued", "key.revoked"]);
    assert!(deleted.number < of_keys[0].number);
}

#[tokio::test]
async fn each_change_says_who_made_it() {
    let (handbill, mut heard) = heard(handbill());
    let handbill = handbill.with_key_requests(KeyRequests::decided_by(|request| async move {
        match request.headers.get("x-user") {
            None => KeyGrant::Granted,
            Some(user) => KeyGrant::GrantedTo(user.to_str().unwrap().parse().unwrap()),
        }
    }));
    let alice = || SignedIn::new("alice".parse().unwrap());
    let form = |path: &str| {
        let request = Request::post(path);
        request.header("content-type", "application/x-www-form-urlencoded")
    };
    let expect = async |heard: &mut Heard, by: Actor, what: &str| {
        let change = next(heard).await;
        assert_eq!((change.by, change.event.name()), (by, what));
        change.event.subject().to_owned()
    };
    let issued = handbill.keys().issue(None, None).await.unwrap();
    expect(&mut heard, Actor::Host, "key.issued").await;
    let key = issued.record.id;
    let json = |request: http::request::Builder| {
        let request = request.header("content-type", "application/json");
        request.body(Full::from(r#"{"body": "x"}"#)).unwrap()
    };

    let with_key = || Request::post("/api/posts").header("x-api-key", issued.key.expose());
    let created = send(&handbill, json(with_key())).await;
    let created: Value = serde_json::from_slice(created.body()).unwrap();
    let id = expect(&mut heard, Actor::Key(key), "post.created").await;
    let delete = Request::delete(format!("/api/posts/{id}"));
    let with_token = delete.header("x-edit-token", created["edit_token"].as_str().unwrap());
    assert_eq!(status_of(&handbill, with_token).await, 204);
    expect(&mut heard, Actor::EditToken, "post.deleted").await;

    send(
        &handbill,
        form("/write")
            .extension(alice())
            .body(Full::from("body=x"))
            .unwrap(),
    )
    .await;
    let id = expect(
        &mut heard,
        Actor::SignedIn(alice().owner().clone()),
        "post.created",
    )
    .await;
    let edit = form(&format!("/p/{id}/edit")).extension(alice());
    send(&handbill, edit.body(Full::from("body=y")).unwrap()).await;
    expect(
        &mut heard,
        Actor::SignedIn(alice().owner().clone()),
        "post.updated",
    )
    .await;

    send(
        &handbill,
        form("/write").body(Full::from("body=z")).unwrap(),
    )
    .await;
    expect(&mut heard, Actor::Visitor, "post.created").await;
    let named = form("/write")
        .header("x-user", "bob")
        .body(Full::from("body=z"));
    send(&handbill, named.unwrap()).await;
    expect(
        &mut heard,
        Actor::SignedIn("bob".parse().unwrap()),
        "post.created",
    )
    .await;

    let editor = Actor::Staff("ed".parse().unwrap());
    let staff = handbill.by(editor.clone()).with_note("a typing error");
    let post = id.parse().unwrap();
    let draft = Draft::new().title("Corrected");
    staff.posts().update(post, draft).await.unwrap();
    let change = next(&mut heard).await;
    assert_eq!(change.by, editor);
    assert_eq!(change.note, Some("a typing error".into()));

    let operator = handbill.by(Actor::Operator);
    operator.posts().delete(id.parse().unwrap()).await.unwrap();
    expect(&mut heard, Actor::Operator, "post.deleted").await;
    let request: RequestId = "9f86d081884c7d65".parse().unwrap();
    let revoke = Request::delete("/api/keys/current")
        .header("x-api-key", issued.key.expose())
        .extension(request.clone())
        .extension(ChangeNote::from("from the office"));
    assert_eq!(status_of(&handbill, revoke).await, 204);
    let change = next(&mut heard).await;
    assert_eq!(
        (change.by, change.event.name()),
        (Actor::Key(key), "key.revoked")
    );
    assert_eq!(change.request.as_deref(), Some(request.as_str()));
    assert_eq!(change.note, Some("from the office".into()));
}

#[tokio::test]
async fn a_change_comes_again_until_the_listener_succeeds_and_those_of_its_post_wait() {
    let (tell, mut heard) = mpsc::unbounded_channel();
    let attempts = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&attempts);
    let handbill = handbill()
        .with_durable_listener("test", move |change: Change| {
            let fails = matches!(&change.event, Event::PostCreated(post) if post.excerpt == "bad")
                && count.fetch_add(1, Ordering::Relaxed) < 2;
            let told = if fails { Ok(()) } else { tell.send(change) };
            async move {
                match fails {
                    true => Err("not today".into()),
                    false => told.map_err(Failed::from),
                }
            }
        })
        .unwrap();
    let posts = handbill.posts();
    let bad = posts.create(body("bad")).await.unwrap().id;
    posts.delete(bad).await.unwrap();
    let good = posts.create(body("good")).await.unwrap().id;
    handbill.flush().await.unwrap();
    assert_eq!(next(&mut heard).await.event.subject(), good.as_str());
    let waiting = &handbill.durable_listeners().await.unwrap()[0];
    assert_eq!((waiting.name.as_str(), waiting.waiting), ("test", 2));
    assert!(waiting.oldest.is_some());
    assert_eq!(waiting.last_failure.as_ref().unwrap().error, "not today");

    for name in ["post.created", "post.deleted"] {
        let change = next(&mut heard).await;
        assert_eq!(
            (change.event.subject(), change.event.name()),
            (bad.as_str(), name)
        );
    }
    assert_eq!(attempts.load(Ordering::Relaxed), 3);
    handbill.flush().await.unwrap();
    assert_eq!(handbill.durable_listeners().await.unwrap()[0].waiting, 0);
}

#[tokio::test]
async fn a_panic_and_a_call_that_never_returns_hold_up_only_their_own_post() {
    let (tell, mut heard) = mpsc::unbounded_channel();
    let handbill = handbill()
        .with_durable_listener("test", move |change: Change| {
            let tell = tell.clone();
            async move {
                match &change.event {
                    Event::PostCreated(post) if post.excerpt == "panics" => panic!("by test"),
                    Event::PostCreated(post) if post.excerpt == "hangs" => {
                        std::future::pending().await
                    }
                    _ => Ok(tell.send(change)?),
                }
            }
        })
        .unwrap();
    for text in ["panics", "hangs", "a", "b", "c"] {
        handbill.posts().create(body(text)).await.unwrap();
    }
    let mut others = HashSet::new();
    for _ in 0..3 {
        match next(&mut heard).await.event {
            Event::PostCreated(post) => others.insert(post.excerpt),
            other => panic!("{other:?}"),
        };
    }
    assert_eq!(others, ["a", "b", "c"].map(str::to_owned).into());
}

#[tokio::test]
async fn changes_of_one_post_come_in_their_order_however_many_writers_there_are() {
    let (handbill, mut heard) = heard(handbill());
    let id = handbill.posts().create(body("0")).await.unwrap().id;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..8 {
        let handbill = handbill.clone();
        writers.spawn(async move {
            for round in 0..20 {
                let text = format!("{writer} {round}");
                handbill.posts().update(id, body(&text)).await.unwrap();
                handbill.posts().create(body(&text)).await.unwrap();
            }
        });
    }
    writers.join_all().await;
    handbill.flush().await.unwrap();
    let (mut revisions, mut created, mut numbers) = (Vec::new(), 0, HashSet::new());
    while let Ok(change) = heard.try_recv() {
        assert!(numbers.insert(change.number), "told twice");
        match &change.event {
            Event::PostUpdated(_) => revisions.push(change.revision.unwrap().number()),
            _ => created += 1,
        }
    }
    assert_eq!(revisions, (2..=161).collect::<Vec<_>>());
    assert_eq!(created, 161);
}

#[tokio::test]
async fn what_was_left_over_is_told_after_a_restart_and_a_new_name_begins_with_the_next_change() {
    let store = MemoryStore::new();
    let start = || Handbill::new(BASE, store.clone()).unwrap();
    let first = start()
        .with_durable_listener("audit", |_| async { Err("away".into()) })
        .unwrap();
    let id = first.posts().create(body("x")).await.unwrap().id;
    first.flush().await.unwrap();
    drop(first);
    // No instance listens, but the store knows the listener.
    start().posts().delete(id).await.unwrap();

    let (tell, mut audit) = mpsc::unbounded_channel();
    let (tell_index, mut index) = mpsc::unbounded_channel();
    let second = start()
        .with_durable_listener("audit", move |change| {
            let told = tell.send(change);
            async move { told.map_err(Failed::from) }
        })
        .unwrap()
        .with_durable_listener("index", move |change| {
            let told = tell_index.send(change);
            async move { told.map_err(Failed::from) }
        })
        .unwrap();
    for name in ["post.created", "post.deleted"] {
        assert_eq!(next(&mut audit).await.event.name(), name);
    }
    second.flush().await.unwrap();
    let issued = second.keys().issue(None, None).await.unwrap().record;
    for heard in [&mut audit, &mut index] {
        assert_eq!(next(heard).await.event.subject(), issued.id.as_str());
    }
}

#[tokio::test]
async fn of_two_instances_one_tells_a_listener_and_the_other_goes_on_after_it() {
    let store = MemoryStore::new();
    let told = Arc::new(Mutex::new(HashMap::<u64, Vec<usize>>::new()));
    let start = |instance: usize| {
        let told = Arc::clone(&told);
        Handbill::new(BASE, store.clone())
            .unwrap()
            .with_durable_listener("audit", move |change: Change| {
                told.lock()
                    .unwrap()
                    .entry(change.number)
                    .or_default()
                    .push(instance);
                async { Ok(()) }
            })
            .unwrap()
    };
    let (one, two) = (start(1), start(2));
    for _ in 0..20 {
        one.posts().create(body("x")).await.unwrap();
        two.posts().create(body("x")).await.unwrap();
        one.flush().await.unwrap();
    }
    let instances = |told: &HashMap<u64, Vec<usize>>| -> HashSet<usize> {
        assert!(
            told.values().all(|by| by.len() == 1),
            "told twice: {told:?}"
        );
        told.values().flatten().copied().collect()
    };
    let by = instances(&told.lock().unwrap());
    assert_eq!((told.lock().unwrap().len(), by.len()), (40, 1), "{by:?}");
    let (stays, goes) = if by.contains(&1) {
        (two, one)
    } else {
        (one, two)
    };
    goes.end_deliveries().await;
    let outbox = store.outbox().unwrap();
    let is_free = outbox.lease_listener("audit", "other", Duration::ZERO);
    assert!(is_free.await.unwrap());
    goes.posts().create(body("x")).await.unwrap();
    stays.flush().await.unwrap();
    assert_eq!(instances(&told.lock().unwrap()).len(), 2);
}

#[tokio::test]
async fn a_listener_that_is_removed_has_nothing_left_and_hears_nothing_more() {
    let (handbill, mut heard) = heard(handbill());
    handbill.posts().create(body("x")).await.unwrap();
    handbill.flush().await.unwrap();
    next(&mut heard).await;
    assert!(handbill.remove_durable_listener("test").await.unwrap());
    assert!(!handbill.remove_durable_listener("test").await.unwrap());
    handbill.posts().create(body("x")).await.unwrap();
    assert_eq!(handbill.durable_listeners().await.unwrap(), []);
    assert!(heard.try_recv().is_err());
}

#[tokio::test]
async fn a_listener_chooses_its_pauses_up_to_23_hours() {
    let store = MemoryStore::new();
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    for (name, pause, expected) in [
        ("hour", minutes(60), 60),
        ("week", minutes(10_000), 23 * 60),
    ] {
        let handbill = Handbill::new(BASE, store.clone()).unwrap();
        let busy = move |_| async move { Err(DeliveryError::retry(pause, pause, "busy").into()) };
        let handbill = handbill.with_durable_listener(name, busy).unwrap();
        handbill.posts().create(body("x")).await.unwrap();
        handbill.flush().await.unwrap();
        let listeners = handbill.durable_listeners().await.unwrap();
        let failure = listeners[0].last_failure.clone().unwrap();
        assert_eq!(failure.error, "busy");
        let due = async |later: Duration| {
            let later = failure.at.as_micros() + i64::try_from(later.as_micros()).unwrap();
            let later = Timestamp::from_micros(later);
            let outbox = store.outbox().unwrap();
            outbox.due_changes(name, later, 10).await.unwrap().len()
        };
        assert_eq!(due(minutes(expected - 1)).await, 0);
        assert_eq!(due(minutes(expected)).await, 1);
        handbill.remove_durable_listener(name).await.unwrap();
    }
}

#[tokio::test]
async fn what_a_listener_fails_with_is_stored_up_to_500_bytes() {
    let fails = |_| async { Err(format!("\0{}", "é".repeat(300)).into()) };
    let handbill = handbill().with_durable_listener("test", fails).unwrap();
    handbill.posts().create(body("x")).await.unwrap();
    handbill.flush().await.unwrap();
    let listeners = handbill.durable_listeners().await.unwrap();
    let failure = listeners[0].last_failure.clone().unwrap();
    assert_eq!(failure.error, format!(" {}", "é".repeat(249)));
}

#[tokio::test]
async fn a_listener_that_ends_is_removed_and_gets_nothing_more() {
    let (tell, mut heard) = mpsc::unbounded_channel();
    let store = MemoryStore::new();
    let handbill = Handbill::new(BASE, store.clone())
        .unwrap()
        .with_durable_listener("test", move |change: Change| {
            tell.send(change).unwrap();
            async { Err(DeliveryError::end("gone").into()) }
        })
        .unwrap();
    let id = handbill.posts().create(body("x")).await.unwrap().id;
    handbill.flush().await.unwrap();
    assert_eq!(handbill.durable_listeners().await.unwrap(), []);
    assert_eq!(next(&mut heard).await.event.subject(), id.as_str());
    handbill.posts().create(body("y")).await.unwrap();
    handbill.flush().await.unwrap();
    assert_eq!(handbill.durable_listeners().await.unwrap(), []);
    assert!(heard.try_recv().is_err());

    // Another instance has started with the listener meanwhile.
    store.outbox().unwrap().add_listener("test").await.unwrap();
    let id = handbill.posts().create(body("z")).await.unwrap().id;
    handbill.flush().await.unwrap();
    assert_eq!(next(&mut heard).await.event.subject(), id.as_str());
}

#[tokio::test]
async fn a_clone_from_before_tells_the_listener_too() {
    let before = handbill();
    let (tell, mut told) = mpsc::unbounded_channel();
    let (after, mut heard) = heard(before.clone());
    let after = after.with_listener(move |event| {
        tell.send(event).unwrap();
        async {}
    });
    for handbill in [&before, &after, &before.clone().with_cors(false)] {
        let id = handbill.posts().create(body("x")).await.unwrap().id;
        assert_eq!(told.recv().await.unwrap().subject(), id.as_str());
        assert_eq!(next(&mut heard).await.event.subject(), id.as_str());
    }
}

/// A store that can't keep changes.
struct WithoutOutbox(MemoryStore);

impl Decorator for WithoutOutbox {
    fn inner(&self) -> &dyn Store {
        &self.0
    }

    fn outbox(&self) -> Option<&dyn Outbox> {
        None
    }
}

#[tokio::test]
async fn a_listener_needs_a_name_and_a_store_that_keeps_changes() {
    let listen = |handbill: Handbill, name: &str| {
        let added = handbill.with_durable_listener(name, |_| async { Ok(()) });
        added.map(drop).map_err(|error| error.to_string())
    };
    for wrong in ["", "two words", "é", &"x".repeat(101)] {
        let refused = listen(handbill(), wrong).unwrap_err();
        assert!(
            refused.contains("1 to 100 visible ASCII characters"),
            "{refused}"
        );
    }
    assert_eq!(listen(handbill(), &"x".repeat(100)), Ok(()));
    let without = Decorated(WithoutOutbox(MemoryStore::new()));
    let refused = listen(Handbill::new(BASE, without).unwrap(), "audit").unwrap_err();
    assert!(refused.contains("the store has no outbox"), "{refused}");
}
