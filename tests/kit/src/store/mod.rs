//! The contract of [`Store`] as tests: one check for each rule, named after what it
//! proves.
//!
//! [`store_checks!`](crate::store_checks) makes a test of each. You can also call a check yourself, or
//! go through [`CHECKS`]. A check is given a fresh store and panics if the store breaks the rule. Where
//! it shows two values, the left one is the store's and the right one the contract's. The checks of the outbox and of
//! searches are passed by a store that has none.

mod bars;
mod due;
mod durable;
mod forgetting;
mod fresh;
mod hits;
mod import;
mod index_subject;
mod indexing;
mod installation;
mod keys;
mod lists;
mod many;
mod model;
mod outbox;
mod outbox_subject;
mod owners;
mod places;
mod posts;
mod races;
mod search;
mod subject;
mod tags;
mod tokens;
mod visibility;
mod walks;

use std::sync::Arc;

use handbill::Store;

pub use durable::a_reopened_store_has_everything_that_was_written;
pub use fresh::{Bare, Fresh, Optional, WithResource};

macro_rules! on_store {
    ($check:ident, $store:expr) => {
        Box::pin($check($store))
    };
}

checks! {
    $ __each_store_check, Arc<dyn Store>, on_store;
    posts {
        a_post_is_read_back_unchanged
        hostile_text_is_read_back_byte_for_byte
        times_are_read_back_to_the_microsecond
        an_unused_identifier_finds_nothing
        a_taken_identifier_conflicts
        an_identifier_stays_taken_after_deletion
        an_update_replaces_the_post
        an_update_of_another_revision_conflicts_and_changes_nothing
        an_update_of_a_missing_post_conflicts
        a_deletion_of_another_revision_conflicts_and_changes_nothing
        a_deletion_of_a_missing_post_conflicts
        a_deleted_post_leaves_a_tombstone
        the_current_post_is_never_stale
    }
    tokens {
        an_edit_token_finds_its_post
        a_replaced_edit_token_finds_nothing
        a_replacing_edit_token_finds_its_post
        a_deleted_post_is_found_by_its_last_edit_token
    }
    lists {
        an_empty_store_lists_nothing
        lists_are_newest_first
        posts_since_a_time_are_counted
        equal_times_are_ordered_by_identifier
        posts_inserted_out_of_order_are_listed_in_order
        each_post_is_on_exactly_one_page
        pages_past_the_end_are_empty_with_the_right_total
        a_deleted_post_is_in_no_list
        totals_are_right_after_deletions
        tag_lists_follow_tag_changes
        tags_are_compared_byte_by_byte
        lists_show_posts_as_they_are_now
        lists_have_bodies_only_on_request
    }
    visibility {
        public_lists_have_only_listed_posts
        public_lists_are_sorted_by_publication
        a_post_that_is_shown_again_returns_to_its_place
        a_draft_that_becomes_public_is_listed_at_the_top
        public_totals_count_listed_posts
    }
    owners {
        an_owners_list_has_all_its_posts
        an_owners_posts_of_one_instant_are_ordered_by_identifier
        an_owners_public_list_has_its_public_posts
        an_owners_list_is_filtered_by_tag
        an_owners_list_has_no_posts_of_others
        an_owners_list_shows_posts_as_they_are_now
    }
    places {
        the_posts_after_a_place_are_the_next_older_ones
        the_posts_before_a_place_are_the_next_newer_ones
        beyond_the_ends_of_a_list_are_no_posts
        a_tags_list_has_posts_after_and_before_a_place
        an_owners_list_has_posts_after_and_before_a_place
        a_place_outlives_its_post
        posts_with_the_same_time_have_places_of_their_own
    }
    tags {
        tags_are_counted_as_they_are_listed
        tags_with_the_most_posts_come_first
        tags_are_returned_up_to_the_limit
        tags_without_public_posts_vanish
        long_tags_are_counted
    }
    due {
        due_posts_are_listed_earliest_first
        a_post_is_due_as_it_is_now
    }
    walks {
        a_walk_returns_every_entry_in_order
        a_walk_returns_every_key_in_order
        a_walk_continues_after_any_identifier
        a_walk_misses_nothing_during_writes
    }
    import {
        a_post_of_any_revision_is_inserted_unchanged
        an_inserted_tombstone_is_read_back_unchanged
        an_inserted_tombstone_is_found_by_its_edit_token
        a_tombstone_of_a_taken_identifier_conflicts
        the_identifier_of_an_inserted_tombstone_is_taken
        a_used_key_is_inserted_unchanged
    }
    forgetting {
        a_forgotten_owner_is_in_no_tombstone
        forgetting_an_owner_changes_nothing_else
        an_owner_is_forgotten_up_to_the_limit
        forgetting_an_absent_owner_is_not_found
        concurrent_callers_forget_an_owner
    }
    bars {
        a_barred_owner_writes_nothing
        a_bar_leaves_other_writes_alone
        a_bar_never_becomes_earlier
        a_bar_that_was_taken_back_ends_then
        a_walk_returns_every_bar_in_order
        a_write_in_progress_is_seen_or_barred
        the_latest_of_concurrent_bars_holds
    }
    many {
        pages_of_a_thousand_posts_are_whole
        many_posts_are_listed_as_the_contract_says
        many_posts_of_one_instant_are_listed_as_the_contract_says
    }
    races {
        of_two_inserts_of_one_identifier_one_is_applied
        of_two_updates_of_one_revision_one_is_applied
        of_an_update_and_a_deletion_one_is_applied
        concurrent_writes_are_all_stored
        each_write_is_seen_by_the_next_call
        list_pages_are_consistent_during_writes
    }
    keys {
        a_key_is_read_back_unchanged
        an_unknown_secret_finds_no_key
        a_taken_key_identifier_conflicts
        the_use_of_a_key_is_noted
        the_use_of_a_revoked_key_is_ignored
        a_revoked_key_is_unknown_at_once
        a_revoked_key_is_unknown_at_once_during_writes
        a_revoked_secret_finds_no_later_key
        revoking_an_absent_key_is_not_found
        a_working_store_is_healthy
    }
    outbox {
        a_write_that_is_applied_adds_its_change
        a_write_that_is_not_applied_adds_no_change
        a_change_waits_for_each_listener_there_is
        each_change_has_a_number_of_its_own
        of_each_subject_the_first_change_is_due
        a_change_that_failed_is_due_at_its_time_and_keeps_the_later_ones_of_its_subject_waiting
        the_last_failure_of_a_listener_stays
        a_change_that_is_due_very_late_is_due
        a_change_is_gone_when_it_is_done_for_its_listener_only
        a_listener_is_leased_to_one_instance_at_a_time
        a_removed_listener_has_nothing_left
        of_concurrent_writes_each_change_waits_once
    }
    search {
        a_term_finds_a_word_or_its_beginning
        a_search_finds_posts_with_all_terms
        a_post_is_found_by_the_words_that_it_has_now
        a_search_finds_posts_of_its_list
        words_are_compared_byte_by_byte
        a_write_that_is_not_applied_changes_no_words
        of_concurrent_writes_all_words_are_found
    }
    hits {
        a_search_finds_posts_of_a_period
        a_search_finds_the_latest_thousand
        many_posts_are_found_as_the_contract_says
    }
    indexing {
        posts_without_words_are_returned_by_a_walk
        a_post_is_indexed_in_its_revision
        a_search_is_incomplete_until_its_version_is_noted
        indexing_is_leased_to_one_instance_at_a_time
    }
    installation {
        the_installation_secret_is_the_first_candidate
        concurrent_callers_get_one_installation_secret
    }
}

