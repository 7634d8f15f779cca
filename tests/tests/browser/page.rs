//! Every kind of page of the service, and how to open it.

use fantoccini::Locator;
use handbill_testing::http::ADDRESSES;
use handbill_tests::browser::{Browser, until};
use serde_json::{Value, json};

use crate::person::PUBLISHED;
use crate::site::{Post, Site};

/// The languages of the pages.
pub(crate) const LANGUAGES: [&str; 2] = ["en", "fr"];

/// A kind of page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Page {
    /// The page at this path, which can have a query.
    At(&'static str),
    Post,
    Untitled,
    WritePreview,
    WriteRefused,
    WriteOffered,
    WriteWithKey,
    Published,
    YourPosts,
    KeysRefused,
    KeysClosed,
    KeyIssued,
    Edit,
    EditDraft,
    Preview,
    Saved,
    Refused,
    Conflict,
    Deleted,
    NotFound,
    NoEditLink,
    Gone,
    BadRequest,
}

/// The pages of lists that a query selects.
const WITH_QUERY: [&str; 6] = [
    "/?page=2&per_page=5",
    "/?page=9999",
    "/?tag=harbour",
    "/?tag=nowhere",
    "/tags?sort=posts",
    "/follow?tag=harbour",
];

/// The pages that depend on a post or on what was sent.
const OTHERS: [Page; 22] = [
    Page::Post,
    Page::Untitled,
    Page::WritePreview,
    Page::WriteRefused,
    Page::WriteOffered,
    Page::WriteWithKey,
    Page::Published,
    Page::YourPosts,
    Page::KeysRefused,
    Page::KeysClosed,
    Page::KeyIssued,
    Page::Edit,
    Page::EditDraft,
    Page::Preview,
    Page::Saved,
    Page::Refused,
    Page::Conflict,
    Page::Deleted,
    Page::NotFound,
    Page::NoEditLink,
    Page::Gone,
    Page::BadRequest,
];

impl Page {
    pub(crate) const HOME: Self = Self::At("/");
    pub(crate) const WRITE: Self = Self::At("/write");
    pub(crate) const KEYS: Self = Self::At("/keys");
    pub(crate) const DOCS: Self = Self::At("/docs");

    /// Every kind, beginning with those that the kit's table names.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let pages = ADDRESSES.iter().filter(|address| address.kind.is_page());
        let paths = pages.map(|address| address.path);
        let complete = paths.filter(|path| !path.contains('{')).map(Self::At);
        complete.chain(WITH_QUERY.map(Self::At)).chain(OTHERS)
    }

    /// The status of the last response.
    pub(crate) const fn status(self) -> u16 {
        match self {
            Self::WriteRefused | Self::KeysRefused | Self::Refused => 422,
            Self::Conflict => 412,
            Self::NotFound | Self::NoEditLink => 404,
            Self::Gone => 410,
            Self::BadRequest => 400,
            _ => 200,
        }
    }

    /// The status of the response that the browser shows. The editor's script sends its form and stays on its page.
    const fn shown_status(self) -> u16 {
        match self {
            Self::WriteRefused | Self::Refused | Self::Conflict => 200,
            other => other.status(),
        }
    }

    /// Opens the page.
    pub(crate) async fn open(self, browser: &Browser, site: &Site, language: &str) {
        let visit = Visit {
            browser,
            site,
            language,
        };
        match self {
            Self::At(path) => visit.open(path).await,
            Self::Post => visit.open(&site.publish(&site.rich()).await.path()).await,
            Self::Untitled => visit.open(&visit.note().await.path()).await,
            Self::WritePreview => {
                visit.write(&site.rich()).await;
                visit.see_the_preview().await;
            }
            Self::WriteRefused => {
                visit
                    .write(&json!({ "title": "x".repeat(201), "body": "x" }))
                    .await;
                visit.press("[value=publish]", "#faults").await;
            }
            Self::WriteOffered => {
                visit.open("/write").await;
                visit.fill("#body", "Typed earlier").await;
                let script = "document.dispatchEvent(new Event('visibilitychange'))";
                browser.run(script, vec![]).await;
                // Leaving the page would be asked about.
                visit.fill("#body", "").await;
                visit.open("/write").await;
                let script = "return document.querySelector('#offer').hidden";
                assert_eq!(browser.run(script, vec![]).await, false);
            }
            Self::WriteWithKey => visit.open_closed("/write").await,
            Self::KeysClosed => visit.open_closed("/keys").await,
            Self::Published => {
                visit.write(&site.rich()).await;
                visit.press("[value=publish]", PUBLISHED).await;
            }
            Self::YourPosts => {
                visit.write(&site.rich()).await;
                visit.press("[value=publish]", PUBLISHED).await;
                visit.open("/write").await;
                let script = "document.querySelector('#settings').open = true;
                              return document.querySelectorAll('#your-posts li').length > 0";
                assert_eq!(browser.run(script, vec![]).await, true);
            }
            Self::KeysRefused => {
                visit.open("/keys").await;
                visit.fill("#label", &"x".repeat(101)).await;
                visit.press("main form button", "#label-error").await;
            }
            Self::KeyIssued => {
                visit.open("/keys").await;
                visit.press("main form button", "#key").await;
            }
            Self::Edit => {
                visit
                    .open(&site.publish(&site.rich()).await.edit_path())
                    .await
            }
            Self::EditDraft => {
                let draft =
                    json!({ "title": "Not yet", "body": "A *draft*.", "visibility": "draft" });
                visit.open(&site.publish(&draft).await.edit_path()).await;
            }
            Self::Preview => {
                visit.edit_title("Previewed").await;
                visit.see_the_preview().await;
                until("the preview has what stands in the form", async || {
                    let script = "return document.querySelector('#preview h1')?.innerText";
                    browser.run(script, vec![]).await == "Previewed"
                })
                .await;
            }
            Self::Saved => {
                visit.edit_title("Another title").await;
                visit.press("[value=save]", "#saved").await;
            }
            Self::Refused => {
                visit.edit_title(&"x".repeat(201)).await;
                visit.press("[value=save]", "#faults").await;
            }
            Self::Conflict => {
                let post = visit.edit_title("Mine").await;
                site.update(&post, &json!({ "title": "Theirs" })).await;
                visit.press("[value=save]", "#conflict").await;
            }
            Self::Deleted => {
                visit.open(&visit.note().await.edit_path()).await;
                let script = "document.querySelector('#delete').open = true;
                              document.querySelector('#delete [name=confirm]').checked = true";
                browser.run(script, vec![]).await;
                visit.press("[value=delete]", "#deleted").await;
            }
            Self::NotFound => visit.open("/nowhere").await,
            Self::NoEditLink => visit.open(&format!("/e/{}", "0".repeat(43))).await,
            Self::Gone => {
                let post = visit.note().await;
                site.delete(&post).await;
                visit.open(&post.path()).await;
            }
            Self::BadRequest => visit.open("/?page=none").await,
        }
        let script = "return [performance.getEntriesByType('navigation')[0].responseStatus,
                              document.documentElement.lang]";
        let seen = browser.run(script, vec![]).await;
        assert_eq!(seen, json!([self.shown_status(), language]), "{self:?}");
    }
}

