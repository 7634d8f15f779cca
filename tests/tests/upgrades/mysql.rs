//! Dumps of MySQL databases of each schema.

use handbill_sql::MySqlStore;
use handbill_tests::mariadb::MariaDb;
use sqlx::{Connection, Executor, MySqlConnection, Row};
use tokio::process::Command;

/// The earliest schema that can be upgraded.
pub(crate) const FIRST_SCHEMA: i64 = 1;

fn dump(server: &MariaDb, address: &str) -> Command {
    let mut dump = Command::new("mariadb-dump");
    dump.args(["--no-defaults", "--hex-blob", "--skip-dump-date"]);
    dump.args(["--skip-extended-insert", "--no-tablespaces"]);
    dump.args(["--host=127.0.0.1", "--user=handbill"]);
    dump.arg(format!("--port={}", server.port()));
    dump.args(address.rsplit('/').next());
    dump
}

crate::dumps::dumps!(MariaDb, MySqlStore, MySqlConnection, "mysql");
