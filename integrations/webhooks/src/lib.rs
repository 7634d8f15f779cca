//! Sends the events of [Handbill](handbill), a publishing service for short web posts, to other programs, as
//! [Standard Webhooks 1.0](https://www.standardwebhooks.com) says.
//!
//! ```
//! use handbill::{Handbill, MemoryStore};
//! use handbill_webhooks::{Secret, Webhook};
//!
//! # fn example(secret: Secret) -> Result<(), Box<dyn std::error::Error>> {
//! # let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
//! let webhook = Webhook::new("https://receiver.example/hook".parse()?, secret);
//! let handbill = webhook.add_to(handbill)?;
//! # Ok(())
//! # }
//! # example(Secret::generate()).unwrap();
//! ```
//!
//! Each event is posted as JSON, `{"type": "post.created", "timestamp": …, "data": {…}}`. `data` has the event as a
//! [durable listener](handbill::Handbill::with_durable_listener) receives it, without the text of the post, and the
//! post's `url`. `webhook-id` is the same at each attempt, so that a receiver can recognise repetitions.
//! `docs/webhooks.md` in the repository has receivers in Rust, JavaScript and Python.
//!
//! The store of the service holds what waits, also while no process runs. Of several instances, one sends. A receiver
//! that is slow delays no other one.
//!
//! Private addresses are refused, unless [`Webhook::with_private_addresses`] allows them. Redirects are not followed.
//!
//! It fits handbill 0.2, and needs Rust 1.94 and tokio.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `hub` | `Webhook::hub`, which notifies a WebSub hub of new posts, and the feature `pages` of `handbill` |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod event;
#[cfg(feature = "hub")]
mod hub;
mod secret;
mod sender;
mod url;
mod webhook;

pub use secret::{InvalidSecret, Secret};
pub use url::{InvalidUrl, WebhookUrl};
pub use webhook::{Counts, SendError, Webhook};
