//! The contract, held against whole requests and answers of the service: one file a subject.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test stops where it can't go on"
)]

mod app;
mod arbitrary;
mod conditional;
mod corpora;
mod credentials;
mod errors;
mod fields;
mod form;
mod html;
mod idempotency;
mod keys;
mod lists;
mod openapi;
mod pages;
mod posts;
mod rates;
mod request_body;
mod unavailable;
mod updates;
