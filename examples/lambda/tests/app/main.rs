//! Runs the example on recorded events, as Lambda does, over a private PostgreSQL.

#![expect(clippy::expect_used, reason = "a test stops where it can't go on")]

mod gateway;
mod runtime;

use std::time::Duration;

use handbill_tests::postgres::Postgres;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use tokio::time::sleep;

use gateway::{GATEWAYS, Gateway, Request, Response};
use runtime::Lambda;

/// The address of the mount, which has the stage that the events of API Gateway name.
const BASE_URL: &str = "https://blog.example.org/prod";
const FORM: &str = "application/x-www-form-urlencoded";

/// The connections of the program, and those that it used in the last two seconds.
const OPEN: &str = "SELECT COUNT(*) FROM pg_stat_activity
    WHERE datname = CURRENT_DATABASE() AND backend_type = 'client backend' AND pid <> PG_BACKEND_PID()";
const RECENTLY_USED: &str = "SELECT COUNT(*) FROM pg_stat_activity
    WHERE datname = CURRENT_DATABASE() AND backend_type = 'client backend' AND pid <> PG_BACKEND_PID()
      AND state_change > CLOCK_TIMESTAMP() - INTERVAL '2 s'";

async fn create(lambda: &mut Lambda, gateway: Gateway, key: &str, post: &Value) -> Value {
    let post = post.to_string();
    let request = Request::new("POST", "/prod/api/posts").header("x-api-key", key);
    let created = lambda
        .send(gateway, request.body("application/json", &post))
        .await;
    assert_eq!(created.status, 201, "{created:?}");
    created.json()
}

async fn issue(lambda: &mut Lambda, gateway: Gateway, client: &str) -> Response {
    let request = Request::new("POST", "/prod/api/keys");
    lambda.send(gateway, Request { client, ..request }).await
}

async fn key(lambda: &mut Lambda, gateway: Gateway) -> String {
    let issued = issue(lambda, gateway, "198.51.100.1").await;
    assert_eq!(issued.status, 201, "{issued:?}");
    issued.json()["api_key"].as_str().expect("a key").to_owned()
}

#[tokio::test]
async fn posts_are_written_and_read_through_each_gateway() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let mut lambda = Lambda::start(BASE_URL, &server.create_database().await).await;
    let mut secrets = Vec::new();
    for gateway in GATEWAYS {
        let key = key(&mut lambda, gateway).await;
        let post = json!({ "title": "Café", "body": "Some *Markdown*.", "tags": "a&b c" });
        let created = create(&mut lambda, gateway, &key, &post).await;
        let id = created["id"].as_str().expect("an id");
        let url = created["url"].as_str().expect("an address");
        let path = url
            .strip_prefix("https://blog.example.org")
            .expect("an address of the mount");

        let page = lambda.send(gateway, Request::new("GET", path)).await;
        assert_eq!(
            (page.status, page.header("content-type")),
            (200, "text/html; charset=utf-8")
        );
        assert!(page.text().contains("Some <em>Markdown</em>."), "{page:?}");
        let condition = Request::new("GET", path).header("if-none-match", page.header("etag"));
        let unchanged = lambda.send(gateway, condition).await;
        assert_eq!((unchanged.status, unchanged.text()), (304, ""));
        let head = lambda.send(gateway, Request::new("HEAD", path)).await;
        assert_eq!((head.status, head.text()), (200, ""));
        assert_eq!(head.header("etag"), page.header("etag"));
        let card = lambda
            .send(gateway, Request::new("GET", &format!("{path}.png")))
            .await;
        assert_eq!(
            (card.status, card.header("content-type")),
            (200, "image/png")
        );
        assert!(card.body.starts_with(b"\x89PNG\r\n"), "{gateway:?}");

        // A parameter is decoded once, and a repeated one arrives repeated.
        let list = Request::new("GET", "/prod/api/posts");
        let list_of = Request {
            query: "tag=a%26b%20c",
            ..list.clone()
        };
        let found = lambda.send(gateway, list_of).await.json();
        assert_eq!(found["posts"][0]["id"], id, "{gateway:?}: {found}");
        let twice = Request {
            query: "page=1&page=2",
            ..list
        };
        let refused = lambda.send(gateway, twice).await;
        assert_eq!(
            refused.json()["code"],
            "invalid_parameter",
            "{gateway:?}: {refused:?}"
        );

        let form = format!("body=From+a+form.&title=%3C{gateway:?}%3E&action=publish");
        let written = Request::new("POST", "/prod/write").header("sec-fetch-site", "same-origin");
        let written = lambda.send(gateway, written.body(FORM, &form)).await;
        assert_eq!(written.status, 303, "{written:?}");
        let edit = written.header("location").split('?').next();
        let edit = edit.expect("an address").to_owned();
        let edit_page = lambda.send(gateway, Request::new("GET", &edit)).await;
        assert_eq!(edit_page.status, 200, "{edit_page:?}");

        let token = created["edit_token"].as_str().expect("a token");
        let path = format!("/prod/api/posts/{id}");
        let delete = Request::new("DELETE", &path).header("x-edit-token", token);
        let deleted = lambda.send(gateway, delete).await;
        assert_eq!((deleted.status, deleted.text()), (204, ""));
        secrets.extend([key, token.to_owned(), edit.replace("/prod/e/", "")]);
    }
    let log = lambda.log().await;
    assert!(log.contains("GET /e/{edit_token} 200"), "{log}");
    for secret in secrets {
        assert!(!log.contains(&secret), "{log}");
    }
}

