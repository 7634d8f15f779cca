//! A person with a browser, who visits the service.

use fantoccini::Locator;
use handbill_tests::browser::{Browser, Engine, Reader, until};
use serde_json::{Value, json};

use crate::page::press;
use crate::site::Site;

/// The notice on the page that follows a form that was published.
pub(crate) const PUBLISHED: &str = "#published, #new:not([hidden])";

/// An author with a browser.
pub(crate) struct Person {
    pub(crate) browser: Browser,
    pub(crate) site: Site,
    pub(crate) reader: Reader,
}

impl Person {
    /// A person on an empty site, if there is a browser.
    pub(crate) async fn start(
        engine: Engine,
        languages: &'static str,
        runs_scripts: bool,
    ) -> Option<Self> {
        let reader = Reader {
            languages,
            runs_scripts,
        };
        Some(Self {
            browser: Browser::start(engine, reader).await?,
            site: Site::start().await,
            reader,
        })
    }

    pub(crate) async fn open(&self, url: &str) {
        self.browser.open(url).await;
        self.expect_the_language().await;
    }

    pub(crate) async fn expect_the_language(&self) {
        self.expect(&format!("html[lang={}]", self.reader.languages))
            .await;
    }

    /// Waits until the page has such an element.
    pub(crate) async fn expect(&self, selector: &str) {
        until(format!("there is {selector}"), async || {
            let found = self.browser.client().find(Locator::Css(selector)).await;
            found.is_ok()
        })
        .await;
    }

    /// Presses a button and waits for the next page.
    pub(crate) async fn press(&self, button: &str, leads_to: &str) {
        press(&self.browser, button, leads_to).await;
        self.expect_the_language().await;
    }

    pub(crate) async fn text(&self, selector: &str) -> String {
        let found = self.browser.client().find(Locator::Css(selector)).await;
        let found = found.unwrap_or_else(|error| panic!("there is {selector}: {error}"));
        found.text().await.unwrap()
    }

    pub(crate) async fn attribute(&self, selector: &str, name: &str) -> Option<String> {
        let found = self.browser.client().find(Locator::Css(selector)).await;
        found.unwrap().attr(name).await.unwrap()
    }

    pub(crate) async fn value(&self, field: &str) -> String {
        let found = self.browser.client().find(Locator::Css(field)).await;
        found.unwrap().prop("value").await.unwrap().unwrap()
    }

    /// Types into a field and replaces its text.
    pub(crate) async fn types(&self, field: &str, text: &str) {
        let found = self.browser.client().find(Locator::Css(field)).await;
        let found = found.unwrap();
        found.clear().await.unwrap();
        found.send_keys(text).await.unwrap();
    }

    pub(crate) async fn expect_text(&self, selector: &str, text: &str) {
        until(format!("{selector} says {text}"), async || {
            let found = self.browser.client().find(Locator::Css(selector)).await;
            match found {
                Ok(found) => found.text().await.is_ok_and(|said| said.contains(text)),
                Err(_) => false,
            }
        })
        .await;
    }

    pub(crate) async fn post(&self, created: &Value) -> Value {
        let path = format!("/api/posts/{}", created["id"].as_str().unwrap());
        self.site.get(&path).await.json()
    }

    pub(crate) async fn warns_before_leaving(&self) -> bool {
        let script = "return !dispatchEvent(new Event('beforeunload', { cancelable: true }))";
        self.browser.run(script, vec![]).await == true
    }

    pub(crate) async fn is_seen(&self, selector: &str) -> bool {
        let found = self.browser.client().find(Locator::Css(selector)).await;
        found.unwrap().is_displayed().await.unwrap()
    }

    /// Presses keys while a field has the focus.
    pub(crate) async fn presses_keys(&self, field: &str, keys: &str) {
        let found = self.browser.client().find(Locator::Css(field)).await;
        found.unwrap().send_keys(keys).await.unwrap();
    }

    /// Reloads the page.
    pub(crate) async fn reloads(&self) {
        self.browser.client().refresh().await.unwrap();
        self.expect_the_language().await;
    }

    /// Publishes what stands in the form. The next page shows the addresses of the post once: with scripts, it is the
    /// post's own page.
    pub(crate) async fn publishes(&self) -> Value {
        self.press("[value=publish]", PUBLISHED).await;
        self.expect("#edit-address[href]").await;
        // It is open where the browser does not remember the link.
        if !self.is_seen("#edit-address").await {
            self.press("#link summary", "#link[open]").await;
        }
        let edit_url = self.text("#edit-address").await;
        let url = match self.reader.runs_scripts {
            true => self.browser.client().current_url().await.unwrap().into(),
            false => self.text("#address").await,
        };
        let id = url.rsplit('/').next().unwrap().to_owned();
        json!({ "id": id, "url": url, "edit_url": edit_url })
    }
}
