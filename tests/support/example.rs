//! The test that every example must pass: an app with its own pages and the whole service at /blog.

use http::StatusCode;

use crate::load::{get, post_json, publish_note};
use crate::program::Program;
use crate::wire::{Connection, TestResponse};

/// Starts the example, uses it as a user would, and stops it.
pub async fn works(binary: &str) {
    works_with(binary, &[]).await;
}

/// The same, with more arguments.
pub async fn works_with(binary: &str, arguments: &[&str]) {
    let arguments = [&["--rate-limits", "off"], arguments].concat();
    let program = Program::start_binary(binary, &arguments).await;
    let mut connection = Connection::open(program.address)
        .await
        .expect("the program listens");
    let mut send = async |request: Vec<u8>| -> TestResponse {
        let response = connection.send(&request).await;
        response.expect("a response")
    };

    let own_page = send(get("/")).await;
    assert_eq!(own_page.status, StatusCode::OK, "the app's own page");
    let missing = send(get("/no-such-page")).await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND, "the app's own 404");
    let media_type = missing.headers.get("content-type");
    assert!(media_type.is_none_or(|media_type| media_type != "application/problem+json"));

    let issued = send(post_json("/blog/api/keys", "", "")).await.json();
    let key = format!(
        "X-Api-Key: {}\r\n",
        issued["api_key"].as_str().expect("a key")
    );
    let created = send(publish_note(&key, "/blog", 1, 100)).await;
    assert_eq!(created.status, StatusCode::CREATED);
    let created = created.json();
    for address in ["url", "edit_url"] {
        let address = created[address].as_str().expect("an address");
        let base = format!("http://{}", program.address);
        let path = address.strip_prefix(&base).expect("an address of the app");
        assert_eq!(send(get(path)).await.status, StatusCode::OK, "{path}");
    }
    let unknown = send(get("/blog/api/posts/bbbbbbbbbb")).await;
    assert_eq!(unknown.json()["code"], "not_found");

    drop(connection);
    assert!(program.stop().await.success());
}

/// Checks that the app tells Handbill who is logged in: with the header of a login, one writes without a key and edits
/// without a token, and without it one does not.
pub async fn signs_in(binary: &str, login: &str) {
    let program = Program::start_binary(binary, &["--rate-limits", "off"]).await;
    let mut connection = Connection::open(program.address)
        .await
        .expect("the program listens");
    let mut send = async |method: &str, path: &str, login: &str, body: &str| -> TestResponse {
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: x\r\n{login}Content-Length: {length}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n{body}"
        );
        let response = connection.send(request.as_bytes()).await;
        response.expect("a response")
    };
    let login = format!("{login}\r\n");
    let published = send("POST", "/blog/write", &login, "body=Some+text.").await;
    let edit = published.headers["location"].to_str().expect("an address");
    assert!(edit.starts_with("/blog/p/"), "{edit}");
    assert_eq!(send("GET", edit, &login, "").await.status, StatusCode::OK);
    let stranger = send("GET", edit, "", "").await;
    assert_eq!(stranger.status, StatusCode::NOT_FOUND);

    drop(connection);
    assert!(program.stop().await.success());
}
