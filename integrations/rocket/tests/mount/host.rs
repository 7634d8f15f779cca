//! The app's own routes, catchers and fairings work as before next to Handbill.

use std::sync::{Arc, Mutex};

use crate::support::{app, handbill};
use handbill::host::CspNonce;
use handbill::{Code, Handbill, KeyRequests, MemoryStore, RoutePattern, SignedIn};
use handbill_rocket::RequestBody;
use http::{Extensions, HeaderName, HeaderValue};
use rocket::fairing::AdHoc;
use rocket::http::{ContentType, Header, Status};
use rocket::local::blocking::{Client, LocalResponse};
use rocket::request::{FromRequest, Outcome, Request};
use rocket::{catch, catchers, get, post, routes};
use tower::ServiceBuilder;

/// A guard of the app.
struct User(String);

#[rocket::async_trait]
impl<'r> FromRequest<'r> for User {
    type Error = ();

    async fn from_request(request: &'r Request<'_>) -> Outcome<Self, ()> {
        match request.headers().get_one("X-Session") {
            Some(user) => Outcome::Success(Self(user.to_owned())),
            None => Outcome::Forward(Status::Unauthorized),
        }
    }
}

#[get("/")]
fn home() -> &'static str {
    "the app's page"
}

#[get("/blog/about")]
fn about() -> &'static str {
    "the app's page below the mount point"
}

#[get("/blog/api/<_>", rank = 30)]
fn own_api() -> &'static str {
    "the app's API, of a late rank"
}

#[post("/fails")]
fn fails() -> Status {
    Status::ServiceUnavailable
}

#[catch(404)]
fn missing() -> &'static str {
    "the app's 404"
}

#[catch(default)]
fn failed() -> &'static str {
    "the app's error"
}

fn client(app: rocket::Rocket<rocket::Build>) -> Client {
    Client::untracked(app).expect("the app starts")
}

fn problem(response: LocalResponse<'_>) -> (u16, String) {
    let content_type = response.content_type().expect("a content type");
    assert_eq!(content_type.to_string(), "application/problem+json");
    let status = response.status().code;
    let body: serde_json::Value =
        serde_json::from_str(&response.into_string().expect("a body")).expect("JSON");
    (status, body["code"].as_str().expect("a code").to_owned())
}

#[test]
fn a_guard_says_who_is_signed_in_and_no_request_carries_it_to_the_next() {
    let login = AdHoc::on_request("login", |request, _| {
        Box::pin(async move {
            if let Outcome::Success(User(name)) = request.guard::<User>().await {
                request.local_cache(|| Some(SignedIn::new(name.parse().ok()?)));
            }
        })
    });
    let handbill = handbill().with_key_requests(KeyRequests::SignedIn);
    let app = app()
        .mount("/blog", handbill_rocket::routes(handbill))
        .attach(login);
    let client = client(app);
    let page = |user: Option<&'static str>| {
        let mut request = client.get("/blog/keys");
        request.add_header(ContentType::HTML);
        if let Some(user) = user {
            request.add_header(Header::new("X-Session", user));
        }
        request.dispatch().into_string().expect("a page")
    };
    assert!(page(Some("alice")).contains("<form method=\"post\""));
    assert!(!page(None).contains("<form method=\"post\""));
}

#[test]
fn extensions_of_the_app_reach_the_service() {
    let nonce = AdHoc::on_request("nonce", |request, _| {
        Box::pin(async move {
            request.local_cache(|| {
                let mut extensions = Extensions::new();
                extensions.insert("cmFuZG9t".parse::<CspNonce>().expect("a nonce"));
                extensions
            });
        })
    });
    let app = app()
        .mount("/blog", handbill_rocket::routes(handbill()))
        .attach(nonce);
    let page = client(app).get("/blog").dispatch().into_string();
    assert!(page.expect("a page").contains("nonce=\"cmFuZG9t\""));
}

