//! Handbill's checks for adapters, through the events of each gateway. All pass but those named here, in which a client
//! sends what the gateway changes: several headers of one name, escapes in a path, or a query that is not UTF-8.

use std::collections::BTreeSet;

use bytes::Bytes;
use handbill::Handbill;
use handbill_testing::http::{CHECKS, Mount, SentBody};
use lambda_http::lambda_runtime::LambdaEvent;
use lambda_http::request::LambdaRequest;
use lambda_http::{Adapter, Context, Service, http, service_fn};
use tokio::task::JoinSet;

use super::respond;

#[expect(dead_code, reason = "the tests of the program use all of it")]
#[path = "../tests/app/gateway.rs"]
mod gateway;

use gateway::{Gateway, Request, Response};

/// A check that repeats a header gets another error, or none: the gateway joins the values, or passes the last.
const REPEAT_A_HEADER: [&str; 9] = [
    "a_bearer_token_is_an_api_key",
    "a_form_from_another_site_is_refused",
    "a_repeated_api_key_is_refused",
    "a_repeated_condition_is_refused",
    "a_request_reaches_the_service_as_it_was_sent",
    "an_idempotency_key_has_1_to_255_visible_ascii_characters",
    "edit_tokens_that_differ_are_refused",
    "responses_that_need_no_store_work_without_one",
    "wrong_credentials_are_limited_for_each_client",
];
/// `lambda_http` writes the query again from parameters, which are UTF-8.
const REWRITE_THE_QUERY: [&str; 5] = [
    "a_feed_of_a_tag_shows_the_posts_that_carry_it",
    "a_parameter_that_is_not_valid_is_named",
    "a_request_reaches_the_service_as_it_was_sent",
    "a_search_has_at_most_200_characters_and_16_words",
    "the_edit_token_comes_in_the_header_or_the_query",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_contract_holds_behind_a_function_url() {
    expect_broken(Gateway::FunctionUrl, &[&REPEAT_A_HEADER]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_contract_holds_behind_an_http_api() {
    let escapes = ["percent_encoded_paths_arrive_as_they_were_sent"];
    expect_broken(Gateway::HttpApi, &[&REPEAT_A_HEADER, &escapes]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_contract_holds_behind_a_rest_api() {
    let last_header = ["a_body_names_one_media_type"];
    let broken: [&[&str]; 3] = [&REPEAT_A_HEADER, &last_header, &REWRITE_THE_QUERY];
    expect_broken(Gateway::RestApi, &broken).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_contract_holds_behind_a_load_balancer() {
    expect_broken(Gateway::LoadBalancer, &[&REWRITE_THE_QUERY]).await;
}

/// Runs all checks, and expects that exactly these fail.
async fn expect_broken(gateway: Gateway, expected: &[&[&'static str]]) {
    let mount = Mount::at("/prod", move |handbill| async move {
        move |request| send(gateway, handbill.clone(), request)
    });
    let mut checks = JoinSet::new();
    for check in CHECKS {
        checks.spawn(check.run(mount.clone()));
    }
    let failures = checks.join_all().await.into_iter().filter_map(Result::err);
    let broken: BTreeSet<_> = failures.map(|failure| failure.check()).collect();
    assert_eq!(broken, expected.concat().into_iter().collect());
}

/// Sends a request through a gateway to the function.
async fn send(
    gateway: Gateway,
    handbill: Handbill,
    request: http::Request<SentBody>,
) -> http::Response<Bytes> {
    let headers = request.headers().iter();
    let headers =
        headers.map(|(name, value)| (name.as_str(), str::from_utf8(value.as_bytes()).unwrap()));
    let body = request.body().to_bytes();
    let sent = Request {
        query: request.uri().query().unwrap_or_default(),
        headers: headers.collect(),
        body: &body,
        client: "127.0.0.1",
        ..Request::new(request.method().as_str(), request.uri().path())
    };
    let event = gateway.event(&sent, true).to_string();
    let event: LambdaRequest = serde_json::from_str(&event).unwrap();
    let mut function = Adapter::from(service_fn(|request| respond(&handbill, "/prod", request)));
    let response = function.call(LambdaEvent::new(event, Context::default()));
    let response = serde_json::to_value(response.await.unwrap()).unwrap();
    let received = Response::new(&response);
    let mut response = http::Response::builder().status(u16::try_from(received.status).unwrap());
    for (name, value) in received.headers {
        response = response.header(name, value);
    }
    response.body(received.body.into()).unwrap()
}
