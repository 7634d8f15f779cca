//! The pages in a real browser: the whole journey of an author, the editor, an accessibility audit, the
//! console, layout shifts, hostile content, and what a reader of a post sees. `pictures` takes pictures of
//! each page.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod audit;
mod console;
mod editor;
mod hostile;
mod journey;
mod keys;
mod linear;
mod page;
mod person;
mod pictures;
mod reading;
mod site;
mod stillness;

use handbill_tests::browser::{Browser, Reader};

/// A browser with the most common settings.
async fn browser() -> Option<Browser> {
    let reader = Reader {
        languages: "en-US,en",
        runs_scripts: true,
    };
    Browser::start(reader).await
}
