//! The audit by the host's statements has what the audit by its triggers has, however often the host is killed.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::task::JoinSet;

use super::*;

/// `HANDBILL_KILLS` sets another number.
const KILLS: usize = 3;
const WRITERS: usize = 4;
/// Tells the child process which database it writes to: a path, or a URL.
const DATABASE: &str = "HANDBILL_TEST_DATABASE";

#[tokio::test]
async fn statements_and_triggers_agree_after_kills_in_sqlite() {
    let host = SqliteHost::start().await.unwrap();
    host.open().await.close().await;
    host.add_triggers().await;
    let acknowledged = kill_often(host.file.to_str().unwrap()).await;
    let by_triggers = sqlx::query_as(BY_TRIGGERS)
        .fetch_all(&host.pool)
        .await
        .unwrap();
    compare(&acknowledged, by_triggers, host.audit().await);
}

macro_rules! agree_after_kills {
    ($name:ident, $Host:ident, $begin:expr) => {
        #[tokio::test]
        async fn $name() {
            let Some(host) = $Host::start().await else {
                return;
            };
            host.open().await.close().await;
            host.add_triggers().await;
            let acknowledged = kill_often(&host.url).await;
            // The last commit may still be under way, so both are read at one moment.
            let mut moment = host.pool.begin_with($begin).await.unwrap();
            let by_triggers = sqlx::query_as(BY_TRIGGERS).fetch_all(&mut *moment);
            let by_triggers = by_triggers.await.unwrap();
            let by_statements = sqlx::query_as("SELECT * FROM audit").fetch_all(&mut *moment);
            compare(&acknowledged, by_triggers, by_statements.await.unwrap());
        }
    };
}

agree_after_kills!(
    statements_and_triggers_agree_after_kills_in_postgres,
    PostgresHost,
    "BEGIN ISOLATION LEVEL REPEATABLE READ"
);
agree_after_kills!(
    statements_and_triggers_agree_after_kills_in_mysql,
    MySqlHost,
    "START TRANSACTION WITH CONSISTENT SNAPSHOT"
);

/// What happened to which post, with its revision.
type Change = (String, String, i64);

const BY_TRIGGERS: &str = "SELECT what, post, revision FROM app_audit";

/// Starts a process that writes, and kills it, several times. Returns what it was told to be done.
async fn kill_often(database: &str) -> Vec<Change> {
    let kills = std::env::var("HANDBILL_KILLS").ok();
    let kills = kills.map_or(KILLS, |kills| kills.parse().unwrap());
    let mut acknowledged = Vec::new();
    for kill in 0..kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "kills::write_until_killed",
                "--ignored",
                "--nocapture",
            ])
            .env(DATABASE, database)
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (mut changes, enough) = (Vec::new(), 20 + 7 * (kill % 20));
        while let Some(line) = lines.next_line().await.unwrap() {
            changes.extend(line.strip_prefix("done ").map(change));
            if changes.len() == enough {
                child.start_kill().unwrap();
            }
        }
        assert!(changes.len() >= enough, "the process ended by itself");
        acknowledged.extend(changes);
    }
    acknowledged
}

fn change(line: &str) -> Change {
    let [what, post, revision] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
    (what.to_owned(), post.to_owned(), revision.parse().unwrap())
}

fn compare(acknowledged: &[Change], mut by_triggers: Vec<Change>, by_statements: Vec<Row>) {
    let by_statements = by_statements.into_iter();
    let mut by_statements: Vec<Change> = by_statements
        .map(|(_, _, what, post, revision)| (what, post, revision.unwrap()))
        .collect();
    by_triggers.sort_unstable();
    by_statements.sort_unstable();
    assert!(
        by_triggers == by_statements,
        "{by_triggers:?} and {by_statements:?}"
    );
    for change in acknowledged {
        assert!(
            by_statements.binary_search(change).is_ok(),
            "{change:?} is lost"
        );
    }
    println!(
        "{} changes acknowledged, {} in both audits",
        acknowledged.len(),
        by_statements.len()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the process that the tests of this file start and kill"]
async fn write_until_killed() {
    let Ok(database) = std::env::var(DATABASE) else {
        return;
    };
    macro_rules! audited {
        ($Store:ident) => {
            service(
                $Store::open(&database)
                    .await
                    .unwrap()
                    .with_statements(|connection, change| {
                        Box::pin(async move {
                            record!(connection, change)?;
                            Ok(())
                        })
                    }),
            )
        };
    }
    let handbill = match database.split(':').next() {
        Some("postgres") => audited!(PostgresStore),
        Some("mysql") => audited!(MySqlStore),
        _ => audited!(SqliteStore),
    };
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        writers.spawn(write(handbill.clone()));
    }
    writers.join_all().await;
}

/// Creates, changes and deletes posts, and says what is done.
async fn write(handbill: Handbill) {
    let posts = handbill.posts();
    loop {
        let post = posts.create(draft("a post")).await.unwrap();
        println!("done post.created {} 1", post.id);
        posts.update(post.id, draft("a better post")).await.unwrap();
        println!("done post.updated {} 2", post.id);
        // Readers do not see it, so it is in no audit.
        posts.replace_edit_token(post.id).await.unwrap();
        posts.delete(post.id).await.unwrap();
        println!("done post.deleted {} 3", post.id);
    }
}
