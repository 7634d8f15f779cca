//! What `handbill-sql` promises to hosts that read its tables, and have triggers on them.

use handbill::{Handbill, PageRequest, Visibility};

use super::*;

/// The tables of the README with their columns.
fn promised() -> Vec<(String, String)> {
    let rows = README.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `handbill_")?.split(" | ");
        let table = cells.next()?.trim_end_matches('`');
        let columns = cells.next()?.trim_end_matches(" |").replace('`', "");
        Some((format!("handbill_{table}"), columns))
    });
    rows.collect()
}

async fn publish(handbill: &Handbill) -> String {
    let post = draft("A title")
        .tags(["rust"])
        .owner("alice".parse().unwrap());
    let id = handbill.posts().create(post).await.unwrap().id;
    let owner = "alice".parse().unwrap();
    handbill
        .keys()
        .issue(Some("ci"), Some(owner))
        .await
        .unwrap();
    id.to_string()
}

macro_rules! checks {
    ($database:ident, $Host:ident) => {
        mod $database {
            use super::*;

            #[tokio::test]
            async fn a_host_may_read_the_promised_columns() {
                let Some(host) = $Host::start().await else {
                    return;
                };
                let handbill = service(host.open().await);
                let id = publish(&handbill).await;
                assert_eq!(promised().len(), 2);
                for (table, columns) in promised() {
                    let statement = format!("SELECT {columns} FROM {table}");
                    let rows = sqlx::query(sqlx::AssertSqlSafe(statement)).fetch_all(&host.pool);
                    assert_eq!(rows.await.unwrap().len(), 1, "{table}");
                }
                let read = "SELECT id, visibility, owner, title, tags, body FROM handbill_posts";
                let row: (
                    String,
                    String,
                    Option<String>,
                    Option<String>,
                    String,
                    String,
                ) = sqlx::query_as(read).fetch_one(&host.pool).await.unwrap();
                let expected = (
                    id,
                    Visibility::Public.as_str().to_owned(),
                    Some("alice".to_owned()),
                    Some("A title".to_owned()),
                    r#"["rust"]"#.to_owned(),
                    "Some text.".to_owned(),
                );
                assert_eq!(row, expected);
            }

            #[tokio::test]
            async fn a_trigger_that_fails_refuses_the_change() {
                let Some(host) = $Host::start().await else {
                    return;
                };
                let handbill = service(host.open().await);
                // Without its table.
                let triggers = triggers(stringify!($database));
                sqlx::raw_sql(sqlx::AssertSqlSafe(triggers))
                    .execute(&host.pool)
                    .await
                    .unwrap();
                handbill.posts().create(draft("a post")).await.unwrap_err();
                let page = PageRequest::new(1, 10).unwrap();
                assert!(handbill.posts().list(page).await.unwrap().posts.is_empty());
                sqlx::query(APP_AUDIT).execute(&host.pool).await.unwrap();
                handbill.posts().create(draft("a post")).await.unwrap();
                let rows = sqlx::query("SELECT * FROM app_audit").fetch_all(&host.pool);
                assert_eq!(rows.await.unwrap().len(), 1);
            }
        }
    };
}

checks!(sqlite, SqliteHost);
checks!(postgres, PostgresHost);
checks!(mysql, MySqlHost);

/// Each schema of a database is a site of its own.
#[tokio::test]
async fn two_services_share_a_postgres_database_by_schemas() {
    let Some(host) = PostgresHost::start().await else {
        return;
    };
    let mut sites = Vec::new();
    for schema in ["news", "blog"] {
        let create = sqlx::AssertSqlSafe(format!("CREATE SCHEMA {schema}"));
        sqlx::query(create).execute(&host.pool).await.unwrap();
        let url = format!("{}?options[search_path]={schema}", host.url);
        let handbill = service(PostgresStore::open(&url).await.unwrap());
        handbill.posts().create(draft(schema)).await.unwrap();
        sites.push((schema, handbill));
    }
    for (schema, handbill) in sites {
        let page = PageRequest::new(1, 10).unwrap();
        let posts = handbill.posts().list(page).await.unwrap().posts;
        let titles: Vec<_> = posts
            .iter()
            .map(|post| post.summary.title.as_deref())
            .collect();
        assert_eq!(titles, [Some(schema)]);
    }
}
