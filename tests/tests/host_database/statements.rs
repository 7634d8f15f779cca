//! The host's own statements run in the transaction of each change: both happen, or neither.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;
use handbill::{Actor, Change, Code, Event, PostId};
use sqlx::{MySqlConnection, PgConnection, SqliteConnection};
use tokio::sync::mpsc;

use super::*;

type Failed = Box<dyn std::error::Error + Send + Sync>;

/// How the statements misbehave for posts with this title.
fn title(change: &Change) -> &str {
    match &change.event {
        Event::PostCreated(post) | Event::PostUpdated(post) => {
            post.title.as_deref().unwrap_or_default()
        }
        _ => "",
    }
}

macro_rules! checks {
    ($database:ident, $Host:ident, $Connection:ty, $endless:expr) => {
        pub(crate) mod $database {
            use super::*;

            pub(crate) async fn audit(
                connection: &mut $Connection,
                change: &Change,
            ) -> Result<(), Failed> {
                record!(&mut *connection, change)?;
                let statement = match title(change) {
                    "fails" => return Err("not this one".into()),
                    "panics" => panic!("as the test wants it"),
                    "hangs" => pending().await,
                    "fails in the database" => "INSERT INTO no_such_table VALUES (1)",
                    "rolls back" => "ROLLBACK",
                    "commits" => "COMMIT",
                    "never ends" => $endless,
                    _ => return Ok(()),
                };
                sqlx::raw_sql(statement).execute(connection).await?;
                Ok(())
            }

            /// A host whose statements write an audit.
            async fn audited() -> Option<($Host, Handbill)> {
                let host = $Host::start().await?;
                let store = host.open().await;
                let store =
                    store.with_statements(|connection, change| Box::pin(audit(connection, change)));
                Some((host, service(store)))
            }

            #[tokio::test]
            async fn each_change_has_its_row() {
                let Some((host, handbill)) = audited().await else {
                    return;
                };
                let posts = handbill.posts();
                let id = posts.create(draft("first")).await.unwrap().id;
                posts.update(id, draft("second")).await.unwrap();
                posts.delete(id).await.unwrap();
                let key = handbill.keys().issue(None, None).await.unwrap().record.id;
                let operator = handbill.by(Actor::Operator);
                operator.keys().revoke(key).await.unwrap();
                let row = |number, who: &str, what: &str, subject: &str, revision| {
                    (
                        number,
                        who.to_owned(),
                        what.to_owned(),
                        subject.to_owned(),
                        revision,
                    )
                };
                let expected = [
                    row(1, "host", "post.created", id.as_str(), Some(1)),
                    row(2, "host", "post.updated", id.as_str(), Some(2)),
                    row(3, "host", "post.deleted", id.as_str(), Some(2)),
                    row(4, "host", "key.issued", key.as_str(), None),
                    row(5, "operator", "key.revoked", key.as_str(), None),
                ];
                assert_eq!(host.audit().await, expected);
            }

            #[tokio::test]
            async fn a_change_whose_statements_fail_is_not_made_and_others_are() {
                let Some((host, handbill)) = audited().await else {
                    return;
                };
                let titles = ["fine", "fails", "panics", "fails in the database", "fine"];
                let creations = (0..30).map(|place| {
                    let (handbill, title) = (handbill.clone(), titles[place % titles.len()]);
                    async move { (title, handbill.posts().create(draft(title)).await) }
                });
                let mut created = Vec::new();
                for (title, outcome) in join_all(creations).await {
                    match (title, outcome) {
                        ("fine", post) => created.push(post.unwrap().id),
                        (_, outcome) => {
                            assert_eq!(outcome.unwrap_err().code(), Code::StoreUnavailable)
                        }
                    }
                }
                for title in ["hangs", "never ends"] {
                    let owned = |title| draft(title).owner("ann".parse().unwrap());
                    let given_up = handbill.posts().create(owned(title)).await;
                    assert_eq!(given_up.unwrap_err().code(), Code::StoreUnavailable);
                    let next = handbill.posts().create(owned("fine")).await;
                    created.push(next.unwrap().id);
                }
                assert_all_are_audited(&host, &handbill, &created).await;
            }

            #[tokio::test]
            async fn a_failed_update_leaves_the_post_as_it_was() {
                let Some((host, handbill)) = audited().await else {
                    return;
                };
                let id = handbill.posts().create(draft("fine")).await.unwrap().id;
                let failed = handbill.posts().update(id, draft("fails")).await;
                assert_eq!(failed.unwrap_err().code(), Code::StoreUnavailable);
                let post = handbill.posts().read(id).await.unwrap();
                assert_eq!(post.summary.title.as_deref(), Some("fine"));
                assert_all_are_audited(&host, &handbill, &[id]).await;
            }

            /// What the store acknowledges is there, also if the statements end its transaction.
            #[tokio::test]
            async fn statements_that_end_the_transaction_acknowledge_nothing() {
                let Some((_host, handbill)) = audited().await else {
                    return;
                };
                for title in ["rolls back", "commits"] {
                    let outcome = handbill.posts().create(draft(title)).await;
                    assert_eq!(outcome.unwrap_err().code(), Code::StoreUnavailable);
                    let next = handbill.posts().create(draft("fine")).await.unwrap();
                    handbill.posts().read(next.id).await.unwrap();
                }
            }

            #[tokio::test]
            async fn durable_listeners_hear_of_the_same_changes() {
                let Some((host, handbill)) = audited().await else {
                    return;
                };
                let (tell, mut heard) = mpsc::unbounded_channel();
                let listener = move |change: Change| {
                    let told = tell.send(change);
                    async move { told.map_err(Failed::from) }
                };
                let handbill = handbill.with_durable_listener("test", listener).unwrap();
                let creations = ["fine", "fails", "fine", "panics", "fine"].map(|title| {
                    let handbill = handbill.clone();
                    async move { handbill.posts().create(draft(title)).await }
                });
                let created = join_all(creations).await;
                assert_eq!(created.iter().filter(|post| post.is_ok()).count(), 3);
                handbill.flush().await.unwrap();
                let mut numbers = Vec::new();
                while let Ok(change) = heard.try_recv() {
                    assert_eq!(change.by, Actor::Host);
                    numbers.push((
                        change.number.cast_signed(),
                        change.event.subject().to_owned(),
                    ));
                }
                numbers.sort_unstable();
                let audit = host.audit().await.into_iter();
                let audited: Vec<_> = audit
                    .map(|(number, _, _, subject, _)| (number, subject))
                    .collect();
                assert_eq!(numbers, audited);
            }

            /// The posts that were created are those in the store, and in the audit.
            async fn assert_all_are_audited(host: &$Host, handbill: &Handbill, created: &[PostId]) {
                let mut expected: Vec<_> = created.iter().map(PostId::to_string).collect();
                let page = handbill::PageRequest::new(1, 100).unwrap();
                let posts = handbill.posts().list(page).await.unwrap().posts;
                let mut stored: Vec<_> = posts
                    .iter()
                    .map(|post| post.summary.id.to_string())
                    .collect();
                let audit = host.audit().await.into_iter();
                let mut audited: Vec<_> = audit.map(|(_, _, _, subject, _)| subject).collect();
                for ids in [&mut expected, &mut stored, &mut audited] {
                    ids.sort_unstable();
                }
                assert_eq!(stored, expected);
                assert_eq!(audited, expected);
            }
        }
    };
}

