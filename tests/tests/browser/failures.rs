//! Whatever fails while someone writes, the text stays.

use handbill_tests::browser::{Browser, Engine, until};
use serde_json::json;

use crate::editor::until_kept;
use crate::person::Person;
use crate::site::Site;

const TEXT: &str = "The words that must not be lost.";

/// Requests are given up after a part of the time, so that a test need not wait.
const IMPATIENT: &str = "const timeout = AbortSignal.timeout.bind(AbortSignal);
                         AbortSignal.timeout = (time) => timeout(time / 30)";

/// A form is sent again until a limit refuses it: each half second the limit lets one more pass.
const INSISTENT: &str = "const once = window.fetch;
                         window.fetch = async (...request) => {
                           let response;
                           do response = await once(...request); while (response.status !== 429);
                           return response;
                         }";

impl Person {
    async fn starts_with(engine: Engine, options: &[&str]) -> Option<Self> {
        let person = Self::start(engine, "en", true).await?;
        let site = Site::start_with(options).await;
        Some(Self { site, ..person })
    }

    /// Sends the form, and sees that it is refused with these words and that nothing has changed.
    async fn is_refused(&self, button: &str, words: &str) {
        let place = "const { id, value, selectionStart } = document.querySelector('#body');
                     return [id, value, selectionStart, location.href]";
        let before = self.browser.run(place, vec![]).await;
        let press = format!("document.querySelector('{button}').click()");
        self.browser.run(&press, vec![]).await;
        self.expect_text("#state .alarm", words).await;
        assert_eq!(self.browser.run(place, vec![]).await, before);
        assert!(self.warns_before_leaving().await);
    }

    /// The text is offered on the next visit.
    async fn is_offered(&self, words: &str, text: &str) {
        self.expect_text("#offer", words).await;
        self.press("#offer .restore", "#offer[hidden]").await;
        assert_eq!(self.value("#body").await, text);
    }
}

async fn a_service_that_was_killed_takes_no_word_with_it(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    person.open(&person.site.url("/write")).await;
    person.types("#body", TEXT).await;
    person.site.crash();
    person
        .is_refused("[value=publish]", "does not respond. Your text is safe")
        .await;
}

async fn a_service_that_stalls_takes_no_word_with_it(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    let post = person.site.publish(&json!({ "body": "before" })).await;
    for (path, button) in [
        ("/write".to_owned(), "[value=publish]"),
        (post.edit_path(), "[value=save]"),
    ] {
        person.open(&person.site.url(&path)).await;
        person.browser.run(IMPATIENT, vec![]).await;
        person.types("#body", TEXT).await;
        person.site.stall();
        person
            .is_refused(button, "does not respond. Your text is safe")
            .await;
        person.site.resume();
        // Sent again, it is stored once.
        let leads_to = if path == "/write" {
            "#new:not([hidden])"
        } else {
            "#state #saved"
        };
        person.press(button, leads_to).await;
    }
    let list = person.site.get("/api/posts?include=body").await.json();
    assert_eq!(list["total"], 2);
    for post in list["posts"].as_array().unwrap() {
        assert_eq!(post["body"], TEXT);
    }
}

/// Each client has so many new posts an hour, and each post so many changes a minute.
async fn a_limit_takes_no_word_with_it(engine: Engine) {
    let Some(person) = Person::starts_with(engine, &["--rate-limits", "on"]).await else {
        return;
    };
    let post = person.site.publish(&json!({ "body": "before" })).await;
    person.open(&person.site.url(&post.edit_path())).await;
    person.types("#body", TEXT).await;
    person.site.exhaust_changes(&post).await;
    person.browser.run(INSISTENT, vec![]).await;
    person
        .is_refused(
            "[value=save]",
            "too fast for this server. Your text is safe",
        )
        .await;

    person.open(&person.site.url("/write")).await;
    person.types("#body", TEXT).await;
    person.site.exhaust_new_posts().await;
    person
        .is_refused(
            "[value=publish]",
            "too fast for this server. Your text is safe",
        )
        .await;
}

/// The text comes back as a new post.
async fn a_post_that_is_gone_leaves_the_text(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    for how in ["deleted", "revoked"] {
        let post = person.site.publish(&json!({ "body": "before" })).await;
        person.open(&person.site.url(&post.edit_path())).await;
        person.types("#body", TEXT).await;
        match how {
            "deleted" => person.site.delete(&post).await,
            _ => person.site.renew(&post).await,
        }
        person
            .is_refused("#save", "publish the text as a new post")
            .await;
        person.press("[value=publish]", "#new:not([hidden])").await;
        assert!(person.text("article").await.contains(TEXT), "{how}");
    }
}

