//! API keys, and the installation's secret. All statements go to the primary, so that a revocation holds
//! from the next request.

use std::collections::HashSet;
use std::sync::LazyLock;

use handbill::store::{
    Authority, InstallationSecret, KeyId, KeyRecord, NewChange, Outcome, SecretHash, Timestamp,
};
use tokio::time::timeout;

use super::bars::{is_not_barred, outcome_by, parameters};
use super::connections::{Connections, Statement};
use super::failure::Failure;
use super::outbox::{ForListeners, Forms, outcome};
use crate::backoff::TIMEOUT;
use crate::columns::keys_where;
use crate::lookup::Lookup;
use crate::row;

static INSERT: LazyLock<Forms> = LazyLock::new(|| {
    let is_not_barred = is_not_barred("$7::BYTEA", "$8::BIGINT");
    Forms::new(9, |guard, parts, columns| {
        format!(
            "WITH changed AS (
               INSERT INTO handbill_keys (id, secret, label, owner, created_at, last_used_at)
               SELECT $1::TEXT, $2::BYTEA, $3::TEXT, $4::TEXT, $5::BIGINT, $6::BIGINT
               WHERE {guard} AND {is_not_barred}
               ON CONFLICT (id) DO NOTHING RETURNING id
             ){parts}
             SELECT id{columns} FROM changed"
        )
    })
});
const TOUCH: &str = "UPDATE handbill_keys SET last_used_at = $2 WHERE id = $1 RETURNING id";
static REVOKE: LazyLock<Forms> = LazyLock::new(|| {
    Forms::new(2, |guard, parts, columns| {
        format!(
            "WITH changed AS (DELETE FROM handbill_keys WHERE id = $1 AND {guard} RETURNING id){parts}
             SELECT id{columns} FROM changed"
        )
    })
});
/// The update changes nothing: it returns the secret that is there, also one that another instance is
/// inserting.
const GET_OR_INSERT_SECRET: &str = "
INSERT INTO handbill_secrets (name, secret) VALUES ('installation', $1)
ON CONFLICT (name) DO UPDATE SET secret = handbill_secrets.secret RETURNING secret";

static FIND: LazyLock<String> = LazyLock::new(|| keys_where("secret = ANY ($1::BYTEA[])"));

/// Each authenticated request looks up its key. Concurrent requests share one query.
pub(super) type Lookups = Lookup<SecretHash, KeyRecord, Failure>;

pub(super) async fn insert(
    writers: &Connections,
    key: &KeyRecord,
    by: Option<Authority>,
    change: Option<&NewChange>,
) -> Result<Outcome, Failure> {
    let (by_owner, by_at) = parameters(by.as_ref());
    let bind = |query: Statement<'static>| {
        query
            .bind(key.id.as_str())
            .bind(key.secret.as_bytes().as_slice())
            .bind(key.label.as_deref())
            .bind(key.owner.as_str())
            .bind(key.created_at.as_micros())
            .bind(key.last_used_at.map(Timestamp::as_micros))
            .bind(by_owner)
            .bind(by_at)
    };
    let statement = |for_listeners: ForListeners<'_>| INSERT.query(for_listeners, bind);
    let inserted = writers.write(change.as_slice(), statement).await?;
    outcome_by(by, writers, &inserted).await
}

pub(super) async fn find(
    readers: &Connections,
    lookups: &Lookups,
    secret: SecretHash,
) -> Result<Option<KeyRecord>, Failure> {
    let query = async |secrets: HashSet<SecretHash>| {
        let secrets: Vec<&[u8]> = secrets
            .iter()
            .map(|secret| secret.as_bytes().as_slice())
            .collect();
        let statement = || sqlx::query(FIND.as_str()).bind(secrets.as_slice());
        readers.rows(statement).await
    };
    let found = timeout(TIMEOUT, lookups.find(secret, query, row::key_by_secret)).await;
    found.unwrap_or(Err(Failure::TimedOut))
}

pub(super) async fn touch(
    writers: &Connections,
    id: KeyId,
    at: Timestamp,
) -> Result<Outcome, Failure> {
    let statement = || sqlx::query(TOUCH).bind(id.as_str()).bind(at.as_micros());
    let touched = writers.rows(statement).await?;
    Ok(outcome(&touched, Outcome::NotFound))
}

pub(super) async fn revoke(
    writers: &Connections,
    id: KeyId,
    change: Option<&NewChange>,
) -> Result<Outcome, Failure> {
    let bind = |query: Statement<'static>| query.bind(id.as_str());
    let statement = |for_listeners: ForListeners<'_>| REVOKE.query(for_listeners, bind);
    let revoked = writers.write(change.as_slice(), statement).await?;
    Ok(outcome(&revoked, Outcome::NotFound))
}

pub(super) async fn get_or_insert_installation_secret(
    writers: &Connections,
    candidate: &InstallationSecret,
) -> Result<InstallationSecret, Failure> {
    let candidate = candidate.as_bytes().as_slice();
    let statement = || sqlx::query(GET_OR_INSERT_SECRET).bind(candidate);
    let rows = writers.rows(statement).await?;
    let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    Ok(row::installation_secret(row, "secret")?)
}
