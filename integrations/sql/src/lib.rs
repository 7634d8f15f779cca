//! Stores of [Handbill](handbill) on SQLite and PostgreSQL, by sqlx.
//!
#![cfg_attr(feature = "sqlite", doc = "```")]
#![cfg_attr(not(feature = "sqlite"), doc = "```ignore")]
//! use handbill::{Draft, Handbill};
//! use handbill_sql::SqliteStore;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("posts.db");
//! let store = SqliteStore::open(file).await?.cached();
//! let handbill = Handbill::new("https://example.org/blog", store)?;
//! handbill.posts().create(Draft::new().body("Stored.")).await?;
//! # Ok(())
//! # }
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(example()).unwrap();
//! ```
//!
//! `PostgresStore::open` takes the address of a PostgreSQL database instead.
//!
//! | feature | adds |
//! |---|---|
//! | `sqlite` | `SqliteStore`: posts and keys in one SQLite file; needs a C compiler |
//! | `postgres` | `PostgresStore`: posts and keys in a PostgreSQL database that many instances share |
//! | `postgres-tls` | TLS for `PostgresStore`, by rustls with ring |
//!
//! All features are off by default. The runtime is tokio, with its timer enabled. It fits handbill 0.2, sqlx 0.9 and
//! Rust 1.94, and is tested on PostgreSQL 15.
//!
//! A SQLite file is for the processes of one machine. A PostgreSQL database is for any number of instances, and some of
//! its reads may go to replicas. Opening either upgrades the tables of earlier versions, and refuses those of later
//! ones; `open_as_it_is` opens them to read and upgrades nothing. The README of the crate says what your own tables,
//! statements and triggers in the same database may rely on.
//! For another database, write a store of your own: see the module [`handbill::store`].

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
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod outbox_row;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod pages;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod row;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod statements;

#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use migration::Schema;
#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
