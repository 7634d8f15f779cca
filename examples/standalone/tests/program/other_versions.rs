//! Servers that are older or newer than this program.

use crate::author::{Author, outcome, total};
use crate::faulty_server::{Answer, FaultyServer};
use crate::place::{Place, stderr, stdout};

const VERSION: &str = concat!("\"version\":\"", env!("CARGO_PKG_VERSION"), "\"");

#[tokio::test]
async fn a_newer_server_is_said_to_be_newer_and_used_as_far_as_it_is_understood() {
    let (_place, program) = Place::started().await;
    let server = FaultyServer::start(program.address, |heard, _| match &*heard.line {
        "GET /openapi.json" => Answer::Edit(VERSION, "\"version\":\"99.1.0-beta\""),
        line if line.starts_with("GET /api/posts/") => {
            Answer::Edit("\"title\":", "\"summary\":\"New.\",\"title\":")
        }
        line if line.starts_with("PATCH") && heard.body.contains("forbidden") => {
            let problem = r#"{"code":"forbidden_word","detail":"No."}"#;
            Answer::Respond(
                "422 Unprocessable Content",
                String::new(),
                problem.to_owned(),
            )
        }
        _ => Answer::Pass,
    })
    .await;
    let author = Author::at(&server.url, &program).await;
    let note = format!(
        "the server has Handbill 99.1.0, which is newer than this program ({})",
        env!("CARGO_PKG_VERSION")
    );
    author.write("a.md", "A post.\n");
    let created = author.run(&["post", "a.md"]).await;
    assert_eq!(outcome(&created), "created", "{created:?}");
    assert!(
        stderr(&created).starts_with(&format!("handbill: note: {note}\n")),
        "{created:?}"
    );

    let read = author.run(&["get", &author.id("a.md")]).await;
    assert!(read.status.success());
    assert!(
        stderr(&read).contains("the file has no summary, which this program does not know"),
        "{read:?}"
    );
    assert!(stdout(&read).ends_with("A post.\n"));

    author.edit("a.md", "A post", "A forbidden post");
    let refused = author.run(&["post", "a.md"]).await;
    assert_eq!(refused.status.code(), Some(1));
    let message = format!("422, forbidden_word, which this program does not know: {note} (No)");
    assert!(stderr(&refused).contains(&message), "{refused:?}");
}

#[tokio::test]
async fn a_server_that_lacks_what_a_command_needs_is_named_before_anything_is_sent() {
    let (_place, program) = Place::started().await;
    let server = FaultyServer::start(program.address, |heard, _| match &*heard.line {
        "GET /openapi.json" => {
            let paths = r#"{"/api/posts":{"get":{},"post":{}}}"#;
            let fields = r#"{"NewPost":{"properties":{"body":{},"title":{}}}}"#;
            let document = format!(
                r#"{{"info":{{"title":"Handbill","version":"0.0.1"}},"paths":{paths},"components":{{"schemas":{fields}}}}}"#
            );
            Answer::Respond("200 OK", String::new(), document)
        }
        _ => Answer::Pass,
    })
    .await;
    let author = Author::at(&server.url, &program).await;
    author.write("a.md", "A post.\n");
    let older = format!(
        "the server has Handbill 0.0.1, which is older than this program ({})",
        env!("CARGO_PKG_VERSION")
    );
    for (arguments, lacks) in [
        (&["post", "a.md"][..], "change posts"),
        (&["get", "bcdfghjklm"], "show posts"),
        (&["list", "--mine"], "list the posts of a key"),
    ] {
        let refused = author.run(arguments).await;
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        let message = format!("handbill: the server cannot {lacks}: {older}\n");
        assert!(stderr(&refused).ends_with(&message), "{refused:?}");
    }
    server.expect_all(|heard| heard.is("GET /openapi.json"));
    let listed = author.run(&["list"]).await;
    assert!(listed.status.success(), "{listed:?}");
}

#[tokio::test]
async fn a_field_that_an_older_server_does_not_have_is_refused_if_a_file_has_it() {
    let (_place, program) = Place::started().await;
    let server = FaultyServer::start(program.address, |heard, _| match &*heard.line {
        "GET /openapi.json" => Answer::Edit("\"author\":", "\"writer\":"),
        _ => Answer::Pass,
    })
    .await;
    let author = Author::at(&server.url, &program).await;
    author.write("a.md", "---\nauthor: Ada\n---\nA post.\n");
    author.write("b.md", "A post.\n");
    let refused = author.run(&["post", "a.md"]).await;
    let message = "a.md: author: the server is older and has no such field";
    assert!(stderr(&refused).contains(message), "{refused:?}");
    assert_eq!(author.post(&["b.md"]).await[0].0, "created");
    assert!(!server.heard_of("POST")[0].body.contains("author"));
    assert_eq!(total(&program).await, 1);
}
