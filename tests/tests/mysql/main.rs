//! The guarantees of `MySqlStore` beyond the contract of `Store`.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod counting;
mod failures;
mod opening;
mod settings;
mod tls;

use std::error::Error;

use handbill::store::StoreError;
use handbill_sql::MySqlStore;
use sqlx::{Connection, MySqlConnection};

async fn open(address: &str) -> MySqlStore {
    MySqlStore::open(address).await.unwrap()
}

/// A connection to inspect the tables.
async fn connect(address: &str) -> MySqlConnection {
    MySqlConnection::connect(address).await.unwrap()
}

/// Why a call failed, on one line.
fn reason<T>(failed: Result<T, StoreError>) -> String {
    let error = failed.err().unwrap();
    let reason = format!("{error}: {}", error.source().unwrap());
    assert!(!reason.contains('\n'), "{reason}");
    reason
}
