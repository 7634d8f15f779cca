//! What users are told when a server refuses a request, is busy, or is no Handbill server.

use std::net::SocketAddr;

use handbill::Code;

use crate::author::{Author, outcomes, total};
use crate::faulty_server::{Answer, FaultyServer};
use crate::place::{Place, raw_in, stderr, stdout};

/// A response with a problem.
fn problem(status: &'static str, headers: &str, code: &str) -> Answer {
    let document = serde_json::json!({"code": code, "detail": "The detail."}).to_string();
    let headers = format!("{headers}Content-Type: application/problem+json\r\n");
    Answer::Respond(status, headers, document)
}

#[tokio::test]
async fn each_problem_of_the_api_has_a_message_that_says_what_to_do() {
    let (_place, program) = Place::started().await;
    let mut author = Author::new(&program).await;
    for code in Code::ALL {
        let (status, name) = (code.status().to_string(), code.as_str());
        let status: &'static str = status.leak();
        let server = FaultyServer::start(program.address, move |heard, _| {
            match heard.is("GET /api/posts/") {
                // Such a wait is too long for the program, so a busy server is not asked again.
                true => problem(status, "Retry-After: 90\r\n", name),
                false => Answer::Pass,
            }
        })
        .await;
        author.server.clone_from(&server.url);
        let refused = author.run(&["get", "bcdfghjklm"]).await;
        let (exit, end) = match code {
            Code::TooManyRequests | Code::StoreUnavailable => (4, "; try again in 90 seconds\n"),
            _ => (1, "\n"),
        };
        assert_eq!(refused.status.code(), Some(exit), "{name}: {refused:?}");
        let message = stderr(&refused);
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(
            message.starts_with("handbill: ") && message.ends_with(&format!(" (The detail){end}")),
            "{message}"
        );
        assert!(
            !message.contains("does not know: ") && !message.contains("  "),
            "{name} is known: {message}"
        );
        assert_eq!(stdout(&refused), "");
    }
}

#[tokio::test]
async fn a_busy_server_gets_the_same_creation_again() {
    let (_place, program) = Place::started().await;
    let server = FaultyServer::start(program.address, |heard, before| {
        let again = "Retry-After: 0\r\n";
        match (heard.is("POST"), before) {
            (true, 0) => problem("429 Too Many Requests", again, "too_many_requests"),
            (true, 1) => problem("503 Service Unavailable", again, "store_unavailable"),
            (true, 2) => Answer::Respond("502 Bad Gateway", again.to_owned(), "<html>".to_owned()),
            _ => Answer::Pass,
        }
    })
    .await;
    let author = Author::at(&server.url, &program).await;
    author.write("a.md", "A post.\n");
    assert_eq!(author.post(&["a.md"]).await[0].0, "created");
    let sent = server.heard_of("POST");
    assert_eq!(sent.len(), 4);
    for heard in &sent {
        assert_eq!(
            heard.header("idempotency-key"),
            sent[0].header("idempotency-key")
        );
        assert_eq!(heard.body, sent[0].body);
    }
    assert_eq!(total(&program).await, 1);
}

#[tokio::test]
async fn a_server_that_is_busy_for_long_ends_the_run_and_says_until_when() {
    let (_place, program) = Place::started().await;
    for (wait, says) in [
        (
            "Retry-After: 3600\r\n",
            "there were too many requests (The detail); try again after 2",
        ),
        ("Retry-After: 90\r\n", "try again in 90 seconds"),
    ] {
        let server = FaultyServer::start(program.address, move |heard, _| {
            match heard.is("POST") && heard.body.contains("second") {
                true => problem("429 Too Many Requests", wait, "too_many_requests"),
                false => Answer::Pass,
            }
        })
        .await;
        let author = Author::at(&server.url, &program).await;
        for (name, text) in [
            ("a.md", "The first.\n"),
            ("b.md", "The second.\n"),
            ("c.md", "The third.\n"),
        ] {
            author.write(name, text);
        }
        let output = author.run(&["post", "a.md", "b.md", "c.md"]).await;
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        let all: Vec<_> = outcomes(&output)
            .into_iter()
            .map(|(outcome, _)| outcome)
            .collect();
        assert_eq!(all, ["created", "failed", "not sent"]);
        assert!(stderr(&output).contains(says), "{output:?}");
        assert_eq!(server.heard_of("POST").len(), 2);
    }
}