#[tokio::test]
async fn a_path_arrives_as_the_client_sent_it() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let mut lambda = Lambda::start(BASE_URL, &server.create_database().await).await;
    for gateway in GATEWAYS {
        // An HTTP API decodes it.
        let escaped = match gateway {
            Gateway::HttpApi => 200,
            _ => 404,
        };
        for (path, status) in [
            ("/prod", 200),
            ("/prod/", 200),
            ("/prod/api/posts", 200),
            ("/prod/api/%70osts", escaped),
            ("/prod/api/posts%3Fpage=2", 404),
            ("/prod/api/posts%23", 404),
            ("/prod/caf%C3%A9%20%22", 404),
            ("/prod/p/../api/posts", 404),
            ("/prod/api//posts", 404),
            ("/prod/api/posts/", 404),
        ] {
            let response = lambda.send(gateway, Request::new("GET", path)).await;
            assert_eq!(response.status, status, "{gateway:?} {path}: {response:?}");
        }
    }
    let beside = Request::new("GET", "/prodapi/posts");
    assert_eq!(lambda.send(Gateway::FunctionUrl, beside).await.status, 404);
    // A domain of one's own, whose mapping is `prod`, too.
    let mut event = Gateway::RestApi.event(&Request::new("GET", "/prod/api/posts"), false);
    event["path"] = "/prod/api/posts".into();
    assert_eq!(lambda.invoke(event).await["statusCode"], 200);
}

#[tokio::test]
async fn the_mount_may_be_the_root() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let database = server.create_database().await;
    let mut lambda = Lambda::start("https://blog.example.org/", &database).await;
    for gateway in [
        Gateway::FunctionUrl,
        Gateway::RestApi,
        Gateway::LoadBalancer,
    ] {
        for (path, status) in [("/", 200), ("/api/posts", 200), ("/prod/api/posts", 404)] {
            let mut event = gateway.event(&Request::new("GET", path), false);
            let field = if gateway == Gateway::FunctionUrl {
                "rawPath"
            } else {
                "path"
            };
            event[field] = path.into();
            let response = lambda.invoke(event).await;
            assert_eq!(
                response["statusCode"], status,
                "{gateway:?} {path}: {response}"
            );
        }
    }
}

#[tokio::test]
async fn rates_count_the_address_that_aws_saw() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let mut lambda = Lambda::start(BASE_URL, &server.create_database().await).await;
    for (number, gateway) in GATEWAYS.into_iter().enumerate() {
        let [client, other] = [1, 2].map(|last| format!("192.0.{number}.{last}"));
        while issue(&mut lambda, gateway, &client).await.status == 201 {}
        let refused = issue(&mut lambda, gateway, &client).await;
        assert_eq!(refused.json()["code"], "too_many_requests", "{refused:?}");
        let forged = Request::new("POST", "/prod/api/keys").header("X-Forwarded-For", &other);
        let forged = Request {
            client: &client,
            ..forged
        };
        assert_eq!(
            lambda.send(gateway, forged).await.status,
            429,
            "{gateway:?}"
        );
        assert_eq!(
            issue(&mut lambda, gateway, &other).await.status,
            201,
            "{gateway:?}"
        );
    }
}

