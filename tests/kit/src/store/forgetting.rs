//! Checks of what tombstones forget.

use std::sync::Arc;

use handbill::store::{Entry, Outcome, Tombstone};
use handbill::{Owner, Store, Visibility};

use super::subject::{Subject, request_of};
use crate::check::{joined, setup};
use crate::samples::{hidden, key, owner, post, rewritten, token};

/// A tombstone as it is when its owner was forgotten.
fn forgotten(tombstone: Tombstone) -> Tombstone {
    tombstone.with_owner(None)
}

/// The tombstone of a post of this owner, which may be of any visibility.
fn tombstone_of(number: u32, name: &str) -> Tombstone {
    let visibility = Visibility::ALL[number as usize % 3];
    let mut post = hidden(number, visibility);
    post.summary.visibility = visibility;
    post.into_tombstone().with_owner(Some(owner(name)))
}

impl Subject {
    /// Inserts a tombstone, which must not conflict.
    async fn put_tombstone(&self, tombstone: &Tombstone) {
        setup(async {
            let write = self.insert_tombstone(tombstone).await;
            assert_eq!(
                write,
                Outcome::Applied,
                "a tombstone under a free identifier"
            );
        })
        .await;
    }

    /// Asserts that each way to it finds exactly this tombstone.
    async fn has_tombstone(&self, tombstone: &Tombstone) {
        let expected = Some(Entry::Gone(tombstone.clone()));
        assert_eq!(self.post(tombstone.id).await, expected);
        assert_eq!(self.current(tombstone.id).await, expected);
        assert_eq!(self.by_token(tombstone.edit_token).await, expected);
        let walk = self.entries(None, 1000).await;
        let walked = walk.into_iter().find(|entry| entry.id() == tombstone.id);
        assert_eq!(walked, expected);
    }

    /// Forgets an owner, in as many calls as the store needs.
    async fn forget_all(&self, owner: &Owner) {
        let mut calls = 0;
        while self.forget(owner, 100).await == Outcome::Applied {
            calls += 1;
            assert!(calls <= 100, "more calls than there are tombstones");
        }
        assert!(calls > 0, "no tombstone named the owner");
    }

    /// How many tombstones name the owner, of fewer than 1,000.
    async fn naming(&self, owner: &Owner) -> usize {
        let walk = self.entries(None, 1000).await;
        let names = |entry: &&Entry| match entry {
            Entry::Gone(tombstone) => tombstone.owner.as_ref() == Some(owner),
            _ => false,
        };
        walk.iter().filter(names).count()
    }
}

/// After an owner was forgotten, no way to a tombstone tells the owner: neither to one that was read before, nor to
/// one that was inserted.
pub async fn a_forgotten_owner_is_in_no_tombstone(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let ann = owner("ann");
    let mut tombstones: Vec<_> = (1..=3).map(|number| tombstone_of(number, "ann")).collect();
    for tombstone in &tombstones {
        store.put_tombstone(tombstone).await;
    }
    let changed = rewritten(&post(4), "Changed");
    for post in [&post(4), &post(5), &hidden(6, Visibility::Draft)] {
        store.put(post).await;
    }
    store.change(&changed).await;
    for post in [changed, post(5), hidden(6, Visibility::Draft)] {
        store.remove(&post).await;
        tombstones.push(post.into_tombstone());
    }
    for tombstone in &tombstones {
        store.has_tombstone(tombstone).await;
    }
    store.forget_all(&ann).await;
    for tombstone in tombstones {
        store.has_tombstone(&forgotten(tombstone)).await;
    }
    // What is deleted later names the owner again, until that is forgotten, too.
    let later = post(7);
    store.put(&later).await;
    store.remove(&later).await;
    store.has_tombstone(&later.clone().into_tombstone()).await;
    store.forget_all(&ann).await;
    store
        .has_tombstone(&forgotten(later.into_tombstone()))
        .await;
}

