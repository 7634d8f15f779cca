//! Checks of the outbox: changes that wait for durable listeners.

use std::collections::HashSet;
use std::sync::Arc;

use handbill::store::{Authority, Outcome, Write};
use handbill::{Store, Timestamp};

use super::outbox_subject::{LATER, OutboxSubject, created, of_key, retry, updated};
use super::races::on_threads;
use super::subject::Subject;
use crate::check::setup;
use crate::samples::{key, moment, post, rewritten, token};

const A_DAY: i64 = 86_400_000_000;

/// Each write is made, and adds its change, whose text comes back byte for byte.
pub async fn a_write_that_is_applied_adds_its_change(store: Arc<dyn Store>) {
    let subject = Subject::new(Arc::clone(&store));
    let Some(outbox) = OutboxSubject::with_listener(store, "audit").await else {
        return;
    };
    let mut hostile = post(1);
    hostile.summary.title = Some("\"'\\ \u{7f}\u{feff}\u{1f600} {} %s ?1 $1 -- 🦀".to_owned());
    let (write, inserted) = outbox.insert(&hostile).await;
    assert_eq!(write, Outcome::Applied);
    assert_eq!(outbox.texts("audit").await, [inserted.as_str()]);
    subject.has(&hostile).await;
    let others = post(2);
    let created = outbox.put(&others).await;
    let changed = rewritten(&others, "Changed");
    let (write, rewritten) = outbox.update(&changed).await;
    assert_eq!(write, Outcome::Applied);
    subject.has(&changed).await;
    let (write, issued) = outbox.insert_key(&key(1)).await;
    assert_eq!(write, Outcome::Applied);
    assert_eq!(subject.key(key(1).secret).await, Some(key(1)));
    assert_eq!(
        outbox.texts("audit").await,
        [inserted.clone(), created, issued]
    );

    let delete = Write::DeletePost {
        id: hostile.summary.id,
        expected: hostile.summary.revision,
        by: None,
    };
    let change = updated(&hostile);
    let deleted = change.to_text();
    assert_eq!(outbox.write(delete, change).await, Outcome::Applied);
    let change = of_key(&key(1));
    let revoked = change.to_text();
    let revoke = Write::RevokeKey(key(1).id);
    assert_eq!(outbox.write(revoke, change).await, Outcome::Applied);
    assert_eq!(subject.key(key(1).secret).await, None);
    for number in outbox.due("audit").await {
        outbox.settle("audit", &[number.number], &[]).await;
    }
    assert_eq!(outbox.texts("audit").await, [rewritten, deleted, revoked]);
}

/// What conflicts, finds nothing or is barred adds no change, also where the post that is there is the same.
pub async fn a_write_that_is_not_applied_adds_no_change(store: Arc<dyn Store>) {
    let subject = Subject::new(Arc::clone(&store));
    let Some(outbox) = OutboxSubject::with_listener(store, "audit").await else {
        return;
    };
    let mut expected = vec![outbox.put(&post(1)).await];
    let (write, text) = outbox.insert_key(&key(1)).await;
    assert_eq!(write, Outcome::Applied);
    expected.push(text);
    let stale = rewritten(&rewritten(&post(1), "Second"), "Third");
    for write in [
        outbox.insert(&post(1)).await.0,
        outbox.update(&stale).await.0,
        outbox.update(&rewritten(&post(2), "Missing")).await.0,
        outbox.insert_key(&key(1)).await.0,
        outbox
            .write(Write::RevokeKey(key(2).id), of_key(&key(2)))
            .await,
    ] {
        assert_ne!(write, Outcome::Applied);
    }
    let delete = Write::DeletePost {
        id: post(1).summary.id,
        expected: stale.summary.revision,
        by: None,
    };
    assert_eq!(
        outbox.write(delete, updated(&post(1))).await,
        Outcome::Conflict
    );
    let (owner, at) = (token("owner ann"), moment(10));
    let bar = Write::Bar { owner, until: at };
    setup(async { assert_eq!(subject.write(bar).await, Outcome::Applied) }).await;
    let by = Some(Authority { owner, at });
    let change = created(&post(3));
    let post = post(3).into();
    let barred = outbox
        .write(
            Write::InsertPost {
                post,
                words: None,
                by,
            },
            change,
        )
        .await;
    assert_eq!(barred, Outcome::Barred);
    assert_eq!(outbox.texts("audit").await, expected);
    assert_eq!(outbox.states().await[0].waiting, 2);
}

