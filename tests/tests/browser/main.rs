//! The pages in a real browser, as readers and writers meet them: the whole journey, an audit of
//! accessibility, the console, stillness, and hostile content. `pictures` takes pictures of each page.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod audit;
mod console;
mod hostile;
mod journey;
mod linear;
mod page;
mod pictures;
mod site;
mod stillness;

use handbill_tests::browser::{Browser, Reader};

/// A browser as most people have it.
async fn browser() -> Option<Browser> {
    let reader = Reader {
        languages: "en-US,en",
        runs_scripts: true,
    };
    Browser::start(reader).await
}