const ENDLESS: &str = "WITH RECURSIVE endless (n) AS (SELECT 1 UNION ALL SELECT 1 FROM endless)
    SELECT count(*) FROM endless";

checks!(sqlite, SqliteHost, SqliteConnection, ENDLESS);
checks!(postgres, PostgresHost, PgConnection, ENDLESS);
// MariaDB ends a recursion after 1,000 steps.
checks!(
    mysql,
    MySqlHost,
    MySqlConnection,
    "SELECT BENCHMARK(1000000000000, SHA2('a', 512))"
);

/// PostgreSQL reports the commit of a transaction in which a statement has failed as a success, and undoes everything.
#[tokio::test]
async fn in_postgres_statements_that_ignore_an_error_make_no_change() {
    let Some(host) = PostgresHost::start().await else {
        return;
    };
    let store = host.open().await.with_statements(|connection, _| {
        Box::pin(async move {
            let failed = sqlx::raw_sql("INSERT INTO no_such_table VALUES (1)").execute(connection);
            assert!(failed.await.is_err());
            Ok(())
        })
    });
    let handbill = service(store);
    let outcome = handbill.posts().create(draft("a post")).await;
    assert_eq!(outcome.unwrap_err().code(), Code::StoreUnavailable);
    let page = handbill::PageRequest::new(1, 10).unwrap();
    assert!(handbill.posts().list(page).await.unwrap().posts.is_empty());
}

