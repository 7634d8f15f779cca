//! Checks of bars.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use handbill::store::{Authority, Bar, Entry, Outcome, Post, SecretHash, Words, Write};
use handbill::{PostId, Store};

use super::races::on_threads;
use super::subject::Subject;
use crate::samples::{key, moment, post, rewritten, token};

/// An owner's hash, different for each name.
fn hash(name: &str) -> SecretHash {
    token(&format!("owner {name}"))
}

/// Of this owner, and authorised at this moment.
fn by(name: &str, at: i64) -> Option<Authority> {
    let (owner, at) = (hash(name), moment(at));
    Some(Authority { owner, at })
}

impl Subject {
    async fn bar(&self, name: &str, until: i64) -> Outcome {
        let (owner, until) = (hash(name), moment(until));
        self.write(Write::Bar { owner, until }).await
    }

    async fn unbar(&self, name: &str, at: i64) -> Outcome {
        let (owner, at) = (hash(name), moment(at));
        self.write(Write::Unbar { owner, at }).await
    }

    async fn bars(&self) -> Vec<Bar> {
        self.bars_after(None, 1000).await
    }

    async fn insert_by(&self, number: u32, by: Option<Authority>) -> Outcome {
        let post: Arc<Post> = post(number).into();
        let words = Some(Words::of(&post));
        self.write(Write::InsertPost { post, words, by }).await
    }
}

/// Each write that can be in a name, by this authority: of new posts and keys of this number, and of the posts
/// `number + 1` and `number + 2`, which are inserted before.
async fn outcomes(store: &Subject, number: u32, by: Option<Authority>) -> [Outcome; 4] {
    let (updated, deleted) = (post(number + 1), post(number + 2));
    store.put(&updated).await;
    store.put(&deleted).await;
    let update = Write::UpdatePost {
        expected: updated.summary.revision,
        post: rewritten(&updated, "Changed").into(),
        words: None,
        by,
    };
    let delete = Write::DeletePost {
        id: deleted.summary.id,
        expected: deleted.summary.revision,
        by,
    };
    let insert = Write::InsertKey {
        key: key(number),
        by,
    };
    [
        store.insert_by(number, by).await,
        store.write(update).await,
        store.write(delete).await,
        store.write(insert).await,
    ]
}

/// Writes in the name of a barred owner that were authorised before the end of the bar, or at it, change nothing. That
/// they would conflict makes no difference.
pub async fn a_barred_owner_writes_nothing(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    assert_eq!(store.bar("ann", 10).await, Outcome::Applied);
    for (number, at) in [(10, 1), (20, 10)] {
        let outcomes = outcomes(&store, number, by("ann", at)).await;
        assert_eq!(outcomes, [Outcome::Barred; 4], "authorised at {at}");
        assert_eq!(store.post(post(number).summary.id).await, None);
        store.has(&post(number + 1)).await;
        store.has(&post(number + 2)).await;
        assert_eq!(store.key(key(number).secret).await, None);
    }
    store.put(&post(1)).await;
    assert_eq!(store.insert_by(1, by("ann", 10)).await, Outcome::Barred);
}

/// A bar concerns no writes in other names or in none, and none that were authorised later.
pub async fn a_bar_leaves_other_writes_alone(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    assert_eq!(store.bar("ann", 10).await, Outcome::Applied);
    for (number, by) in [(10, by("ann", 11)), (20, by("bob", 1)), (30, None)] {
        let outcomes = outcomes(&store, number, by).await;
        assert_eq!(outcomes, [Outcome::Applied; 4], "{by:?}");
    }
    assert_eq!(store.insert_by(10, by("bob", 1)).await, Outcome::Conflict);
}

/// Of two bars of an owner, the later one holds, whichever comes first.
pub async fn a_bar_never_becomes_earlier(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for (until, outcome) in [
        (10, Outcome::Applied),
        (5, Outcome::Conflict),
        (10, Outcome::Conflict),
        (20, Outcome::Applied),
        (15, Outcome::Conflict),
    ] {
        assert_eq!(store.bar("ann", until).await, outcome, "until {until}");
    }
    assert_eq!(store.insert_by(1, by("ann", 20)).await, Outcome::Barred);
    assert_eq!(store.insert_by(1, by("ann", 21)).await, Outcome::Applied);
}

