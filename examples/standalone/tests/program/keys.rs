//! The commands for keys.

use std::fs::File;

use crate::place::{Place, create, stdout};

#[tokio::test]
async fn keys_are_managed_while_it_runs() {
    let place = Place::new();
    let program = place.start(&["--key-requests", "closed"]).await;
    let issued = place.keys(&["issue", "--label", "for tests"]).await;
    assert!(issued.status.success());
    let key = stdout(&issued).trim().to_owned();
    assert!(!str::from_utf8(&issued.stderr).unwrap().contains(&key));
    assert_eq!(create(&program, &key).await.status, 201);

    let listed = place.keys(&["list"]).await;
    let listed = stdout(&listed);
    let [id, issued_at, used, owner, label] = listed.trim().split('\t').collect::<Vec<_>>()[..]
    else {
        panic!("five columns in {listed:?}");
    };
    assert_eq!(owner, format!("key:{id}"));
    assert_eq!(label, "for tests");
    assert!(
        issued_at.ends_with('Z') && used.ends_with('Z'),
        "{listed:?}"
    );
    assert!(!listed.contains(&key));

    assert_eq!(create(&program, &key).await.status, 201);
    assert!(place.keys(&["revoke", id]).await.status.success());
    let refused = create(&program, &key).await;
    assert_eq!(refused.status, 401);
    assert_eq!(refused.json()["code"], "invalid_api_key");
    assert_eq!(stdout(&place.keys(&["list"]).await), "");
    let again = place.keys(&["revoke", id]).await;
    assert!(!again.status.success());
    let says = str::from_utf8(&again.stderr).unwrap();
    assert!(says.contains("no key in force has the id"), "{says:?}");
}

#[tokio::test]
async fn a_key_is_issued_to_an_owner() {
    let place = Place::new();
    let issued = place.keys(&["issue", "--owner", "user:42"]).await;
    assert!(issued.status.success());
    let program = place.start(&[]).await;
    let created = create(&program, stdout(&issued).trim()).await;
    let id = created.json()["id"].as_str().unwrap().to_owned();
    let owned = place.run(&["posts", "list", "--owner", "user:42"]).await;
    assert!(stdout(&owned).starts_with(&id), "{owned:?}");

    let refused = place.keys(&["issue", "--owner", "two words"]).await;
    assert!(!refused.status.success());
    let says = str::from_utf8(&refused.stderr).unwrap();
    assert!(says.contains("visible ASCII characters"), "{says:?}");
    assert_eq!(says.lines().count(), 1, "{says:?}");
}

#[tokio::test]
async fn a_mistyped_file_is_not_created() {
    let place = Place::new();
    for arguments in [
        &["keys", "list"][..],
        &["keys", "revoke", "kqzvbnmtrd"],
        &["posts", "list"],
        &["export"],
        &["backup", "copy.db"],
    ] {
        let output = place.run(arguments).await;
        assert!(!output.status.success(), "{arguments:?} succeeds");
        let says = str::from_utf8(&output.stderr).unwrap();
        assert!(says.contains("there is no database file"), "{says:?}");
    }
    let output = place.run(&["import", "absent.ndjson"]).await;
    assert!(!output.status.success());
    let output = place.run(&["import", ".", "--dry-run"]).await;
    assert!(output.status.success());
    assert_eq!(std::fs::read_dir(place.0.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn output_that_cannot_be_written_is_an_error_of_one_line() {
    let place = Place::new();
    let database = place.database();
    let run = async |arguments: &[&str]| {
        let arguments = [arguments, &["--database", &database]].concat();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = place.command(&arguments);
        let status = command.stdout(full).status().await.unwrap();
        assert_eq!(status.code(), Some(1), "{arguments:?}");
        let log = place.log();
        assert_eq!(log.lines().count(), 1, "{log}");
        log
    };
    let log = run(&["keys", "issue"]).await;
    let listed = place.keys(&["list"]).await;
    let id = stdout(&listed).split('\t').next().unwrap();
    assert!(log.contains(&format!("revoke key {id}")), "{log}");
    run(&["keys", "list"]).await;
    run(&["check"]).await;
}
