//! The triggers of a host stay when its tables are upgraded, and run with each change.

use handbill::Draft;
use handbill_sql::{MySqlStore, PostgresStore, SqliteStore};
use handbill_tests::mariadb::MariaDb;
use handbill_tests::postgres::Postgres;
use sqlx::{AssertSqlSafe, Executor};

use crate::{service, sqlite};

const AUDIT: &str = "CREATE TABLE app_audit (what TEXT, post TEXT, revision BIGINT)";
const AUDITED: &str = "SELECT what, post, revision FROM app_audit";

type Row = (String, String, i64);

/// The triggers that the README of `handbill-sql` promises to preserve.
fn triggers(database: &str) -> String {
    let readme = include_str!("../../../integrations/sql/README.md");
    let (_, block) = readme.split_once(&format!("```sql {database}\n")).unwrap();
    block.split_once("```").unwrap().0.to_owned()
}

/// Creates a post and deletes it. Returns the rows that triggers have to make of that.
async fn create_and_delete(handbill: handbill::Handbill) -> [Row; 2] {
    let posts = handbill.posts();
    let id = posts.create(Draft::new().body("A post.")).await.unwrap().id;
    posts.delete(id).await.unwrap();
    ["post.created", "post.deleted"].map(|what| (what.to_owned(), id.to_string(), 1))
}

#[tokio::test]
async fn in_a_file_of_each_schema() {
    for schema in sqlite::FIRST_SCHEMA..=sqlite::latest_schema().await {
        let (_folder, path) = sqlite::copy(schema);
        let mut host = sqlite::connect(&path).await;
        host.execute(AUDIT).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(triggers("sqlite")))
            .execute(&mut host)
            .await
            .unwrap();
        let store = SqliteStore::open(&path).await.unwrap();
        let expected = create_and_delete(service(store)).await;
        let rows: Vec<Row> = sqlx::query_as(AUDITED).fetch_all(&mut host).await.unwrap();
        assert_eq!(rows, expected);
    }
}

/// In a database of each schema.
macro_rules! databases {
    ($database:ident, $Server:ident, $Store:ident) => {
        #[tokio::test]
        async fn $database() {
            let Some(server) = $Server::shared().await else {
                return;
            };
            for schema in
                crate::$database::FIRST_SCHEMA..=crate::$database::latest_schema(&server).await
            {
                let address = crate::$database::restore(&server, schema).await;
                let mut host = crate::$database::connect(&address).await;
                host.execute(AUDIT).await.unwrap();
                let triggers = AssertSqlSafe(triggers(stringify!($database)));
                sqlx::raw_sql(triggers).execute(&mut host).await.unwrap();
                let store = $Store::open(&address).await.unwrap();
                let expected = create_and_delete(service(store)).await;
                let rows: Vec<Row> = sqlx::query_as(AUDITED).fetch_all(&mut host).await.unwrap();
                assert_eq!(rows, expected);
            }
        }
    };
}

mod in_a_database_of_each_schema {
    use super::*;

    databases!(postgres, Postgres, PostgresStore);
    databases!(mysql, MariaDb, MySqlStore);
}
