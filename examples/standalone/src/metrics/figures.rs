//! The figures that the service itself has.

use std::time::SystemTime;

use handbill::store::{ListenerState, Replica, ReplicaState};
use handbill::{Stats, Timestamp};
use handbill_webhooks::Counts;

use super::family::{figures, labelled, one};
use crate::webhooks::Webhooks;

/// Adds these figures.
pub(super) fn add(text: &mut String, stats: &Stats, webhooks: &Webhooks) {
    let (changes, cache, writes) = (&stats.changes, stats.responses, stats.store.writes);
    let cached = |figure: u64| [labelled("cache", "responses", figure as f64)];
    let replicas = |figure: fn(&Replica) -> Option<f64>| {
        let replicas = stats.health.iter().flat_map(|health| health.replicas());
        replicas.filter_map(move |of| Some(labelled("replica", of.address(), figure(of)?)))
    };
    let now = Timestamp::from(SystemTime::now());
    let listeners = |figure: fn(&ListenerState, Timestamp) -> f64| {
        let listeners = stats.listeners.iter();
        listeners.map(move |of| labelled("listener", &of.name, figure(of, now)))
    };
    let deliveries = |figure: fn(Counts) -> u64| {
        let counts = webhooks.counts();
        counts.map(move |(name, counts)| labelled("listener", name, figure(counts) as f64))
    };
    figures! { text:
        counter "handbill_posts_created_total" "Posts that were created", one(changes.posts_created as f64);
        counter "handbill_posts_changed_total" "Changes of posts that readers see", one(changes.posts_updated as f64);
        counter "handbill_posts_deleted_total" "Posts that were deleted", one(changes.posts_deleted as f64);
        counter "handbill_keys_issued_total" "API keys that were issued", one(changes.keys_issued as f64);
        counter "handbill_keys_revoked_total" "API keys that were revoked", one(changes.keys_revoked as f64);
        counter "handbill_cache_hits_total" "Reads that found what they needed in a cache", cached(cache.hits);
        counter "handbill_cache_misses_total" "Reads that did not", cached(cache.misses);
        gauge "handbill_cache_entries" "Entries in a cache", cached(cache.entries);
        gauge "handbill_cache_bytes" "Memory that the entries of a cache take", cached(cache.bytes);
        gauge "handbill_store_up" "Whether the store responds: 1 or 0", one(f64::from(stats.health.is_some()));
        gauge "handbill_store_writes_waiting" "Writes that wait for a batch", one(writes.map(|of| of.waiting as f64));
        counter "handbill_store_writes_total" "Writes that were in a batch", one(writes.map(|of| of.writes as f64));
        counter "handbill_store_batches_total" "Batches of writes", one(writes.map(|of| of.batches as f64));
        counter "handbill_store_batch_seconds_total" "How long the batches took together",
            one(writes.map(|of| of.time.as_secs_f64()));
        counter "handbill_indexed_posts_total" "Posts that were indexed for searches in the background",
            one(stats.indexing.posts as f64);
        gauge "handbill_replica_up" "Whether the store reads from a replica: 1 or 0",
            replicas(|of| Some(f64::from(of.state() == ReplicaState::Up)));
        gauge "handbill_replica_lag_bytes" "How many bytes of the primary's log a replica has not replayed",
            replicas(|of| Some(of.lag_bytes()? as f64));
        gauge "handbill_replica_lag_seconds" "How far a replica is behind the primary",
            replicas(|of| Some(of.lag()?.as_secs_f64()));
        gauge "handbill_listener_waiting_changes" "Changes that wait for a durable listener",
            listeners(|of, _| of.waiting as f64);
        gauge "handbill_listener_oldest_change_seconds" "The age of the first change that waits for a durable listener",
            listeners(|of, now| of.oldest.map_or(0, |at| now.as_micros() - at.as_micros()).max(0) as f64 / 1e6);
        counter "handbill_webhook_delivered_total" "Events that a webhook or the hub accepted",
            deliveries(|of| of.delivered);
        counter "handbill_webhook_failed_total" "Attempts to deliver an event that failed", deliveries(|of| of.failed);
        counter "handbill_webhook_dropped_total"
            "Events that were given up after three days, or because the receiver ended the webhook",
            deliveries(|of| of.dropped);
    }
}
