//! The contract of the service over HTTP as tests, for authors of adapters: one check for each rule,
//! named after what it proves.
//!
//! [`http_checks!`](crate::http_checks) makes a test of each. You can also call a check yourself, or go
//! through [`CHECKS`]. A check is given a way to mount the service, and panics if a response breaks the
//! rule. [`App`] is what the checks are written with, for checks of your own:
//!
//! ```
//! use handbill_testing::http::{App, Mount};
//! use serde_json::json;
//!
//! /// The host's layer marks all responses, errors too.
//! async fn every_response_names_the_host(mount: &Mount) {
//!     let app = App::new(mount).await;
//!     let post = app.create(&json!({ "body": "Some *Markdown*." })).await;
//!     let read = app.get(&post.path()).await;
//!     read.expect_status(200).expect_header("x-host", "example");
//!     let refused = app.get("/api/posts?page=0").await;
//!     refused.problem("invalid_parameter");
//!     refused.expect_header("x-host", "example");
//! }
//! ```
//!
//! The checks send nothing that some frameworks cannot pass on: unregistered methods and `TRACE`,
//! headers and percent-encoded path bytes that are not UTF-8, `//` at the mount point, and forms
//! whose first field is `_method`.

mod about;
mod addresses;
mod app;
mod arrival;
mod body;
mod call;
mod conditional;
mod cors;
mod credentials;
mod docs;
mod edit;
mod errors;
mod feeds;
mod fields;
mod finding;
mod forms;
mod idempotency;
mod keys;
mod lists;
mod markdown;
mod markup;
mod methods;
mod mount;
mod navigation;
mod owners;
mod pages;
mod posts;
mod posts_pages;
mod rates;
mod request_body;
mod response;
mod search;
mod socket;
mod table;
mod times;
mod unavailable;
mod updates;
mod visibility;
mod write;

pub use app::{App, Created};
pub use body::SentBody;
pub use call::Call;
pub use mount::Mount;
pub use response::TestResponse;
pub use socket::send_to;
pub use table::{ADDRESSES, Address, Kind};

macro_rules! on_mount {
    ($check:ident, $mount:expr) => {{
        let mount: Mount = $mount;
        Box::pin(async move { $check(&mount).await })
    }};
}

