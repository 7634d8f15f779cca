//! The checks of mounts find faults: each one fails, by an assertion of its own, on an adapter or a
//! service that breaks the rule that it is named after. An adapter without faults passes all of them.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod adapter;
mod edits;
mod fault;
mod requests;
mod responses;
mod service;

use std::collections::BTreeSet;

use adapter::PATH;
use fault::Fault;
use handbill_testing::http::{CHECKS, Mount};
use handbill_testing::{Check, Failure, FailureKind};
use handbill_tests::bites;

mod without_faults {
    handbill_testing::http_checks!(super::PATH, |handbill| super::adapter::mount(
        None, handbill
    ));
}

/// The adapter is in this process, so the clock can jump to the end of each wait.
async fn run(check: &str, fault: Fault) -> Result<(), Failure> {
    tokio::time::pause();
    let mount = Mount::at(PATH, move |handbill| adapter::mount(Some(fault), handbill));
    let outcome = bites::find(CHECKS, check).run(mount).await;
    tokio::time::resume();
    outcome
}

handbill_tests::bites! {
    CHECKS, run;

    the_mount_point_responds_with_and_without_a_slash:
        KnowsNoMountPointWithoutSlash, KnowsNoMountPointWithSlash, RedirectsToTheSlash;

    a_trailing_slash_makes_another_path: DropsTrailingSlashes, RedirectsFromTrailingSlashes;
    paths_are_not_normalised: MergesSlashes, ResolvesDots;
    percent_encoded_paths_arrive_as_they_were_sent: DecodesPaths;
    every_other_path_is_not_found: LowercasesPaths, FallsBackToAnIndex;
    every_link_of_a_page_works: LosesStyleSheets;

    a_request_reaches_the_service_as_it_was_sent:
        LosesQueries, PassesOneLineOfEachHeader, LosesEmptyHeaders;
    a_parameter_that_is_not_valid_is_named: MakesQueriesAMap, AcceptsBadParameters;
    a_repeated_condition_is_refused: JoinsHeaderLines;
    a_repeated_creation_returns_the_first_response: LosesIdempotencyKeys;
    an_update_is_refused_if_its_condition_fails: LosesConditions;
    a_form_from_another_site_is_refused: LosesFetchMetadata;
    a_key_request_from_another_site_is_refused: LosesFetchMetadata, RefusesKeyRequests;
    errors_are_pages_only_for_browsers: LosesAccept;

    put_patch_and_delete_reach_the_service: KnowsNoPatch;
    options_names_the_methods_of_each_address: RespondsToOptionsItself;
    preflights_for_the_api_succeed: RespondsToPreflightsItself;
    a_method_that_an_address_does_not_take_is_405_with_allow:
        Returns404ForOtherMethods, LosesAllow;
    no_field_or_header_changes_the_method_of_a_request:
        OverridesMethods, TakesMethodsFromForms;

    the_address_of_the_client_reaches_the_service: LosesClientAddresses, SendsItsOwnAddress;
    a_client_cannot_pose_as_another: BelievesXForwardedFor;

    one_mebibyte_is_read_whole: TruncatesRequestBodies;
    a_body_in_many_chunks_is_one_body: PassesTheFirstChunkOnly, WantsLengths;
    a_body_announced_as_too_large_is_refused_at_once: RefusesLargeBodiesItself;
    a_body_in_chunks_is_refused_as_soon_as_it_is_too_large: BuffersChunkedBodies;
    an_empty_body_is_not_json: RefusesEmptyBodies;
    a_response_to_the_head_does_not_wait_for_the_body: ReadsBodiesFirst;
    an_unneeded_body_is_not_waited_for: DrainsBodies;

    a_body_names_one_media_type: AssumesJson, PassesOneMediaType;
    a_body_is_json_in_utf_8: DropsParametersOfMediaTypes;
    a_body_is_not_encoded: RemovesContentEncodings;
    a_body_that_is_not_a_json_object_is_refused: TreatsBodiesAsText;
    the_edit_page_saves_its_form: LosesForms;
    the_edit_page_gives_a_new_private_link: LosesLocations;
    changes_of_other_lines_are_merged: LosesForms;
    a_refused_form_comes_back_filled_in: LosesAccept;
    a_form_is_text_and_has_each_field_once: MakesFormsAMap;
    a_form_has_at_most_100_fields: MakesFormsAMap;

    reads_arrive_unchanged: LosesMediaTypes, AddsNewlines, TruncatesResponses;
    creations_arrive_unchanged: LosesLocations;
    redirections_arrive_unchanged: FollowsRedirections;
    a_body_is_stored_byte_for_byte: ReplacesNonAsciiText;
    the_addresses_of_a_new_post_lead_to_it: RemovesTheMountFromLocations;
    the_links_of_a_list_lead_back: LosesLinks;
    the_host_of_a_request_is_in_no_address: PutsHostsIntoLocations;

    problems_arrive_unchanged: SwallowsErrorBodies, ReformatsErrors, TurnsErrorsInto500;
    error_pages_arrive_unchanged: SendsItsOwnErrorPages;
    a_failing_store_gives_503_without_the_cause: Turns503Into500, LosesRetryAfter;
    a_missing_api_key_is_challenged: LosesChallenges;

    head_is_get_without_the_body: ClaimsThatHeadIsEmpty, LosesLengthsOfHead, AddsBodiesToHead;
    responses_without_a_body_arrive_unchanged: AddsLengthsToNoContent;
    a_read_is_304_if_the_clients_copy_is_current: AddsBodiesToNotModified;
    a_304_has_the_headers_that_update_a_cached_copy: LosesHeadersOfNotModified;

    entity_tags_are_neither_weakened_nor_marked: WeakensTags, MarksTags, ClaimsToCompress;

    each_page_protects_its_reader: LosesPolicies, AllowsFramingByItself;
    responses_other_than_pages_load_nothing: LosesPolicies;
    each_page_is_complete_and_has_no_inline_scripts_or_styles: PutsScriptsIntoPages;
    pages_with_secrets_are_neither_cached_nor_indexed_nor_sent_as_referrer: AllowsCachingOfPages;
    public_pages_are_cached_with_revalidation: LosesCacheControl;
    api_responses_may_be_read_from_other_origins: LosesOriginsOfErrors;
    pages_may_not_be_read_from_other_origins: AllowsAllOrigins;

    concurrent_requests_get_their_own_responses: MixesUpResponses;
    each_change_has_a_later_time_and_a_new_etag: CachesReads;

    a_creation_returns_addresses_and_secrets: ForgetsEditAddresses;
    a_post_is_read_as_the_contract_shows_it: ShowsNoHtml;
    unset_fields_are_null: OmitsNulls;
    an_excerpt_is_plain_text_of_at_most_200_characters: GivesLongExcerpts;
    an_excerpt_is_prose_if_there_is_any: PutsHeadingsIntoExcerpts;
    links_and_images_are_made_safe: LetsLinksBeFollowed;
    a_code_language_is_a_class_of_safe_characters_alone: AcceptsAnyCodeLanguage;
    bare_addresses_are_links: LetsLinksBeFollowed, LosesAutolinks;
    headings_have_ids_of_their_own: RepeatsIds;
    footnotes_are_linked_both_ways: LosesFootnotes;
    quotes_and_dashes_stay_as_they_were_typed: MakesDashes;
    a_deleted_post_is_gone_at_all_its_addresses: ServesDeletedPosts;
    an_edit_token_is_valid_for_its_own_post_only: AcceptsWrongTokens;
    an_unknown_post_is_not_found_whatever_the_token: ServesPagesAnyway;
    identifiers_and_tokens_do_not_repeat: RepeatsCreations;
    secrets_are_in_no_read_list_error_or_public_page: ShowsTokens;
    omitted_fields_stay_unchanged: IgnoresUpdates;
    null_or_an_empty_string_clears_all_but_the_body: IgnoresUpdates;
    a_post_can_be_sent_back_as_it_was_read: RefusesReadOnlyNames;
    an_update_that_changes_nothing_leaves_time_and_etag: AlwaysMakesNewTags;
    only_patch_accepts_merge_patch: AcceptsEveryJsonMediaType;
    the_edit_token_comes_in_the_header_or_the_query: LosesEditTokenHeaders;
    edit_tokens_that_differ_are_refused: AcceptsTwoTokens;
    an_api_key_next_to_an_edit_token_is_not_checked: ChecksKeysOnUpdate;
    concurrent_changes_are_all_applied_one_after_the_other: IgnoresUpdates;
    each_optional_text_is_one_line: AcceptsInvalidTitles;
    a_title_is_a_line_of_at_most_200_characters: AcceptsInvalidTitles;
    a_body_is_text_of_at_most_100_000_characters: AcceptsInvalidBodies;
    a_name_without_a_visible_character_counts_as_empty: ShowsInvisibleNames;
    tags_are_normalised_and_stay_in_order: SortsTags;
    tags_are_at_most_20_of_at_most_50_characters: AcceptsInvalidTags;
    a_focus_keyword_is_a_line_of_at_most_100_characters: AcceptsInvalidKeywords;
    an_author_is_a_line_of_at_most_100_characters: AcceptsInvalidAuthors;
    a_language_is_a_bcp_47_tag_in_its_canonical_case: AcceptsInvalidLanguages;
    a_visibility_is_public_unlisted_or_draft: AcceptsInvalidVisibilities;
    a_time_is_rfc_3339_with_an_offset_and_ahead: AcceptsAnyTime;
    only_a_draft_is_published_later: PublishesAnythingLater;
    an_unknown_field_is_refused: AcceptsUnknownFields;
    a_post_has_a_body: AcceptsInvalidBodies;
    all_faulty_fields_are_named_at_once: NamesOneFaultOnly;
    read_only_fields_are_ignored_on_update_and_refused_on_create: RefusesReadOnlyNames;
    a_host_sets_other_limits: AcceptsInvalidTitles;
    a_body_whose_html_outgrows_it_is_too_complex: AcceptsInvalidBodies;
    a_body_whose_html_has_more_than_one_mebibyte_is_too_complex: AcceptsInvalidBodies;
    an_error_stays_small_for_a_large_request: RepeatsWhatWasSent;
    a_draft_is_like_an_unused_identifier: TellsDraftsApart;
    a_draft_is_read_with_its_token_or_its_owners_key: LetsDraftsBeCached;
    an_unlisted_post_is_read_by_its_address_and_not_indexed: LetsHiddenPostsBeIndexed;
    hidden_posts_leave_no_trace_in_anything_that_lists_posts: CountsHiddenPosts;
    a_post_is_listed_by_the_time_when_it_first_became_public: ListsShownDraftsLast;
    a_post_that_becomes_a_draft_disappears_at_once: ServesPagesAnyway;
    a_key_lists_all_posts_of_its_owner: HidesDraftsFromTheirOwners;
    an_owners_list_has_pages_and_an_etag: LosesLinks, LosesTagsOfLists;
    a_key_of_the_owner_changes_posts: AcceptsOtherKeys;
    a_host_names_the_owner_of_a_key: LosesOwners;
    posts_are_listed_newest_first_and_on_one_page_each: ReversesLists;
    a_page_past_the_end_has_no_posts: LosesPagesPastTheEnd;
    updating_a_post_does_not_move_it: MovesUpdatedPosts;
    a_list_shows_what_a_read_does_without_body_and_html: ShowsNoTagsInLists;
    a_list_has_two_mebibytes_of_bodies_and_html_at_most: OmitsNullsInLists, ListsAllBodies;
    an_empty_list_has_no_pages: CountsAPageOfNoPosts;
    links_lead_to_the_other_pages_with_the_same_parameters: LosesLinks;
    unknown_parameters_are_ignored: RefusesUnknownParameters;
    a_tag_parameter_is_normalised: LooksUpTagsInLowercase;
    a_list_can_be_limited_to_a_time: LimitsNoListToATime;
    a_search_finds_the_posts_that_have_all_of_its_words: IgnoresSearches;
    nothing_in_a_search_is_an_operator: TakesQuotesForPhrases;
    a_search_has_at_most_200_characters_and_16_words: AcceptsBadParameters;
    a_search_goes_with_the_other_parameters_of_a_list: IgnoresSearches, LosesSearchesInLinks;
    hidden_posts_are_found_by_their_owner_alone: CountsHiddenPosts, HidesDraftsFromTheirOwners;
    a_search_says_what_it_may_have_missed: ClaimsToBeComplete;
    a_page_of_results_shows_what_matches: MarksNothing, LetsHiddenPostsBeIndexed;
    a_search_without_results_leads_on: HidesSearches;
    lists_and_what_is_not_found_offer_a_search: HidesSearches;
    the_search_is_described_for_browsers: LosesTheSearchDescription;
    client_text_is_escaped_in_searches: DoesNotEscape;
    a_store_without_an_index_has_no_search: SearchesWithoutIndex;
    the_etag_of_a_list_depends_only_on_its_contents: LosesTagsOfLists;
    if_modified_since_applies_only_without_if_none_match: LosesDates;
    an_update_succeeds_if_its_condition_holds: RefusesAllConditions;
    a_malformed_condition_is_refused: AcceptsBadHeaders;
    a_condition_never_creates_a_post: ServesPagesAnyway;
    of_concurrent_updates_on_one_state_one_is_applied: IgnoresFailedConditions;
    another_idempotency_key_or_none_creates_another_post: RepeatsCreations;
    an_idempotency_key_with_another_body_is_refused: AcceptsReusedIdempotencyKeys;
    a_failed_request_does_not_use_up_its_idempotency_key: CachesFailures;
    an_idempotency_key_has_1_to_255_visible_ascii_characters: AcceptsAnyIdempotencyKey;
    a_creation_whose_token_was_replaced_is_not_repeated: AcceptsReplacedTokens;
    concurrent_repeats_create_one_post: LosesIdempotencyKeys;
    a_revoked_key_cannot_repeat_a_creation: AcceptsWrongKeys;
    instances_on_one_store_repeat_each_others_creations: RepeatsOnOneInstanceOnly;
    an_api_key_and_an_idempotency_key_do_not_give_the_edit_token: DerivesTokensFromRequestsOnly;
    a_new_key_has_the_fields_of_the_contract: LosesLabels;
    a_key_can_be_inspected: LosesLabels;
    a_revoked_key_is_refused_and_what_it_created_stays: AcceptsWrongKeys;
    a_label_is_optional: WantsLabels;
    a_label_is_one_line_of_at_most_100_characters: AcceptsInvalidLabels;
    a_key_request_with_a_body_is_json: AcceptsBadJson;
    a_host_can_close_key_requests: GivesKeysToAnyone;
    invalid_keys_get_identical_responses: TellsKeysApart;
    a_repeated_api_key_is_refused: AcceptsBadHeaders;
    a_bearer_token_is_an_api_key: IgnoresBearerTokens;
    a_replaced_edit_token_is_invalid_at_once_and_the_new_one_works: ReplacesNoTokens;
    a_replaced_edit_token_changes_nothing_for_readers: ShowsReplacements;
    an_edit_token_is_replaced_by_its_holder_or_the_owner_alone: AcceptsOtherKeys;
    an_edit_token_is_replaced_without_a_body: WantsBodiesForReplacements;
    the_first_of_several_errors_is_reported: LooksAtBodiesFirst;
    credentials_are_checked_before_the_body: LooksAtBodiesFirst, AcceptsMissingTokens;
    the_type_of_a_problem_leads_to_its_explanation: LosesErrorsInDocs;
    a_host_can_switch_cors_off: AllowsAllOrigins;
    escaped_characters_are_the_characters: ReplacesNonAsciiText;
    forms_are_for_the_pages_and_json_is_for_the_api: TreatsEveryBodyAsJson, AcceptsAnyMediaType;
    creations_are_limited_for_each_key: NeverLimits;
    key_requests_are_limited_for_each_client: NeverLimits;
    wrong_credentials_are_limited_for_each_client: NeverLimits;
    changes_are_limited_for_each_post: NeverLimits;
    previews_are_limited_for_each_client: NeverLimits;
    searches_are_limited_for_each_client: NeverLimits;
    a_form_is_not_waited_for_if_every_action_is_over_its_limit: NeverLimits;
    posts_without_a_key_are_limited_for_each_client: NeverLimits;
    stored_bytes_are_limited_for_each_key: NeverLimits;
    rates_are_limited_by_default: NeverLimits;
    each_page_speaks_the_language_of_its_reader: IgnoresLanguages;
    assets_may_be_cached_for_ever: LetsAssetsExpire;
    the_index_shows_posts_by_page_and_by_tag: HidesPostsOnTheIndex;
    the_index_shows_the_picture_of_a_post: HidesPicturesOnTheIndex;
    the_index_shows_posts_by_month: ShowsNoMonth;
    a_post_page_links_to_its_machine_readable_forms: HidesCanonicalAddresses;
    a_post_page_has_open_graph_and_json_ld: LosesOpenGraph;
    a_post_without_a_title_is_named_by_its_heading_or_first_sentence: LosesNames;
    the_source_of_a_post_is_served_byte_for_byte: ChangesSources;
    the_tags_page_counts_the_posts_of_each_tag: MiscountsTags, SortsTagsOneWayOnly;
    llms_txt_lists_the_latest_posts: LosesSourcesInLlmsText;
    client_text_is_escaped_in_llms_txt: DoesNotEscapeMarkdown;
    a_client_that_prefers_markdown_gets_the_source_of_a_post:
        LosesAccept, CachesReads, VariesByLanguageOnly;
    a_list_shows_a_note_as_its_text: ShowsNotesAsHeadings;
    each_page_of_the_list_has_its_own_title_and_description: NumbersNoPages;
    pages_in_several_languages_name_each_other: HidesOtherLanguages;
    pages_lead_to_what_readers_and_writers_look_for: OffersKeysToAnyone;
    the_follow_page_shows_the_addresses_of_the_feeds: HidesFeedsFromPages;
    an_error_page_speaks_one_language: PutsDetailsIntoPages;
    dates_keep_their_order_in_posts_from_right_to_left: TurnsDatesAround;
    a_host_puts_its_own_frame_around_each_page: LosesFrames;
    client_text_is_escaped_on_every_page: DoesNotEscape;
    a_field_that_a_form_does_not_have_stays_as_it_is: IgnoresForms;
    the_edit_page_shows_a_change_from_elsewhere_instead_of_overwriting_it: ForgetsWhatFormsSaw;
    a_conflict_preserves_untouched_fields: ForgetsWhatFormsSaw;
    the_edit_page_names_errors_and_preserves_what_was_typed: IgnoresForms;
    the_edit_page_previews_what_would_be_published: IgnoresForms;
    the_edit_page_gives_no_advice_on_a_form_that_is_not_valid: AdvisesOnFaults;
    the_edit_page_deletes_an_unchanged_post_after_confirmation: IgnoresForms;
    a_form_that_is_sent_as_it_was_shown_changes_nothing: TrimsForms;
    a_form_from_our_own_pages_or_without_an_origin_is_accepted: RefusesAllForms;
    the_keys_page_shows_a_key_once: HidesKeys;
    a_script_that_sends_a_form_gets_json: LosesAccept;
    the_write_page_publishes_a_post: IgnoresForms, LosesLocations;
    a_form_that_is_sent_twice_makes_one_post: PublishesFormsTwice;
    the_write_page_needs_a_key_where_requests_are_closed: PublishesAnyway;
    a_key_that_the_write_page_does_not_need_is_used: PublishesAnyway;
    a_host_decides_who_writes_without_a_key: PublishesAnyway;
    the_write_page_names_errors_and_preserves_what_was_typed: PublishesAnyway, IgnoresForms;
    the_write_page_previews_what_would_be_published: IgnoresForms;
    a_host_can_switch_all_pages_off: ServesPagesAnyway;
    feeds_show_the_latest_50_posts_newest_first: LosesItemsOfFeeds;
    a_feed_of_a_tag_shows_the_posts_that_carry_it: LosesItemsOfFeeds;
    an_item_of_the_json_feed_shows_its_post: LosesTimesInFeeds;
    an_entry_of_the_atom_feed_shows_its_post: LosesTimesInFeeds;
    addresses_in_feeds_are_absolute: MakesFeedsRelative;
    client_text_is_escaped_in_feeds: DoesNotEscape;
    feeds_have_the_html_of_posts_up_to_a_bound: LosesItemsOfFeeds;
    feeds_and_the_sitemap_follow_each_change: CachesReads;
    the_sitemap_has_the_address_of_each_post: LosesTheSitemap;
    feeds_and_the_sitemap_are_addresses_like_others: LosesTheSitemap;
    feeds_and_sources_may_be_read_from_other_origins: LosesOriginsOfFeeds;
    pages_name_their_feeds: HidesFeedsFromPages;
    the_docs_page_names_every_operation: LosesOperationsInDocs;
    the_reference_names_all_parameters_and_problems: LosesParametersInDocs;
    the_docs_show_the_limits_of_the_host: HidesLimits;
    the_docs_say_the_same_in_each_language: HasOneLanguageInDocs;
    the_errors_page_explains_each_type: LosesErrorsInDocs;
    a_failing_store_gives_browsers_an_error_page: PutsCausesIntoPages;
    responses_that_need_no_store_work_without_one: LosesTheDocs;
    the_probes_report_ok: IsNeverHealthy;
    the_api_is_described_at_the_address_of_the_mount: DescribesAnotherServer;
}

