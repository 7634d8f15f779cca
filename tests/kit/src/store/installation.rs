//! The installation's secret.

use std::sync::Arc;

use handbill::Store;
use handbill::store::{InstallationSecret, Outcome};

use super::races::on_threads;
use super::subject::Subject;
use crate::samples::{key, post};

/// A secret that differs for each number.
fn candidate(number: u32) -> InstallationSecret {
    let mut bytes = [0; 32];
    // With bytes that are not UTF-8, and zeros at both ends.
    bytes[8..12].copy_from_slice(&(!number).to_be_bytes());
    InstallationSecret::from_bytes(bytes)
}

/// The first candidate is stored, to the byte, and returned to all later callers, whatever else is
/// written.
pub async fn the_installation_secret_is_the_first_candidate(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for number in 1..=3 {
        let secret = store.installation_secret(candidate(number)).await;
        assert!(secret == candidate(1), "after {number} calls");
    }
    store.put(&post(1)).await;
    store.put_key(&key(1)).await;
    assert_eq!(store.revoke(key(1).id).await, Outcome::Applied);
    store.remove(&post(1)).await;
    let secret = store.installation_secret(candidate(4)).await;
    assert!(secret == candidate(1), "after other writes");
}

/// Of concurrent first callers, one stores its candidate, and all get that one.
pub async fn concurrent_callers_get_one_installation_secret(store: Arc<dyn Store>) {
    const CALLERS: u32 = 8;
    let store = Subject::new(store);
    let subject = store.clone();
    let secrets = on_threads(CALLERS, move |caller| {
        let store = subject.clone();
        async move { store.installation_secret(candidate(caller)).await }
    })
    .await;
    let stored = store.installation_secret(candidate(CALLERS)).await;
    let was_offered = (0..CALLERS).any(|caller| candidate(caller) == stored);
    assert!(was_offered, "a secret that no caller offered");
    let all_agree = secrets.iter().all(|secret| *secret == stored);
    assert!(all_agree, "two callers got different secrets");
}
