//! The contract of [`Store`](crate::Store), as tests: one check for each rule, named after what it
//! proves.
//!
//! [`store_checks!`](crate::store_checks) makes a test of each. A check can be called by itself,
//! too: it is given a fresh store and panics, saying what is wrong, where the store breaks the rule.
//! Where it shows two values, the left one is the store's and the right one the contract's.

mod fresh;
mod keys;
mod lists;
mod many;
mod model;
mod posts;
mod races;
mod samples;
mod subject;
mod tokens;

pub use fresh::Fresh;
pub use keys::*;
pub use lists::*;
pub use many::*;
pub use posts::*;
pub use races::*;
pub use tokens::*;

/// Holds a store to the contract of [`Store`](crate::Store): makes one test of each check in
/// [`testing::store`](crate::testing::store).
///
/// It takes an expression that is a future of a fresh store, evaluated for each test anew, or of a
/// fresh store and what must live as long, a temporary folder for instance; or of an `Option`, where
/// what the store needs may be missing. The crate that uses it needs `tokio` with the features `macros` and `rt`, and this crate with `testing`; all together take
/// some seconds, on a disk half a minute.
///
/// ```
/// mod memory {
///     handbill::store_checks!(async { handbill::MemoryStore::new() });
/// }
///
/// # #[cfg(feature = "sqlite")]
/// mod sqlite {
///     handbill::store_checks!(async {
///         let folder = tempfile::tempdir().expect("a folder");
///         let store = handbill::SqliteStore::open(folder.path().join("posts.db")).await;
///         (store.expect("a store"), folder)
///     });
/// }
/// ```
#[macro_export]
macro_rules! store_checks {
    ($fresh_store:expr) => {
        $crate::store_checks! { @each $fresh_store;
            a_post_comes_back_to_the_byte
            hostile_text_comes_back_to_the_byte
            times_come_back_to_the_microsecond
            nothing_is_at_an_unused_identifier
            a_taken_identifier_conflicts
            an_identifier_stays_taken_after_deletion
            an_update_replaces_the_post
            an_update_of_another_revision_conflicts_and_changes_nothing
            an_update_of_no_post_conflicts
            a_deletion_of_another_revision_conflicts_and_changes_nothing
            a_deletion_of_no_post_conflicts
            a_deleted_post_leaves_a_tombstone
            changes_are_decided_on_what_is_there

            an_edit_token_finds_its_post
            a_replaced_edit_token_finds_nothing
            a_replacing_edit_token_finds_its_post
            a_deleted_post_is_found_by_its_last_edit_token

            an_empty_store_lists_nothing
            lists_are_newest_first
            equal_times_are_ordered_by_identifier
            posts_inserted_out_of_order_are_listed_in_order
            each_post_stands_on_exactly_one_page
            pages_past_the_end_are_empty_with_the_right_total
            a_deleted_post_is_in_no_list
            totals_are_right_after_deletions
            tag_lists_follow_tag_changes
            tags_are_told_apart_to_the_byte
            lists_show_posts_as_they_are_now
            bodies_come_only_when_asked_for
            pages_of_a_thousand_posts_are_whole
            many_posts_are_listed_as_the_contract_says
            many_posts_of_one_instant_are_listed_as_the_contract_says

            of_two_inserts_of_one_identifier_one_is_applied
            of_two_updates_of_one_revision_one_is_applied
            of_an_update_and_a_deletion_one_is_applied
            writes_at_the_same_time_are_all_kept
            each_write_is_seen_by_the_next_call
            list_pages_are_of_one_moment_during_writes

            a_key_comes_back_to_the_byte
            an_unknown_secret_finds_no_key
            a_taken_key_identifier_conflicts
            keys_are_listed_oldest_first
            the_use_of_a_key_is_noted
            the_use_of_a_key_that_is_not_in_force_is_passed_over
            a_revoked_key_is_unknown_at_once
            a_revoked_key_is_unknown_at_once_during_writes
            a_revoked_secret_finds_no_later_key
            a_revocation_of_no_key_conflicts
            a_store_that_serves_reads_is_well
        }
    };
    (@each $fresh_store:expr; $($check:ident)*) => {$(
        #[::tokio::test]
        async fn $check() {
            let fresh = $crate::testing::store::Fresh::into_parts($fresh_store.await);
            let ::core::option::Option::Some((store, _kept)) = fresh else { return };
            $crate::testing::store::$check(store).await;
        }
    )*};
}