/// A bar that was taken back still bars what was authorised before that.
pub async fn a_bar_that_was_taken_back_ends_then(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    assert_eq!(store.unbar("ann", 10).await, Outcome::NotFound);
    assert_eq!(store.insert_by(1, by("ann", 10)).await, Outcome::Applied);
    assert_eq!(store.bar("ann", i64::MAX / 2).await, Outcome::Applied);
    assert_eq!(store.unbar("bob", 20).await, Outcome::NotFound);
    assert_eq!(store.insert_by(2, by("ann", 21)).await, Outcome::Barred);
    assert_eq!(store.unbar("ann", 20).await, Outcome::Applied);
    assert_eq!(store.insert_by(2, by("ann", 20)).await, Outcome::Barred);
    assert_eq!(store.insert_by(2, by("ann", 21)).await, Outcome::Applied);
    assert_eq!(store.unbar("ann", 20).await, Outcome::NotFound);
    assert_eq!(store.unbar("ann", 30).await, Outcome::NotFound);
    assert_eq!(store.bar("ann", 40).await, Outcome::Applied);
    assert_eq!(store.insert_by(3, by("ann", 40)).await, Outcome::Barred);
}

/// A walk returns each bar as it is now, in ascending order of the owners' hashes, after any hash.
pub async fn a_walk_returns_every_bar_in_order(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    assert_eq!(store.bars().await, []);
    let mut expected = Vec::new();
    for number in 0..20 {
        let name = number.to_string();
        assert_eq!(store.bar(&name, number).await, Outcome::Applied);
        let mut bar = Bar {
            owner: hash(&name),
            until: moment(number),
        };
        if number % 3 == 0 {
            assert_eq!(store.bar(&name, 100).await, Outcome::Applied);
            assert_eq!(store.unbar(&name, 50).await, Outcome::Applied);
            bar.until = moment(50);
        }
        expected.push(bar);
    }
    expected.sort_by_key(|bar| *bar.owner.as_bytes());
    for limit in [1, 7, 20, 1000] {
        let mut walked = Vec::<Bar>::new();
        loop {
            let piece = store
                .bars_after(walked.last().map(|bar| bar.owner), limit)
                .await;
            if piece.is_empty() {
                break;
            }
            assert!(piece.len() <= limit as usize, "a piece beyond its limit");
            walked.extend(piece);
        }
        assert_eq!(walked, expected, "pieces of {limit}");
    }
    let unknown = hash("unknown");
    let rest = expected
        .iter()
        .filter(|bar| bar.owner.as_bytes() > unknown.as_bytes());
    let after = store.bars_after(Some(unknown), 1000).await;
    assert_eq!(after, rest.copied().collect::<Vec<_>>());
}

/// Once a bar has returned, no write in progress is applied that is not to be seen.
pub async fn a_write_in_progress_is_seen_or_barred(store: Arc<dyn Store>) {
    const WRITERS: u32 = 3;
    const MOST: u32 = 1000;
    let store = Subject::new(store);
    for round in 0..5 {
        let (subject, writing) = (store.clone(), Arc::new(AtomicU32::new(0)));
        let seen_or_written = on_threads(WRITERS + 1, move |thread| {
            let (store, writing) = (subject.clone(), Arc::clone(&writing));
            let name = round.to_string();
            async move {
                if thread == WRITERS {
                    while writing.load(Ordering::Relaxed) < 5 * WRITERS {
                        tokio::task::yield_now().await;
                    }
                    assert_eq!(store.bar(&name, 10).await, Outcome::Applied);
                    let entries = store.entries(None, u32::MAX).await;
                    return entries.iter().map(Entry::id).collect();
                }
                let mut written: Vec<PostId> = Vec::new();
                for step in 0..MOST {
                    let number = (round * WRITERS + thread) * MOST + step;
                    writing.fetch_add(1, Ordering::Relaxed);
                    match store.insert_by(number, by(&name, 10)).await {
                        Outcome::Applied => written.push(post(number).summary.id),
                        outcome => {
                            assert_eq!(outcome, Outcome::Barred);
                            return written;
                        }
                    }
                }
                written
            }
        })
        .await;
        let [written @ .., seen] = &*seen_or_written else {
            unreachable!("there are threads");
        };
        for post in written.iter().flatten() {
            assert!(seen.contains(post), "{post} was written after the bar");
        }
    }
}

/// Of concurrent bars of an owner, the latest holds.
pub async fn the_latest_of_concurrent_bars_holds(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for round in 0..20 {
        let subject = store.clone();
        on_threads(4, move |thread| {
            let (store, name) = (subject.clone(), round.to_string());
            async move { store.bar(&name, i64::from(thread)).await }
        })
        .await;
    }
    let bars = store.bars().await;
    assert_eq!(bars.len(), 20);
    assert!(bars.iter().all(|bar| bar.until == moment(3)), "{bars:?}");
}