async fn storage_that_throws_takes_no_word_with_it(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    let post = person.site.publish(&json!({ "body": "before" })).await;
    person.open(&person.site.url(&post.path())).await;
    let script = "for (const name of ['localStorage', 'sessionStorage']) {
                    Object.defineProperty(window, name, { get: () => { throw new DOMException('no') } });
                  }";
    let before_each_page = json!({ "source": script });
    person
        .browser
        .devtools("Page.addScriptToEvaluateOnNewDocument", before_each_page)
        .await;
    person.open(&person.site.url("/write")).await;
    person.types("#body", TEXT).await;
    person.expect_text("#state .alarm", "Keep a copy").await;
    // The private link cannot be handed over, so its own page shows it.
    person.press("[value=publish]", "#published").await;
    let link = person.text("#edit-address").await;
    assert!(link.contains("/e/"), "{link}");
    person.open(&person.site.url(&post.path())).await;
    assert!(!person.is_seen("#edit").await);
}

/// What an earlier release stored, and what a wrong clock stored, is offered like any other text.
async fn drafts_of_other_times_are_offered(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    let write = person.site.url("/write");
    person.open(&write).await;
    let fields = json!({ "title": "Old", "body": TEXT, "no_longer": "a field" });
    for (name, stored) in [
        ("handbill /write", fields.clone()),
        (
            "handbill /write tomorrow",
            json!({ "at": "TOMORROW", "fields": fields }),
        ),
    ] {
        let script = "localStorage.clear();
                      const draft = JSON.stringify(arguments[1]).replace('\"TOMORROW\"', Date.now() + 86_400_000);
                      localStorage.setItem(arguments[0], draft)";
        person.browser.run(script, vec![json!(name), stored]).await;
        person.open(&write).await;
        person.is_offered("Old", TEXT).await;
        let clear = "document.querySelector('#form').reset(); localStorage.clear()";
        person.browser.run(clear, vec![]).await;
    }
}

/// The latest twenty are offered, and the others make room.
async fn two_hundred_drafts_are_not_too_many(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    let write = person.site.url("/write");
    person.open(&write).await;
    let script = "for (let number = 0; number < 200; number += 1) {
                    const fields = { title: '', body: `Draft number ${number}` };
                    const draft = JSON.stringify({ at: Date.now() - number * 1000, fields });
                    localStorage.setItem(`handbill /write ${number}`, draft);
                  }";
    person.browser.run(script, vec![]).await;
    person.open(&write).await;
    person
        .expect_text("#offer li:first-child", "Draft number 0")
        .await;
    person
        .expect_text("#offer li:last-child", "Draft number 19")
        .await;
    person.types("#body", TEXT).await;
    until_kept(&person, TEXT).await;
}

/// A tab that is closed while someone types loses nothing.
async fn a_tab_that_is_closed_takes_no_word_with_it(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    let client = person.browser.client();
    let write = person.site.url("/write");
    let first = client.window().await.unwrap();
    let second = client.new_window(true).await.unwrap().handle;
    client.switch_to_window(second).await.unwrap();
    person.open(&write).await;
    person.types("#body", TEXT).await;
    until_kept(&person, TEXT).await;
    client.close_window().await.unwrap();
    client.switch_to_window(first).await.unwrap();
    until("the text is offered", async || {
        person.open(&write).await;
        is_shown(&person.browser, "#offer").await
    })
    .await;
    person.is_offered(TEXT, TEXT).await;
}

async fn is_shown(browser: &Browser, selector: &str) -> bool {
    let script = "return !document.querySelector(arguments[0]).hidden";
    browser.run(script, vec![json!(selector)]).await == true
}

in_each_browser! {
    a_service_that_was_killed_takes_no_word_with_it,
    a_service_that_stalls_takes_no_word_with_it,
    a_limit_takes_no_word_with_it,
    a_post_that_is_gone_leaves_the_text,
    drafts_of_other_times_are_offered,
    two_hundred_drafts_are_not_too_many,
    a_tab_that_is_closed_takes_no_word_with_it,
}

#[tokio::test]
async fn storage_that_throws_in_chromium() {
    storage_that_throws_takes_no_word_with_it(Engine::Chromium).await;
}
