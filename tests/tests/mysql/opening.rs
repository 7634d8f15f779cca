//! Opening a database: creating tables, finding them, and refusing those of others.

use handbill::Store;
use handbill::store::{InstallationSecret, Outcome};
use handbill_sql::MySqlStore;
use handbill_testing::samples::post;
use handbill_tests::calls::Calls;
use handbill_tests::mariadb::MariaDb;
use sqlx::{AssertSqlSafe, Executor, MySqlConnection, Row};

use super::{connect, open, reason};

/// The tables of a database, in their order.
async fn tables(connection: &mut MySqlConnection) -> Vec<String> {
    let rows = connection.fetch_all("SHOW TABLES").await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_instances_start_at_once_on_an_empty_database_and_have_one_secret() {
    let Some(server) = MariaDb::shared().await else {
        return;
    };
    for _ in 0..3 {
        let address = server.create_database().await;
        let starts = (0..10).map(|number| {
            let address = address.clone();
            tokio::spawn(async move {
                let store = open(&address).await;
                let candidate = InstallationSecret::from_bytes([number; 32]);
                let secret = store.get_or_insert_installation_secret(candidate).await;
                let written = store.insert_post(post(number.into())).await;
                assert_eq!(written.unwrap(), Outcome::Applied);
                store.close().await;
                *secret.unwrap().as_bytes()
            })
        });
        let mut secrets = Vec::new();
        for start in starts.collect::<Vec<_>>() {
            secrets.push(start.await.unwrap());
        }
        assert!(secrets.iter().all(|secret| *secret == secrets[0]));
        let posts = open(&address).await.walk_entries(None, 20).await;
        assert_eq!(posts.unwrap().len(), 10);
    }
}

#[tokio::test]
async fn tables_are_beside_those_of_the_host_and_named_after_handbill() {
    let Some(server) = MariaDb::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let mut host = connect(&address).await;
    let create = "CREATE TABLE posts (id BIGINT); CREATE TABLE handbills (id BIGINT)";
    host.execute(create).await.unwrap();
    open(&address).await.close().await;
    let tables = tables(&mut host).await;
    let others = tables.iter().filter(|name| !name.starts_with("handbill_"));
    assert_eq!(others.collect::<Vec<_>>(), ["handbills", "posts"]);
    let routines = "SELECT
        (SELECT COUNT(*) FROM information_schema.routines WHERE routine_schema = DATABASE())
        + (SELECT COUNT(*) FROM information_schema.triggers WHERE trigger_schema = DATABASE())";
    let routines = host.fetch_one(routines).await.unwrap();
    assert_eq!(routines.get::<i64, _>(0), 0);
}

#[tokio::test]
async fn tables_of_the_host_that_are_named_like_those_of_handbill_are_refused_and_left_alone() {
    let Some(server) = MariaDb::shared().await else {
        return;
    };
    for (table, expected) in [
        ("handbill_posts (title TEXT)", "handbill_posts"),
        (
            "handbill_meta (opened BIGINT)",
            "handbill_meta is not a table of Handbill",
        ),
    ] {
        let address = server.create_database().await;
        let mut host = connect(&address).await;
        let create = AssertSqlSafe(format!("CREATE TABLE {table}"));
        host.execute(create).await.unwrap();
        let refused = reason(MySqlStore::open(&address).await);
        assert!(refused.contains(expected), "{refused}");
        assert_eq!(tables(&mut host).await.len(), 1);
    }
}

#[tokio::test]
async fn what_is_opened_as_it_is_gets_no_tables() {
    let Some(server) = MariaDb::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let refused = reason(MySqlStore::open_as_it_is(&address).await);
    assert!(
        refused.contains("it has no tables of Handbill"),
        "{refused}"
    );
    let schema = MySqlStore::schema(&address).await.unwrap();
    assert_eq!(schema.found, None);
    assert!(tables(&mut connect(&address).await).await.is_empty());
    open(&address).await.close().await;
    let schema = MySqlStore::schema(&address).await.unwrap();
    assert_eq!(schema.found, Some(schema.needed));
    MySqlStore::open_as_it_is(&address).await.unwrap();
}

#[tokio::test]
async fn another_schema_is_refused_by_its_number() {
    let Some(server) = MariaDb::shared().await else {
        return;
    };
    let address = server.create_database().await;
    open(&address).await.close().await;
    let mut connection = connect(&address).await;
    for (schema, expected) in [
        (
            0,
            "its tables have schema 0, and this version of Handbill upgrades schema 1",
        ),
        (1000, "its tables have schema 1000, which a later version"),
    ] {
        let update = format!("UPDATE handbill_meta SET value = {schema} WHERE name = 'schema'");
        connection.execute(AssertSqlSafe(update)).await.unwrap();
        for refused in [
            MySqlStore::open(&address).await.map(drop),
            MySqlStore::open_as_it_is(&address).await.map(drop),
            MySqlStore::schema(&address).await.map(drop),
        ] {
            let reason = reason(refused);
            assert!(reason.contains(expected), "{reason}");
        }
    }
}

#[tokio::test]
async fn a_user_that_may_only_read_and_write_can_use_existing_tables() {
    let Some(server) = MariaDb::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let database = address.rsplit('/').next().unwrap();
    let user = format!("writer_{database}");
    let grant = format!(
        "CREATE USER {user}@'%'; GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.* TO {user}@'%'"
    );
    server.execute(&grant).await;
    let as_user = address.replacen("handbill@", &format!("{user}@"), 1);
    let refused = reason(MySqlStore::open(&as_user).await);
    assert!(refused.contains("CREATE command denied"), "{refused}");

    open(&address).await.close().await;
    let store = open(&as_user).await;
    let first = post(1);
    for outcome in [
        store.insert_post(first.clone()).await,
        store
            .delete_post(first.summary.id, first.summary.revision)
            .await,
    ] {
        assert_eq!(outcome.unwrap(), Outcome::Applied);
    }
    assert_eq!(store.list_tags(10).await.unwrap(), []);
}

#[tokio::test]
async fn calls_of_a_closed_store_are_errors() {
    let Some(server) = MariaDb::shared().await else {
        return;
    };
    let store = open(&server.create_database().await).await;
    let same = store.clone();
    store.close().await;
    same.close().await;
    assert!(same.insert_post(post(1)).await.is_err());
    assert!(same.read_post(post(1).summary.id).await.is_err());
    assert!(same.health().await.is_err());
}

#[tokio::test]
async fn no_error_repeats_an_address_or_its_password() {
    let Some(server) = MariaDb::shared().await else {
        return;
    };
    let database = server.create_database().await;
    let with_password = database.replacen("handbill@", "handbill:s3cret@", 1);
    let unreachable = "mysql://handbill:s3cret@127.0.0.1:1/x";
    for address in [
        with_password.as_str(),
        unreachable,
        "mysql://handbill:s3cret@127.0.0.1:port/x",
        "mysql://handbill:/s3cret@127.0.0.1/x",
        "mysql://handbill:s3cret@127.0.0.1/x?sslmode=s3cret",
        "mysql://handbill:s3cret@127.0.0.1/x?s3cret=1",
        "mysql://handbill:s3cret@127.0.0.1/",
        "mysql:s3cret",
    ] {
        let refused = MySqlStore::open(address).await.unwrap_err();
        let shown = format!("{refused} {refused:?}");
        assert!(!shown.contains("s3cret"), "{shown}");
    }
    let shown = format!("{:?}", open(&database).await);
    assert!(!shown.contains("127.0.0.1"), "{shown}");
}