#[tokio::test]
async fn a_key_that_the_server_does_not_know_ends_the_run() {
    let (place, other) = (Place::new(), Place::new());
    let (program, other) = (place.start(&[]).await, other.start(&[]).await);
    let server = FaultyServer::start(program.address, |_, _| Answer::Pass).await;
    let author = Author::at(&server.url, &other).await;
    author.write("a.md", "A post.\n");
    author.write("b.md", "Another post.\n");
    let output = author.run(&["post", "a.md", "b.md"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("a.md: the server does not know this API key"),
        "{output:?}"
    );
    assert_eq!(server.heard_of("POST").len(), 1, "wrong keys are counted");
}

#[tokio::test]
async fn an_address_without_a_server_is_named_and_may_be_tried_later() {
    let (author, program) = Author::started().await;
    author.write("a.md", "A post.\n");
    program.kill().await;
    for arguments in [&["post", "a.md"][..], &["list"], &["get", "bcdfghjklm"]] {
        let output = author.run(arguments).await;
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        let message = format!("handbill: could not connect to {}: ", author.server);
        assert!(stderr(&output).starts_with(&message), "{output:?}");
        assert_eq!(stdout(&output), "");
    }
    assert_eq!(author.read("a.md"), "A post.\n");
}

#[tokio::test]
async fn what_is_no_handbill_server_receives_no_key() {
    let (_place, program) = Place::started().await;
    let nowhere: SocketAddr = "127.0.0.1:1".parse().unwrap();
    type Make = fn() -> Answer;
    let answers: [(Make, &str); 5] = [
        (
            || Answer::Respond("200 OK", String::new(), "<!doctype html>".to_owned()),
            "is not the address of a Handbill server",
        ),
        (
            || Answer::Respond("404 Not Found", String::new(), String::new()),
            "is not the address of a Handbill server",
        ),
        (
            || {
                Answer::Respond(
                    "200 OK",
                    String::new(),
                    r#"{"openapi":"3.1.0","info":{"title":"Petstore"}}"#.to_owned(),
                )
            },
            "is not the address of a Handbill server",
        ),
        (
            || {
                Answer::Respond(
                    "308 Permanent Redirect",
                    "Location: https://evil.example/\r\n".to_owned(),
                    String::new(),
                )
            },
            "redirects to https://evil.example/, and redirects are not followed",
        ),
        (
            || Answer::Respond("200 OK", String::new(), "x".repeat(17 * 1024 * 1024)),
            "a response of less than 16 MiB",
        ),
    ];
    for (answer, says) in answers {
        let server = FaultyServer::start(nowhere, move |_, _| answer()).await;
        let author = Author::at(&server.url, &program).await;
        author.write("a.md", "A post.\n");
        let output = author.run(&["post", "a.md"]).await;
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(stderr(&output).contains(says), "{output:?}");
        let heard = server.heard();
        assert_eq!(heard.len(), 1, "{heard:?}");
        assert_eq!(heard[0].line, "GET /openapi.json");
        assert_eq!(heard[0].header("x-api-key"), None);
    }
}

#[tokio::test]
async fn messages_of_servers_are_escaped_for_terminals() {
    let (_place, program) = Place::started().await;
    let server = FaultyServer::start(program.address, |heard, _| {
        let document = r#"{"code":"\u001b[2J","detail":"\u001b]0;evil\u0007","errors":[]}"#;
        match heard.is("GET /api/posts/") {
            true => Answer::Respond("418 I'm a teapot", String::new(), document.to_owned()),
            false => Answer::Pass,
        }
    })
    .await;
    let author = Author::at(&server.url, &program).await;
    let output = author.run(&["get", "bcdfghjklm"]).await;
    assert!(stderr(&output).contains("418"), "{output:?}");
    assert_eq!(raw_in(stderr(&output)), None);
}
