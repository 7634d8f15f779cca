//! How a transaction that writes begins and ends.
//!
//! A node of Galera rolls a transaction back when one of another node comes first. MariaDB 10.11 does not always report
//! this to prepared statements: those that follow succeed, outside of the transaction. So nothing commits by itself
//! here, and the commit fails if the savepoint of the beginning is gone.

use sqlx::MySqlConnection;

use super::statement::execute;

/// The savepoint.
pub(super) const NAME: &str = "handbill_transaction";
/// More statements may follow. `START TRANSACTION` also waits for what other nodes have acknowledged.
pub(super) const BEGIN: &str =
    "SET autocommit = 0; START TRANSACTION; SAVEPOINT handbill_transaction";

/// Commits, by a statement of its own, so that no error is lost between two. What follows on this connection does not
/// commit by itself either.
pub(super) async fn commit(connection: &mut MySqlConnection) -> sqlx::Result<()> {
    execute(connection, "RELEASE SAVEPOINT handbill_transaction").await?;
    execute(connection, "COMMIT").await
}
