//! Handbill is a publishing service for short web posts that lives inside an existing Rust web app:
//! a REST API and pages as one `tower::Service`, over a store of your choice.
//!
//! ```
//! use handbill::{Handbill, MemoryStore};
//! use tower::Service;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let mut handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
//! let request = http::Request::get("/api/posts").body(String::new())?;
//! let response = handbill.call(request).await?;
//! assert_eq!(response.status(), 200);
//! # Ok(())
//! # }
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(example()).unwrap();
//! ```
//!
//! In axum that is `Router::new().nest_service("/blog", handbill)`, in hyper
//! `TowerToHyperService::new(handbill)`. Paths are relative to the mount point, whose public
//! address is the first argument. Insert a [`ClientAddr`] into each request's extensions, so that
//! rates are counted for each client. The crates `handbill-poem` and `handbill-rocket` mount it into
//! poem and Rocket.
//!
//! # What is where
//!
//! | what you want | where |
//! |---|---|
//! | to mount and set up the service | [`Handbill`], [`Limits`], [`RateLimits`], [`KeyRequests`], [`TrustedProxies`] |
//! | to publish, read and change posts yourself | [`Handbill::posts`], [`Draft`] |
//! | to hand out keys yourself | [`Handbill::keys`] |
//! | the pages in your own layout | [`Handbill::with_frame`], [`CspNonce`] |
//! | to hear what happens | [`Handbill::with_listener`], [`Event`] |
//! | to log without secrets | [`RoutePattern`] |
//! | to mount it into a server of your own | [`Handbill::answer`] |
//! | to store posts in your own database | [`Store`], and the crate `handbill-testing` to check your store |
//! | to ask a store that is far away less often | [`Cached`] |
//! | to write an adapter for another framework | the crate `handbill-testing`, whose checks an adapter must pass |
//!
//! # Reading order
//!
//! A request goes down `service → route → api or page → operations → store`, and its answer, or
//! the [`Problem`] in its place, comes up once. Whoever reads [`Handbill`], `route.rs`,
//! `api/posts.rs` and [`Store`] knows the whole.
//!
//! # Features
//!
//! | feature | adds | costs to compile |
//! |---|---|---|
//! | none | the service and [`MemoryStore`] | 154 crates, 51 s |
//! | `sqlite` | [`SqliteStore`]: posts and keys in one SQLite file, by sqlx | 38 crates more and a C compiler, 14 s |
//! | `postgres` | [`PostgresStore`]: posts and keys in a PostgreSQL database, of many instances, by sqlx | 34 crates more, 9 beside `sqlite` |
//!
//! All are off by default. The seconds are those of a debug build on two cores. The runtime is tokio,
//! with its timer on.

mod api;
mod base_url;
mod client;
mod conditional;
mod context;
mod event;
mod feed;
mod field;
mod frame;
mod id;
mod json;
mod kept;
mod key;
mod key_requests;
mod language;
mod limit;
mod markdown;
mod operations;
mod page;
mod paging;
mod post;
mod problem;
mod rate;
mod rendering;
mod request;
mod response;
mod route;
mod secret;
mod service;
mod store;
mod time;
mod view;

pub use base_url::InvalidBaseUrl;
pub use client::{ClientAddr, InvalidTrustedProxy, TrustedProxies};
pub use event::Event;
pub use field::{FieldError, FieldFault};
pub use frame::{CspNonce, FramedPage};
pub use id::{KeyId, ParseIdError, PostId};
pub use key::KeyRecord;
pub use key_requests::{KeyDecision, KeyRequests};
pub use limit::Limits;
pub use operations::host::{CreatedPost, EditAccess, EditUrl, Posts, PublishedPost};
pub use operations::keys::{IssuedKey, Keys};
pub use post::{
    Creation, Draft, EmptyTag, Entry, InvalidPageRequest, ListedPost, PageRequest, Post, PostList,
    PostSummary, Revision, Tag, Tombstone,
};
pub use problem::{Code, Problem};
pub use rate::{Rate, RateLimits};
pub use secret::{ApiKey, EditToken, SecretHash};
pub use service::{Handbill, RoutePattern};
#[cfg(feature = "postgres")]
pub use store::PostgresStore;
#[cfg(feature = "sqlite")]
pub use store::SqliteStore;
pub use store::{
    Cached, Changes, Health, MemoryStore, Replica, ReplicaState, Store, StoreError, Write,
};
pub use time::Timestamp;
