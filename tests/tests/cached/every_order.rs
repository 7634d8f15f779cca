//! Orders in which a writer and readers can make their steps, within one instance.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use handbill::{Cached, Entry, Outcome};
use handbill_tests::calls::Calls;

use crate::slow::Slow;
use crate::{id, post, revised};

fn change_and_read(readers: usize) {
    let slow = Slow::default();
    let cached = Arc::new(Cached::new(slow.clone(), Duration::MAX));
    // The revision that was acknowledged last.
    let acknowledged = Arc::new(AtomicU64::new(1));
    let inserted = shuttle::future::block_on(slow.0.inner.insert_post(post(1)));
    assert_eq!(inserted.unwrap(), Outcome::Applied);
    let writer = {
        let (cached, acknowledged) = (Arc::clone(&cached), Arc::clone(&acknowledged));
        shuttle::future::spawn(async move {
            let (before, after) = (post(1), revised(&post(1)));
            let updated = cached.update_post(before.summary.revision, after);
            assert_eq!(updated.await.unwrap(), Outcome::Applied);
            acknowledged.store(2, Ordering::SeqCst);
        })
    };
    let reader = |_| {
        let (cached, acknowledged) = (Arc::clone(&cached), Arc::clone(&acknowledged));
        shuttle::future::spawn(async move {
            for _ in 0..2 {
                let at_least = acknowledged.load(Ordering::SeqCst);
                let found = cached.read_post(id(1)).await.unwrap();
                let Some(Entry::Live(found)) = found else {
                    panic!("the post is missing");
                };
                let revision = found.summary.revision.number();
                assert!(
                    revision >= at_least,
                    "an older revision than was acknowledged"
                );
            }
        })
    };
    let readers: Vec<_> = (0..readers).map(reader).collect();
    shuttle::future::block_on(writer).unwrap();
    for reader in readers {
        shuttle::future::block_on(reader).unwrap();
    }
}

#[test]
fn in_every_order_of_steps_a_read_sees_the_change_that_was_acknowledged_before() {
    shuttle::check_dfs(|| change_and_read(1), None);
}

#[test]
fn in_any_order_of_steps_reads_see_the_change_that_was_acknowledged_before() {
    shuttle::check_random(|| change_and_read(3), 20_000);
}
