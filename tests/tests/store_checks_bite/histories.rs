//! Histories of concurrent requests to a service find broken stores, too.

use std::sync::Arc;

use handbill::{Handbill, RateLimits};
use handbill_tests::histories::{CLIENTS, Reads, check_round};

use crate::fault::Fault;
use crate::faulty::Faulty;

/// The most rounds until a fault must be found. Most are found in the first one.
const ROUNDS: u32 = 200;

/// The history that is not linearizable, if there is one.
async fn find(fault: Option<Fault>, rounds: u32) -> Option<String> {
    let store = Arc::new(Faulty::new(fault));
    let handbill = Handbill::new("https://example.org", store).unwrap();
    let handbill = handbill.with_rate_limits(RateLimits::off());
    let key = handbill.keys().issue(None, None).await.unwrap().key;
    for _ in 0..rounds {
        let targets = vec![vec![handbill.clone()]; CLIENTS];
        let checked = check_round(targets, key.expose(), Reads::All).await;
        if let Err(history) = checked {
            return Some(history);
        }
    }
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn histories_find_broken_stores() {
    for fault in [
        Fault::LooksBeforeItUpdates,
        Fault::LooksBeforeItDeletes,
        Fault::KeepsOldTitles,
        Fault::ForgetsTombstones,
        Fault::DecidesOnFirstRevisions,
    ] {
        let found = find(Some(fault), ROUNDS).await;
        assert!(found.is_some(), "{fault:?} is not found");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn histories_on_a_correct_store_are_linearizable() {
    assert_eq!(find(None, 10).await, None);
}