/// A listener gets what is written from its addition on. A second addition changes nothing. What is written without a
/// change is not delivered.
pub async fn a_change_waits_for_each_listener_there_is(store: Arc<dyn Store>) {
    let subject = Subject::new(Arc::clone(&store));
    let Some(outbox) = OutboxSubject::new(store) else {
        return;
    };
    outbox.put(&post(1)).await;
    assert_eq!(outbox.states().await, []);
    outbox.add("audit").await;
    let second = outbox.put(&post(2)).await;
    outbox.add("index").await;
    outbox.add("audit").await;
    let third = outbox.put(&post(3)).await;
    subject.put(&post(4)).await;
    assert_eq!(outbox.texts("audit").await, [second, third.clone()]);
    assert_eq!(outbox.texts("index").await, [third]);
    assert_eq!(outbox.texts("unknown").await, [] as [String; 0]);
    let states = outbox.states().await;
    let seen: Vec<_> = states
        .iter()
        .map(|state| (&*state.name, state.waiting, state.oldest))
        .collect();
    let [second, third] = [2, 3].map(|number| Some(post(number).summary.created_at));
    assert_eq!(seen, [("audit", 2, second), ("index", 1, third)]);
    let last = outbox.due("index").await[0].number;
    assert!(states.iter().all(|state| state.last == Some(last)));
}

/// Numbers grow, are the same for all listeners, and are not used again when nothing waits any more.
pub async fn each_change_has_a_number_of_its_own(store: Arc<dyn Store>) {
    let Some(outbox) = OutboxSubject::with_listener(store, "audit").await else {
        return;
    };
    outbox.add("index").await;
    let mut last = 0;
    for round in 0..3 {
        outbox.put(&post(2 * round)).await;
        let (write, _) = outbox.insert_key(&key(round)).await;
        assert_eq!(write, Outcome::Applied);
        outbox.put(&post(2 * round + 1)).await;
        let due = outbox.due("audit").await;
        assert_eq!(outbox.due("index").await, due);
        assert_eq!(due.len(), 3);
        for change in &due {
            assert!(change.number > last, "{} after {last}", change.number);
            last = change.number;
        }
        let numbers: Vec<_> = due.iter().map(|change| change.number).collect();
        outbox.settle("audit", &numbers, &[]).await;
        outbox.settle("index", &numbers, &[]).await;
    }
}

/// Of changes of one post, only the first one is due, until it is done. Others do not wait for it.
pub async fn of_each_subject_the_first_change_is_due(store: Arc<dyn Store>) {
    let Some(outbox) = OutboxSubject::with_listener(store, "audit").await else {
        return;
    };
    let mut now = post(1);
    let mut expected = vec![outbox.put(&now).await];
    for round in 0..3 {
        now = rewritten(&now, &format!("Round {round}"));
        expected.push(outbox.update(&now).await.1);
    }
    let other = outbox.put(&post(2)).await;
    for text in expected {
        let due = outbox.due("audit").await;
        let texts: Vec<_> = due.iter().map(|change| &*change.text).collect();
        assert_eq!(texts, [text.as_str(), &other]);
        assert_eq!(outbox.due_at("audit", moment(LATER), 1).await.len(), 1);
        let number = due.iter().find(|change| change.text == text);
        let number = number.expect("the first change of the post").number;
        outbox.settle("audit", &[number], &[]).await;
    }
    assert_eq!(outbox.texts("audit").await, [other]);
}

