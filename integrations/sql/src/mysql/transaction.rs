//! How a transaction that writes begins and ends.
//!
//! A node of Galera rolls a transaction back when one of another node comes first. MariaDB 10.11 does not always report
//! this to prepared statements: those that follow succeed, outside of the transaction. So nothing commits by itself
//! here, and the commit fails if the savepoint of the beginning is gone.

use sqlx::MySqlConnection;

use super::writer::execute;

/// Several statements, after which more may follow.
pub(super) const BEGIN: &str = "SET autocommit = 0; SAVEPOINT handbill_transaction";
const COMMIT: &str = "RELEASE SAVEPOINT handbill_transaction; COMMIT; SET autocommit = 1";
const ROLLBACK: &str = "ROLLBACK; SET autocommit = 1";

pub(super) async fn commit(connection: &mut MySqlConnection) -> sqlx::Result<()> {
    execute(connection, COMMIT).await
}

pub(super) async fn roll_back(connection: &mut MySqlConnection) -> sqlx::Result<()> {
    execute(connection, ROLLBACK).await
}

/// Whether this is the error of a commit of which nothing is left to commit.
pub(super) fn is_gone(number: u16, message: &str) -> bool {
    // ER_SP_DOES_NOT_EXIST
    number == 1305 && message.contains("handbill_transaction")
}
