//! A person asks for an API key, and publishes with the command that the page shows.

use fantoccini::Locator;
use handbill_tests::browser::Engine;
use handbill_tests::missing;
use serde_json::Value;

use crate::person::Person;

impl Person {
    async fn asks_for_a_key_and_publishes(&self) {
        self.types("#label", "My key").await;
        self.press("main form button", "#key").await;
        let key = self.text("#key").await;
        assert!(key.starts_with("hb_"), "{key}");

        let copy = self.browser.client().find(Locator::Css("[data-copy=key]"));
        let is_offered = copy.await.unwrap().is_displayed().await.unwrap();
        assert_eq!(
            is_offered, self.reader.runs_scripts,
            "copying needs a script"
        );

        let line = self.text("#curl").await;
        let output = std::process::Command::new("bash")
            .args(["-euc", &line])
            .output()
            .unwrap();
        let created: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(created["edit_url"].is_string(), "{created}");

        if self.reader.runs_scripts {
            self.press("[data-copy=key]", "#copied:not(:empty)").await;
            self.browser.client().refresh().await.unwrap();
            let forms = self.browser.client().find_all(Locator::Css("#label")).await;
            assert_eq!(
                forms.unwrap().len(),
                1,
                "reloading the page requests no other key"
            );
            let label = self
                .browser
                .client()
                .find(Locator::Css("#label"))
                .await
                .unwrap();
            label.send_keys("\u{E009}v\u{E000}").await.unwrap();
            assert_eq!(
                self.value("#label").await,
                key,
                "the copied text can be pasted"
            );
        }
    }
}

async fn with_a_key(engine: Engine, language: &'static str, runs_scripts: bool) {
    if missing::program("curl", "apt-get install curl") {
        return;
    }
    if let Some(person) = Person::start(engine, language, runs_scripts).await {
        person.open(&person.site.url("/keys")).await;
        person.asks_for_a_key_and_publishes().await;
    }
}

async fn a_program_publishes_in_english_with_scripts(engine: Engine) {
    with_a_key(engine, "en", true).await;
}

async fn a_program_publishes_in_french_without_scripts(engine: Engine) {
    with_a_key(engine, "fr", false).await;
}

in_each_browser! {
    a_program_publishes_in_english_with_scripts,
    a_program_publishes_in_french_without_scripts,
}
