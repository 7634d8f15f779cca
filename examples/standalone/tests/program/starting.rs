//! What it is started with.

use handbill_tests::load::{get, post_json};
use handbill_tests::program::Program;

use crate::place::{Place, command, create, new_key, send, stdout};

/// That the program ends at once, with one line on standard error. Returns its exit status.
async fn fails(place: &Place, arguments: &[&str], says: &str) -> Option<i32> {
    let output = command(place.0.path())
        .args(arguments)
        .output()
        .await
        .unwrap();
    let log = str::from_utf8(&output.stderr).unwrap();
    assert!(!output.status.success(), "{arguments:?} succeeds");
    assert_eq!(log.lines().count(), 1, "{arguments:?} says {log:?}");
    assert!(log.starts_with("handbill: "), "{arguments:?} says {log:?}");
    assert!(log.contains(says), "{arguments:?} says {log:?}");
    assert_eq!(stdout(&output), "");
    output.status.code()
}

#[tokio::test]
async fn what_it_cannot_start_with_is_one_line() {
    let place = Place::new();
    fails(&place, &["--no-such-option"], "--no-such-option").await;
    fails(
        &place,
        &["--rate-limit", "off"],
        "similar argument exists: '--rate-limits'",
    )
    .await;
    fails(
        &place,
        &["--rate-limits", "maybe"],
        "'maybe' for '--rate-limits",
    )
    .await;
    fails(
        &place,
        &["--rate-limits", "maybe"],
        "[possible values: on, off]",
    )
    .await;
    fails(&place, &["--max-connections", "0"], "--max-connections").await;
    fails(&place, &["--listen", "nowhere"], "nowhere").await;
    fails(&place, &["--listen", "8080"], "expected HOST:PORT").await;
    fails(
        &place,
        &["--base-url", "example.org"],
        "expected http:// or https://",
    )
    .await;
    fails(&place, &["--contact", "harbour@example.org"], "mailto:").await;
    let anywhere = ["--listen", "127.0.0.1:0", "--database", "memory:"];
    let style = [&anywhere[..], &["--style", "no-such.css"]].concat();
    fails(&place, &style, "could not read the style sheet no-such.css").await;
    fails(&place, &["--trusted-proxies", "::1, proxy"], "proxy").await;
    fails(&place, &["no-such-command"], "no-such-command").await;
    let anywhere = ["--listen", "127.0.0.1:0", "--database"];
    let fails_with = async |database: &str, says| {
        fails(&place, &[&anywhere[..], &[database]].concat(), says).await
    };
    fails_with("mongodb://root:secret@db/x", "sqlite://").await;
    fails_with("mysql://127.0.0.1:1/x", "MySQL").await;
    fails_with("mariadb://127.0.0.1:1/x", "refused").await;
    fails_with("postgres://127.0.0.1:1/x", "PostgreSQL").await;
    fails_with("postgresql://127.0.0.1:1/x", "refused").await;
    fails_with(
        "postgres://127.0.0.1:1/x?sslmodus=require",
        "unknown parameter",
    )
    .await;
    fails_with("postgres://127.0.0.1:1/x?sslmode=maybe", "invalid value").await;
    fails_with("sqlite://no-such-folder/posts.db", "could not open").await;
    std::fs::write(place.0.path().join("letter"), "Dear reader,\n".repeat(999)).unwrap();
    fails_with("sqlite://letter", "not a database").await;
    // Nothing that would be started again: settings that are not understood end with 2.
    for (setting, says) in [
        (["--base-url", "not an address"], "expected http://"),
        (["--base-url", "https://"], "the base URL is not valid"),
        (
            ["--database-replica", "postgres://127.0.0.1:1/x"],
            "PostgreSQL",
        ),
        #[cfg(not(feature = "mcp"))]
        (["--mcp", "on"], "feature mcp"),
    ] {
        let arguments = [&["--database", "memory:"][..], &setting].concat();
        assert_eq!(fails(&place, &arguments, says).await, Some(2), "{says}");
    }
    let keys = ["keys", "list", "--database", "memory:"];
    fails(&place, &keys, "what is in memory").await;
    let keys = [
        "keys",
        "revoke",
        "nonsense",
        "--database",
        "sqlite://posts.db",
    ];
    fails(&place, &keys, "nonsense").await;

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let arguments = ["--listen", &address, "--database", "memory:"];
    let status = fails(&place, &arguments, "could not listen").await;
    assert_eq!(status, Some(1), "the address may be free later");
}

