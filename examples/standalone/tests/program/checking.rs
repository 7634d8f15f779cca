//! `handbill check`, and commands that only read.

use std::fs;

use crate::place::{Place, command, stderr, stdout};

/// Puts a database of an earlier release in the place of the one that is there.
fn make_older(place: &Place) {
    let stored = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/tests/upgrades/stored/sqlite-7.db"
    );
    fs::copy(stored, place.file("posts.db")).unwrap();
}

#[tokio::test]
async fn a_check_says_whether_the_service_would_start_and_changes_nothing() {
    let place = Place::new();
    let new = place.run(&["check"]).await;
    assert!(new.status.success(), "{new:?}");
    assert!(!place.file("posts.db").exists());
    assert!(place.keys(&["issue"]).await.status.success());
    let current = place.run(&["check"]).await;
    assert!(
        current.status.success() && stdout(&current).contains("as needed"),
        "{current:?}"
    );
    make_older(&place);
    let before = fs::read(place.file("posts.db")).unwrap();
    let older = place.run(&["check"]).await;
    assert!(
        older.status.success() && stdout(&older).contains("would upgrade it"),
        "{older:?}"
    );
    assert_eq!(fs::read(place.file("posts.db")).unwrap(), before);
    fs::write(
        place.file("text.db"),
        "No database, but a text of some length.",
    )
    .unwrap();
    for (arguments, says) in [
        (
            &["--style", "absent.css"][..],
            "could not read the style sheet",
        ),
        (&["--base-url", "https://"], "the base URL is not valid"),
        (
            &["--database", "sqlite://absent/posts.db"],
            "there is no such folder",
        ),
        (&["--database", "sqlite://text.db"], "text.db"),
    ] {
        let mut check = command(place.0.path());
        let refused = check.arg("check").args(arguments).output().await.unwrap();
        assert!(!refused.status.success(), "{refused:?}");
        assert!(stderr(&refused).contains(says), "{says}: {refused:?}");
    }
}

#[tokio::test]
async fn commands_that_only_read_upgrade_nothing() {
    let place = Place::new();
    assert!(place.keys(&["issue"]).await.status.success());
    make_older(&place);
    let before = fs::read(place.file("posts.db")).unwrap();
    for arguments in [
        &["keys", "list"][..],
        &["posts", "list"],
        &["export"],
        &["export", "--markdown", "posts"],
        &["posts", "delete", "--owner", "-"],
    ] {
        let refused = place.run(arguments).await;
        assert!(!refused.status.success(), "{refused:?}");
        assert!(stderr(&refused).contains("have schema "), "{refused:?}");
    }
    let copied = place.run(&["backup", "copy.db"]).await;
    assert!(copied.status.success(), "{copied:?}");
    assert_eq!(fs::read(place.file("posts.db")).unwrap(), before);
    assert!(place.keys(&["issue"]).await.status.success(), "it upgrades");
    assert!(place.keys(&["list"]).await.status.success());
}

#[tokio::test]
async fn a_variable_that_is_no_setting_is_named_with_the_nearest_one() {
    let place = Place::new();
    let mut check = command(place.0.path());
    let variables = [
        (
            "HANDBILL_KEY_REQUEST",
            "; the nearest one is HANDBILL_KEY_REQUESTS",
        ),
        ("HANDBIL_NAME", "; the nearest one is HANDBILL_NAME"),
        ("handbill_name", "; the nearest one is HANDBILL_NAME"),
        ("HANDBILL_OWNER", ""),
    ];
    check
        .arg("check")
        .env("HANDBILL_BACKUP_COPIES", "7")
        .env("NAME", "of others");
    check.envs(variables.map(|(name, _)| (name, "closed")));
    let checked = check.output().await.unwrap();
    assert!(checked.status.success(), "{checked:?}");
    let says = stderr(&checked);
    for (name, hint) in variables {
        let line = format!("{name} is not a setting, and has no effect{hint}\n");
        assert!(says.contains(&line), "{says}");
    }
    assert_eq!(says.lines().count(), variables.len(), "{says}");
    let invalid = check.env("HANDBILL_BACKUP_COPIES", "none").output().await;
    let invalid = invalid.unwrap();
    assert_eq!(invalid.status.code(), Some(2), "{invalid:?}");
    assert!(
        stderr(&invalid).contains("'HANDBILL_BACKUP_COPIES'"),
        "{invalid:?}"
    );
}