#[tokio::test]
async fn a_failed_setup_is_not_taken_for_a_broken_rule() {
    let failed = run("updating_a_post_does_not_move_it", Fault::Panics).await;
    let failure = failed.expect_err("an adapter that panics");
    assert_eq!(failure.kind(), FailureKind::Setup, "{failure}");
    let failed = run("updating_a_post_does_not_move_it", Fault::RefusesCreations).await;
    let failure = failed.expect_err("a service that takes no posts");
    assert_eq!(failure.kind(), FailureKind::Setup, "{failure}");
}

#[tokio::test]
async fn a_check_of_another_rule_does_not_find_the_fault() {
    let passed = run("a_key_can_be_inspected", Fault::ReversesLists).await;
    assert_eq!(passed, Ok(()));
}

/// The table in `integrations/README.md` names existing checks, each once.
#[test]
fn the_table_for_authors_of_adapters_names_checks_that_exist() {
    let table = include_str!("../../../integrations/README.md").lines();
    let column = table.filter_map(|line| line.strip_prefix('|')?.split('|').nth(1));
    let named: Vec<_> = column
        .flat_map(|checks| checks.split('`').skip(1).step_by(2))
        .collect();
    let names: BTreeSet<_> = named.iter().copied().collect();
    assert_eq!(names.len(), named.len(), "a check is named twice");
    let checks: BTreeSet<_> = CHECKS.iter().map(Check::name).collect();
    let unknown: Vec<_> = names.difference(&checks).collect();
    assert!(unknown.is_empty(), "no such checks: {unknown:?}");
}
