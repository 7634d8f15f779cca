//! The pages in a real browser: the whole journey of an author, the editor, an accessibility audit, the
//! console, layout shifts, hostile content, and what a reader of a post sees. `pictures` takes pictures of
//! each page. What an author does is tested in Chromium and in Firefox, the rest in Chromium.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

/// Makes a test of each function, once in each browser.
macro_rules! in_each_browser {
    ($($test:ident,)+) => {$(
        mod $test {
            use handbill_tests::browser::Engine;

            #[tokio::test]
            async fn in_chromium() {
                super::$test(Engine::Chromium).await;
            }

            #[tokio::test]
            #[ignore = "needs Firefox; .ci/full runs it"]
            async fn in_firefox() {
                super::$test(Engine::Firefox).await;
            }
        }
    )+};
}

mod audit;
mod editor;
mod failures;
mod hostile;
mod journey;
mod keys;
mod linear;
mod page;
mod person;
mod pictures;
mod publishing;
mod reading;
mod site;
mod stillness;
mod typing;

use handbill_tests::browser::{Browser, Engine, Reader};

/// Chromium with the most common settings.
async fn browser() -> Option<Browser> {
    let reader = Reader {
        languages: "en-US,en",
        runs_scripts: true,
    };
    Browser::start(Engine::Chromium, reader).await
}
