//! The store checks find faults: each check fails on a store that breaks the rule in its name, and
//! a store without faults passes all checks.

mod faulty;

use faulty::{Fault, Faulty};

mod without_faults {
    handbill::store_checks!(async { super::Faulty::new(None) });
}

/// One test per line: a check, and a fault that it must find.
macro_rules! bites {
    ($($check:ident: $fault:ident;)*) => {$(
        #[tokio::test]
        #[expect(non_snake_case, reason = "named after the fault")]
        async fn $fault() {
            let store = std::sync::Arc::new(Faulty::new(Some(Fault::$fault)));
            let check = tokio::spawn(handbill::testing::store::$check(store));
            let Err(failed) = check.await else {
                panic!("{} does not find the fault", stringify!($check));
            };
            assert!(failed.is_panic());
        }
    )*};
}

bites! {
    a_post_comes_back_to_the_byte: LosesHowItWasCreated;
    hostile_text_comes_back_to_the_byte: TrimsBodies;
    times_come_back_to_the_microsecond: CutsTimesToMilliseconds;
    nothing_is_at_an_unused_identifier: FailsOnWhatIsAbsent;
    a_taken_identifier_conflicts: OverwritesOnConflict;
    an_identifier_stays_taken_after_deletion: FreesDeletedIdentifiers;
    an_update_replaces_the_post: KeepsOldTitles;
    an_update_of_another_revision_conflicts_and_changes_nothing: UpdatesAnyRevision;
    an_update_of_no_post_conflicts: InsertsOnUpdate;
    a_deletion_of_another_revision_conflicts_and_changes_nothing: DeletesAnyRevision;
    a_deletion_of_no_post_conflicts: DeletesWhatIsNotThere;
    a_deleted_post_leaves_a_tombstone: ForgetsTombstones;
    changes_are_decided_on_what_is_there: DecidesOnFirstRevisions;

    an_edit_token_finds_its_post: FindsOnlyWhatTheTokenNames;
    a_replaced_edit_token_finds_nothing: FindsReplacedTokens;
    a_replacing_edit_token_finds_its_post: FindsFirstTokensOnly;
    a_deleted_post_is_found_by_its_last_edit_token: ForgetsTokensOfTombstones;

    an_empty_store_lists_nothing: FailsOnEmptyLists;
    lists_are_newest_first: ListsOldestFirst;
    equal_times_are_ordered_by_identifier: TurnsTiesAround;
    posts_inserted_out_of_order_are_listed_in_order: ListsInOrderOfArrival;
    each_post_stands_on_exactly_one_page: OverlapsPages;
    pages_past_the_end_are_empty_with_the_right_total: KnowsNoTotalPastTheEnd;
    a_deleted_post_is_in_no_list: ListsDeletedPosts;
    totals_are_right_after_deletions: CountsDeletedPosts;
    tag_lists_follow_tag_changes: ListsByFirstTags;
    tags_are_told_apart_to_the_byte: FoldsTags;
    lists_show_posts_as_they_are_now: ListsPostsAsTheyWere;
    bodies_come_only_when_asked_for: AlwaysListsBodies;
    pages_of_a_thousand_posts_are_whole: CapsPages;
    many_posts_are_listed_as_the_contract_says: SkipsOneBetweenBlocks;
    many_posts_of_one_instant_are_listed_as_the_contract_says: TurnsTiesAroundInLongLists;

    of_two_inserts_of_one_identifier_one_is_applied: LooksBeforeItInserts;
    of_two_updates_of_one_revision_one_is_applied: LooksBeforeItUpdates;
    of_an_update_and_a_deletion_one_is_applied: LooksBeforeItDeletes;
    writes_at_the_same_time_are_all_kept: DropsWritesThatMeet;
    each_write_is_seen_by_the_next_call: AnswersListsFromTheCacheOnce;
    list_pages_are_of_one_moment_during_writes: CountsAfterItLists;

    a_key_comes_back_to_the_byte: LosesLastUses;
    an_unknown_secret_finds_no_key: RemembersAbsentSecrets;
    a_taken_key_identifier_conflicts: OverwritesKeys;
    keys_are_listed_oldest_first: ListsKeysNewestFirst;
    the_use_of_a_key_is_noted: NotesNoUse;
    the_use_of_a_key_that_is_not_in_force_is_passed_over: FailsToNoteTheUseOfNoKey;
    a_revoked_key_is_unknown_at_once: KeepsRevokedKeys;
    a_revoked_key_is_unknown_at_once_during_writes: RemembersKeysTooLate;
    a_revoked_secret_finds_no_later_key: KeepsSecretsOfRevokedKeys;
    a_revocation_of_no_key_conflicts: RevokesWhatIsNotThere;
    a_store_that_serves_reads_is_well: IsNeverWell;
}
