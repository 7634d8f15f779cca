//! The files of a SQLite database: who can read them, and what is left in them.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use handbill_tests::load::post_json;
use handbill_tests::program::Program;
use serde_json::Value;
use tokio::process::Command;
use tokio::time::timeout;

use crate::place::{Place, command, new_key, send};

fn database_files(place: &Place) -> Vec<PathBuf> {
    let files = std::fs::read_dir(place.0.path()).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let is_database = |path: &PathBuf| {
        let name = path.file_name().unwrap();
        name.to_str().unwrap().starts_with("posts.db")
    };
    files.filter(is_database).collect()
}

#[tokio::test]
async fn only_the_user_of_the_program_can_read_the_database() {
    let place = Place::new();
    let mut shell = Command::new("sh");
    let program = command(place.0.path());
    shell.args(["-c", "umask 022 && exec \"$@\"", "sh"]);
    shell.arg(program.as_std().get_program());
    shell.args(["--listen", "127.0.0.1:0", "--database", &place.database()]);
    let program = Program::spawn(shell).await;
    new_key(&program).await;
    let files = database_files(&place);
    assert_eq!(
        files.len(),
        3,
        "the database, its log and the log's index: {files:?}"
    );
    for file in files {
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
}

const MARKER: &str = "unmistakable";

fn has_marker(file: &Path) -> bool {
    let bytes = std::fs::read(file).unwrap_or_default();
    bytes
        .windows(MARKER.len())
        .any(|bytes| bytes == MARKER.as_bytes())
}

/// How many of the database's files have deleted text.
fn files_with_marker(place: &Place) -> usize {
    let files = database_files(place);
    files.iter().filter(|file| has_marker(file)).count()
}

/// Creates posts of several lengths that have the marker everywhere, in turn with posts that stay.
async fn create_marked(program: &Program) -> Vec<Value> {
    let key = new_key(program).await;
    let key = format!("X-Api-Key: {}\r\n", key);
    let mut marked = Vec::new();
    for number in 0..60 {
        let word = if number % 2 == 0 { MARKER } else { "plain" };
        let post = serde_json::json!({
            "title": format!("{word} {number}"),
            "body": format!("{word} ").repeat(1 + number * number % 1500),
            "tags": format!("{word}{number}"),
            "focus_keyword": word,
        });
        let created = send(program, &post_json("/api/posts", &key, &post.to_string())).await;
        assert_eq!(created.status, 201);
        if word == MARKER {
            marked.push(created.json());
        }
    }
    marked
}

async fn change(program: &Program, method: &str, post: &Value, body: &str) {
    let path = format!("/api/posts/{}", post["id"].as_str().unwrap());
    let token = format!("X-Edit-Token: {}\r\n", post["edit_token"].as_str().unwrap());
    let request = post_json(&path, &token, body);
    let request = [method.as_bytes(), &request["POST".len()..]].concat();
    let response = send(program, &request).await;
    assert!(response.status.is_success(), "{response:?}");
}

/// Deletes half of the posts and changes the others so that nothing of them is left.
async fn remove(program: &Program, posts: &[Value]) {
    let other = r#"{"title":"Other","body":"Other.","tags":"other","focus_keyword":null}"#;
    for (number, post) in posts.iter().enumerate() {
        match number % 2 {
            0 => change(program, "DELETE", post, "").await,
            _ => change(program, "PUT", post, other).await,
        }
    }
}

#[tokio::test]
async fn what_was_deleted_or_replaced_is_in_no_file_after_a_stop() {
    let place = Place::new();
    let program = place.start(&["--rate-limits", "off"]).await;
    let posts = create_marked(&program).await;
    assert!(files_with_marker(&place) > 0);
    remove(&program, &posts).await;
    assert!(program.stop().await.success());
    assert_eq!(files_with_marker(&place), 0);
}

#[tokio::test]
async fn what_was_deleted_is_in_no_file_soon_also_after_the_program_was_killed() {
    let place = Place::new();
    let program = place.start(&["--rate-limits", "off"]).await;
    let posts = create_marked(&program).await;
    let (last, others) = posts.split_last().unwrap();
    remove(&program, others).await;
    program.kill().await;
    assert!(files_with_marker(&place) > 0);

    let program = place.start(&[]).await;
    change(&program, "DELETE", last, "").await;
    // The log is emptied at most 30 seconds after the last time.
    let erased = async {
        while files_with_marker(&place) > 0 {
            tokio::task::yield_now().await;
        }
    };
    let erased = timeout(Duration::from_secs(60), erased).await;
    erased.expect("it is erased");
}
