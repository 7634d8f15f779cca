//! Checks of concurrent calls.

use handbill::Store;
use handbill::store::{Entry, Outcome, Post};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tokio::runtime::Handle;

use super::model::Model;
use super::subject::{Subject, request, request_of};
use crate::check::joined;
use crate::samples::{dated, moment, owner, post, retagged, rewritten, tag, token};

const ROUNDS: u32 = 50;

/// Runs the work on this many threads, whatever the runtime.
pub(super) async fn on_threads<T: Send + 'static, F>(
    threads: u32,
    work: impl Fn(u32) -> F + Send + Sync + 'static,
) -> Vec<T>
where
    F: Future<Output = T> + Send,
{
    let work = Arc::new(work);
    let tasks: Vec<_> = (0..threads)
        .map(|thread| {
            let (work, runtime) = (Arc::clone(&work), Handle::current());
            tokio::task::spawn_blocking(move || runtime.block_on(work(thread)))
        })
        .collect();
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(joined(task).await);
    }
    outcomes
}

/// Of concurrent insertions with one identifier, one is applied.
pub async fn of_two_inserts_of_one_identifier_one_is_applied(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for round in 0..ROUNDS {
        let id = post(round).summary.id;
        let rivals: Vec<Post> = (0..2)
            .map(|rival| {
                let mut rival = post(1000 + 2 * round + rival);
                rival.summary.id = id;
                rival
            })
            .collect();
        let posts = rivals.clone();
        let subject = store.clone();
        let writes = on_threads(2, move |rival| {
            let (store, post) = (subject.clone(), posts[rival as usize].clone());
            async move { store.insert(&post).await }
        })
        .await;
        one_is_applied(&store, &writes, &rivals).await;
    }
    assert_eq!(store.ids(None).await.len() as u32, ROUNDS);
}

/// Of concurrent updates of one revision, one is applied and the other conflicts.
pub async fn of_two_updates_of_one_revision_one_is_applied(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for mut now in [post(1), post(2)] {
        store.put(&now).await;
        for round in 0..ROUNDS {
            let rivals: Vec<Post> = (0..2)
                .map(|rival| {
                    let name = format!("{} {round} {rival}", now.summary.id);
                    let mut rewritten = rewritten(&now, &name);
                    rewritten.edit_token = token(&name);
                    rewritten
                })
                .collect();
            let (subject, posts, expected) = (store.clone(), rivals.clone(), now.summary.revision);
            let writes = on_threads(2, move |rival| {
                let (store, post) = (subject.clone(), posts[rival as usize].clone());
                async move { store.update(expected, &post).await }
            })
            .await;
            now = one_is_applied(&store, &writes, &rivals).await;
        }
    }
}

/// Asserts that exactly one rival was applied and is stored, and returns it.
async fn one_is_applied(store: &Subject, writes: &[Outcome], rivals: &[Post]) -> Post {
    let mut applied = writes
        .iter()
        .zip(rivals)
        .filter(|(write, _)| **write == Outcome::Applied);
    let (_, winner) = applied.next().expect("one of two rivals is applied");
    assert!(applied.next().is_none(), "both of two rivals are applied");
    store.has(winner).await;
    for rival in rivals {
        let found = store.by_token(rival.edit_token).await;
        let expected = (rival == winner).then(|| Entry::Live(winner.clone().into()));
        assert_eq!(found, expected, "what is found by a rival's edit token");
    }
    winner.clone()
}

/// Of a concurrent update and deletion, one is applied.
pub async fn of_an_update_and_a_deletion_one_is_applied(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let mut live = Vec::new();
    for round in 0..ROUNDS {
        let first = post(round);
        store.put(&first).await;
        let changed = rewritten(&first, "Changed");
        let (subject, before, after) = (store.clone(), first.clone(), changed.clone());
        let writes = on_threads(2, move |rival| {
            let (store, before, after) = (subject.clone(), before.clone(), after.clone());
            async move {
                match rival {
                    0 => store.update(before.summary.revision, &after).await,
                    _ => {
                        let post = before.summary;
                        store.delete(post.id, post.revision).await
                    }
                }
            }
        })
        .await;
        let id = first.summary.id;
        let expected = match writes[..] {
            [Outcome::Applied, Outcome::Conflict] => {
                live.insert(0, id);
                Entry::Live(changed.into())
            }
            [Outcome::Conflict, Outcome::Applied] => Entry::Gone(first.into_tombstone()),
            _ => panic!(
                "the update is {:?} and the deletion {:?}",
                writes[0], writes[1]
            ),
        };
        assert_eq!(store.post(id).await, Some(expected));
    }
    assert_eq!(store.ids(None).await, live);
}

