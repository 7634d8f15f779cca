//! Stores of [Handbill](handbill) on SQLite, PostgreSQL, MariaDB and MySQL, by sqlx.
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
//! `PostgresStore::open` and `MySqlStore::open` take the address of a database instead.
//!
//! | feature | adds |
//! |---|---|
//! | `sqlite` | `SqliteStore`: posts and keys in one SQLite file; needs a C compiler |
//! | `postgres` | `PostgresStore`: posts and keys in a PostgreSQL database that many instances share |
//! | `postgres-tls` | TLS for `PostgresStore`, by rustls with ring |
//! | `mysql` | `MySqlStore`: the same in a MariaDB or MySQL database, also on a Galera cluster |
//! | `mysql-tls` | TLS for `MySqlStore`, by rustls with ring |
//!
//! All features are off by default. The runtime is tokio, with its timer enabled. It fits handbill 0.2, sqlx 0.9 and
//! Rust 1.94, and is tested on PostgreSQL 15 and MariaDB 10.11.
//!
//! A SQLite file is for the processes of one machine. The other databases are for any number of instances. Some reads
//! may go to replicas of PostgreSQL, and all nodes of a Galera cluster take writes. Opening either upgrades the tables
//! of earlier versions, and refuses those of later ones; `open_as_it_is` opens them to read and upgrades nothing. The
//! README of the crate says what your own tables, statements and triggers in the same database may rely on. For another
//! database, write a store of your own: see the module [`handbill::store`].

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]

#[cfg(any(feature = "postgres", feature = "mysql"))]
mod backoff;
mod coalescer;
mod columns;
#[cfg(any(feature = "sqlite", feature = "mysql"))]
mod connections;
#[cfg(any(feature = "postgres", feature = "mysql"))]
mod counter;
mod group_commit;
#[cfg(any(feature = "postgres", feature = "mysql"))]
mod list_name;
mod lookup;
mod migration;
#[cfg(feature = "mysql")]
mod mysql;
mod outbox;
#[cfg(any(feature = "sqlite", feature = "mysql"))]
mod outbox_and_index;
mod pages;
#[cfg(feature = "postgres")]
mod postgres;
mod query;
#[cfg(any(feature = "sqlite", feature = "mysql"))]
mod request;
mod row;
#[cfg(feature = "sqlite")]
mod sqlite;
mod statements;
#[cfg(any(feature = "postgres", feature = "mysql"))]
mod tls;
#[cfg(any(feature = "sqlite", feature = "mysql"))]
mod write;
#[cfg(any(feature = "sqlite", feature = "mysql"))]
mod writer;

pub use migration::Schema;
#[cfg(feature = "mysql")]
pub use mysql::MySqlStore;
#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
