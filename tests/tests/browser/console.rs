//! No page writes to the console: no error, and no violation of its policy.

use handbill_tests::browser::Message;

use crate::page::{LANGUAGES, Page, filled_site};

/// Whether the message only reports the status of the page itself. A browser writes one for each
/// error page.
fn is_of_the_page_itself(message: &Message, page: Page, url: &str) -> bool {
    let status = page.status();
    let said =
        format!("{url} - Failed to load resource: the server responded with a status of {status} ");
    status >= 400 && message.source == "network" && message.text.starts_with(&said)
}

#[tokio::test]
async fn the_console_stays_empty_on_every_page() {
    let Some(browser) = crate::browser().await else {
        return;
    };
    let site = filled_site().await;
    let mut faults = Vec::new();
    for language in LANGUAGES {
        for page in Page::ALL {
            page.open(&browser, &site, language).await;
            let url = browser.client().current_url().await.unwrap();
            let mut messages = browser.console().await;
            messages.retain(|message| !is_of_the_page_itself(message, page, url.as_str()));
            faults.extend(
                messages
                    .into_iter()
                    .map(|message| format!("{page:?} in {language}: {message:?}")),
            );
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