/// Checks a store against the contract of [`Store`](handbill::Store): makes one test of each check in
/// [`store`](crate::store).
///
/// The argument is an expression that evaluates to a future of a fresh store, once for each test.
/// The future may also return the store with a resource that must live as long, for example a
/// temporary folder, or an `Option` of either. `None` skips the checks, for example if a database
/// is missing. (Print that in your expression.) All checks together take a few seconds, and half a minute on a disk.
///
/// ```
/// mod memory {
///     handbill_testing::store_checks!(async { handbill::MemoryStore::new() });
/// }
/// ```
///
/// For a durable store, add a second argument: an async closure that takes the resource and reopens
/// the store. The check drops the store first, and then expects every post, tombstone, key and bar, and the
/// installation's secret, to be there.
///
/// ```
/// mod sqlite {
///     use std::path::Path;
///
///     use handbill_sql::SqliteStore;
///     use tempfile::TempDir;
///
///     async fn open(folder: &Path) -> SqliteStore {
///         SqliteStore::open(folder.join("posts.db")).await.expect("a store")
///     }
///
///     handbill_testing::store_checks!(
///         async {
///             let folder = tempfile::tempdir().expect("a folder");
///             (open(folder.path()).await, folder)
///         },
///         async |folder: &TempDir| open(folder.path()).await
///     );
/// }
/// ```
#[macro_export]
macro_rules! store_checks {
    ($fresh_store:expr $(,)?) => {
        $crate::__each_store_check! { __store_tests, $fresh_store }
    };
    ($fresh_store:expr, $reopened_store:expr $(,)?) => {
        $crate::store_checks! { $fresh_store }

        #[::core::prelude::v1::test]
        fn a_reopened_store_has_everything_that_was_written() {
            $crate::__block_on(async {
                let fresh = $crate::store::Fresh::into_parts($fresh_store.await);
                if let ::core::option::Option::Some((store, resource)) = fresh {
                    let reopened = $reopened_store;
                    $crate::store::a_reopened_store_has_everything_that_was_written(
                        store, &resource, reopened,
                    )
                    .await;
                }
            });
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __store_tests {
    ($fresh_store:expr; $($check:ident)*) => {
        #[cfg(test)]
        async fn __fresh_store() -> ::core::option::Option<(
            ::std::sync::Arc<dyn $crate::__Store>,
            impl ::core::marker::Sized,
        )> {
            $crate::store::Fresh::into_parts($fresh_store.await)
        }

        $(
            #[::core::prelude::v1::test]
            fn $check() {
                $crate::__test($crate::store::CHECKS, stringify!($check), __fresh_store());
            }
        )*
    };
}
