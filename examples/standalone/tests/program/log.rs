//! What it logs.

use std::io::Read;

use handbill_tests::load::{get, post_json};
use handbill_tests::program::Program;

use crate::place::{Place, create, new_key, send};

#[tokio::test]
async fn a_line_is_logged_for_each_request_and_holds_no_secret() {
    let place = Place::new();
    let program = place.start(&["--rate-limits", "off"]).await;
    let key = new_key(&program).await["api_key"]
        .as_str()
        .unwrap()
        .to_owned();
    let created = create(&program, &key).await.json();
    let (id, token) = (
        created["id"].as_str().unwrap(),
        created["edit_token"].as_str().unwrap(),
    );
    let put = |query: &str| {
        let request = post_json(&format!("/api/posts/{id}{query}"), "", r#"{"title":"New"}"#);
        [b"PUT", &request[4..]].concat()
    };
    let updated = send(&program, &put(&format!("?token={token}"))).await;
    assert_eq!(updated.status, 200);
    assert_eq!(send(&program, &put("?token=wr0ng")).await.status, 403);
    send(&program, &get(&format!("/e/{token}"))).await;
    send(&program, &get("/nowhere?quer1ed")).await;
    send(&program, &get("/api/posts?tag=quer1ed")).await;
    let other_method = format!(
        "{}{}",
        "X".repeat(20_000),
        &String::from_utf8(get("/keys")).unwrap()[3..]
    );
    send(&program, other_method.as_bytes()).await;
    assert!(program.stop().await.success());

    let log = place.log();
    for secret in [key.as_str(), token, "wr0ng", "quer1ed"] {
        assert!(!log.contains(secret), "the log holds {secret:?}:\n{log}");
    }
    assert!(!log.contains('\u{1b}'), "colours in a file:\n{log}");
    let lines: Vec<&str> = log.lines().collect();
    let expected = [
        ("POST", "/api/keys", "201"),
        ("POST", "/api/posts", "201"),
        ("PUT", "/api/posts/{id}", "200"),
        ("PUT", "/api/posts/{id}", "403"),
        ("GET", "/e/{", "200"),
        ("GET", "", "404"),
        ("GET", "/api/posts", "200"),
        ("- ", "/keys", "405"),
    ];
    assert_eq!(lines.len(), expected.len(), "{log}");
    for (line, (method, route, status)) in lines.into_iter().zip(expected) {
        assert!(line.contains(&format!("method={method}")), "{line}");
        assert!(line.contains(route), "{line}");
        assert!(line.len() < 200, "{} bytes", line.len());
        assert!(line.contains(&format!("status={status}")), "{line}");
        let micros = line.split("micros=").nth(1).unwrap();
        assert!(micros.trim().parse::<u64>().is_ok(), "{line}");
    }
}

#[tokio::test]
async fn a_request_is_in_the_log_without_a_further_one() {
    let place = Place::new();
    let (log, writer) = std::io::pipe().unwrap();
    let mut command = place.command(&["--listen", "127.0.0.1:0", "--database", "memory:"]);
    command.stderr(writer);
    let program = Program::spawn(command).await;
    for path in ["/healthz", "/keys"] {
        assert_eq!(send(&program, &get(path)).await.status, 200);
        let mut log = log.try_clone().unwrap();
        let read = move || {
            let mut lines = [0; 1024];
            let len = log.read(&mut lines).unwrap();
            String::from_utf8_lossy(&lines[..len]).into_owned()
        };
        let line = tokio::task::spawn_blocking(read).await.unwrap();
        let expected = format!("  INFO method=GET route=\"{path}\" status=200 micros=");
        assert!(line.contains(&expected), "{line}");
        let time = line.split(' ').next().unwrap();
        assert!(time.ends_with('Z') && time.len() == "2026-11-20T10:00:00.000000Z".len());
    }
}
