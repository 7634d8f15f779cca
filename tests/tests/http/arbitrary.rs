//! Random requests, plausible and wild. The contract allows every response, and the OpenAPI
//! document describes it.

use std::cell::RefCell;
use std::collections::BTreeSet;

use bytes::Bytes;
use handbill::KeyRequests;
use handbill_testing::http::{ADDRESSES, App, Created, Kind, SentBody, TestResponse};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::openapi::Document;

/// Looks like an edit token but is not valid.
const NO_TOKEN: &str = "0000000000000000000000000000000000000000000";
/// Looks like the id of a post but was never used.
const NO_POST: &str = "bbbbbbbbbb";
const FORM: &str = "application/x-www-form-urlencoded";

/// A generated request.
#[derive(Clone, Debug)]
struct Wild {
    method: &'static str,
    path: String,
    query: String,
    headers: Vec<(&'static str, Vec<u8>)>,
    body: Vec<u8>,
    frame_size: usize,
    closed: bool,
}

/// Posts and keys in every state, for a few requests, since some of them delete and revoke.
struct World {
    app: App,
    closed: App,
    document: Document,
    live: Created,
    gone: Created,
    revoked: String,
}

impl World {
    async fn new(app: &App, document: &Document) -> Self {
        let app = app.with_another_key().await;
        let gone = app.create_body("gone").await;
        app.delete(&gone).await;
        let revoked = app.service.keys().issue(None, None).await.unwrap();
        app.service.keys().revoke(revoked.record.id).await.unwrap();
        Self {
            closed: app
                .set(|service| service.with_key_requests(KeyRequests::Closed))
                .await,
            document: document.clone(),
            live: app.create_body("live").await,
            gone,
            revoked: revoked.key.expose().to_owned(),
            app,
        }
    }

    /// A text with placeholders for values that are known only at run time.
    fn fill(&self, text: &str) -> String {
        text.replace("{live}", &self.live.id)
            .replace("{gone}", &self.gone.id)
            .replace("{none}", NO_POST)
            .replace("{token}", &self.live.token)
            .replace("{gone_token}", &self.gone.token)
            .replace("{no_token}", NO_TOKEN)
            .replace("{key}", &self.app.key)
            .replace("{revoked}", &self.revoked)
            .replace("{etag}", &self.live.etag)
    }

    async fn send(&self, wild: &Wild) -> (String, TestResponse) {
        let path = self.fill(&wild.path);
        let app = if wild.closed { &self.closed } else { &self.app };
        let mut call = app.call(wild.method, &format!("{path}{}", self.fill(&wild.query)));
        for (name, value) in &wild.headers {
            // Only text has placeholders to fill in.
            call = match str::from_utf8(value) {
                Ok(text) => call.header(name, self.fill(text)),
                Err(_) => call.header(name, value),
            };
        }
        let chunks = wild.body.chunks(wild.frame_size);
        let chunks: Vec<_> = chunks.map(Bytes::copy_from_slice).collect();
        let response = call.sending(SentBody::chunked(chunks)).await;
        (path, response)
    }
}

fn methods() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "GET", "GET", "HEAD", "POST", "POST", "PUT", "PUT", "PATCH", "PATCH", "DELETE", "OPTIONS",
        "TRACE", "BREW", "get",
    ])
}

/// Every address of the service, of posts and edit pages in each of their states.
fn known_paths() -> Vec<String> {
    // A card takes long to draw, and files have names that change.
    let addresses = ADDRESSES
        .iter()
        .filter(|address| address.kind != Kind::Card && !address.path.contains("{name}"));
    let with_ids = addresses.flat_map(|address| {
        let ids = ["{live}", "{live}", "{gone}", "{none}"];
        ids.map(|id| address.path.replace("{id}", id))
    });
    let with_tokens = with_ids.flat_map(|path| {
        let tokens = ["{token}", "{gone_token}", "{no_token}"];
        tokens.map(|token| path.replace("{edit_token}", token))
    });
    let mut paths: Vec<_> = with_tokens.collect();
    // The API takes more methods and has more errors than the pages.
    let of_the_api: Vec<_> = paths
        .iter()
        .filter(|path| path.starts_with("/api/"))
        .cloned()
        .collect();
    for _ in 0..3 {
        paths.extend_from_slice(&of_the_api);
    }
    paths
}