/// Forgetting an owner leaves posts, keys, lists, and the tombstones of others as they are. Identifiers of deleted
/// posts stay taken.
pub async fn forgetting_an_owner_changes_nothing_else(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let ann = owner("ann");
    let (live, draft) = (post(1), hidden(2, Visibility::Draft));
    store.put(&live).await;
    store.put(&draft).await;
    store.put_key(&key(1)).await;
    let names = ["Ann", "anna", "an", "an_", "%", "'ann'", "key:ann"];
    let others = (10..)
        .zip(names)
        .map(|(number, name)| tombstone_of(number, name));
    let mut others: Vec<_> = others.collect();
    others.push(Tombstone::new(post(30).summary.id, token("of nobody")));
    for tombstone in &others {
        store.put_tombstone(tombstone).await;
    }
    let gone = tombstone_of(3, "ann");
    store.put_tombstone(&gone).await;

    store.forget_all(&ann).await;
    store.has_tombstone(&forgotten(gone.clone())).await;
    for tombstone in &others {
        store.has_tombstone(tombstone).await;
    }
    for post in [&live, &draft] {
        store.has(post).await;
    }
    let page = store.page(&request_of(&ann, 1, 10, None)).await;
    let listed: Vec<_> = page.posts.iter().map(|post| &post.summary).collect();
    assert_eq!(
        (listed, page.total),
        (vec![&draft.summary, &live.summary], 2)
    );
    assert_eq!(store.ids(None).await, [live.summary.id]);
    assert_eq!(store.keys().await, [key(1)]);
    let mut again = post(3);
    again.summary.id = gone.id;
    assert_eq!(store.insert(&again).await, Outcome::Conflict);
    assert_eq!(store.insert_tombstone(&gone).await, Outcome::Conflict);
    store.has_tombstone(&forgotten(gone)).await;
}

/// A call makes one tombstone forget the owner at least, and as many as the limit at most.
pub async fn an_owner_is_forgotten_up_to_the_limit(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let ann = owner("ann");
    for number in 1..=7 {
        store.put_tombstone(&tombstone_of(number, "ann")).await;
    }
    let mut left = 7;
    while left > 0 {
        assert_eq!(store.forget(&ann, 3).await, Outcome::Applied);
        let now = store.naming(&ann).await;
        assert!(now < left, "{now} after {left}");
        assert!(left - now <= 3, "more than the limit: {now} after {left}");
        left = now;
    }
    assert_eq!(store.forget(&ann, 3).await, Outcome::NotFound);
}

/// An owner that no tombstone names is not found, also one of live posts, and one that was forgotten.
pub async fn forgetting_an_absent_owner_is_not_found(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let ann = owner("ann");
    assert_eq!(store.forget(&ann, 10).await, Outcome::NotFound);
    store.put(&post(1)).await;
    store.put_tombstone(&tombstone_of(2, "bob")).await;
    assert_eq!(store.forget(&ann, 10).await, Outcome::NotFound);
    store.remove(&post(1)).await;
    assert_eq!(store.forget(&ann, 10).await, Outcome::Applied);
    assert_eq!(store.forget(&ann, 10).await, Outcome::NotFound);
}

/// Of several callers that forget an owner at the same time, each hears that there is nothing left only when that is
/// so.
pub async fn concurrent_callers_forget_an_owner(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for round in 0..5 {
        for number in 0..20 {
            let tombstone = tombstone_of(1 + 20 * round + number, "ann");
            store.put_tombstone(&tombstone).await;
        }
        let callers: Vec<_> = (0..4)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move {
                    let ann = owner("ann");
                    let mut calls = 0;
                    while store.forget(&ann, 3).await == Outcome::Applied {
                        calls += 1;
                        assert!(calls <= 20, "as many as there are tombstones");
                    }
                    assert_eq!(
                        store.naming(&ann).await,
                        0,
                        "tombstones that name the owner"
                    );
                })
            })
            .collect();
        for caller in callers {
            joined(caller).await;
        }
    }
}
