//! `handbill backup`.

use std::os::unix::fs::PermissionsExt;

use handbill_tests::load::get;

use crate::place::{Place, create, new_key, send, stderr};

#[tokio::test]
async fn a_backup_is_a_whole_database_made_while_the_program_serves() {
    let (place, program) = Place::started().await;
    let key = new_key(&program).await;
    let post = create(&program, &key).await.json();
    // An earlier backup is replaced.
    for _ in 0..2 {
        let made = place.run(&["backup", "copy.db"]).await;
        assert!(made.status.success(), "{made:?}");
    }
    let mode = place
        .file("copy.db")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);

    let restored = Place::new();
    std::fs::copy(place.file("copy.db"), restored.file("posts.db")).unwrap();
    let program = restored.start(&[]).await;
    let address = format!("/p/{}", post["id"].as_str().unwrap());
    assert_eq!(send(&program, &get(&address)).await.status, 200);
}

#[tokio::test]
async fn a_backup_that_fails_leaves_nothing_behind() {
    let place = Place::new();
    assert!(place.keys(&["issue"]).await.status.success());
    std::fs::create_dir(place.file("folder")).unwrap();
    let before = files(&place);
    for (file, expected) in [
        ("absent/copy.db", "No such file"),
        ("posts.db", "another file than the database itself"),
        ("folder", "directory"),
    ] {
        let failed = place.run(&["backup", file]).await;
        assert!(!failed.status.success(), "{file}");
        let says = stderr(&failed);
        assert!(
            says.contains(expected) && says.lines().count() == 1,
            "{says}"
        );
    }
    assert_eq!(files(&place), before);
}

fn files(place: &Place) -> Vec<std::ffi::OsString> {
    let files = std::fs::read_dir(place.0.path()).unwrap();
    let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_backup_of_a_database_on_a_server_names_its_own_tool() {
    let place = Place::new();
    for (scheme, tool) in [("postgres", "pg_dump"), ("mysql", "mariadb-dump")] {
        let mut command = crate::place::command(place.0.path());
        command.args([
            "backup",
            "copy.db",
            "--database",
            &format!("{scheme}://x:secret@127.0.0.1:1/x"),
        ]);
        let refused = command.output().await.unwrap();
        assert!(!refused.status.success());
        let says = stderr(&refused);
        assert!(says.contains(tool) && says.lines().count() == 1, "{says}");
        assert!(!says.contains("secret"));
    }
}
