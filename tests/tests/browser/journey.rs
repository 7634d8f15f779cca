//! The whole journey of an author, in both languages, with and without scripts.

use fantoccini::Locator;
use handbill_tests::browser::Engine;
use serde_json::{Value, json};

use crate::editor::ENTER;
use crate::person::Person;

async fn journey(engine: Engine, language: &'static str, runs_scripts: bool) {
    let Some(person) = Person::start(engine, language, runs_scripts).await else {
        return;
    };
    person.open(&person.site.url("/")).await;
    person.press("header a[href$='/write']", "#form").await;
    let created = person.writes_the_first_post().await;
    person.finds_the_post(&created).await;
    person.edits(&created).await;
    person.meets_a_fault(&created).await;
    person.meets_a_conflict(&created).await;
    person.deletes(&created).await;
}

impl Person {
    /// Types a post and publishes it. The next page shows its addresses once.
    async fn writes_the_first_post(&self) -> Value {
        self.types("#title", "A first post").await;
        self.types("#body", "Some *text* of mine.").await;
        if self.reader.runs_scripts {
            self.expect_text("#preview article em", "text").await;
        }
        let created = self.publishes().await;
        assert_eq!(self.post(&created).await["body"], "Some *text* of mine.");
        let copy = "[data-copy=edit-address]";
        assert_eq!(
            self.is_seen(copy).await,
            self.reader.runs_scripts,
            "copying needs a script"
        );
        if self.reader.runs_scripts {
            assert!(
                !self.warns_before_leaving().await,
                "the browser remembers the private link"
            );
            self.press(copy, "#copied:not(:empty)").await;
            self.reloads().await;
            assert!(!self.is_seen("#new").await, "it is said once");
        }
        created
    }

    async fn finds_the_post(&self, created: &Value) {
        let title = self.post(created).await["title"]
            .as_str()
            .unwrap()
            .to_owned();
        self.press("header .brand", ".posts").await;
        let posts = self
            .browser
            .client()
            .find_all(Locator::Css(".posts h2 a"))
            .await
            .unwrap();
        assert_eq!(posts.len(), 1);
        assert_eq!(posts[0].text().await.unwrap(), title);
        self.press(".posts h2 a", "article").await;
        assert_eq!(self.text("article h1").await, title);
        let here = self.browser.client().current_url().await.unwrap();
        assert_eq!(here.as_str(), created["url"]);
    }

    /// Typing shows a preview and advice, and changes nothing until the author saves.
    async fn edits(&self, created: &Value) {
        let before = self.post(created).await;
        self.open(created["edit_url"].as_str().unwrap()).await;
        assert_eq!(
            self.value("#title").await,
            before["title"].as_str().unwrap()
        );
        assert_eq!(self.value("#body").await, before["body"].as_str().unwrap());

        self.types("#title", "Harbours at night").await;
        self.types(
            "#body",
            "Harbours are *quiet* by night.\n\n## Why harbours sleep\n\nThey do.",
        )
        .await;
        self.types("#tags", "Sea, night").await;
        // By keyboard, since the bar of buttons may lie above it.
        self.presses_keys("#settings summary", ENTER).await;
        self.expect("#settings[open]").await;
        self.types("#focus_keyword", "harbours").await;
        if self.reader.runs_scripts {
            assert!(
                self.warns_before_leaving().await,
                "the typed text is not saved"
            );
        } else {
            // The preview before shows the stored post, which has no such heading.
            self.press("[value=preview]", "#preview .text h2").await;
            assert_eq!(self.value("#title").await, "Harbours at night");
        }
        self.expect_text("#preview h1", "Harbours at night").await;
        self.expect_text(
            "#preview h2 ~ * h2, #preview .text h2",
            "Why harbours sleep",
        )
        .await;
        for hint in ["title", "opening", "headings"] {
            // With scripts, the advice follows what is typed a little later.
            let met = format!("[data-hint={hint}][data-met=true]");
            self.expect(&met).await;
        }
        assert_eq!(self.post(created).await, before, "nothing was saved yet");

        self.press("[value=save]", "#saved").await;
        if self.reader.runs_scripts {
            assert!(!self.warns_before_leaving().await, "everything is saved");
        }
        let after = self.post(created).await;
        assert_eq!(after["title"], "Harbours at night");
        assert_eq!(after["tags"], json!(["sea", "night"]));
        assert_eq!(after["focus_keyword"], "harbours");
    }