fn paths() -> impl Strategy<Value = String> {
    const SEGMENTS: [&str; 18] = [
        "api",
        "posts",
        "keys",
        "current",
        "edit_token",
        "{live}",
        "{token}",
        "p",
        "e",
        "docs",
        "errors",
        "openapi.json",
        "",
        "..",
        "%2F",
        "%00",
        "%ff",
        "x",
    ];
    let wild = prop::collection::vec(prop::sample::select(SEGMENTS.to_vec()), 0..6);
    prop_oneof![
        6 => prop::sample::select(known_paths()),
        1 => wild.prop_map(|segments| format!("/{}", segments.join("/"))),
        1 => "/[!-\"$->@-~]{0,20}".prop_filter("a path", |path| {
            path.parse::<http::Uri>().is_ok() && path.starts_with('/')
        }),
    ]
}

fn queries() -> impl Strategy<Value = String> {
    const PAIRS: [&str; 20] = [
        "page=2",
        "page=0",
        "page=1e3",
        "page=18446744073709551615",
        "per_page=50",
        "per_page=51",
        "tag=rust",
        "tag=%00",
        "tag=a,b",
        "q=rust+%22x",
        "q=%00",
        "include=body",
        "include=x",
        "token={token}",
        "token={no_token}",
        "token=%FF",
        "saved",
        "sort=posts",
        "sort=%FF",
        "&=&",
    ];
    let pairs = prop::collection::vec(prop::sample::select(PAIRS.to_vec()), 1..4);
    prop_oneof![
        2 => Just(String::new()),
        2 => pairs.prop_map(|pairs| format!("?{}", pairs.join("&"))),
        1 => "\\?[a-z0-9%&=+.]{0,20}",
    ]
}

