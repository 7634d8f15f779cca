//! Backups of a file that is in use.

use std::fmt::Debug;
use std::os::unix::fs::PermissionsExt;

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_has_all_that_was_acknowledged_before_it_began() {
    let folder = folder();
    let store = open(&folder.path().join("posts.db")).await;
    for number in 0..100 {
        assert_eq!(
            store.insert_post(post(number)).await.unwrap(),
            Outcome::Applied
        );
    }
    // Others write during the backup.
    let writing = tokio::spawn({
        let store = store.clone();
        async move {
            for number in 100..400 {
                let _ = store.insert_post(post(number)).await.unwrap();
            }
        }
    });
    let file = folder.path().join("copy.db");
    store.backup(&file).await.unwrap();
    writing.await.unwrap();

    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let copy = open(&file).await;
    let entries = copy.walk_entries(None, 1000).await.unwrap();
    for number in 0..100 {
        let found = entries.iter().any(|entry| entry.id() == id(number));
        assert!(found, "post {number}");
    }
    let page = copy.list_posts(PageRequest::new(1, 1).unwrap()).await;
    assert_eq!(page.unwrap().total, entries.len() as u64);
}

/// Polls a backup and drops it. Returns whether SQLite had written something; it is not polled after that.
async fn drop_after(polls: usize, backup: impl Future<Output: Debug>, folder: &Path) -> bool {
    let mut backup = std::pin::pin!(backup);
    for _ in 0..polls {
        tokio::select! {
            biased;
            made = &mut backup => panic!("it ended too soon for this test: {made:?}"),
            () = tokio::task::yield_now() => {}
        }
        if has_content(folder) {
            return true;
        }
    }
    false
}

/// Whether one of the folders in it has a file that is not empty.
fn has_content(folder: &Path) -> bool {
    let folders = std::fs::read_dir(folder).unwrap();
    let files = folders.filter_map(|folder| std::fs::read_dir(folder.unwrap().path()).ok());
    let mut files = files
        .flatten()
        .filter_map(|file| file.ok()?.metadata().ok());
    files.any(|file| file.len() > 0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_is_dropped_leaves_nothing_and_keeps_the_earlier_one() {
    let folder = folder();
    let store = open(&folder.path().join("posts.db")).await;
    let backups = folder.path().join("backups");
    std::fs::create_dir(&backups).unwrap();
    let file = backups.join("copy.db");
    std::fs::write(&file, "an earlier one").unwrap();
    // Each is dropped a little later than the one before, the last one when SQLite has begun to write.
    for polls in (0..).step_by(5) {
        let was_written = drop_after(polls, store.backup(&file), &backups).await;
        assert_eq!(names(&backups), ["copy.db"], "after {polls} polls");
        if was_written {
            break;
        }
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"an earlier one");
    store.backup(&file).await.unwrap();
    assert_eq!(names(&backups), ["copy.db"]);
    open(&file).await;
}

/// Waits until no file that was removed from the folder is open. Returns the last known length of the longest.
#[cfg(target_os = "linux")]
fn length_at_the_end(folder: &Path) -> u64 {
    let mut last = 0;
    loop {
        let links = std::fs::read_dir("/proc/self/fd").unwrap();
        let links = links.map(|link| link.unwrap().path());
        let removed = links.filter(|link| {
            let file = std::fs::read_link(link).unwrap_or_default();
            file.starts_with(folder) && file.to_string_lossy().ends_with(" (deleted)")
        });
        let lengths = removed.filter_map(|link| Some(link.metadata().ok()?.len()));
        match lengths.max() {
            Some(length) => last = length,
            None => return last,
        }
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn sqlite_stops_to_copy_when_a_backup_is_dropped() {
    let folder = folder();
    let store = open(&folder.path().join("posts.db")).await;
    for number in 0..200 {
        let mut post = post(number);
        post.body = "x".repeat(100_000);
        assert_eq!(store.insert_post(post).await.unwrap(), Outcome::Applied);
    }
    let backups = folder.path().join("backups");
    std::fs::create_dir(&backups).unwrap();
    let file = backups.join("copy.db");
    store.backup(&file).await.unwrap();
    let whole = file.metadata().unwrap().len();
    // On a busy machine, some are dropped too late.
    for _ in 0..20 {
        assert!(drop_after(usize::MAX, store.backup(&file), &backups).await);
        if length_at_the_end(&backups) < whole {
            return;
        }
    }
    panic!("each dropped backup copied all {whole} bytes");
}

#[tokio::test]
async fn a_backup_does_not_replace_the_database_itself() {
    let (folder, path) = database();
    let store = open(&path).await;
    assert_eq!(store.insert_post(post(1)).await.unwrap(), Outcome::Applied);
    std::os::unix::fs::symlink(&path, folder.path().join("link.db")).unwrap();
    for name in ["posts.db", "./posts.db", "link.db"] {
        assert!(
            store.backup(folder.path().join(name)).await.is_err(),
            "{name}"
        );
    }
    assert!(store.read_post(id(1)).await.unwrap().is_some());
}

#[tokio::test]
async fn a_backup_has_the_tables_of_the_host() {
    let (folder, path) = database();
    let store = open(&path).await;
    let mut connection = host(&path).await;
    let make = "CREATE TABLE visitors (name TEXT); INSERT INTO visitors VALUES ('Ada')";
    sqlx::raw_sql(make).execute(&mut connection).await.unwrap();
    let file = folder.path().join("copy.db");
    store.backup(&file).await.unwrap();
    let mut copy = host(&file).await;
    let name: String = sqlx::query_scalar("SELECT name FROM visitors")
        .fetch_one(&mut copy)
        .await
        .unwrap();
    assert_eq!(name, "Ada");
}
