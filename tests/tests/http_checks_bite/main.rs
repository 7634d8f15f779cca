//! The mount checks find faults: each check fails on an adapter that breaks the rule in its name,
//! and an adapter without faults passes all checks.

mod faulty;

use std::collections::BTreeSet;

use faulty::{Fault, PATH};
use handbill::testing::http::Mount;

mod without_faults {
    handbill::http_checks!(super::PATH, |handbill| super::faulty::mount(None, handbill));
}

/// One test per fault. The check before it must find the fault.
macro_rules! bites {
    ($($check:ident: $($fault:ident),+;)*) => {
        /// The checks that are known to find a fault.
        const CHECKS: &[&str] = &[$(stringify!($check)),*];

        $($(
            #[tokio::test]
            #[expect(non_snake_case, reason = "named after the fault")]
            async fn $fault() {
                let mount = Mount::at(PATH, |handbill| {
                    faulty::mount(Some(Fault::$fault), handbill)
                });
                let check = tokio::spawn(async move {
                    handbill::testing::http::$check(&mount).await;
                });
                let Err(failed) = check.await else {
                    panic!("{} does not find the fault", stringify!($check));
                };
                assert!(failed.is_panic());
            }
        )+)*
    };
}

bites! {
    the_mount_point_answers_with_and_without_a_slash:
        KnowsNoMountPointWithoutSlash, KnowsNoMountPointWithSlash, RedirectsToTheSlash;

    a_trailing_slash_makes_another_path: DropsTrailingSlashes, RedirectsFromTrailingSlashes;
    paths_are_not_put_in_order_on_the_way: MergesSlashes, ResolvesDots;
    percent_encoded_paths_arrive_as_they_were_sent: DecodesPaths;
    every_other_path_is_not_found: LowercasesPaths, FallsBackToAnIndex;
    everything_that_a_page_leads_to_is_there: KeepsStyleSheetsToItself;

    a_request_reaches_the_service_as_it_was_sent:
        LosesQueries, KeepsOneLineOfEachHeader, LosesEmptyHeaders;
    a_parameter_that_is_not_valid_is_named: MakesQueriesAMap;
    a_condition_that_stands_there_twice_is_refused: JoinsHeaderLines;
    a_repeat_is_answered_as_the_first_request_was: LosesIdempotencyKeys;
    an_update_is_refused_where_its_condition_fails: LosesConditions;
    a_form_from_another_site_is_refused: LosesFetchMetadata;
    errors_are_pages_for_browsers_alone: LosesAccept;

    put_patch_and_delete_reach_the_service: KnowsNoPatch;
    options_names_the_methods_of_each_address: AnswersOptionsItself;
    preflights_for_the_api_are_answered: AnswersPreflightsItself;
    a_method_that_an_address_does_not_take_is_405_with_allow:
        Answers404ForOtherMethods, LosesAllow;
    a_post_stays_one_whatever_its_fields_and_headers_say:
        OverridesMethods, TakesMethodsFromForms;

    the_address_of_the_client_reaches_the_service: KeepsTheClientToItself, TellsItsOwnAddress;
    a_client_can_not_say_that_it_is_another: BelievesXForwardedFor;

    one_mebibyte_is_read_whole: CutsBodiesShort;
    a_body_in_many_chunks_is_one_body: HandsOnTheFirstChunkAlone, WantsLengths;
    a_body_that_announces_to_be_too_large_is_refused_at_once: RefusesLargeBodiesItself;
    a_body_in_chunks_is_refused_as_soon_as_it_is_too_large: BuffersChunkedBodies;
    an_empty_body_is_no_json: RefusesEmptyBodies;
    what_the_head_decides_is_answered_before_the_body_is_there: ReadsBodiesFirst;
    a_body_that_nobody_needs_is_not_waited_for: DrainsBodies;

    a_body_names_one_media_type: AssumesJson, KeepsOneMediaType;
    a_body_is_json_in_utf_8: DropsParametersOfMediaTypes;
    a_body_is_not_encoded: TakesEncodingsOff;
    what_is_no_json_object_is_refused: TakesBodiesForText;
    the_edit_page_saves_what_stands_in_its_form: EatsForms;
    a_form_is_text_and_has_each_field_once: MakesFormsAMap;

    reads_arrive_as_the_service_gives_them: LosesMediaTypes, AddsNewlines, CutsAnswersShort;
    creations_arrive_as_the_service_gives_them: LosesLocations;
    redirections_arrive_as_the_service_gives_them: FollowsRedirections;
    a_body_is_stored_byte_for_byte: LosesWhatIsNotAscii;
    the_addresses_of_a_new_post_lead_to_it: TakesTheMountOffLocations;
    the_links_of_a_list_lead_back: LosesLinks;
    the_host_of_a_request_is_in_no_address: PutsHostsIntoLocations;

    problems_arrive_as_the_service_gives_them: SwallowsErrorBodies, ReformatsErrors, TurnsErrorsInto500;
    pages_about_errors_arrive_as_the_service_gives_them: PutsItsOwnErrorPages;
    a_store_in_trouble_is_503_without_its_cause: TurnsTroubleInto500, LosesRetryAfter;
    a_missing_api_key_is_asked_for: LosesChallenges;

    head_is_get_without_the_body: SaysThatHeadIsEmpty, LosesLengthsOfHead, GivesHeadABody;
    answers_without_a_body_arrive_as_the_service_gives_them: GivesNoContentALength;
    a_read_that_changes_nothing_for_the_client_is_304: GivesNotModifiedABody;
    a_304_has_the_headers_that_renew_a_copy: LosesHeadersOfNotModified;

    entity_tags_are_neither_weakened_nor_marked: WeakensTags, MarksTags, SaysThatItCompresses;

    each_page_protects_its_reader: LosesPolicies, LetsItselfFramePages;
    each_page_is_whole_and_without_scripts_or_styles_inside: PutsScriptsIntoPages;
    pages_with_secrets_are_neither_kept_nor_indexed_nor_named: HasPagesKept;
    public_pages_are_kept_with_asking: LosesCacheControl;
    answers_of_the_api_may_be_read_from_elsewhere: LosesOriginsOfErrors;
    pages_may_not_be_read_from_elsewhere: AllowsAllOrigins;

    requests_at_the_same_time_get_each_its_own_answer: MixesUpAnswers;
    each_change_is_shown_to_be_later_and_has_a_new_etag: RemembersReads;
}

/// The table for authors of adapters lists exactly the checks that are known to find faults.
#[test]
fn the_table_for_adapters_lists_these_checks() {
    let table = include_str!("../../../integrations/README.md").lines();
    let column = table.filter_map(|line| line.strip_prefix('|')?.split('|').nth(1));
    let told: Vec<_> = column
        .flat_map(|checks| checks.split('`').skip(1).step_by(2))
        .collect();
    let (names, checks) = (BTreeSet::from_iter(told.clone()), CHECKS.iter().copied());
    assert_eq!(names, checks.collect(), "in the table and in this file");
    assert_eq!(names.len(), told.len(), "each appears once");
}
