//! What no mount changes, or what needs more than a mount: requests and texts at random and by the
//! thousand, the document of the API against the service, pages as a browser reads them, feeds as
//! another reader of XML does, SQLite, replicas, and what is seen in process alone. The contract itself is held by the checks of mounts.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod arbitrary;
mod clients;
mod corpora;
mod escaping;
mod feeds;
mod health;
mod html;
mod in_process;
mod openapi;
mod sitemap;
mod sqlite;
mod weight;

use handbill_testing::http::App;
use handbill_tests::bare;

/// The service in process, over an empty store.
async fn app() -> App {
    App::new(&bare::mount()).await
}
