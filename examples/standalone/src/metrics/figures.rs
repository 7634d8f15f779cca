//! The figures that the service itself has.

use std::time::SystemTime;

use handbill::store::{ListenerState, Replica, ReplicaState};
use handbill::{Stats, Timestamp};
use handbill_webhooks::Counts;
use prometheus::proto::MetricFamily;

use super::family::{Families, Sample};
use crate::webhooks::Webhooks;

/// These figures as metrics.
pub(super) fn families(stats: &Stats, webhooks: &Webhooks) -> Vec<MetricFamily> {
    let mut families = Families::default();
    changes(&mut families, stats);
    caches(&mut families, stats);
    store(&mut families, stats);
    replicas(&mut families, stats);
    listeners(&mut families, &stats.listeners);
    deliveries(&mut families, webhooks);
    families.finish()
}

fn changes(families: &mut Families, stats: &Stats) {
    let changes = &stats.changes;
    for (name, help, count) in [
        (
            "handbill_posts_created_total",
            "Posts that were created",
            changes.posts_created,
        ),
        (
            "handbill_posts_changed_total",
            "Changes of posts that readers see",
            changes.posts_updated,
        ),
        (
            "handbill_posts_deleted_total",
            "Posts that were deleted",
            changes.posts_deleted,
        ),
        (
            "handbill_keys_issued_total",
            "API keys that were issued",
            changes.keys_issued,
        ),
        (
            "handbill_keys_revoked_total",
            "API keys that were revoked",
            changes.keys_revoked,
        ),
    ] {
        families.counter(name, help, [count as f64]);
    }
}

fn caches(families: &mut Families, stats: &Stats) {
    let cache = stats.responses;
    let figure = |figure: u64| [Sample::labelled("cache", "responses", figure as f64)];
    families.counter(
        "handbill_cache_hits_total",
        "Reads that found what they needed in a cache",
        figure(cache.hits),
    );
    families.counter(
        "handbill_cache_misses_total",
        "Reads that did not",
        figure(cache.misses),
    );
    families.gauge(
        "handbill_cache_entries",
        "Entries in a cache",
        figure(cache.entries),
    );
    families.gauge(
        "handbill_cache_bytes",
        "Memory that the entries of a cache take",
        figure(cache.bytes),
    );
}

fn store(families: &mut Families, stats: &Stats) {
    families.gauge(
        "handbill_store_up",
        "Whether the store responds: 1 or 0",
        [f64::from(u8::from(stats.health.is_some()))],
    );
    let writes = stats.store.writes;
    families.gauge(
        "handbill_store_writes_waiting",
        "Writes that wait for a batch",
        writes.map(|writes| writes.waiting as f64),
    );
    families.counter(
        "handbill_store_writes_total",
        "Writes that were in a batch",
        writes.map(|writes| writes.writes as f64),
    );
    families.counter(
        "handbill_store_batches_total",
        "Batches of writes",
        writes.map(|writes| writes.batches as f64),
    );
    families.counter(
        "handbill_store_batch_seconds_total",
        "How long the batches took together",
        writes.map(|writes| writes.time.as_secs_f64()),
    );
    families.counter(
        "handbill_indexed_posts_total",
        "Posts that were indexed for searches in the background",
        [stats.indexing.posts as f64],
    );
}

fn replicas(families: &mut Families, stats: &Stats) {
    let replicas = stats.health.iter().flat_map(|health| health.replicas());
    let of_each = |figure: fn(&Replica) -> Option<f64>| {
        let replicas = replicas.clone();
        replicas.filter_map(move |replica| {
            Some(Sample::labelled(
                "replica",
                replica.address(),
                figure(replica)?,
            ))
        })
    };
    families.gauge(
        "handbill_replica_up",
        "Whether the store reads from a replica: 1 or 0",
        of_each(|replica| Some(f64::from(u8::from(replica.state() == ReplicaState::Up)))),
    );
    families.gauge(
        "handbill_replica_lag_bytes",
        "How many bytes of the primary's log a replica has not replayed",
        of_each(|replica| Some(replica.lag_bytes()? as f64)),
    );
    families.gauge(
        "handbill_replica_lag_seconds",
        "How far a replica is behind the primary",
        of_each(|replica| Some(replica.lag()?.as_secs_f64())),
    );
}

fn listeners(families: &mut Families, listeners: &[ListenerState]) {
    families.gauge(
        "handbill_listener_waiting_changes",
        "Changes that wait for a durable listener",
        listeners
            .iter()
            .map(|listener| Sample::labelled("listener", &listener.name, listener.waiting as f64)),
    );
    let now = Timestamp::from(SystemTime::now());
    families.gauge(
        "handbill_listener_oldest_change_seconds",
        "The age of the first change that waits for a durable listener",
        listeners.iter().map(|listener| {
            let age = listener
                .oldest
                .map_or(0, |at| now.as_micros() - at.as_micros());
            Sample::labelled("listener", &listener.name, age.max(0) as f64 / 1e6)
        }),
    );
}

fn deliveries(families: &mut Families, webhooks: &Webhooks) {
    let of_each = |figure: fn(Counts) -> u64| {
        let counts = webhooks.counts();
        counts.map(move |(name, counts)| Sample::labelled("listener", name, figure(counts) as f64))
    };
    families.counter(
        "handbill_webhook_delivered_total",
        "Events that a webhook or the hub accepted",
        of_each(|counts| counts.delivered),
    );
    families.counter(
        "handbill_webhook_failed_total",
        "Attempts to deliver an event that failed",
        of_each(|counts| counts.failed),
    );
    families.counter(
        "handbill_webhook_dropped_total",
        "Events that were given up after three days, or because the receiver ended the webhook",
        of_each(|counts| counts.dropped),
    );
}
