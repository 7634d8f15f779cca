//! Statements as MySQL takes them.

use sqlx::mysql::MySqlArguments;
use sqlx::{MySql, MySqlConnection, SqlSafeStr};

use crate::query::Query;

pub(super) type Statement = sqlx::query::Query<'static, MySql, MySqlArguments>;

/// MySQL's parameters have no numbers, so the value of one is sent for each place where it stands.
pub(super) fn statement(query: &Query<'_>) -> Statement {
    let mut parts = query.sql.split('$');
    let mut sql = parts.next().unwrap_or_default().to_owned();
    let mut values = Vec::new();
    for part in parts {
        let rest = part.trim_start_matches(|character: char| character.is_ascii_digit());
        match part[..part.len() - rest.len()].parse::<usize>() {
            Ok(number) => {
                values.push(query.values[number - 1].clone());
                sql.push('?');
            }
            // A path in JSON begins like this.
            Err(_) => sql.push('$'),
        }
        sql.push_str(rest);
    }
    let sql = sql.into();
    Query { sql, values }.into_statement()
}

/// Runs statements without parameters and rows, in one round trip.
pub(super) async fn execute(
    connection: &mut MySqlConnection,
    statements: impl SqlSafeStr,
) -> sqlx::Result<()> {
    let statements = sqlx::raw_sql(statements);
    statements.execute(connection).await.map(drop)
}
