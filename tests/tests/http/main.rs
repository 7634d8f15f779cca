//! Tests that do not depend on the mount, or that need more than a mount: random requests and texts, what Markdown
//! becomes, the OpenAPI document, pages as a browser reads them, feeds, SQLite, replicas, and tests that only work in
//! process. The mount checks test the contract itself.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod arbitrary;
mod budgets;
mod cards;
mod clients;
mod corpora;
mod costs;
mod escaping;
mod feeds;
mod forms;
mod health;
mod html;
mod in_process;
mod markdown;
mod merging;
mod openapi;
mod queues;
mod sitemap;
mod sqlite;
mod table;
mod weight;

use handbill_testing::http::App;
use handbill_tests::bare;

/// The service in process, with an empty store.
async fn app() -> App {
    App::new(&bare::mount()).await
}
