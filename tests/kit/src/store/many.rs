//! Checks of lists that are so long that a store divides them.

use handbill::store::Post;
use handbill::{Owner, Store, Visibility};
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::model::Model;
use super::subject::{Subject, large, request_of};
use crate::check::joined;
use crate::samples::{dated, moment, owner, post, retagged, tag, with_visibility};

const POSTS: u32 = 3000;
const AT_ONCE: usize = 64;
const TAGS: [&str; 4] = ["most", "half", "some", "few"];
const TAGS_IN_HUNDREDTHS: [u32; 4] = [90, 50, 10, 1];

/// After thousands of insertions, tag changes and deletions, every page of every list is correct.
pub async fn many_posts_are_listed_as_the_contract_says(store: Arc<dyn Store>) {
    // A range of times, many of them equal, in no order.
    let created_at = |number: u32, random: &mut StdRng| match number % 3 {
        0 => i64::from(random.random_range(0..POSTS)),
        1 => i64::from(number),
        _ => i64::from(number / 100),
    };
    are_listed(store, created_at).await;
}

/// The same, if all posts have one time, as after an import.
pub async fn many_posts_of_one_instant_are_listed_as_the_contract_says(store: Arc<dyn Store>) {
    are_listed(store, |_, _| 0).await;
}

/// A page has up to 1,000 posts, as many as requested, with or without bodies. The core reads whole
/// lists this way.
pub async fn pages_of_a_thousand_posts_are_whole(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let posts: Vec<_> = (0..1100).rev().map(post).collect();
    make(&store, posts.iter().cloned().map(Step::Insert).collect()).await;
    for tag in [None, Some(tag("rust"))] {
        for (number, expected) in (1..).zip([&posts[..1000], &posts[1000..], &[]]) {
            let request = large(number).with_tag(tag.clone());
            let page = store.page(&request).await;
            assert_eq!(page.total, 1100, "the total on page {number}");
            let listed = page.posts.iter().map(|listed| listed.summary.id);
            let expected: Vec<_> = expected.iter().map(|post| post.summary.id).collect();
            assert_eq!(listed.collect::<Vec<_>>(), expected, "page {number}");
        }
    }
    let page = store.page(&large(1).with_bodies(true)).await;
    let bodies = page.posts.iter().map(|listed| listed.body.as_deref());
    let expected = posts[..1000].iter().map(|post| Some(&*post.body));
    assert!(bodies.eq(expected), "the bodies on a page of 1,000 posts");
}

async fn are_listed(store: Arc<dyn Store>, created_at: impl Fn(u32, &mut StdRng) -> i64) {
    let store = Subject::new(store);
    let mut random = StdRng::seed_from_u64(1);
    let mut model = Model::default();
    let mut inserts = Vec::new();
    for number in 0..POSTS {
        let mut post = dated(number, moment(created_at(number, &mut random)));
        post.summary.owner = some_owner(&mut random);
        post.summary.visibility = some_visibility(&mut random);
        if post.summary.visibility == Visibility::Draft {
            post.summary.published_at = None;
        }
        post.summary.tags = some_tags(&mut random).into_iter().map(tag).collect();
        model.put(&post);
        inserts.push(Step::Insert(post));
    }
    make(&store, inserts).await;
    is_right(&store, &model).await;

    let mut changes = Vec::new();
    for post in model.posts() {
        match random.random_range(0..10) {
            0..4 => {
                model.remove(post.summary.id);
                changes.push(Step::Delete(post));
            }
            4..7 => {
                let retagged = retagged(&post, &some_tags(&mut random));
                model.put(&retagged);
                changes.push(Step::Change(retagged));
            }
            7..9 => {
                let at = moment(created_at(post.body.len() as u32, &mut random));
                let shown = with_visibility(&post, some_visibility(&mut random), at);
                model.put(&shown);
                changes.push(Step::Change(shown));
            }
            _ => {}
        }
    }
    make(&store, changes).await;
    is_right(&store, &model).await;

    let deletions = model
        .posts()
        .into_iter()
        .filter(|_| random.random_bool(0.9));
    let deletions: Vec<_> = deletions.map(Step::Delete).collect();
    for step in &deletions {
        let Step::Delete(post) = step else { continue };
        model.remove(post.summary.id);
    }
    make(&store, deletions).await;
    is_right(&store, &model).await;
}

fn some_tags(random: &mut StdRng) -> Vec<&'static str> {
    let tags = TAGS.into_iter().zip(TAGS_IN_HUNDREDTHS);
    tags.filter(|(_, hundredths)| random.random_range(0..100) < *hundredths)
        .map(|(tag, _)| tag)
        .collect()
}

pub(super) fn some_owner(random: &mut StdRng) -> Option<Owner> {
    let owner_or_none = ["ann", "ann", "bob", ""][random.random_range(0..4)];
    (!owner_or_none.is_empty()).then(|| owner(owner_or_none))
}

/// Mostly public, so that public lists stay long.
pub(super) fn some_visibility(random: &mut StdRng) -> Visibility {
    match random.random_range(0..10) {
        0 => Visibility::Draft,
        1 => Visibility::Unlisted,
        _ => Visibility::Public,
    }
}

#[derive(Clone)]
pub(super) enum Step {
    Insert(Post),
    Change(Post),
    Delete(Post),
}

/// Runs all steps, many concurrently, so that a store can batch them.
pub(super) async fn make(store: &Subject, steps: Vec<Step>) {
    let mut steps = steps.into_iter();
    loop {
        let some: Vec<_> = steps
            .by_ref()
            .take(AT_ONCE)
            .map(|step| {
                let store = store.clone();
                tokio::spawn(async move {
                    match step {
                        Step::Insert(post) => store.put(&post).await,
                        Step::Change(post) => store.change(&post).await,
                        Step::Delete(post) => store.remove(&post).await,
                    }
                })
            })
            .collect();
        if some.is_empty() {
            return;
        }
        for step in some {
            joined(step).await;
        }
    }
}

async fn is_right(store: &Subject, model: &Model) {
    model.is_shown(store, None, 50).await;
    model.is_shown(store, None, 17).await;
    for name in TAGS {
        model.is_shown(store, Some(&tag(name)), 50).await;
    }
    model.is_shown(store, Some(&tag("few")), 1).await;
    for owner in [owner("ann"), owner("bob")] {
        for tag in [None, Some(&tag("half"))] {
            let list = request_of(&owner, 1, 50, tag);
            model.list_is_shown(store, &list).await;
        }
    }
    model.tags_are_counted(store).await;
}
