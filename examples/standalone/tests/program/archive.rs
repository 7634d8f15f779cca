//! `handbill export` and `handbill import`.

use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use handbill::{Draft, Handbill, Limits, MemoryStore, Store};
use handbill_sql::SqliteStore;
use handbill_tests::load::{get, post_json};
use tokio::io::AsyncWriteExt;

use crate::place::{Place, command, create, new_key, raw_in, send, stderr, stdout};

/// An archive without its first line, which says when it was made.
fn records(archive: &[u8]) -> &[u8] {
    let end = archive.iter().position(|byte| *byte == b'\n').unwrap();
    &archive[end..]
}

#[tokio::test]
async fn everything_moves_to_another_database_while_the_program_serves() {
    let (old, new) = (Place::new(), Place::new());
    let program = old.start(&[]).await;
    let key = new_key(&program).await;
    let post = create(&program, &key).await.json();
    let exported = old.run(&["export", "all.ndjson"]).await;
    assert!(exported.status.success(), "{exported:?}");
    assert_eq!(stdout(&exported), "");
    assert!(
        stderr(&exported).starts_with("exported 1 posts, "),
        "{exported:?}"
    );
    let archive = old.file("all.ndjson");
    let mode = archive.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let dry = new
        .run(&["import", archive.to_str().unwrap(), "--dry-run"])
        .await;
    assert!(
        stderr(&dry).contains("posts: 1 would be inserted, 0 skipped"),
        "{dry:?}"
    );
    assert!(!new.file("posts.db").exists());
    let imported = new.run(&["import", archive.to_str().unwrap()]).await;
    assert!(imported.status.success(), "{imported:?}");
    assert!(
        stderr(&imported).contains("posts: 1 inserted, 0 skipped"),
        "{imported:?}"
    );
    let dry = new
        .run(&["import", "--dry-run", archive.to_str().unwrap()])
        .await;
    assert!(
        stderr(&dry).contains("posts: 0 would be inserted, 1 skipped"),
        "{dry:?}"
    );

    let moved = new.start(&[]).await;
    let id = post["id"].as_str().unwrap();
    assert_eq!(send(&moved, &get(&format!("/p/{id}"))).await.status, 200);
    let token = post["edit_token"].as_str().unwrap();
    assert_eq!(send(&moved, &get(&format!("/e/{token}"))).await.status, 200);
    assert_eq!(create(&moved, &key).await.status, 201);
    let again = new.run(&["export"]).await;
    assert_eq!(stdout(&again).lines().count(), 5);
}

#[tokio::test]
async fn an_archive_goes_through_pipes() {
    let (old, new) = (Place::new(), Place::new());
    for _ in 0..3 {
        assert!(old.keys(&["issue"]).await.status.success());
    }
    let exported = old.run(&["export", "-"]).await;
    assert!(exported.status.success(), "{exported:?}");
    let mut import = command(new.0.path());
    import.args(["--database", &new.database(), "import", "-"]);
    import.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut import = import.spawn().unwrap();
    let mut stdin = import.stdin.take().unwrap();
    stdin.write_all(&exported.stdout).await.unwrap();
    drop(stdin);
    let imported = import.wait_with_output().await.unwrap();
    assert!(imported.status.success(), "{imported:?}");
    assert!(
        stderr(&imported).contains("keys: 3 inserted"),
        "{imported:?}"
    );
    let again = new.run(&["export"]).await;
    assert_eq!(records(&again.stdout), records(&exported.stdout));
}

#[tokio::test]
async fn a_damaged_archive_is_refused_in_one_line() {
    let place = Place::new();
    assert!(place.keys(&["issue"]).await.status.success());
    let archive = place.run(&["export"]).await.stdout;
    std::fs::write(place.file("cut"), &archive[..archive.len() - 40]).unwrap();
    std::fs::write(place.file("other"), "Hello.\n").unwrap();
    for (file, expected) in [
        ("cut", "the archive is cut"),
        ("other", "not a Handbill archive"),
        ("absent", "No such file"),
    ] {
        let refused = place.run(&["import", file]).await;
        assert!(!refused.status.success(), "{file}");
        let says = stderr(&refused);
        assert!(
            says.contains(expected) && says.lines().count() == 1,
            "{says}"
        );
    }
}

#[tokio::test]
async fn what_a_refused_archive_contains_reaches_the_terminal_escaped() {
    let place = Place::new();
    assert!(place.keys(&["issue"]).await.status.success());
    let exported = place.run(&["export"]).await;
    let header = stdout(&exported).lines().next().unwrap();
    for name in ["\\u001b[31m", "\u{9b}31m", "a\\r\\nb"] {
        for line in [
            format!("{{\"key\":\"{name}\"}}"),
            format!("{{\"key\":{{\"created_at\":\"{name}\"}}}}"),
        ] {
            std::fs::write(place.file("refused"), format!("{header}\n{line}\n")).unwrap();
            for arguments in [
                &["import", "refused"][..],
                &["import", "refused", "--dry-run"],
            ] {
                let refused = place.run(arguments).await;
                let says = stderr(&refused);
                assert!(
                    says.starts_with("handbill: line 2: invalid type: string "),
                    "{says}"
                );
                assert_eq!(raw_in(says), None, "{says:?}");
                assert_eq!(says.lines().count(), 1, "{says}");
            }
        }
    }
}

