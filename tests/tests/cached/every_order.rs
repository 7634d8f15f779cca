//! Orders in which a writer and readers can make their steps, within one instance.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use handbill::store::Outcome;
use handbill_tests::calls::Calls;
use shuttle::future::{block_on, spawn};
use tokio::runtime::Builder;

use crate::slow::Slow;
use crate::{Instance, get, path, post, revised, shown, update};

fn change_and_read(readers: usize) {
    // For the time limit of those who wait for another read, which never passes here.
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    let _context = runtime.enter();
    let slow = Slow::default();
    let instance = Instance::new(&slow, Duration::MAX);
    let inserted = block_on(slow.0.inner.insert_post(post(1)));
    assert_eq!(inserted.unwrap(), Outcome::Applied);
    let bodies = [post(1).body, revised(&post(1)).body];
    // The one that was acknowledged last.
    let acknowledged = Arc::new(AtomicUsize::new(0));
    let writer = {
        let (changing, acknowledged) = (update(&instance, &post(1)), Arc::clone(&acknowledged));
        spawn(async move {
            assert!(changing.await);
            acknowledged.store(1, Ordering::SeqCst);
        })
    };
    let reader = |_| {
        let (handbill, bodies) = (instance.handbill.clone(), bodies.clone());
        let acknowledged = Arc::clone(&acknowledged);
        spawn(async move {
            for _ in 0..2 {
                let at_least = acknowledged.load(Ordering::SeqCst);
                let found = shown(&get(&handbill, &path(1)).await);
                let found = bodies.iter().position(|body| *body == found);
                assert!(
                    found >= Some(at_least),
                    "an older state than was acknowledged"
                );
            }
        })
    };
    let readers: Vec<_> = (0..readers).map(reader).collect();
    block_on(writer).unwrap();
    for reader in readers {
        block_on(reader).unwrap();
    }
}

#[test]
fn in_every_order_of_steps_a_read_sees_the_change_that_was_acknowledged_before() {
    shuttle::check_dfs(|| change_and_read(1), None);
}

#[test]
fn in_any_order_of_steps_reads_see_the_change_that_was_acknowledged_before() {
    shuttle::check_random(|| change_and_read(3), 5_000);
}