checks! {
    $ __each_http_check, Mount, on_mount;
    posts {
        a_creation_returns_addresses_and_secrets
        a_post_is_read_as_the_contract_shows_it
        unset_fields_are_null
        a_body_is_stored_byte_for_byte
        an_excerpt_is_plain_text_of_at_most_200_characters
        an_excerpt_is_prose_if_there_is_any
        links_and_images_are_made_safe
        a_code_language_is_a_class_of_safe_characters_alone
        a_deleted_post_is_gone_at_all_its_addresses
        an_edit_token_is_valid_for_its_own_post_only
        an_unknown_post_is_not_found_whatever_the_token
        identifiers_and_tokens_do_not_repeat
        secrets_are_in_no_read_list_error_or_public_page
    }
    markdown {
        bare_addresses_are_links
        headings_have_ids_of_their_own
        footnotes_are_linked_both_ways
        quotes_and_dashes_stay_as_they_were_typed
    }
    updates {
        omitted_fields_stay_unchanged
        null_or_an_empty_string_clears_all_but_the_body
        a_post_can_be_sent_back_as_it_was_read
        an_update_that_changes_nothing_leaves_time_and_etag
        each_change_has_a_later_time_and_a_new_etag
        only_patch_accepts_merge_patch
        the_edit_token_comes_in_the_header_or_the_query
        edit_tokens_that_differ_are_refused
        an_api_key_next_to_an_edit_token_is_not_checked
        concurrent_changes_are_all_applied_one_after_the_other
    }
    fields {
        each_optional_text_is_one_line
        a_title_is_a_line_of_at_most_200_characters
        a_body_is_text_of_at_most_100_000_characters
        a_name_without_a_visible_character_counts_as_empty
        tags_are_normalised_and_stay_in_order
        tags_are_at_most_20_of_at_most_50_characters
        a_focus_keyword_is_a_line_of_at_most_100_characters
        an_author_is_a_line_of_at_most_100_characters
        a_language_is_a_bcp_47_tag_in_its_canonical_case
        a_visibility_is_public_unlisted_or_draft
        an_unknown_field_is_refused
        a_post_has_a_body
        all_faulty_fields_are_named_at_once
        read_only_fields_are_ignored_on_update_and_refused_on_create
        a_host_sets_other_limits
        a_body_whose_html_outgrows_it_is_too_complex
        a_body_whose_html_has_more_than_one_mebibyte_is_too_complex
        an_error_stays_small_for_a_large_request
    }
    times {
        a_time_is_rfc_3339_with_an_offset_and_ahead
        only_a_draft_is_published_later
    }
    visibility {
        a_draft_is_like_an_unused_identifier
        a_draft_is_read_with_its_token_or_its_owners_key
        an_unlisted_post_is_read_by_its_address_and_not_indexed
        hidden_posts_leave_no_trace_in_anything_that_lists_posts
        a_post_is_listed_by_the_time_when_it_first_became_public
        a_post_that_becomes_a_draft_disappears_at_once
    }
    owners {
        a_key_lists_all_posts_of_its_owner
        an_owners_list_has_pages_and_an_etag
        a_key_of_the_owner_changes_posts
        a_host_names_the_owner_of_a_key
    }
    lists {
        posts_are_listed_newest_first_and_on_one_page_each
        a_page_past_the_end_has_no_posts
        updating_a_post_does_not_move_it
        a_list_shows_what_a_read_does_without_body_and_html
        a_list_has_two_mebibytes_of_bodies_and_html_at_most
        an_empty_list_has_no_pages
        links_lead_to_the_other_pages_with_the_same_parameters
        a_parameter_that_is_not_valid_is_named
        unknown_parameters_are_ignored
        a_tag_parameter_is_normalised
        a_list_can_be_limited_to_a_time
    }
    search {
        a_search_finds_the_posts_that_have_all_of_its_words
        nothing_in_a_search_is_an_operator
        a_search_has_at_most_200_characters_and_16_words
        a_search_goes_with_the_other_parameters_of_a_list
        hidden_posts_are_found_by_their_owner_alone
        a_search_says_what_it_may_have_missed
        a_page_of_results_shows_what_matches
        a_search_without_results_leads_on
        lists_and_what_is_not_found_offer_a_search
        the_search_is_described_for_browsers
        client_text_is_escaped_in_searches
        a_store_without_an_index_has_no_search
    }
    conditional {
        a_read_is_304_if_the_clients_copy_is_current
        a_304_has_the_headers_that_update_a_cached_copy
        the_etag_of_a_list_depends_only_on_its_contents
        if_modified_since_applies_only_without_if_none_match
        an_update_is_refused_if_its_condition_fails
        an_update_succeeds_if_its_condition_holds
        a_malformed_condition_is_refused
        a_repeated_condition_is_refused
        a_condition_never_creates_a_post
        of_concurrent_updates_on_one_state_one_is_applied
    }
    idempotency {
        a_repeated_creation_returns_the_first_response
        another_idempotency_key_or_none_creates_another_post
        an_idempotency_key_with_another_body_is_refused
        a_failed_request_does_not_use_up_its_idempotency_key
        an_idempotency_key_has_1_to_255_visible_ascii_characters
        a_creation_whose_token_was_replaced_is_not_repeated
        concurrent_repeats_create_one_post
        a_revoked_key_cannot_repeat_a_creation
        instances_on_one_store_repeat_each_others_creations
        an_api_key_and_an_idempotency_key_do_not_give_the_edit_token
    }
    keys {
        a_new_key_has_the_fields_of_the_contract
        a_key_can_be_inspected
        a_revoked_key_is_refused_and_what_it_created_stays
        a_label_is_optional
        a_label_is_one_line_of_at_most_100_characters
        a_key_request_with_a_body_is_json
        a_key_request_from_another_site_is_refused
        a_host_can_close_key_requests
        invalid_keys_get_identical_responses
        a_missing_api_key_is_challenged
        a_repeated_api_key_is_refused
        a_bearer_token_is_an_api_key
    }
    credentials {
        a_replaced_edit_token_is_invalid_at_once_and_the_new_one_works
        a_replaced_edit_token_changes_nothing_for_readers
        an_edit_token_is_replaced_by_its_holder_or_the_owner_alone
        an_edit_token_is_replaced_without_a_body
    }
    errors {
        the_first_of_several_errors_is_reported
        credentials_are_checked_before_the_body
    }
    addresses {
        the_mount_point_responds_with_and_without_a_slash
        a_trailing_slash_makes_another_path
        percent_encoded_paths_arrive_as_they_were_sent
        paths_are_not_normalised
        every_other_path_is_not_found
        a_request_reaches_the_service_as_it_was_sent
        the_addresses_of_a_new_post_lead_to_it
        the_links_of_a_list_lead_back
        every_link_of_a_page_works
        the_type_of_a_problem_leads_to_its_explanation
        the_host_of_a_request_is_in_no_address
    }
    methods {
        options_names_the_methods_of_each_address
        a_method_that_an_address_does_not_take_is_405_with_allow
        put_patch_and_delete_reach_the_service
        head_is_get_without_the_body
        no_field_or_header_changes_the_method_of_a_request
    }
    cors {
        preflights_for_the_api_succeed
        api_responses_may_be_read_from_other_origins
        pages_may_not_be_read_from_other_origins
        a_host_can_switch_cors_off
    }
    arrival {
        reads_arrive_unchanged
        creations_arrive_unchanged
        responses_without_a_body_arrive_unchanged
        redirections_arrive_unchanged
        problems_arrive_unchanged
        error_pages_arrive_unchanged
        entity_tags_are_neither_weakened_nor_marked
        concurrent_requests_get_their_own_responses
    }
    request_body {
        one_mebibyte_is_read_whole
        a_body_announced_as_too_large_is_refused_at_once
        a_body_in_chunks_is_refused_as_soon_as_it_is_too_large
        a_response_to_the_head_does_not_wait_for_the_body
        an_unneeded_body_is_not_waited_for
        a_body_in_many_chunks_is_one_body
        an_empty_body_is_not_json
        a_body_is_json_in_utf_8
        a_body_names_one_media_type
        a_body_is_not_encoded
        a_body_that_is_not_a_json_object_is_refused
        escaped_characters_are_the_characters
        forms_are_for_the_pages_and_json_is_for_the_api
    }
    rates {
        creations_are_limited_for_each_key
        key_requests_are_limited_for_each_client
        wrong_credentials_are_limited_for_each_client
        changes_are_limited_for_each_post
        previews_are_limited_for_each_client
        searches_are_limited_for_each_client
        a_form_is_not_waited_for_if_every_action_is_over_its_limit
        posts_without_a_key_are_limited_for_each_client
        stored_bytes_are_limited_for_each_key
        a_client_cannot_pose_as_another
        the_address_of_the_client_reaches_the_service
        rates_are_limited_by_default
    }
    pages {
        each_page_protects_its_reader
        responses_other_than_pages_load_nothing
        each_page_is_complete_and_has_no_inline_scripts_or_styles
        pages_with_secrets_are_neither_cached_nor_indexed_nor_sent_as_referrer
        public_pages_are_cached_with_revalidation
        each_page_speaks_the_language_of_its_reader
        assets_may_be_cached_for_ever
        a_host_puts_its_own_frame_around_each_page
        client_text_is_escaped_on_every_page
        errors_are_pages_only_for_browsers
        a_host_can_switch_all_pages_off
    }
    posts_pages {
        the_index_shows_posts_by_page_and_by_tag
        the_index_shows_the_picture_of_a_post
        the_index_shows_posts_by_month
        a_post_page_links_to_its_machine_readable_forms
        a_post_page_has_open_graph_and_json_ld
        a_post_without_a_title_is_named_by_its_heading_or_first_sentence
        the_source_of_a_post_is_served_byte_for_byte
    }
    finding {
        the_tags_page_counts_the_posts_of_each_tag
        llms_txt_lists_the_latest_posts
        client_text_is_escaped_in_llms_txt
        a_client_that_prefers_markdown_gets_the_source_of_a_post
    }
    navigation {
        a_list_shows_a_note_as_its_text
        each_page_of_the_list_has_its_own_title_and_description
        pages_in_several_languages_name_each_other
        pages_lead_to_what_readers_and_writers_look_for
        the_follow_page_shows_the_addresses_of_the_feeds
        an_error_page_speaks_one_language
        dates_keep_their_order_in_posts_from_right_to_left
    }
    edit {
        the_edit_page_saves_its_form
        the_edit_page_gives_a_new_private_link
        changes_of_other_lines_are_merged
        a_field_that_a_form_does_not_have_stays_as_it_is
        the_edit_page_shows_a_change_from_elsewhere_instead_of_overwriting_it
        a_conflict_preserves_untouched_fields
        the_edit_page_names_errors_and_preserves_what_was_typed
        the_edit_page_previews_what_would_be_published
        the_edit_page_gives_no_advice_on_a_form_that_is_not_valid
        the_edit_page_deletes_an_unchanged_post_after_confirmation
        a_form_that_is_sent_as_it_was_shown_changes_nothing
    }
    forms {
        a_refused_form_comes_back_filled_in
        a_form_is_text_and_has_each_field_once
        a_form_has_at_most_100_fields
        a_form_from_another_site_is_refused
        a_form_from_our_own_pages_or_without_an_origin_is_accepted
        the_keys_page_shows_a_key_once
    }
    write {
        the_write_page_publishes_a_post
        a_script_that_sends_a_form_gets_json
        a_form_that_is_sent_twice_makes_one_post
        the_write_page_needs_a_key_where_requests_are_closed
        a_key_that_the_write_page_does_not_need_is_used
        a_host_decides_who_writes_without_a_key
        the_write_page_names_errors_and_preserves_what_was_typed
        the_write_page_previews_what_would_be_published
    }
    feeds {
        feeds_show_the_latest_50_posts_newest_first
        a_feed_of_a_tag_shows_the_posts_that_carry_it
        an_item_of_the_json_feed_shows_its_post
        an_entry_of_the_atom_feed_shows_its_post
        addresses_in_feeds_are_absolute
        client_text_is_escaped_in_feeds
        feeds_have_the_html_of_posts_up_to_a_bound
        feeds_and_the_sitemap_follow_each_change
        the_sitemap_has_the_address_of_each_post
        feeds_and_the_sitemap_are_addresses_like_others
        feeds_and_sources_may_be_read_from_other_origins
        pages_name_their_feeds
    }
    docs {
        the_docs_page_names_every_operation
        the_reference_names_all_parameters_and_problems
        the_docs_show_the_limits_of_the_host
        the_docs_say_the_same_in_each_language
        the_errors_page_explains_each_type
    }
    unavailable {
        a_failing_store_gives_503_without_the_cause
        a_failing_store_gives_browsers_an_error_page
        responses_that_need_no_store_work_without_one
    }
    about {
        the_probes_report_ok
        the_api_is_described_at_the_address_of_the_mount
    }
}