/// A change that failed is not due before its time. It has one attempt more, and the later changes of its post wait,
/// also those that come after it. Others do not.
pub async fn a_change_that_failed_is_due_at_its_time_and_keeps_the_later_ones_of_its_subject_waiting(
    store: Arc<dyn Store>,
) {
    let Some(outbox) = OutboxSubject::with_listener(store, "audit").await else {
        return;
    };
    let created = outbox.put(&post(1)).await;
    let second = rewritten(&post(1), "Second");
    let changed = outbox.update(&second).await.1;
    let number = outbox.due("audit").await[0].number;
    for attempts in 1..=2 {
        let due = moment(1000 * attempts);
        outbox.settle("audit", &[], &[(number, due)]).await;
        assert_eq!(
            outbox
                .due_at("audit", moment(1000 * attempts - 1), 10)
                .await,
            []
        );
        let found = outbox.due_at("audit", due, 10).await;
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].number, i64::from(found[0].attempts)),
            (number, attempts)
        );
        assert_eq!(found[0].text, created);
    }
    let other = outbox.put(&post(2)).await;
    let third = outbox.update(&rewritten(&second, "Third")).await.1;
    let early = outbox.due_at("audit", moment(10), 10).await;
    let early: Vec<_> = early.iter().map(|change| &*change.text).collect();
    assert_eq!(early, [other.as_str()]);
    assert_eq!(outbox.states().await[0].waiting, 4);
    outbox.settle("audit", &[number], &[]).await;
    for text in [changed, third] {
        let due = outbox.due("audit").await;
        let next = due.iter().find(|change| change.text == text);
        let next = next.expect("the next change of the post");
        assert_eq!(next.attempts, 0);
        outbox.settle("audit", &[next.number], &[]).await;
    }
    assert_eq!(outbox.texts("audit").await, [other]);
}

/// The failure of the last change that is tried again is told of its listener and of no other, and stays when others
/// succeed.
pub async fn the_last_failure_of_a_listener_stays(store: Arc<dyn Store>) {
    let Some(outbox) = OutboxSubject::with_listener(store, "audit").await else {
        return;
    };
    outbox.add("index").await;
    for number in 1..=3 {
        outbox.put(&post(number)).await;
    }
    let due = outbox.due("audit").await;
    let [first, second, third] = [0, 1, 2].map(|place| due[place].number);
    let last_failures = async || {
        let states = outbox.states().await.into_iter();
        states.map(|state| state.last_failure).collect::<Vec<_>>()
    };
    assert_eq!(last_failures().await, [None, None]);
    let later = moment(LATER);
    let failed = |number| Some(retry(number, later).failure);
    outbox
        .settle("audit", &[], &[(first, later), (second, later)])
        .await;
    assert_eq!(last_failures().await, [failed(second), None]);
    outbox.settle("audit", &[second, third], &[]).await;
    assert_eq!(last_failures().await, [failed(second), None]);
    outbox.settle("audit", &[], &[(first, later)]).await;
    assert_eq!(last_failures().await, [failed(first), None]);
}

/// A change that is due more than a day from now is due: the clock was set back.
pub async fn a_change_that_is_due_very_late_is_due(store: Arc<dyn Store>) {
    let Some(outbox) = OutboxSubject::with_listener(store, "audit").await else {
        return;
    };
    outbox.put(&post(1)).await;
    let number = outbox.due("audit").await[0].number;
    let after = |micros: i64| Timestamp::from_micros(moment(0).as_micros() + micros);
    for (due, is_due) in [(A_DAY, false), (A_DAY + 1, true), (2000 * A_DAY, true)] {
        outbox.settle("audit", &[], &[(number, after(due))]).await;
        let found = outbox.due_at("audit", moment(0), 10).await;
        assert_eq!(!found.is_empty(), is_due, "due in {due} microseconds");
    }
}

