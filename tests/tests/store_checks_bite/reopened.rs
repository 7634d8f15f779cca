//! The check of reopened stores finds durable stores that lose or change data.

use std::collections::BTreeSet;
use std::sync::Arc;

use handbill::store::Words;
use handbill::{MemoryStore, Revision, Store};
use handbill_testing::samples::{key_id, moment, post, revised};
use handbill_testing::store::a_reopened_store_has_everything_that_was_written;
use handbill_testing::{Failure, run};
use handbill_tests::bites;
use handbill_tests::calls::Calls;

use crate::fault::Fault;
use crate::faulty::Faulty;

const CHECK: &str = "a_reopened_store_has_everything_that_was_written";

/// Runs the check on a store that is `damage`d between closing and reopening.
async fn check(damage: impl AsyncFn(&MemoryStore)) -> Result<(), Failure> {
    let store = MemoryStore::new();
    let reopen = async |resource: &MemoryStore| {
        damage(resource).await;
        resource.clone()
    };
    let opened = Arc::new(store.clone());
    let check = a_reopened_store_has_everything_that_was_written(opened, &store, reopen);
    run(CHECK, check).await
}

#[tokio::test]
async fn a_store_that_reads_back_everything_passes() {
    assert_eq!(check(async |_| {}).await, Ok(()));
}

#[tokio::test]
async fn a_store_that_reads_back_nothing_fails() {
    let store = Arc::new(MemoryStore::new());
    let reopen = async |_: &()| MemoryStore::new();
    let check = a_reopened_store_has_everything_that_was_written(store, &(), reopen);
    bites::expect_broken_rule(CHECK, run(CHECK, check).await);
}

#[tokio::test]
async fn a_store_that_loses_a_deletion_fails() {
    let outcome = check(async |resource| {
        let _ = resource
            .delete_post(post(6).summary.id, Revision::from_number(1))
            .await;
    });
    bites::expect_broken_rule(CHECK, outcome.await);
}

#[tokio::test]
async fn a_store_that_reads_back_another_post_fails() {
    let outcome = check(async |resource| {
        let changed = revised(&post(1));
        let _ = resource
            .update_post(Revision::from_number(1), changed)
            .await;
    });
    bites::expect_broken_rule(CHECK, outcome.await);
}

#[tokio::test]
async fn a_store_that_reads_back_another_use_of_a_key_fails() {
    let outcome = check(async |resource| {
        let _ = resource.touch_key(key_id(2), moment(0)).await;
    });
    bites::expect_broken_rule(CHECK, outcome.await);
}

#[tokio::test]
async fn a_store_that_loses_a_change_that_waits_fails() {
    let outcome = check(async |resource| {
        let outbox = resource.outbox().expect("the store in memory has one");
        let due = outbox.due_changes("audit", moment(0), 1).await;
        let number = due.expect("a change waits")[0].number;
        assert!(outbox.settle("audit", &[number], &[]).await.is_ok());
    });
    bites::expect_broken_rule(CHECK, outcome.await);
}

#[tokio::test]
async fn a_store_that_loses_the_words_of_a_post_fails() {
    let outcome = check(async |resource| {
        let index = resource
            .search_index()
            .expect("the store in memory has one");
        let none = Words::new(Words::VERSION, BTreeSet::new());
        let lost = vec![(post(2).summary.id, Revision::from_number(2), none)];
        assert!(index.index_posts(lost).await.is_ok());
    });
    bites::expect_broken_rule(CHECK, outcome.await);
}

#[tokio::test]
async fn a_store_that_has_another_installation_secret_fails() {
    let (store, mut reopened) = (
        MemoryStore::new(),
        Faulty::new(Some(Fault::ReturnsEachCandidate)),
    );
    reopened.inner = store.clone();
    let reopen = async |_: &()| reopened;
    let check = a_reopened_store_has_everything_that_was_written(Arc::new(store), &(), reopen);
    bites::expect_broken_rule(CHECK, run(CHECK, check).await);
}