fn headers() -> impl Strategy<Value = Vec<(&'static str, Vec<u8>)>> {
    const KNOWN: [(&str, &str); 35] = [
        ("content-type", "application/json"),
        ("content-type", "application/json"),
        ("content-type", "application/json; charset=utf-8"),
        ("content-type", FORM),
        ("content-type", "application/merge-patch+json"),
        ("content-type", "text/plain"),
        ("content-type", "application/json; charset=latin1"),
        ("content-encoding", "gzip"),
        ("x-api-key", "{key}"),
        ("x-api-key", "{key}"),
        ("x-api-key", "{revoked}"),
        ("x-api-key", "hb_x"),
        ("x-api-key", ""),
        ("x-edit-token", "{token}"),
        ("x-edit-token", "{token}"),
        ("x-edit-token", "{no_token}"),
        ("x-edit-token", "{gone_token}"),
        ("x-edit-token", ""),
        ("if-match", "{etag}"),
        ("if-match", "*"),
        ("if-match", "W/\"x\", \"y\""),
        ("if-match", "x"),
        ("if-none-match", "*"),
        ("if-none-match", "\"x\""),
        ("if-none-match", "\""),
        ("if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT"),
        ("if-modified-since", "x"),
        ("if-unmodified-since", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("idempotency-key", "a"),
        ("idempotency-key", "a b"),
        ("accept", "text/html"),
        ("origin", "http://handbill.test"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
        ("content-length", "99999999"),
    ];
    const NAMES: [&str; 9] = [
        "content-type",
        "content-length",
        "x-api-key",
        "x-edit-token",
        "if-match",
        "if-none-match",
        "idempotency-key",
        "accept",
        "sec-fetch-site",
    ];
    let text = |(name, value): (&'static str, &str)| (name, value.as_bytes().to_vec());
    let known = prop::sample::select(KNOWN.to_vec()).prop_map(text);
    let bytes = prop::collection::vec(prop_oneof![0x20_u8..0x7F, 0x80_u8..=0xFF], 0..12);
    let wild = (prop::sample::select(NAMES.to_vec()), bytes);
    prop::collection::vec(prop_oneof![8 => known, 1 => wild], 0..6)
}

fn bodies() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![
        Just("x".to_owned()),
        Just(String::new()),
        Just("long ".repeat(30)),
        "\\PC{0,30}",
        any::<String>(),
    ];
    let value = prop_oneof![
        6 => text.clone().prop_map(|text| json!(text)),
        2 => prop::collection::vec(text.clone(), 0..4).prop_map(|items| json!(items)),
        1 => Just(json!(null)),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => Just(json!({ "a": [{}] })),
    ];
    let name = prop_oneof![
        12 => prop::sample::select(vec!["body", "body", "title", "tags", "focus_keyword", "label"])
            .prop_map(str::to_owned),
        1 => prop::sample::select(vec!["id", "html", "updated_at"]).prop_map(str::to_owned),
        1 => text,
    ];
    let object = prop::collection::vec((name, value), 0..5).prop_map(|pairs| {
        // By hand, so that a name can appear twice.
        let pairs = pairs
            .iter()
            .map(|(name, value)| format!("{}:{value}", json!(name)));
        format!("{{{}}}", pairs.collect::<Vec<_>>().join(",")).into_bytes()
    });
    let form = prop::sample::select(vec!["body=x", "revision=1&body=y", "label=", "label=%FF"]);
    prop_oneof![
        6 => object.clone(),
        2 => (object, any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut bytes, at, byte)| {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes
        }),
        1 => form.prop_map(|form| form.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..64),
        1 => Just(Vec::new()),
        1 => Just(b"[".repeat(2_000)),
    ]
}

/// Makes the credentials and the media type of a request valid.
fn make_sound(headers: &mut Vec<(&'static str, Vec<u8>)>) {
    let documented = [
        "if-",
        "idempotency",
        "accept",
        "origin",
        "sec-",
        "content-l",
    ];
    headers.retain(|(name, _)| documented.iter().any(|start| name.starts_with(start)));
    for (name, value) in [
        ("content-type", "application/json"),
        ("x-api-key", "{key}"),
        ("x-edit-token", "{token}"),
    ] {
        headers.push((name, value.as_bytes().to_vec()));
    }
}

fn requests() -> impl Strategy<Value = Wild> {
    let frame_sizes = prop_oneof![1_usize..40, Just(usize::MAX)];
    let (sound, closed) = (prop::bool::weighted(0.6), prop::bool::weighted(0.1));
    let parts = (
        methods(),
        paths(),
        queries(),
        headers(),
        bodies(),
        frame_sizes,
        sound,
        closed,
    );
    parts.prop_map(
        |(method, path, query, mut headers, body, frame_size, sound, closed)| {
            if sound {
                make_sound(&mut headers);
            }
            Wild {
                method,
                path,
                query,
                headers,
                body,
                frame_size,
                closed,
            }
        },
    )
}

#[test]
fn every_response_to_a_random_request_follows_the_contract() {
    let runtime: Runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let app = runtime.block_on(crate::app());
    let document = runtime.block_on(Document::of(&app));
    let mut config = Config {
        cases: 500,
        failure_persistence: None,
        ..Config::default()
    };
    if config.rng_seed == RngSeed::Random {
        // The same requests each time, unless PROPTEST_RNG_SEED is set.
        config.rng_seed = RngSeed::Fixed(1);
    }
    let some = prop::collection::vec(requests(), 1..20);
    let seen = RefCell::new(BTreeSet::new());
    let ran = TestRunner::new(config).run(&some, |some| {
        let world = runtime.block_on(World::new(&app, &document));
        for wild in some {
            let (path, response) = runtime.block_on(world.send(&wild));
            seen.borrow_mut().insert(response.status.as_u16());
            prop_assert!(
                !response.status.is_server_error(),
                "{} {:?}",
                response.status,
                wild
            );
            let is_page = response.header("content-type") == Some("text/html; charset=utf-8");
            if response.status.is_client_error() && wild.method != "HEAD" && !is_page {
                prop_assert!(response.is_problem(), "{} {:?}", response.status, wild);
            }
            prop_assert!(!is_page || !world.document.describes(&path), "{:?}", wild);
            world.document.check(wild.method, &path, &response);
        }
        Ok(())
    });
    ran.unwrap_or_else(|failure| panic!("{failure}"));
    // If all requests were refused for one reason, they would prove little.
    let expected = [
        200, 201, 204, 304, 400, 401, 403, 404, 405, 410, 412, 413, 415, 422,
    ];
    let missed: Vec<u16> = expected
        .into_iter()
        .filter(|status| !seen.borrow().contains(status))
        .collect();
    assert!(
        missed.is_empty(),
        "no response had these statuses: {missed:?}"
    );
}