/// Fills a service with enough posts for each kind of page.
pub(crate) async fn filled_site() -> Site {
    let site = Site::start().await;
    for number in 0..12 {
        let fields = json!({
            "title": format!("Note {number}"), "body": "A *short* note.", "tags": "harbour",
        });
        site.publish(&fields).await;
    }
    site.publish(&site.rich()).await;
    let many_tags: Vec<_> = (0..20).map(|n| format!("tag {n}")).collect();
    for fields in [
        json!({ "title": "Many tags", "body": "x", "tags": many_tags, "author": "Ann Example" }),
        json!({ "body": "A note without a title. It has two sentences." }),
        json!({ "title": "مرحبا", "body": "نص قصير.", "tags": "ميناء", "language": "ar" }),
    ] {
        site.publish(&fields).await;
    }
    site
}

struct Visit<'a> {
    browser: &'a Browser,
    site: &'a Site,
    language: &'a str,
}

impl Visit<'_> {
    async fn open(&self, path: &str) {
        let sign = if path.contains('?') { '&' } else { '?' };
        let path = format!("{path}{sign}lang={}", self.language);
        self.browser.open(&self.site.url(&path)).await;
    }

    /// Opens a page of a service that gives out no keys.
    async fn open_closed(&self, path: &str) {
        let path = format!("{path}?lang={}", self.language);
        self.browser.open(&self.site.closed_url(&path)).await;
    }

    async fn note(&self) -> Post {
        let note = json!({ "body": "A note without a title." });
        self.site.publish(&note).await
    }

    /// Fills the form for a new post.
    async fn write(&self, fields: &Value) {
        self.open("/write").await;
        for (name, value) in fields.as_object().unwrap() {
            self.fill(&format!("#{name}"), value.as_str().unwrap())
                .await;
        }
    }

    async fn edit_title(&self, title: &str) -> Post {
        let post = self.site.publish(&self.site.rich()).await;
        self.open(&post.edit_path()).await;
        self.fill("#title", title).await;
        post
    }

    async fn fill(&self, field: &str, text: &str) {
        let script = "document.querySelector(arguments[0]).value = arguments[1]";
        self.browser
            .run(script, vec![json!(field), json!(text)])
            .await;
    }

    /// Types into a form that a script has filled, and waits for the preview.
    async fn see_the_preview(&self) {
        let title = self.browser.client().find(Locator::Css("#title")).await;
        title.unwrap().send_keys(" ").await.unwrap();
        until("there is a preview", async || {
            let found = self.browser.client().find(Locator::Css("#preview article"));
            found.await.is_ok()
        })
        .await;
    }

    async fn press(&self, button: &str, leads_to: &str) {
        press(self.browser, button, leads_to).await;
    }
}

/// Presses a button, and waits for the next page and its scripts.
pub(crate) async fn press(browser: &Browser, button: &str, leads_to: &str) {
    let found = browser.client().find(Locator::Css(button)).await;
    let found = found.unwrap_or_else(|error| panic!("there is a button {button}: {error}"));
    found.click().await.unwrap();
    until(format!("{button} leads to {leads_to}"), async || {
        let is_there = browser.client().find(Locator::Css(leads_to)).await.is_ok();
        is_there && browser.run("return document.readyState", vec![]).await == "complete"
    })
    .await;
}