#[tokio::test]
async fn an_archive_beyond_the_limits_of_the_program_is_refused_by_name() {
    let mut limits = Limits::default();
    limits.title = 500;
    let old = Handbill::new("https://example.org", MemoryStore::new()).unwrap();
    let old = old.with_limits(limits);
    let draft = Draft::new().title("x".repeat(201)).body("Long.");
    let post = old.posts().create(draft).await.unwrap();
    let mut archive = Vec::new();
    old.archive().export(&mut archive).await.unwrap();
    let place = Place::new();
    std::fs::write(place.file("all.ndjson"), &archive).unwrap();
    let refused = place.run(&["import", "all.ndjson"]).await;
    assert!(!refused.status.success());
    let expected = format!(
        "handbill: line 2 ({}): title is longer than 200 characters\n",
        post.id
    );
    assert_eq!(stderr(&refused), expected);
    assert_eq!(stdout(&place.run(&["posts", "list"]).await), "");
}

#[tokio::test]
async fn an_export_that_fails_leaves_nothing_behind() {
    let place = Place::new();
    assert!(place.keys(&["issue"]).await.status.success());
    std::fs::create_dir(place.file("folder")).unwrap();
    for file in ["absent/all.ndjson", "folder"] {
        let failed = place.run(&["export", file]).await;
        assert!(!failed.status.success(), "{failed:?}");
    }
    let files = std::fs::read_dir(place.0.path()).unwrap();
    let names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
    let is_left = |name: &&std::ffi::OsString| name.to_str().unwrap().contains("export");
    assert_eq!(names.iter().find(is_left), None);
}

#[tokio::test]
async fn options_stand_before_or_after_a_command() {
    let place = Place::new();
    let database = place.database();
    assert!(place.keys(&["issue"]).await.status.success());
    for arguments in [
        [
            "--database",
            &database,
            "--rate-limits",
            "off",
            "keys",
            "list",
        ],
        [
            "keys",
            "--database",
            &database,
            "list",
            "--rate-limits",
            "off",
        ],
        [
            "keys",
            "list",
            "--rate-limits",
            "off",
            "--database",
            &database,
        ],
    ] {
        let output = command(place.0.path()).args(arguments).output().await;
        let output = output.unwrap();
        assert_eq!(stdout(&output).lines().count(), 1, "{output:?}");
    }
}

#[tokio::test]
async fn two_imports_at_once_are_fine() {
    let (old, new) = (Place::new(), Place::new());
    let program = old.start(&["--rate-limits", "off"]).await;
    let key = new_key(&program).await;
    let headers = format!("X-Api-Key: {}\r\n", key);
    for number in 0..50 {
        let body = format!(r#"{{"body":"Post {number}."}}"#);
        let created = send(&program, &post_json("/api/posts", &headers, &body)).await;
        assert_eq!(created.status, 201);
    }
    let archive = old.file("all.ndjson");
    let archive = archive.to_str().unwrap();
    assert!(old.run(&["export", archive]).await.status.success());
    let arguments = ["import", archive];
    let (one, other) = tokio::join!(new.run(&arguments), new.run(&arguments));
    assert!(
        one.status.success() && other.status.success(),
        "{one:?} {other:?}"
    );
    let [old, new] = [old.run(&["export"]).await, new.run(&["export"]).await];
    assert_eq!(records(&old.stdout), records(&new.stdout));
}

#[tokio::test]
async fn an_import_that_was_killed_is_completed_by_repeating_it() {
    let old = Handbill::new("https://example.org", MemoryStore::new()).unwrap();
    for number in 0..4000 {
        let draft = Draft::new().body(format!("Post {number}."));
        old.posts().create(draft).await.unwrap();
    }
    let mut archive = Vec::new();
    old.archive().export(&mut archive).await.unwrap();
    let place = Place::new();
    std::fs::write(place.file("all.ndjson"), &archive).unwrap();
    let store = SqliteStore::open(place.file("posts.db")).await.unwrap();

    let mut import = command(place.0.path());
    import.args(["import", "all.ndjson", "--database", &place.database()]);
    let mut import = import.spawn().unwrap();
    let has_begun = async || !store.walk_entries(None, 1).await.unwrap().is_empty();
    while !has_begun().await {
        tokio::task::yield_now().await;
    }
    import.kill().await.unwrap();

    let repeated = place.run(&["import", "all.ndjson"]).await;
    assert!(repeated.status.success(), "{repeated:?}");
    let exported = place.run(&["export"]).await;
    assert_eq!(records(&exported.stdout), records(&archive));
}
