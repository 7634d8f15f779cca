//! What it logs.

use std::io::Read;

use handbill_tests::load::{get, post_json};
use handbill_tests::program::Program;

use crate::place::{Place, create, new_key, send};

#[tokio::test]
async fn a_line_is_logged_for_each_request_and_holds_no_secret() {
    let place = Place::new();
    let program = place.start(&["--rate-limits", "off"]).await;
    let key = new_key(&program).await;
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
        let (micros, id) = micros.split_once(" id=").unwrap();
        assert!(micros.parse::<u64>().is_ok(), "{line}");
        assert!(
            id.len() == 16 && id.chars().all(|digit| digit.is_ascii_hexdigit()),
            "{line}"
        );
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

#[tokio::test]
async fn the_log_has_the_addresses_of_clients_where_the_operator_wants_them() {
    for (format, client) in [
        ("text", " client=192.0.2.7\n"),
        ("json", ",\"client\":\"192.0.2.7\"}\n"),
    ] {
        let place = Place::new();
        let options = [
            "--log-clients",
            "on",
            "--trusted-proxies",
            "127.0.0.1",
            "--log-format",
            format,
        ];
        let program = place.start(&options).await;
        let request = String::from_utf8(get("/keys")).unwrap();
        let request = request.replacen("\r\n", "\r\nX-Forwarded-For: 192.0.2.7\r\n", 1);
        assert_eq!(send(&program, request.as_bytes()).await.status, 200);
        assert!(program.stop().await.success());
        let log = place.log();
        assert!(log.ends_with(client), "{log}");
    }
}

/// Sends a request with these headers. Returns the identifier in the response, after a look whether the log and the
/// problem have the same.
async fn request_id(place: &Place, program: &Program, headers: &str) -> String {
    let request = String::from_utf8(get("/nowhere")).unwrap();
    let request = request.replacen("\r\n", &format!("\r\n{headers}"), 1);
    let response = send(program, request.as_bytes()).await;
    let id = response.headers["x-request-id"]
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(response.json()["request_id"], *id);
    while !place.log().contains(&format!("id={id}\n")) {
        tokio::task::yield_now().await;
    }
    id
}

#[tokio::test]
async fn a_request_has_one_name_in_log_response_and_problem() {
    let place = Place::new();
    let own = async |program: &Program, headers: &str| {
        let id = request_id(&place, program, headers).await;
        assert!(id.len() == 16 && !headers.contains(&id), "{id}");
    };
    let program = place.start(&["--trusted-proxies", "127.0.0.1"]).await;
    let sent = "X-Request-Id: 01JD-9f.86\r\n";
    assert_eq!(request_id(&place, &program, sent).await, "01JD-9f.86");
    own(&program, "").await;
    own(&program, &"X-Request-Id: a\r\n".repeat(10)).await;
    own(&program, "X-Request-Id: not one\r\n").await;
    own(&program, "X-Request-Id: \u{9b}2J\r\n").await;
    own(&program, &format!("X-Request-Id: {}\r\n", "a".repeat(129))).await;
    assert!(program.stop().await.success());

    let program = place.start(&[]).await;
    own(&program, sent).await;
}

#[tokio::test]
async fn a_line_can_be_json() {
    let place = Place::new();
    let program = place.start(&["--log-format", "json"]).await;
    send(&program, &get("/livez")).await;
    assert!(program.stop().await.success());
    let log = place.log();
    let line: serde_json::Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(line["level"], "INFO");
    assert_eq!(line["method"], "GET");
    assert_eq!(line["route"], "/livez");
    assert_eq!(line["status"], 200);
    assert!(line["micros"].is_u64() && line["id"].is_string() && line["timestamp"].is_string());
}

#[tokio::test]
async fn the_log_has_what_the_filter_lets_through() {
    let place = Place::new();
    let lines = async |arguments: &[&str], variable: Option<(&str, &str)>| {
        let common = ["--listen", "127.0.0.1:0", "--database", "memory:"];
        let mut command = place.command(&[&common, arguments].concat());
        command.envs(variable);
        let program = Program::spawn(command).await;
        send(&program, &get("/livez")).await;
        assert!(program.stop().await.success());
        place.log().lines().count()
    };
    assert_eq!(lines(&[], None).await, 1);
    assert_eq!(lines(&["--log", "warn"], None).await, 0);
    assert_eq!(
        lines(&["--log", "off,handbill_standalone=info"], None).await,
        1
    );
    assert_eq!(lines(&[], Some(("HANDBILL_LOG", "error"))).await, 0);
    assert_eq!(lines(&[], Some(("RUST_LOG", "error"))).await, 0);
    assert_eq!(
        lines(&["--log", "info"], Some(("RUST_LOG", "error"))).await,
        1
    );
    assert_eq!(lines(&[], Some(("RUST_LOG", "another program"))).await, 1);
    let output = place.run(&["--log", "all of it"]).await;
    let error = crate::place::stderr(&output);
    assert!(
        error.starts_with("handbill: ") && error.contains("--log"),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[tokio::test]
async fn a_log_that_cannot_be_written_stops_nothing() {
    let place = Place::new();
    let mut command = place.command(&["--listen", "127.0.0.1:0", "--database", "memory:"]);
    command.stderr(
        std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap(),
    );
    let program = Program::spawn(command).await;
    for _ in 0..20_000 / 100 {
        let mut connection = crate::place::connect(&program).await;
        for _ in 0..100 {
            assert_eq!(connection.send(&get("/livez")).await.unwrap().status, 200);
        }
    }
    assert!(program.stop().await.success());
}

#[tokio::test]
async fn a_slow_request_is_reported_with_what_it_waited_for() {
    let (place, program) = Place::started().await;
    let key = new_key(&program).await;
    let other = rusqlite::Connection::open(place.file("posts.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let began = std::time::Instant::now();
    let (_, created) = tokio::join!(
        async {
            // Another process writes for longer than a second.
            while began.elapsed().as_millis() < 1200 {
                assert_eq!(send(&program, &get("/livez")).await.status, 200);
            }
            other.execute_batch("COMMIT").unwrap();
        },
        create(&program, &key),
    );
    assert_eq!(created.status, 201);
    let id = created.headers["x-request-id"].to_str().unwrap().to_owned();
    assert!(program.stop().await.success());
    let log = place.log();
    let slow: Vec<_> = log.lines().filter(|line| line.contains(" WARN ")).collect();
    let [line] = slow[..] else {
        panic!("{log}");
    };
    let number = |name: &str| -> u64 {
        let value = line.split(&format!(" {name}=")).nth(1).unwrap();
        value.split(' ').next().unwrap().parse().unwrap()
    };
    assert!(line.contains(r#"method=POST route="/api/posts""#), "{line}");
    assert!(line.contains(&format!("id={id}")), "{line}");
    assert!(
        number("millis") >= 1000 && number("store") >= 1000,
        "{line}"
    );
    assert_eq!((number("queue"), number("work")), (0, 0), "{line}");
    assert!(!log.contains(&key[3..]));
}