/// Independent writes are all applied, however many are concurrent.
pub async fn concurrent_writes_are_all_stored(store: Arc<dyn Store>) {
    const THREADS: u32 = 8;
    let store = Subject::new(store);
    let subject = store.clone();
    let stored = on_threads(THREADS, move |thread| {
        let store = subject.clone();
        async move {
            let mut stored = Vec::new();
            for step in 0..ROUNDS {
                let number = step * THREADS + thread;
                let first = post(number);
                let (id, revision) = (first.summary.id, first.summary.revision);
                assert_eq!(store.insert(&first).await, Outcome::Applied);
                match number % 3 {
                    0 => stored.push(first),
                    1 => {
                        let changed = retagged(&first, &["changed"]);
                        assert_eq!(store.update(revision, &changed).await, Outcome::Applied);
                        stored.push(changed);
                    }
                    _ => assert_eq!(store.delete(id, revision).await, Outcome::Applied),
                }
            }
            stored
        }
    })
    .await;
    let mut model = Model::default();
    for post in stored.iter().flatten() {
        store.has(post).await;
        model.put(post);
    }
    for tag in [None, Some(&tag("rust")), Some(&tag("changed"))] {
        model.is_shown(&store, tag, 50).await;
    }
    let of_ann = request_of(&owner("ann"), 1, 50, None);
    model.list_is_shown(&store, &of_ann).await;
    model.tags_are_counted(&store).await;
}

/// Each call sees all earlier writes, whatever is written concurrently.
pub async fn each_write_is_seen_by_the_next_call(store: Arc<dyn Store>) {
    let subject = Subject::new(store);
    on_threads(4, move |thread| {
        let store = subject.clone();
        async move {
            let own = tag(&format!("thread {thread}"));
            for step in 0..ROUNDS {
                let mut first = post(step * 4 + thread);
                first.summary.tags = vec![own.clone()];
                let (id, first_token) = (first.summary.id, first.edit_token);
                assert_eq!(store.post(id).await, None);
                store.put(&first).await;
                store.has(&first).await;
                assert_eq!(store.ids(Some(&own)).await, [id]);
                assert_eq!(store.ids_of(&owner("ann"), Some(&own)).await, [id]);
                let mut changed = rewritten(&first, "Changed");
                changed.edit_token = token(id.as_str());
                store.change(&changed).await;
                store.has(&changed).await;
                assert_eq!(store.by_token(first_token).await, None);
                assert_eq!(
                    store.list(Some(&own), 50).await,
                    [changed.summary.clone()],
                    "the list after a change"
                );
                store.remove(&changed).await;
                let gone = Some(Entry::Gone(changed.clone().into_tombstone()));
                assert_eq!(store.post(id).await, gone);
                assert!(store.ids(Some(&own)).await.is_empty());
            }
        }
    })
    .await;
}

/// The posts and the total of a page always agree, and a page has no duplicates.
pub async fn list_pages_are_consistent_during_writes(store: Arc<dyn Store>) {
    const FIRST: u32 = 120;
    const PER_PAGE: u32 = 50;
    const PAGES: u32 = 200;
    // The list grows from the third page to the fourth, and then its end moves there, however slow the readers are.
    const GROWING_STEPS: u32 = 4 * ROUNDS;
    // Readers stop at the first fault.
    const MOST_STEPS: u32 = 40 * ROUNDS;
    let store = Subject::new(store);
    for number in 0..FIRST {
        store.put(&post(number)).await;
    }
    let (written, pages) = (AtomicBool::new(false), AtomicU32::new(0));
    let (written, pages) = (Arc::new(written), Arc::new(pages));
    on_threads(3, move |thread| {
        let (written, pages) = (Arc::clone(&written), Arc::clone(&pages));
        let store = store.clone();
        async move {
            if thread == 0 {
                // The end of the list moves around the end of a page.
                for step in 0..MOST_STEPS {
                    if step >= 2 * ROUNDS && pages.load(Ordering::Relaxed) >= PAGES {
                        break;
                    }
                    let old = dated(FIRST + step, moment(-i64::from(step)));
                    store.put(&old).await;
                    if step % 5 > 0 || step > GROWING_STEPS {
                        store.remove(&old).await;
                    }
                    let new = post(1_000_000 + step);
                    store.put(&new).await;
                    store.remove(&new).await;
                }
                written.store(true, Ordering::Release);
                return;
            }
            loop {
                let last = written.load(Ordering::Acquire);
                for (number, tag) in [(1, None), (3, None), (4, None), (3, Some(tag("web")))] {
                    let request = request(number, PER_PAGE, tag.as_ref());
                    let page = store.page(&request).await;
                    pages.fetch_add(1, Ordering::Relaxed);
                    let before = (number - 1) * u64::from(PER_PAGE);
                    let rest = page.total.saturating_sub(before);
                    assert_eq!(
                        page.posts.len() as u64,
                        rest.min(u64::from(PER_PAGE)),
                        "posts on page {number} beside a total of {}",
                        page.total
                    );
                    let in_order = page.posts.is_sorted_by(|a, b| {
                        (a.summary.published_at, a.summary.id)
                            > (b.summary.published_at, b.summary.id)
                    });
                    assert!(
                        in_order,
                        "page {number} is not in order, or has a post twice"
                    );
                }
                if last {
                    return;
                }
            }
        }
    })
    .await;
}