/// The host that the service's public address names, and each request's `Host`.
pub(super) const HOST: &str = "handbill.test";

/// Checks a mounted service against the contract over HTTP: makes one test of each check in
/// [`http`](crate::http).
///
/// The first argument is the path that the service is mounted at. The second is a function that mounts
/// a service there, and returns a future of a function that sends one request and returns the complete
/// response (see [`Mount::at`](crate::http::Mount::at)). For an app that listens on a socket,
/// [`send_to`](crate::http::send_to) is that function.
///
/// The host around the service
/// - inserts a [`ClientAddr`](handbill::ClientAddr) into each request: the address of the connection,
///   which comes from this machine; without a connection, because the service is called in process, a
///   loopback address, as here,
/// - lets bodies of 1 MiB and more through, since the service refuses those itself,
/// - responds to nothing in the service's place.
///
/// ```
/// use std::net::{IpAddr, Ipv4Addr};
///
/// use bytes::Bytes;
/// use handbill::{ClientAddr, Handbill};
/// use handbill_testing::http::SentBody;
/// use http::{Request, Response};
/// use http_body_util::BodyExt;
/// use tower::Service;
///
/// async fn send(mut handbill: Handbill, mut request: Request<SentBody>) -> Response<Bytes> {
///     let client = ClientAddr(IpAddr::V4(Ipv4Addr::LOCALHOST));
///     request.extensions_mut().insert(client);
///     let (parts, body) = handbill.call(request).await.unwrap().into_parts();
///     Response::from_parts(parts, body.collect().await.unwrap().to_bytes())
/// }
///
/// mod bare {
///     handbill_testing::http_checks!("/", |handbill| async {
///         move |request| super::send(handbill.clone(), request)
///     });
/// }
/// ```
#[macro_export]
macro_rules! http_checks {
    ($path:expr, $mount:expr $(,)?) => {
        $crate::__each_http_check! { __http_tests, $path, $mount }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __http_tests {
    ($path:expr, $mount:expr; $($check:ident)*) => {
        #[cfg(test)]
        async fn __mount() -> ::core::option::Option<($crate::http::Mount, ())> {
            ::core::option::Option::Some(($crate::http::Mount::at($path, $mount), ()))
        }

        $(
            #[::core::prelude::v1::test]
            fn $check() {
                $crate::__test($crate::http::CHECKS, stringify!($check), __mount());
            }
        )*
    };
}
