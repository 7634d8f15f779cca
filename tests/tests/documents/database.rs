//! The host's own statements with each change.

use handbill::{Draft, Handbill};
use handbill_sql::SqliteStore;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};

use super::Failure;

#[tokio::test]
async fn a_statement_of_the_app_is_in_the_transaction_of_the_change() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("app.db");
    let options = SqliteConnectOptions::new().filename(&file);
    let options = options.create_if_missing(true);
    let mut app = SqliteConnection::connect_with(&options).await?;
    let table = "CREATE TABLE audit (number INTEGER, who TEXT, what TEXT, subject TEXT)";
    sqlx::query(table).execute(&mut app).await?;
    let store = SqliteStore::open(&file).await?;

    let store = store.with_statements(|connection, change| {
        Box::pin(async move {
            sqlx::query("INSERT INTO audit (number, who, what, subject) VALUES ($1, $2, $3, $4)")
                .bind(change.number.cast_signed())
                .bind(change.by.to_string())
                .bind(change.event.name())
                .bind(change.event.subject())
                .execute(connection)
                .await?;
            Ok(())
        })
    });

    let handbill = Handbill::new("https://example.org", store)?;
    let created = handbill.posts().create(Draft::new().body("x")).await?;
    let rows: Vec<(String, String, String)> =
        sqlx::query_as("SELECT who, what, subject FROM audit")
            .fetch_all(&mut app)
            .await?;
    let expected = ["host".into(), "post.created".into(), created.id.to_string()];
    assert_eq!(
        rows.into_iter().map(<[_; 3]>::from).collect::<Vec<_>>(),
        [expected]
    );
    Ok(())
}