#[tokio::test]
async fn a_body_in_base64_is_decoded() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let mut lambda = Lambda::start(BASE_URL, &server.create_database().await).await;
    for gateway in GATEWAYS {
        let key = key(&mut lambda, gateway).await;
        let post = json!({ "body": "Café \u{1F600}" });
        let text = post.to_string();
        let request = Request::new("POST", "/prod/api/posts").header("x-api-key", &key);
        let event = gateway.event(&request.body("application/json", &text), true);
        let created = Response::new(&lambda.invoke(event).await).json();
        let path = format!("/prod/api/posts/{}", created["id"].as_str().expect("an id"));
        let read = lambda
            .send(gateway, Request::new("GET", &path))
            .await
            .json();
        assert_eq!(read["body"], post["body"], "{gateway:?}: {read}");
    }
}

#[tokio::test]
async fn responses_have_the_form_that_each_gateway_expects() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let mut lambda = Lambda::start(BASE_URL, &server.create_database().await).await;
    for gateway in GATEWAYS {
        let request = Request::new("GET", "/prod/api/posts/bbbbbbbbbb");
        let response = lambda.invoke(gateway.event(&request, false)).await;
        assert_eq!(response["statusCode"], 404);
        assert_eq!(response["isBase64Encoded"], false);
        let problem: Value =
            serde_json::from_str(response["body"].as_str().expect("text")).expect("JSON");
        assert_eq!(problem["code"], "not_found");
        let one = &response["headers"]["content-type"];
        let all = &response["multiValueHeaders"]["content-type"];
        let (media_type, null) = (json!("application/problem+json"), Value::Null);
        let list = json!([media_type]);
        let expected = match gateway {
            Gateway::FunctionUrl | Gateway::HttpApi => (&media_type, &null),
            Gateway::RestApi => (&null, &list),
            Gateway::LoadBalancer => (&media_type, &list),
        };
        assert_eq!((one, all), expected, "{gateway:?}: {response}");
        if gateway == Gateway::LoadBalancer {
            assert_eq!(response["statusDescription"], "404 Not Found");
        }
    }
}

/// Lambda freezes the process after each response. A server that restarts then fails no request, and what an idle
/// instance holds is what the README says.
#[tokio::test]
async fn a_database_that_restarts_while_the_program_is_frozen_fails_no_request() {
    let Some(server) = Postgres::start(&std::env::temp_dir(), &["fsync=off"]).await else {
        return;
    };
    let database = server.create_database().await;
    let mut lambda = Lambda::start(BASE_URL, &database).await;
    let gateway = Gateway::FunctionUrl;
    let key = key(&mut lambda, gateway).await;
    let post = json!({ "body": "Some text." });
    let created = create(&mut lambda, gateway, &key, &post).await;
    let path = format!("/prod/api/posts/{}", created["id"].as_str().expect("an id"));
    for _ in 0..20 {
        let read = lambda.send(gateway, Request::new("GET", &path)).await;
        assert_eq!(read.status, 200);
        create(&mut lambda, gateway, &key, &post).await;
    }
    let mut connection = PgConnection::connect(&database).await.expect("one");
    // The store counts list entries in the background. Its connections are pinged when they were idle for a second.
    while number(&mut connection, RECENTLY_USED).await > 0 {
        sleep(Duration::from_millis(20)).await;
    }
    let open = number(&mut connection, OPEN).await;
    assert!((2..=4).contains(&open), "{open} connections");

    lambda.signal("STOP").await;
    server.crash().await;
    server.run().await;
    lambda.signal("CONT").await;
    create(&mut lambda, gateway, &key, &post).await;
    let read = lambda.send(gateway, Request::new("GET", &path)).await;
    assert_eq!(read.status, 200, "{read:?}");
}

async fn number(connection: &mut PgConnection, question: &'static str) -> i64 {
    let counted = sqlx::query_scalar(question).fetch_one(connection).await;
    counted.expect("a number")
}
