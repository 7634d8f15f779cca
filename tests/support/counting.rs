//! Lists and their totals, while several instances write and count.

use std::collections::HashMap;

use handbill::store::{Outcome, Post};
use handbill::{List, MemoryStore, Owner, PageRequest, Store, Tag, Timestamp, Visibility};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::calls::Calls;
use crate::postgres::posts::{post, retagged, revised};

/// A block of a list has fewer entries.
pub const MAX_ENTRIES: i64 = 1024;

const CLIENTS: u64 = 24;
const STEPS: u64 = 150;
const ROUNDS: u64 = 3;

const TAGS: [&str; 3] = ["most", "some", "few"];
const TAGS_IN_HUNDREDTHS: [u32; 3] = [90, 30, 2];

fn some_tags(random: &mut StdRng) -> Vec<&'static str> {
    let tags = TAGS.into_iter().zip(TAGS_IN_HUNDREDTHS);
    tags.filter(|(_, hundredths)| random.random_range(0..100) < *hundredths)
        .map(|(tag, _)| tag)
        .collect()
}

const OWNERS: [&str; 2] = ["first", "second"];

fn owner(name: &str) -> Owner {
    name.parse().expect("an owner")
}

/// Shows the post to everyone, or to fewer. Some posts were created long before they are published.
fn show_to_some(post: &mut Post, random: &mut StdRng) {
    let summary = &mut post.summary;
    summary.visibility = match random.random_range(0..10) {
        0..7 => Visibility::Public,
        7..9 => Visibility::Unlisted,
        _ => Visibility::Draft,
    };
    if summary.visibility == Visibility::Public && summary.published_at.is_none() {
        let micros = summary.created_at.as_micros() + random.random_range(0..5000);
        summary.published_at = Some(Timestamp::from_micros(micros));
    }
}

/// Checks that each page of each list is the same in both stores, and the tags, too.
async fn same_pages(store: &impl Store, model: &MemoryStore) {
    let owners = OWNERS.map(owner);
    let owned = [List::PublicOf, List::AllOf].map(|list| owners.clone().map(list));
    let lists = owned.into_iter().flatten().chain([List::Public]);
    let tags = TAGS.into_iter().map(Some).chain([None]);
    let lists = lists.flat_map(|list| tags.clone().map(move |tag| (list.clone(), tag)));
    for list in lists {
        for page in 1.. {
            let request = PageRequest::new(page, 1000).expect("a page in bounds");
            let request = request
                .with_list(list.0.clone())
                .with_tag(list.1.map(Tag::from_stored));
            let expected = model.list_posts(request.clone()).await.expect("a page");
            let found = store.list_posts(request).await.expect("a page");
            assert_eq!(found, expected, "page {page} of {list:?}");
            if found.posts.is_empty() {
                break;
            }
        }
    }
    for limit in [2, 10] {
        let expected = model.list_tags(limit).await.expect("tags");
        let found = store.list_tags(limit).await.expect("tags");
        assert_eq!(found, expected);
    }
}

/// One random write of a client, made in both stores.
async fn step(
    number: u64,
    random: &mut StdRng,
    live: &mut HashMap<u64, Post>,
    store: &impl Store,
    model: &MemoryStore,
) {
    let some = live
        .keys()
        .copied()
        .nth(random.random_range(0..=live.len()));
    let (found, expected) = match (random.random_range(0..10), some) {
        (0..2, Some(some)) => {
            let gone = live.remove(&some).expect("a live post").summary;
            (
                store.delete_post(gone.id, gone.revision).await,
                model.delete_post(gone.id, gone.revision).await,
            )
        }
        (2..4, Some(some)) => {
            let post = live.get_mut(&some).expect("a live post");
            let expected = post.summary.revision;
            *post = match random.random_range(0..2) {
                0 => retagged(post, &some_tags(random)),
                _ => revised(post),
            };
            if random.random_range(0..2) == 0 {
                show_to_some(post, random);
            }
            (
                store.update_post(expected, post.clone()).await,
                model.update_post(expected, post.clone()).await,
            )
        }
        _ => {
            // Mostly new posts, sometimes posts from any time before.
            let micros = match random.random_range(0..10) {
                0 => random.random_range(0..=number),
                _ => number,
            };
            let mut post = post(number, micros.cast_signed(), &some_tags(random));
            let mut owners = OWNERS.into_iter().map(owner);
            post.summary.owner = owners.nth(random.random_range(0..=2));
            post.summary.published_at = None;
            show_to_some(&mut post, random);
            live.insert(number, post.clone());
            (
                store.insert_post(post.clone()).await,
                model.insert_post(post).await,
            )
        }
    };
    assert_eq!(found.expect("a write"), Outcome::Applied);
    assert_eq!(expected.expect("a write"), Outcome::Applied);
}

/// Checks that all lists are exact at any time, while clients write to three instances on one database, and waits
/// several times until `counts_are_right`. All posts are deleted in the end.
pub async fn lists_are_right<S: Store + Clone>(
    stores: [S; 3],
    mut counts_are_right: impl AsyncFnMut(),
) {
    let model = MemoryStore::new();
    let mut clients: Vec<(StdRng, HashMap<u64, Post>)> = (0..CLIENTS)
        .map(|client| (StdRng::seed_from_u64(client), HashMap::new()))
        .collect();
    for round in 0..ROUNDS {
        let tasks = (0..).zip(clients.drain(..)).map(|(client, state)| {
            let store = stores[client as usize % stores.len()].clone();
            let (model, (mut random, mut live)) = (model.clone(), state);
            tokio::spawn(async move {
                for at in 0..STEPS {
                    let number = (round * STEPS + at) * CLIENTS + client;
                    step(number, &mut random, &mut live, &store, &model).await;
                }
                (random, live)
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            clients.push(task.await.expect("a client that finishes"));
        }
        // By now, some changes are counted and some are not.
        same_pages(&stores[0], &model).await;
        counts_are_right().await;
        same_pages(&stores[1], &model).await;
    }
    // When all posts are deleted, no counts remain.
    for (_, live) in clients {
        for post in live.into_values() {
            let (id, revision) = (post.summary.id, post.summary.revision);
            let deleted = stores[2].delete_post(id, revision).await;
            assert_eq!(deleted.expect("a write"), Outcome::Applied);
        }
    }
    counts_are_right().await;
}
