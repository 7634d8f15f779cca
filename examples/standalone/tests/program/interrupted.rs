//! Commands that a signal stops, or whose output is closed.

use std::fs;
use std::process::{Output, Stdio};
use std::time::Duration;

use handbill_tests::load::get;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::place::{Place, send, stderr};

/// More than one import has under way, and whose table does not fit into a pipe.
const FILES: usize = 2000;

fn with_files() -> Place {
    let place = Place::new();
    fs::create_dir(place.file("posts")).unwrap();
    for number in 0..FILES {
        fs::write(place.file(&format!("posts/{number}.md")), "A post.\n").unwrap();
    }
    place
}

/// Starts a command on the database.
fn spawn(place: &Place, arguments: &[&str]) -> Child {
    let mut command = place.command(arguments);
    command.args(["--database", &place.database()]);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true).spawn().unwrap()
}

/// Does nothing if it has ended.
async fn interrupt(child: &Child) {
    let Some(id) = child.id() else { return };
    let mut kill = Command::new("kill");
    kill.args(["-s", "INT", &id.to_string()]);
    assert!(kill.status().await.unwrap().success());
}

async fn end(child: Child) -> Output {
    let ended = tokio::time::timeout(Duration::from_secs(60), child.wait_with_output());
    ended.await.expect("it ends").unwrap()
}

async fn posts(place: &Place) -> usize {
    let program = place.start(&[]).await;
    let list = send(&program, &get("/api/posts")).await.json();
    list["total"].as_u64().unwrap().try_into().unwrap()
}

#[tokio::test]
async fn a_stopped_import_has_printed_all_posts_that_it_created() {
    let place = with_files();
    let mut import = spawn(&place, &["import", "posts"]);
    let mut table = BufReader::new(import.stdout.take().unwrap());
    let mut lines = String::new();
    table.read_line(&mut lines).await.unwrap();
    // It can't end before its table is read.
    interrupt(&import).await;
    table.read_to_string(&mut lines).await.unwrap();
    let printed = lines.lines().count();
    let ended = end(import).await;
    let message = format!("stopped by a signal; {printed} posts were created");
    assert!(stderr(&ended).contains(&message), "{ended:?}");
    assert!(printed < FILES);
    assert_eq!(posts(&place).await, printed);
}

#[tokio::test]
async fn an_import_whose_table_nobody_reads_says_how_many_posts_it_created() {
    let place = with_files();
    let mut import = spawn(&place, &["import", "posts"]);
    drop(import.stdout.take());
    let ended = end(import).await;
    assert!(!ended.status.success());
    let created = posts(&place).await;
    let message = format!("the table: Broken pipe (os error 32); {created} posts were created");
    assert!(stderr(&ended).contains(&message), "{ended:?}");
    assert!(created < FILES);
}

#[tokio::test]
async fn a_stopped_export_leaves_no_unfinished_file() {
    let place = with_files();
    let imported = place.run(&["import", "posts"]).await;
    assert!(imported.status.success());
    let folder = place.file("exported");
    let names = || {
        let files = fs::read_dir(&folder).into_iter().flatten();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        names.collect::<Vec<_>>()
    };
    let is_post = |name: &String| name.ends_with(".md");
    for _ in 0..5 {
        let mut export = spawn(&place, &["export", "--markdown", "exported"]);
        while !names().iter().any(is_post) && export.try_wait().unwrap().is_none() {
            tokio::task::yield_now().await;
        }
        interrupt(&export).await;
        end(export).await;
        let names = names();
        assert!(names.iter().all(is_post), "{names:?}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