#[tokio::test]
async fn a_password_in_an_address_is_not_repeated() {
    let place = Place::new();
    for database in [
        "mongodb://root:s3cret@db/x",
        "mysql://root:s3cret@127.0.0.1:1/x",
        "mysql://root:s3cret@127.0.0.1:port/x",
        "mysql:s3cret",
        "postgres://root:s3cret@127.0.0.1:1/x",
        "postgres://root:s3cret@127.0.0.1:port/x",
        "postgres://root:/s3cret@127.0.0.1:1/x",
        "postgres://127.0.0.1:1/x?passwort=s3cret",
        "postgres://127.0.0.1:1/x?port=s3cret",
        "postgres:s3cret",
    ] {
        let mut command = command(place.0.path());
        command.env("HANDBILL_DATABASE_URL", database);
        let output = command.output().await.unwrap();
        assert!(!output.status.success());
        let log = str::from_utf8(&output.stderr).unwrap();
        assert!(!log.contains("s3cret"), "{log:?}");
    }
}

#[tokio::test]
async fn an_error_names_the_variable_that_it_is_about() {
    let place = Place::new();
    let mut command = command(place.0.path());
    command.env("HANDBILL_RATE_LIMITS", "maybe");
    let output = command.output().await.unwrap();
    let log = str::from_utf8(&output.stderr).unwrap();
    assert!(
        log.contains("'maybe' for 'HANDBILL_RATE_LIMITS'"),
        "{log:?}"
    );
}

#[tokio::test]
async fn the_environment_says_what_options_say() {
    let place = Place::new();
    let mut command = place.command(&[]);
    command
        .env("HANDBILL_LISTEN", "127.0.0.1:0")
        .env("HANDBILL_BASE_URL", "https://example.org/blog")
        .env("HANDBILL_DATABASE_URL", place.database())
        .env("HANDBILL_KEY_REQUESTS", "closed")
        .env("HANDBILL_RATE_LIMITS", "off")
        .env("HANDBILL_CORS", "off")
        .env("HANDBILL_SEARCH", "off")
        .env("HANDBILL_STYLE", place.0.path().join("quay.css"))
        .env("HANDBILL_FOOTER", "Written on the water")
        .env("HANDBILL_CONTACT", "https://example.org/contact");
    std::fs::write(
        place.0.path().join("quay.css"),
        ".handbill { --link: teal; }",
    )
    .unwrap();
    let program = Program::spawn(command).await;
    let home = send(&program, &get("/")).await;
    let home = str::from_utf8(&home.body).unwrap();
    for added in [
        "/assets/style-",
        "Written on the water",
        "https://example.org/contact",
    ] {
        assert!(home.contains(added), "{added} is not in {home}");
    }
    let refused = send(&program, &post_json("/api/keys", "", "{}")).await;
    assert_eq!(refused.status, 403);
    assert_eq!(refused.json()["code"], "key_requests_closed");

    let list = send(&program, &get("/api/posts")).await;
    let cors = "access-control-allow-origin";
    assert!(!list.headers.contains_key(cors), "{list:?}");

    let search = send(&program, &get("/api/posts?q=words")).await;
    assert_eq!(search.json()["code"], "search_not_available");

    let issued = place.keys(&["issue"]).await;
    let key = stdout(&issued).trim();
    for _ in 0..40 {
        let created = create(&program, key).await;
        assert_eq!(created.status, 201, "rate limits are off");
        let url = created.json()["url"].as_str().unwrap().to_owned();
        assert!(url.starts_with("https://example.org/blog/p/"), "{url}");
    }
}

#[tokio::test]
async fn posts_are_kept_in_the_file_named_and_links_name_the_address_bound() {
    let (place, program) = Place::started().await;
    let key = new_key(&program).await;
    let created = create(&program, &key).await;
    let url = created.json()["url"].as_str().unwrap().to_owned();
    assert!(
        url.starts_with(&format!("http://{}/p/", program.address)),
        "{url}"
    );
    assert!(program.stop().await.success());

    let program = place.start(&[]).await;
    let list = send(&program, &get("/api/posts")).await.json();
    assert_eq!(list["posts"][0]["id"], created.json()["id"]);
}