/// `$conflict` meets another transaction, and `$fails_late` fails when nothing waits for it any more.
macro_rules! retries {
    ($database:ident, $Host:ident, $Store:ident, $pool:ident, $conflict:expr, $fails_late:expr) => {
        mod $database {
            use super::*;

            #[tokio::test]
            async fn statements_run_again_after_a_conflict() {
                let Some(host) = $Host::start().await else {
                    return;
                };
                let is_first = Arc::new(AtomicBool::new(true));
                let store = host
                    .open()
                    .await
                    .with_statements(move |connection, change| {
                        let is_first = is_first.swap(false, Ordering::Relaxed);
                        Box::pin(async move {
                            record!(&mut *connection, change)?;
                            if is_first {
                                sqlx::raw_sql($conflict).execute(connection).await?;
                            }
                            Ok(())
                        })
                    });
                let handbill = service(store);
                let created = handbill.posts().create(draft("a post")).await.unwrap();
                let audit = host.audit().await;
                assert_eq!(audit.len(), 1);
                assert_eq!(audit[0].3, created.id.as_str());
            }

            #[tokio::test]
            async fn a_connection_is_not_used_again_in_a_transaction_that_failed() {
                let Some(host) = $Host::start().await else {
                    return;
                };
                let pool = $pool(&host.url, 1).await;
                let store = $Store::with_pool(pool.clone()).await.unwrap();
                let store = store.with_statements(|connection, change| {
                    Box::pin(async move {
                        if title(change) == "fails late" {
                            sqlx::raw_sql($fails_late).execute(connection).await?;
                        }
                        Ok(())
                    })
                });
                let handbill = service(store);
                let failed = handbill.posts().create(draft("fails late")).await;
                assert_eq!(failed.unwrap_err().code(), Code::StoreUnavailable);
                let created = handbill.posts().create(draft("fine")).await.unwrap();
                handbill.posts().read(created.id).await.unwrap();
                sqlx::query("SELECT 1").execute(&pool).await.unwrap();
            }
        }
    };
}

mod retries {
    use super::*;

    retries!(
        postgres,
        PostgresHost,
        PostgresStore,
        postgres_pool,
        "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'serialization_failure'; END $$",
        "SELECT pg_sleep(3.5); SELECT 1 / 0"
    );
    retries!(
        mysql,
        MySqlHost,
        MySqlStore,
        mysql_pool,
        "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213",
        "SELECT SLEEP(3.5); SELECT * FROM no_such_table"
    );
}

/// A second store on the same file, as another process has it, runs no statements of this one. Triggers do run.
#[tokio::test]
async fn statements_are_of_one_store_and_its_clones() {
    let host = SqliteHost::start().await.unwrap();
    let store = host.open().await;
    let clone = store.clone();
    let _with_statements = store.with_statements(|connection, change| {
        Box::pin(async move {
            record!(connection, change)?;
            Ok(())
        })
    });
    service(clone)
        .posts()
        .create(draft("by the clone"))
        .await
        .unwrap();
    service(host.open().await)
        .posts()
        .create(draft("by another"))
        .await
        .unwrap();
    assert_eq!(host.audit().await.len(), 1);
}