/// What one listener is done with, others still wait for. Numbers that do not wait are ignored.
pub async fn a_change_is_gone_when_it_is_done_for_its_listener_only(store: Arc<dyn Store>) {
    let Some(outbox) = OutboxSubject::with_listener(store, "audit").await else {
        return;
    };
    outbox.add("index").await;
    let (first, second) = (outbox.put(&post(1)).await, outbox.put(&post(2)).await);
    let number = outbox.due("audit").await[0].number;
    let unknown = number + 1000;
    let later = moment(LATER);
    outbox
        .settle("audit", &[number, unknown], &[(unknown, later)])
        .await;
    outbox.settle("audit", &[number], &[(number, later)]).await;
    outbox
        .settle("unknown", &[number], &[(number, later)])
        .await;
    assert_eq!(outbox.texts("audit").await, [second.as_str()]);
    assert_eq!(outbox.texts("index").await, [first, second]);
}

/// Of two instances, the first one has the lease of the listener, renews it again and again, and ends it.
pub async fn a_listener_is_leased_to_one_instance_at_a_time(store: Arc<dyn Store>) {
    let Some(outbox) = OutboxSubject::with_listener(store, "audit").await else {
        return;
    };
    outbox.add("index").await;
    assert!(!outbox.lease("unknown", "one", 30).await);
    for _ in 0..2 {
        assert!(outbox.lease("audit", "one", 30).await);
        assert!(!outbox.lease("audit", "two", 30).await);
    }
    assert!(
        !outbox.lease("audit", "two", 0).await,
        "another one ends a hold"
    );
    assert!(!outbox.lease("audit", "two", 30).await);
    assert!(outbox.lease("index", "two", 30).await, "another listener");
    assert!(outbox.lease("audit", "one", 0).await);
    assert!(outbox.lease("audit", "two", 30).await);
    assert!(!outbox.lease("audit", "one", 30).await);
    let outcomes = on_threads(4, move |instance| {
        let outbox = outbox.clone();
        async move {
            outbox.add("race").await;
            outbox
                .lease("race", &format!("instance {instance}"), 30)
                .await
        }
    })
    .await;
    let leases = outcomes.iter().filter(|is_leased| **is_leased).count();
    assert_eq!(leases, 1, "of four that began at the same time");
}

/// A removed listener has no changes, also if it is added again.
pub async fn a_removed_listener_has_nothing_left(store: Arc<dyn Store>) {
    let Some(outbox) = OutboxSubject::with_listener(store, "audit").await else {
        return;
    };
    outbox.add("index").await;
    let first = outbox.put(&post(1)).await;
    assert!(outbox.remove("audit").await);
    assert!(!outbox.remove("audit").await);
    assert_eq!(outbox.texts("audit").await, [] as [String; 0]);
    outbox.add("audit").await;
    let second = outbox.put(&post(2)).await;
    assert_eq!(outbox.texts("audit").await, [second.as_str()]);
    assert_eq!(outbox.texts("index").await, [first, second]);
}

/// Concurrent writes: each that is applied has one change, and no other has one.
pub async fn of_concurrent_writes_each_change_waits_once(store: Arc<dyn Store>) {
    let Some(outbox) = OutboxSubject::with_listener(store, "audit").await else {
        return;
    };
    let writer = outbox.clone();
    // Two threads write each post.
    let written = on_threads(8, move |thread| {
        let outbox = writer.clone();
        async move {
            let mut applied = Vec::new();
            for round in 0..25 {
                let (write, text) = outbox.insert(&post(25 * (thread / 2) + round)).await;
                if write == Outcome::Applied {
                    applied.push(text);
                }
            }
            applied
        }
    })
    .await;
    let mut applied: Vec<_> = written.into_iter().flatten().collect();
    assert_eq!(applied.len(), 100);
    applied.sort();
    let due = outbox.due("audit").await;
    let numbers: HashSet<_> = due.iter().map(|change| change.number).collect();
    assert_eq!(numbers.len(), 100, "numbers of 100 changes");
    let mut texts: Vec<_> = due.into_iter().map(|change| change.text).collect();
    texts.sort();
    assert_eq!(texts, applied);
}
