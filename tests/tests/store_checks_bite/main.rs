//! The checks of stores find faults: each one fails, by an assertion of its own, on a store that breaks
//! the rule that it is named after. A store without faults passes all of them.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod bars;
mod fault;
mod faulty;
mod forgetting;
mod histories;
mod keys;
mod lists;
mod outbox;
mod reopened;
mod search;
mod walks;

use std::sync::Arc;

use fault::Fault;
use faulty::Faulty;
use handbill_testing::store::CHECKS;
use handbill_testing::{Failure, FailureKind};
use handbill_tests::bites;

mod without_faults {
    handbill_testing::store_checks!(async { super::Faulty::new(None) });
}

async fn run(check: &str, fault: Fault) -> Result<(), Failure> {
    let check = bites::find(CHECKS, check);
    check.run(Arc::new(Faulty::new(Some(fault)))).await
}

handbill_tests::bites! {
    CHECKS, run;

    a_post_is_read_back_unchanged: LosesHowItWasCreated, LosesTimes;
    hostile_text_is_read_back_byte_for_byte: TrimsBodies;
    times_are_read_back_to_the_microsecond: CutsTimesToMilliseconds;
    an_unused_identifier_finds_nothing: FailsOnWhatIsAbsent;
    a_taken_identifier_conflicts: OverwritesOnConflict;
    an_identifier_stays_taken_after_deletion: FreesDeletedIdentifiers;
    an_update_replaces_the_post: KeepsOldTitles;
    an_update_of_another_revision_conflicts_and_changes_nothing: UpdatesAnyRevision;
    an_update_of_a_missing_post_conflicts: InsertsOnUpdate;
    a_deletion_of_another_revision_conflicts_and_changes_nothing: DeletesAnyRevision;
    a_deletion_of_a_missing_post_conflicts: DeletesWhatIsNotThere;
    a_deleted_post_leaves_a_tombstone: ForgetsTombstones, RevealsDeletedDrafts;
    the_current_post_is_never_stale: DecidesOnFirstRevisions;

    an_edit_token_finds_its_post: FindsNothingByTokens;
    a_replaced_edit_token_finds_nothing: FindsReplacedTokens;
    a_replacing_edit_token_finds_its_post: FindsFirstTokensOnly;
    a_deleted_post_is_found_by_its_last_edit_token: ForgetsTokensOfTombstones;

    an_empty_store_lists_nothing: FailsOnEmptyLists;
    lists_are_newest_first: ListsOldestFirst;
    posts_since_a_time_are_counted: CountsFromTheNextInstant;
    equal_times_are_ordered_by_identifier: TurnsTiesAround;
    posts_inserted_out_of_order_are_listed_in_order: ListsInOrderOfArrival;
    each_post_is_on_exactly_one_page: OverlapsPages;
    pages_past_the_end_are_empty_with_the_right_total: KnowsNoTotalPastTheEnd;
    a_deleted_post_is_in_no_list: ListsDeletedPosts;
    totals_are_right_after_deletions: CountsDeletedPosts;
    tag_lists_follow_tag_changes: ListsByFirstTags;
    tags_are_compared_byte_by_byte: FoldsTags;
    lists_show_posts_as_they_are_now: ListsPostsAsTheyWere;
    lists_have_bodies_only_on_request: AlwaysListsBodies;

    public_lists_have_only_listed_posts: ListsDrafts;
    public_lists_are_sorted_by_publication: SortsByCreation;
    a_post_that_is_shown_again_returns_to_its_place: PublishesAgain;
    a_draft_that_becomes_public_is_listed_at_the_top: PublishesDraftsAtTheirCreation;
    public_totals_count_listed_posts: CountsHiddenPosts;
    an_owners_list_has_all_its_posts: HidesDraftsFromTheirOwners;
    an_owners_posts_of_one_instant_are_ordered_by_identifier: TurnsTiesOfOwnersAround;
    an_owners_public_list_has_its_public_posts: ShowsHiddenPostsOfOwners;
    an_owners_list_is_filtered_by_tag: IgnoresTagsOfOwners;
    an_owners_list_has_no_posts_of_others: FoldsOwners;
    an_owners_list_shows_posts_as_they_are_now: ListsPostsOfOwnersAsTheyWere;

    the_posts_after_a_place_are_the_next_older_ones: ReturnsThePlaceItself;
    the_posts_before_a_place_are_the_next_newer_ones: ReturnsTheNewestBeforePlaces;
    beyond_the_ends_of_a_list_are_no_posts: CountsFromPlaces;
    a_tags_list_has_posts_after_and_before_a_place: IgnoresTagsBesidePlaces;
    an_owners_list_has_posts_after_and_before_a_place: SortsPlacesOfOwnersByPublication;
    a_place_outlives_its_post: LosesPlacesOfDeletedPosts;
    posts_with_the_same_time_have_places_of_their_own: ComparesPlacesByTime;

    tags_are_counted_as_they_are_listed: CountsTagsOfDrafts;
    tags_with_the_most_posts_come_first: SortsTagsByName;
    tags_are_returned_up_to_the_limit: ReturnsOneTagTooMany;
    tags_without_public_posts_vanish: RemembersTags;
    long_tags_are_counted: LosesLongTags;

    due_posts_are_listed_earliest_first: ListsDueByIdentifier;
    a_post_is_due_as_it_is_now: ListsWhatWasDue;

    a_walk_returns_every_entry_in_order: SkipsTombstones;
    a_walk_returns_every_key_in_order: WalksKeysByTime;
    a_walk_continues_after_any_identifier: LosesItsPlaceOnWalks;
    a_walk_misses_nothing_during_writes: WalksByOffset;

    a_post_of_any_revision_is_inserted_unchanged: InsertsFirstRevisions;
    an_inserted_tombstone_is_read_back_unchanged: LosesOwnersOfTombstones;
    an_inserted_tombstone_is_found_by_its_edit_token: FindsNoInsertedTombstones;
    a_tombstone_of_a_taken_identifier_conflicts: OverwritesByTombstones;
    the_identifier_of_an_inserted_tombstone_is_taken: FreesInsertedTombstones;
    a_used_key_is_inserted_unchanged: LosesOwnersOfKeys;

    a_forgotten_owner_is_in_no_tombstone: CachesTombstones;
    forgetting_an_owner_changes_nothing_else: ForgetsOwnersOfLivePosts, FoldsForgottenOwners;
    an_owner_is_forgotten_up_to_the_limit: ForgetsBeyondTheLimit;
    forgetting_an_absent_owner_is_not_found: ForgetsAbsentOwners;
    concurrent_callers_forget_an_owner: LeavesOwnersToOtherCallers;

    a_barred_owner_writes_nothing: LetsBarredOwnersDelete, LetsBarredOwnersIssueKeys, EndsBarsTooEarly;
    a_bar_leaves_other_writes_alone: BarsLaterWrites;
    a_bar_never_becomes_earlier: SetsBarsEarlier;
    a_bar_that_was_taken_back_ends_then: RemovesBars;
    a_walk_returns_every_bar_in_order: WalksBarsByTime;
    a_write_in_progress_is_seen_or_barred: LooksBeforeItIsBarred;
    the_latest_of_concurrent_bars_holds: LooksBeforeItBars;

    pages_of_a_thousand_posts_are_whole: CapsPages;
    many_posts_are_listed_as_the_contract_says: SkipsOneBetweenBlocks;
    many_posts_of_one_instant_are_listed_as_the_contract_says: TurnsTiesAroundInLongLists;

    of_two_inserts_of_one_identifier_one_is_applied: LooksBeforeItInserts;
    of_two_updates_of_one_revision_one_is_applied: LooksBeforeItUpdates;
    of_an_update_and_a_deletion_one_is_applied: LooksBeforeItDeletes;
    concurrent_writes_are_all_stored: DropsWritesThatMeet;
    each_write_is_seen_by_the_next_call: ReturnsCachedListsOnce;
    list_pages_are_consistent_during_writes: CountsAfterItLists;

    a_key_is_read_back_unchanged: LosesLastUses;
    an_unknown_secret_finds_no_key: RemembersAbsentSecrets;
    a_taken_key_identifier_conflicts: OverwritesKeys;
    the_use_of_a_key_is_noted: NotesNoUse;
    the_use_of_a_revoked_key_is_ignored: FailsToNoteTheUseOfNoKey;
    a_revoked_key_is_unknown_at_once: KeepsRevokedKeys;
    a_revoked_key_is_unknown_at_once_during_writes: RemembersKeysTooLate;
    a_revoked_secret_finds_no_later_key: KeepsSecretsOfRevokedKeys;
    revoking_an_absent_key_is_not_found: RevokesWhatIsNotThere;
    a_working_store_is_healthy: IsNeverHealthy;

    a_write_that_is_applied_adds_its_change: ForgetsChangesOfDeletions;
    a_write_that_is_not_applied_adds_no_change: AddsChangesOfConflicts;
    a_change_waits_for_each_listener_there_is: ForgetsWhatWaitsWhenAdded;
    each_change_has_a_number_of_its_own: NumbersWhatIsDue;
    of_each_subject_the_first_change_is_due: TellsAllChangesAtOnce;
    a_change_that_failed_is_due_at_its_time_and_keeps_the_later_ones_of_its_subject_waiting: TriesAgainAtOnce;
    the_last_failure_of_a_listener_stays: ForgetsFailures;
    a_change_that_is_due_very_late_is_due: WaitsForAClockThatWasSetBack;
    a_change_is_gone_when_it_is_done_for_its_listener_only: SettlesForAll;
    a_listener_is_leased_to_one_instance_at_a_time: LeasesToMany;
    a_removed_listener_has_nothing_left: KeepsWhatWaitsWhenRemoved;
    of_concurrent_writes_each_change_waits_once: LosesChangesThatMeet;

    a_term_finds_a_word_or_its_beginning: TakesWordsForBeginnings;
    a_search_finds_posts_with_all_terms: IgnoresLaterTerms;
    a_post_is_found_by_the_words_that_it_has_now: KeepsEarlierWords, KeepsWordsOfDeletedPosts;
    a_search_finds_posts_of_its_list: SearchesHiddenPostsOfOwners, IgnoresTagsOfSearches;
    words_are_compared_byte_by_byte: LosesMarks, TakesWordsApart;
    a_write_that_is_not_applied_changes_no_words: AddsWordsOfConflicts;
    of_concurrent_writes_all_words_are_found: LosesWordsThatMeet;
    a_search_finds_posts_of_a_period: IncludesTheEndOfPeriods;
    a_search_finds_the_latest_thousand: LimitsBeforeItSearches;
    many_posts_are_found_as_the_contract_says: BeginsSearchesAtTheTop;
    posts_without_words_are_returned_by_a_walk: IndexesWordsAlone;
    a_post_is_indexed_in_its_revision: IndexesAnyRevision;
    a_search_is_incomplete_until_its_version_is_noted: IsAlwaysComplete;
    indexing_is_leased_to_one_instance_at_a_time: LeasesIndexingToMany;

    the_installation_secret_is_the_first_candidate: ReturnsEachCandidate;
    concurrent_callers_get_one_installation_secret: LooksBeforeItStoresTheSecret;
}

#[tokio::test]
async fn a_failed_setup_is_not_taken_for_a_broken_rule() {
    for fault in [Fault::RefusesAllWrites, Fault::Panics] {
        let failed = run("lists_are_newest_first", fault).await;
        let failure = failed.expect_err("a store that takes no posts");
        assert_eq!(failure.kind(), FailureKind::Setup, "{failure}");
    }
}

#[tokio::test]
async fn a_check_of_another_rule_does_not_find_the_fault() {
    let passed = run("a_walk_returns_every_key_in_order", Fault::ListsOldestFirst).await;
    assert_eq!(passed, Ok(()));
}