#[test]
fn routes_of_the_app_take_precedence_and_catchers_handle_only_their_errors() {
    let app = app()
        .mount("/", routes![home, about, own_api, fails])
        .mount("/blog", handbill_rocket::routes(handbill()))
        .register("/", catchers![missing, failed]);
    let client = client(app);
    let text = |path| client.get(path).dispatch().into_string();
    assert_eq!(text("/").as_deref(), Some("the app's page"));
    let below = "the app's page below the mount point";
    assert_eq!(text("/blog/about").as_deref(), Some(below));
    let late = "the app's API, of a late rank";
    assert_eq!(text("/blog/api/posts").as_deref(), Some(late));
    assert_eq!(text("/nowhere").as_deref(), Some("the app's 404"));
    let own_error = client.post("/fails").dispatch();
    assert_eq!(own_error.into_string().as_deref(), Some("the app's error"));

    let cases = [
        (client.get("/blog/p/bcdfghjklm"), (404, "not_found")),
        (
            client.delete("/blog/api/posts"),
            (405, "method_not_allowed"),
        ),
        (
            client.post("/blog/api/posts").header(ContentType::JSON),
            (401, "missing_api_key"),
        ),
        (
            client.post("/blog/api/posts"),
            (415, "unsupported_media_type"),
        ),
        (client.get("/blog/keys/"), (404, "not_found")),
    ];
    for (request, (status, code)) in cases {
        assert_eq!(problem(request.dispatch()), (status, code.to_owned()));
    }
}

#[test]
fn a_mount_inside_another_needs_a_rank() {
    let inner = Handbill::new("https://example.org/a/b", MemoryStore::new()).expect("valid");
    let outer = Handbill::new("https://example.org", MemoryStore::new()).expect("valid");
    let both = |mut outer: Vec<rocket::Route>, later| {
        for route in &mut outer {
            route.rank += later;
        }
        app()
            .mount("/", outer)
            .mount("/a/b", handbill_rocket::routes(inner.clone()))
    };
    let refused = Client::untracked(both(handbill_rocket::routes(outer.clone()), 0));
    let kind = refused.err().map(|error| format!("{}", error.kind()));
    assert_eq!(kind.as_deref(), Some("collisions detected"));

    let client = client(both(handbill_rocket::routes(outer), 1));
    for (path, problem_type) in [
        ("/api/nothing", "https://example.org/docs/errors#not-found"),
        (
            "/a/b/api/nothing",
            "https://example.org/a/b/docs/errors#not-found",
        ),
    ] {
        let body = client.get(path).dispatch().into_string().expect("a body");
        assert!(body.contains(problem_type), "{body}");
    }
}

#[test]
fn layers_see_requests_and_responses() {
    let layered = ServiceBuilder::new()
        .map_request(|mut request: http::Request<RequestBody>| {
            *request.uri_mut() = http::Uri::from_static("/healthz");
            request
        })
        .map_response(|mut response: http::Response<_>| {
            let (name, value) = (
                HeaderName::from_static("x-layer"),
                HeaderValue::from_static("1"),
            );
            response.headers_mut().insert(name, value);
            response
        })
        .service(handbill());
    let client = client(app().mount("/blog", handbill_rocket::routes(layered)));
    let response = client.get("/blog/nowhere").dispatch();
    assert_eq!(response.headers().get_one("x-layer"), Some("1"));
    assert_eq!(
        response.into_string().as_deref(),
        Some(r#"{"status":"ok"}"#)
    );
}

#[test]
fn fairings_see_the_route_without_secrets_and_the_problem() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let lines = Arc::clone(&log);
    let logging = AdHoc::on_response("log", move |request, response| {
        let RoutePattern(route) = request.local_cache(|| RoutePattern("-"));
        let problem = request.local_cache(|| None::<Code>);
        let problem = problem.map_or("", |code| code.as_str());
        let line = format!("{route} {} {problem}", response.status().code);
        lines.lock().expect("no thread panicked").push(line);
        Box::pin(async {})
    });
    let app = app()
        .attach(logging)
        .mount("/", routes![home])
        .mount("/blog", handbill_rocket::routes(handbill()));
    let client = client(app);
    for path in [
        "/",
        &format!("/blog/e/{}", "x".repeat(43)),
        "/blog/api/posts?token=secret",
        "/blog/nowhere",
    ] {
        client.get(path).dispatch();
    }
    client.head("/blog/healthz").dispatch();
    let log = log.lock().expect("no thread panicked");
    assert_eq!(
        *log,
        [
            "- 200 ",
            "/e/{edit_token} 404 not_found",
            "/api/posts 200 ",
            "- 404 not_found",
            "/healthz 200 "
        ]
    );
}
