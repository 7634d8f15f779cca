//! Stores of Handbill on SQLite and PostgreSQL, by sqlx.
//!
//! They use the public interface of `handbill`, like any other store.
//!
//! | feature | adds |
//! |---|---|
//! | `sqlite` | `SqliteStore`: posts and keys in one SQLite file; needs a C compiler |
//! | `postgres` | `PostgresStore`: posts and keys in a PostgreSQL database that many instances share |
//! | `postgres-tls` | TLS for `PostgresStore`, by rustls with ring |
//!
//! All features are off by default. The runtime is tokio, with its timer enabled.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod coalescer;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod columns;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod group_commit;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod lock;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod migration;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod statements;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod told;

#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
