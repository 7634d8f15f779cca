//! Handbill is a publishing service for short web posts that lives inside an existing Rust web app:
//! a REST API and pages as one `tower::Service`, over a store of your choice.
//!
//! ```
//! use handbill::{Handbill, MemoryStore};
//! use tower::Service;
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let mut handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
//! let request = http::Request::get("/api/posts").body(String::new())?;
//! let response = handbill.call(request).await?;
//! assert_eq!(response.status(), 200);
//! # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
//! ```
//!
//! In axum, mount it with `Router::new().nest_service("/blog", handbill)`; in hyper, with
//! `TowerToHyperService::new(handbill)`. The crates `handbill-actix-web`, `handbill-poem`, `handbill-rocket` and
//! `handbill-salvo` mount it into other frameworks. Paths are relative to the mount point, whose public address is the
//! first argument of [`Handbill::new`]. Insert a [`ClientAddr`] into each request's extensions, so that rates are
//! limited per client.
//!
//! # What is where
//!
//! | to … | use … |
//! |---|---|
//! | mount and configure the service | [`Handbill`], [`Limits`], [`RateLimits`], [`KeyRequests`], [`TrustedProxies`] |
//! | publish, read and change posts in your own code | [`Handbill::posts`], [`Draft`] |
//! | import posts, once each | [`Posts::create_once`] |
//! | go over many posts, and change them together | [`PostSelection`], [`Posts::visit`], [`Posts::delete_all`] |
//! | respond to an error in your own routes | [`Handbill::response`], [`Problem`], [`Code`] |
//! | let the users of your app write and edit with their login | [`SignedIn`] |
//! | give your users a page with their posts | [`Handbill::with_authors`] |
//! | decide on each post before it is published | [`Handbill::with_review`] |
//! | issue and revoke keys in your own code | [`Handbill::keys`] |
//! | ban a user | [`Handbill::ban`], [`Posts::unlist_all`] |
//! | erase a user | [`Handbill::erase_owner`] |
//! | move everything to another store | [`Handbill::archive`] |
//! | show the pages in your own layout | [`Handbill::with_frame`], [`host::CspNonce`] |
//! | listen to changes | [`Handbill::with_listener`], [`Handbill::with_durable_listener`], [`Event`] |
//! | send events to other programs | `Webhook` of the crate `handbill-webhooks` |
//! | close slow readers before they take all memory | [`Handbill::memory_shortage`] |
//! | log requests without secrets, and why they are slow | [`RoutePattern`], [`RequestId`], [`Timings`] |
//! | feed the metrics of your app | [`Handbill::stats`], [`RoutePattern`], and [`Code`] in a response's extensions |
//! | store posts in SQLite, PostgreSQL, MariaDB or MySQL | the stores of the crate `handbill-sql` |
//! | store posts in your own database | the module [`store`], and `store_checks!` of the crate `handbill-testing` |
//! | do something at each write of a store | [`store::Decorator`] |
//! | mount the service into another framework | `http_checks!` of the crate `handbill-testing` |
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | none | the API over [`MemoryStore`] or a store of your own |
//! | `pages` (default) | pages for people, to read, write and edit posts, and their feeds, in English and French |
//! | `cards` | an image with a post's name for links to it on other sites, in Latin, Greek and Cyrillic scripts |
//! | `compression` | public responses in Brotli or gzip, if the host asks for it ([`Handbill::with_compression`]) |
//!
//! # Versions and limits
//!
//! It fits http 1, tower-service 0.3 and tokio 1, with the timer of tokio enabled, and so axum 0.8 and hyper 1. It
//! needs Rust 1.94. All crates of Handbill have one version.
//!
//! Posts are text, of up to 100,000 characters unless [`Limits`] say otherwise, with images by their addresses:
//! Handbill stores no files. It opens no socket: connections, TLS and the time limits of clients are the host's.
//!
//! # Next
//!
//! In the repository, `docs/embedding.md` is the guide for an app with Handbill in it: users, login, look, events,
//! imports, tests. `docs/your-store.md` and `docs/your-adapter.md` make a store and an adapter, and `examples/` has
//! apps that run.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod api;
pub mod archive;
mod cache;
mod context;
pub mod host;
mod http;
mod limits;
mod listener;
mod observe;
mod operations;
#[cfg_attr(not(feature = "pages"), path = "page/none.rs")]
mod page;
mod post;
mod problem;
mod route;
mod service;
pub mod store;

/// What a service and its store measure, for the host's metrics: the parts of [`Stats`].
pub mod stats {
    pub use crate::observe::stats::{ChangeStats, IndexingStats, Stats};
    pub use crate::store::{
        CacheStats, Health, ListenerFailure, ListenerState, Replica, ReplicaState, StoreStats,
        WriteStats,
    };
}

pub use host::client::{ClientAddr, TrustedProxies};
pub use host::key_requests::KeyRequests;
pub use host::signed_in::SignedIn;
pub use limits::rate::{Rate, RateLimits};
pub use listener::{DeliveryError, DurableListenerError};
pub use observe::request_id::RequestId;
pub use observe::stats::Stats;
pub use observe::timings::Timings;
pub use operations::ban::Banned;
pub use operations::erase::Erased;
pub use operations::host::Posts;
pub use operations::keys::{IssuedKey, Keys};
pub use operations::published::{CreatedPost, EditAccess, EditUrl, PublishedPost};
pub use operations::selection::PostSelection;
pub use post::{
    Actor, ApiKey, Change, ChangeNote, Draft, EditToken, Event, FieldError, FieldFault, KeyId,
    Limits, List, Owner, PageRequest, PageSize, ParseError, PostId, PostList, PostSummary,
    Revision, Tag, Timestamp, Visibility,
};
pub use problem::{Code, Problem};
pub use service::{Endpoint, Handbill, RoutePattern};
pub use store::{MemoryStore, Store};
