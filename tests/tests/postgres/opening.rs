//! Opening a database: creating tables, finding them, and refusing other schemas.

use std::error::Error;

use handbill::Store;
use handbill::store::{InstallationSecret, Outcome};
use handbill_sql::PostgresStore;
use handbill_tests::calls::Calls;
use handbill_tests::postgres::Postgres;
use sqlx::{Executor, Row};

use super::{connect, open};
use handbill_tests::postgres::posts::post;

#[tokio::test(flavor = "multi_thread")]
async fn ten_instances_start_at_once_on_an_empty_database() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    for _ in 0..3 {
        let address = server.create_database().await;
        let opened = (0..10).map(|_| {
            let address = address.clone();
            tokio::spawn(async move { PostgresStore::open(&address).await })
        });
        let mut stores = Vec::new();
        for opened in opened.collect::<Vec<_>>() {
            stores.push(opened.await.expect("it opens").expect("a store"));
        }
        for (number, store) in (0..).zip(&stores) {
            let write = store.insert_post(post(number, 0, &[])).await;
            assert_eq!(write.expect("a write"), Outcome::Applied);
        }
        let found = stores[0].read_post(post(9, 0, &[]).summary.id).await;
        assert!(found.expect("a read").is_some());
        for store in stores {
            store.close().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_instances_that_start_at_once_have_one_secret() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let starts = (0..10).map(|number| {
        let address = address.clone();
        tokio::spawn(async move {
            let candidate = InstallationSecret::from_bytes([number; 32]);
            let store = open(&address).await;
            let secret = store.get_or_insert_installation_secret(candidate).await;
            store.close().await;
            secret.expect("a secret")
        })
    });
    let mut secrets = Vec::new();
    for start in starts.collect::<Vec<_>>() {
        secrets.push(start.await.expect("it starts"));
    }
    assert!(secrets.iter().all(|secret| *secret == secrets[0]));
    // A person finds it as the schema says.
    let found = "SELECT secret FROM handbill_secrets WHERE name = 'installation'";
    let found = connect(&address).await.fetch_one(found).await;
    let found: Vec<u8> = found.expect("a row").get(0);
    assert!(found == secrets[0].as_bytes());
}

#[tokio::test]
async fn tables_are_created_in_the_named_schema_beside_tables_of_the_same_name() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let mut host = connect(&address).await;
    // Tables with the same names, and a table of the host.
    let of_others = "CREATE TABLE handbill_posts (title TEXT);
        CREATE TABLE handbill_meta (opened BIGINT);
        CREATE TABLE posts (id BIGINT);
        CREATE SCHEMA blog; CREATE SCHEMA news";
    host.execute(of_others).await.expect("tables");
    let [blog, news] =
        ["blog", "news"].map(|schema| format!("{address}?options[search_path]={schema}"));
    let (blog, news) = (open(&blog).await, open(&news).await);
    let written = blog.insert_post(post(1, 0, &[])).await;
    assert_eq!(written.expect("a write"), Outcome::Applied);
    let id = post(1, 0, &[]).summary.id;
    assert!(blog.read_post(id).await.expect("a read").is_some());
    assert!(news.read_post(id).await.expect("a read").is_none());
    let tables = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'";
    let tables = host.fetch_one(tables).await.expect("a response");
    assert_eq!(tables.get::<i64, _>(0), 3, "other tables");

    let refused = PostgresStore::open(&address).await;
    assert!(refused.is_err(), "it uses tables that are not its own");
}

#[tokio::test]
async fn a_user_without_create_privilege_can_use_existing_tables() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let user = format!("writer_{}", address.rsplit('_').next().expect("a number"));
    let as_user = address.replacen("handbill@", &format!("{user}@"), 1);
    let mut owner = connect(&address).await;
    let make = sqlx::AssertSqlSafe(format!("CREATE ROLE {user} LOGIN"));
    sqlx::raw_sql(make)
        .execute(&mut owner)
        .await
        .expect("a user");
    assert!(PostgresStore::open(&as_user).await.is_err());

    open(&address).await.close().await;
    let grant = sqlx::AssertSqlSafe(format!(
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {user}"
    ));
    sqlx::raw_sql(grant)
        .execute(&mut owner)
        .await
        .expect("rights");
    let store = open(&as_user).await;
    let written = store.insert_post(post(1, 0, &["a"])).await;
    assert_eq!(written.expect("a write"), Outcome::Applied);
    let first = post(1, 0, &[]).summary;
    let deleted = store.delete_post(first.id, first.revision).await;
    assert_eq!(deleted.expect("a write"), Outcome::Applied);
    assert_eq!(store.list_tags(10).await.expect("tags"), []);
}

#[tokio::test]
async fn another_schema_is_refused_by_its_number_with_one_clear_line() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    open(&address).await.close().await;
    let mut connection = connect(&address).await;
    for (schema, expected) in [
        (
            3,
            "its tables have schema 3, and this version of Handbill upgrades schema 4",
        ),
        (1000, "its tables have schema 1000, which a later version"),
    ] {
        let update = format!("UPDATE handbill_meta SET value = {schema} WHERE name = 'schema'");
        connection
            .execute(sqlx::AssertSqlSafe(update))
            .await
            .expect("another schema");
        let refused = PostgresStore::open(&address).await.expect_err("it opens");
        let reason = refused.source().expect("a reason").to_string();
        assert!(
            reason.contains(expected) && !reason.contains('\n'),
            "{reason}"
        );
    }
}

#[tokio::test]
async fn calls_of_a_closed_store_are_errors() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let store = open(&server.create_database().await).await;
    let same = store.clone();
    store.close().await;
    same.close().await;
    let first = post(1, 0, &[]);
    assert!(same.insert_post(first.clone()).await.is_err());
    assert!(same.read_post(first.summary.id).await.is_err());
    assert!(same.health().await.is_err());
}