    /// An invalid field is named, and the form still contains what the author typed.
    async fn meets_a_fault(&self, created: &Value) {
        let before = self.post(created).await;
        self.open(created["edit_url"].as_str().unwrap()).await;
        let long = "long ".repeat(50);
        self.types("#title", long.trim()).await;
        self.press("[value=save]", "#faults[role=alert]").await;
        assert_eq!(self.value("#title").await, long.trim());
        assert_eq!(
            self.attribute("#title", "aria-invalid").await.as_deref(),
            Some("true")
        );
        assert!(self.text("#title-error").await.contains("200"));
        assert_eq!(self.post(created).await, before);

        self.press("#faults a", "#title:focus").await;
        self.types("#title", "Harbours, mended").await;
        self.press("[value=save]", "#saved").await;
        assert_eq!(self.post(created).await["title"], "Harbours, mended");
    }

    /// Two windows change the same post. The second one to save sees the first one's change and
    /// decides.
    async fn meets_a_conflict(&self, created: &Value) {
        let edit_url = created["edit_url"].as_str().unwrap();
        let client = self.browser.client();
        self.open(edit_url).await;
        self.types("#title", "From the first window").await;
        let first = client.window().await.unwrap();

        let second = client.new_window(false).await.unwrap().handle;
        client.switch_to_window(second).await.unwrap();
        self.open(edit_url).await;
        self.types("#title", "From the second window").await;
        self.press("[value=save]", "#saved").await;
        client.close_window().await.unwrap();

        client.switch_to_window(first).await.unwrap();
        self.press(
            "[value=save]",
            "#conflict [role=alert], #conflict[role=alert]",
        )
        .await;
        let shown = self.text("#conflict").await;
        for title in ["From the first window", "From the second window"] {
            assert!(shown.contains(title), "{title} is not in {shown}");
        }
        assert_eq!(self.value("#title").await, "From the first window");
        assert_eq!(self.post(created).await["title"], "From the second window");
        if self.reader.runs_scripts {
            assert!(
                self.warns_before_leaving().await,
                "a conflict leaves it unsaved"
            );
        }
        self.press("[value=save]", "#saved").await;
        assert_eq!(self.post(created).await["title"], "From the first window");
    }

    async fn deletes(&self, created: &Value) {
        self.open(created["edit_url"].as_str().unwrap()).await;
        let client = self.browser.client();
        client
            .find(Locator::Css("#delete summary"))
            .await
            .unwrap()
            .click()
            .await
            .unwrap();
        // Without confirmation, nothing happens.
        client
            .find(Locator::Css("[value=delete]"))
            .await
            .unwrap()
            .click()
            .await
            .unwrap();
        assert_eq!(self.post(created).await["title"], "From the first window");
        client
            .find(Locator::Css("[name=confirm]"))
            .await
            .unwrap()
            .click()
            .await
            .unwrap();
        self.press("[value=delete]", "#deleted").await;

        self.open(created["url"].as_str().unwrap()).await;
        let path = format!("/p/{}", created["id"].as_str().unwrap());
        assert_eq!(self.site.get(&path).await.status, 410);
        let no_posts = "html:has([rel=canonical]) main:not(:has(.posts))";
        self.press("header .brand", no_posts).await;
    }
}

async fn in_english_with_scripts(engine: Engine) {
    journey(engine, "en", true).await;
}

async fn in_french_without_scripts(engine: Engine) {
    journey(engine, "fr", false).await;
}

in_each_browser! {
    in_english_with_scripts,
    in_french_without_scripts,
}

// The server chooses the language, so Firefox needs no more than the two above.

#[tokio::test]
async fn in_english_without_scripts_in_chromium() {
    journey(Engine::Chromium, "en", false).await;
}

#[tokio::test]
async fn in_french_with_scripts_in_chromium() {
    journey(Engine::Chromium, "fr", true).await;
}
