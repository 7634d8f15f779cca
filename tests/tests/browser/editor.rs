//! What the editor does better with a script, and what it does as well without one.

use handbill_tests::browser::{Engine, until};
use serde_json::{Value, json};

use crate::person::{PUBLISHED, Person};

pub(crate) const CONTROL: &str = "\u{E009}";
pub(crate) const ENTER: &str = "\u{E007}";
pub(crate) const RELEASED: &str = "\u{E000}";

/// What the browser has stored of forms.
async fn stored(person: &Person) -> String {
    let script = "const isForm = ([name]) => !/^handbill (posts|remember) /.test(name);
                  return JSON.stringify(Object.entries(localStorage).filter(isForm))";
    let text = person.browser.run(script, vec![]).await;
    text.as_str().unwrap().to_owned()
}

pub(crate) async fn until_kept(person: &Person, text: &str) {
    until(format!("the browser stores {text}"), async || {
        stored(person).await.contains(text)
    })
    .await;
}

pub(crate) async fn focused(person: &Person) -> Value {
    person
        .browser
        .run("return document.activeElement.id", vec![])
        .await
}

async fn what_was_typed_is_offered_again_after_a_reload_until_it_is_published(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    let write = person.site.url("/write");
    person.open(&write).await;
    // A field for a key, as where keys are needed.
    let script = "document.querySelector('#form .fields').insertAdjacentHTML('beforeend',
                      '<input name=api_key value=hb_secret>')";
    person.browser.run(script, vec![]).await;
    person.types("#title", "A title").await;
    person.types("#body", "A long text").await;
    until_kept(&person, "A long text").await;
    assert!(!stored(&person).await.contains("hb_secret"));

    person.reloads().await;
    // Looking at another tab changes nothing.
    let script = "document.dispatchEvent(new Event('visibilitychange'))";
    person.browser.run(script, vec![]).await;
    person.reloads().await;
    assert_eq!(person.value("#body").await, "");
    person.press("#offer .restore", "#offer[hidden]").await;
    assert_eq!(person.value("#title").await, "A title");
    assert_eq!(person.value("#body").await, "A long text");
    person.expect_text("#preview .text p", "A long text").await;

    person.publishes().await;
    assert_eq!(stored(&person).await, "[]");
    person.open(&write).await;
    assert!(!person.is_seen("#offer").await);
}

async fn a_discarded_text_is_forgotten(engine: Engine) {
    let Some(person) = Person::start(engine, "fr", true).await else {
        return;
    };
    person.open(&person.site.url("/write")).await;
    person.types("#body", "Un texte").await;
    until_kept(&person, "Un texte").await;
    person.reloads().await;
    person.press("#offer .discard", "#offer[hidden]").await;
    assert_eq!(person.value("#body").await, "");
    assert_eq!(stored(&person).await, "[]");
    // One can think again.
    person.press("#state button", "#offer:not([hidden])").await;
    person.press("#offer .restore", "#offer[hidden]").await;
    assert_eq!(person.value("#body").await, "Un texte");
}

/// The text comes back with the revision that it is based on.
async fn a_restored_text_overwrites_no_newer_one(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    let post = person.site.publish(&json!({ "body": "first" })).await;
    let edit = person.site.url(&post.edit_path());
    person.open(&edit).await;
    person.types("#body", "mine").await;
    until_kept(&person, "mine").await;
    assert!(!stored(&person).await.contains(&post.edit_path()[3..]));
    person
        .site
        .update(&post, &json!({ "body": "theirs" }))
        .await;
    person.open(&edit).await;
    assert_eq!(person.value("#body").await, "theirs");
    person.press("#offer .restore", "#offer[hidden]").await;
    person.press("[value=save]", "#conflict").await;
    assert_eq!(person.value("#body").await, "mine");
    person.press("[value=save]", "#saved").await;
    assert_eq!(stored(&person).await, "[]");
}

async fn a_problem_has_the_focus(engine: Engine, runs_scripts: bool) {
    let Some(person) = Person::start(engine, "en", runs_scripts).await else {
        return;
    };
    person.open(&person.site.url("/write")).await;
    person.types("#title", &"x".repeat(201)).await;
    person.types("#body", "Some text").await;
    person.press("[value=publish]", "#faults:focus").await;
    assert_eq!(person.value("#body").await, "Some text");
    let title = person.browser.client().title().await.unwrap();
    assert!(title.starts_with("Error: "), "{title}");
    person.press("#faults a", "#title:focus").await;
}

async fn a_problem_has_the_focus_with_scripts(engine: Engine) {
    a_problem_has_the_focus(engine, true).await;
}

async fn a_problem_has_the_focus_without_scripts(engine: Engine) {
    a_problem_has_the_focus(engine, false).await;
}

/// Whether an element lies within the window.
async fn is_in_sight(person: &Person, selector: &str) -> bool {
    let script =
        "const { top, bottom } = document.querySelector(arguments[0]).getBoundingClientRect();
                  return bottom > top && top >= 0 && bottom <= innerHeight";
    person.browser.run(script, vec![json!(selector)]).await == true
}

async fn form_and_preview_take_turns(engine: Engine, runs_scripts: bool) {
    let Some(person) = Person::start(engine, "en", runs_scripts).await else {
        return;
    };
    // Neither browser has a window as narrow as a phone, but the form is narrow enough here.
    let window = person.browser.client().set_window_size(500, 844).await;
    window.unwrap();
    let long = "A paragraph.\n\n".repeat(60);
    let post = person.site.publish(&json!({ "body": long })).await;
    person.open(&person.site.url(&post.edit_path())).await;
    for (tab, seen, unseen) in [
        ("#view-preview", "#preview", "#body"),
        ("#view-write", "#body", "#preview"),
    ] {
        person
            .press(&format!("label:has({tab})"), &format!("{tab}:checked"))
            .await;
        assert!(person.is_seen(seen).await, "{seen} on {tab}");
        assert!(!person.is_seen(unseen).await, "{unseen} on {tab}");
        assert!(is_in_sight(&person, "#save").await, "Save on {tab}");
    }
    let end = "scrollTo(0, document.body.scrollHeight)";
    person.browser.run(end, vec![]).await;
    assert!(is_in_sight(&person, "#save").await, "Save at the end");
    assert!(is_in_sight(&person, ".views").await, "the tabs at the end");
    if runs_scripts {
        // The writer goes on at the caret.
        let middle = "const body = document.querySelector('#body');
                      body.focus(); body.setSelectionRange(300, 300);";
        person.browser.run(middle, vec![]).await;
        for tab in ["#view-preview", "#view-write"] {
            person
                .press(&format!("label:has({tab})"), &format!("{tab}:checked"))
                .await;
        }
        person.expect("#body:focus").await;
        let caret = "return document.querySelector('#body').selectionStart";
        assert_eq!(person.browser.run(caret, vec![]).await, 300);
        // What is wrong with another field does not hide the text.
        person.types("#title", &"x".repeat(201)).await;
        person.press("label:has(#view-preview)", "#faults").await;
        assert!(person.is_seen("#preview article").await);
        person.press("#faults a", "#title:focus").await;
    } else {
        // The preview that the server sends shows itself.
        person
            .press("[value=preview]", "#view-preview:checked")
            .await;
        assert!(person.is_seen("#preview article").await);
    }
}

async fn on_a_phone_the_form_and_the_preview_take_turns_with_scripts(engine: Engine) {
    form_and_preview_take_turns(engine, true).await;
}

async fn on_a_phone_the_form_and_the_preview_take_turns_without_scripts(engine: Engine) {
    form_and_preview_take_turns(engine, false).await;
}

async fn shortcuts_publish_and_save_and_nothing_is_published_by_habit(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    person.open(&person.site.url("/write")).await;
    person.types("#body", "By keyboard.").await;
    let save = format!("{CONTROL}s{RELEASED}");
    person.presses_keys("#body", &save).await;
    until_kept(&person, "By keyboard.").await;
    person.presses_keys("#title", ENTER).await;
    assert_eq!(focused(&person).await, "body");
    let list = person.site.get("/api/posts").await.json();
    assert_eq!(list["total"], 0);
    let publish = format!("{CONTROL}{ENTER}{RELEASED}");
    person.presses_keys("#body", &publish).await;
    person.expect_text("#new-title", "Published").await;
    person.press("#edit", "#form").await;
    person.types("#title", "Saved by keyboard").await;
    person.presses_keys("#title", &save).await;
    person.expect_text("#saved", "Saved").await;
    let list = person.site.get("/api/posts").await.json();
    assert_eq!(list["posts"][0]["title"], "Saved by keyboard");
}

async fn a_double_click_publishes_once(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    person.open(&person.site.url("/write")).await;
    person.types("#body", "Once").await;
    let script = "for (const click of [1, 2]) document.querySelector('#save').click()";
    person.browser.run(script, vec![]).await;
    person.expect(PUBLISHED).await;
    let list = person.site.get("/api/posts").await.json();
    assert_eq!(list["total"], 1);
}

/// What is offered and ignored stays, while something new is typed.
async fn a_text_that_is_offered_and_ignored_stays(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    let write = person.site.url("/write");
    person.open(&write).await;
    person.types("#body", "PRECIOUS earlier text").await;
    until_kept(&person, "PRECIOUS").await;
    person.reloads().await;
    person
        .expect_text("#offer strong", "PRECIOUS earlier text")
        .await;
    person.expect_text("#offer .muted", "3 words").await;
    person.types("#body", "New").await;
    until_kept(&person, "New").await;
    person.reloads().await;
    for text in ["PRECIOUS", "New"] {
        person.expect_text("#offer", text).await;
    }
}

/// A browser that stores nothing says so, and publishes all the same.
async fn a_browser_without_room_says_so(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    person.open(&person.site.url("/write")).await;
    let script = "Storage.prototype.setItem = () => { throw new DOMException('full') }";
    person.browser.run(script, vec![]).await;
    person.types("#body", "Nowhere to stay").await;
    person.expect_text("#state .alarm", "Keep a copy").await;
    person.press("[value=publish]", "#published").await;
}

/// The text of one tab is not written over by another, and publishing one leaves the other.
async fn two_tabs_have_their_own_texts(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    let client = person.browser.client();
    let write = person.site.url("/write");
    person.open(&write).await;
    person.types("#body", "The first tab").await;
    until_kept(&person, "The first tab").await;
    let first = client.window().await.unwrap();
    let second = client.new_window(true).await.unwrap().handle;
    client.switch_to_window(second).await.unwrap();
    person.open(&write).await;
    assert!(
        !person.is_seen("#offer").await,
        "it is open in the first tab"
    );
    person.types("#body", "The second tab").await;
    until_kept(&person, "The second tab").await;
    person.publishes().await;
    assert!(stored(&person).await.contains("The first tab"));
    client.close_window().await.unwrap();
    client.switch_to_window(first).await.unwrap();
    assert_eq!(person.value("#body").await, "The first tab");
}

/// Saving leaves the writer where they were, and says what became of the text.
async fn saving_moves_nothing_whatever_happens(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    let long = "A line of the text.\n\n".repeat(500);
    let post = person.site.publish(&json!({ "body": long })).await;
    person.open(&person.site.url(&post.edit_path())).await;
    let place = "const body = document.querySelector('#body');
                 return [document.activeElement.id, body.selectionStart, body.scrollTop]";
    let go = "const body = document.querySelector('#body');
              body.focus(); body.setSelectionRange(5000, 5000);
              body.setRangeText('A word. ', 5000, 5000, 'end');
              body.dispatchEvent(new Event('input', { bubbles: true }));
              body.scrollTop = 3000";
    person.browser.run(go, vec![]).await;
    let before = person.browser.run(place, vec![]).await;
    assert!(before[2].as_f64().unwrap() > 0.0, "{before}");
    let save = format!("{CONTROL}s{RELEASED}");
    let active = person.browser.client().active_element().await.unwrap();
    active.send_keys(&save).await.unwrap();
    person.expect_text("#state #saved", "Saved").await;
    assert_eq!(person.browser.run(place, vec![]).await, before);

    // Someone else changes the first line, and what came in is shown.
    let theirs = person
        .value("#body")
        .await
        .replacen("A line", "Their line", 1);
    person.site.update(&post, &json!({ "body": theirs })).await;
    person.browser.run(go, vec![]).await;
    let before = person.browser.run(place, vec![]).await;
    active.send_keys(&save).await.unwrap();
    person
        .expect_text("#merged .sides div:last-child mark", "Their")
        .await;
    let body = person.value("#body").await;
    assert!(body.starts_with("Their line"), "{}", &body[..40]);
    let after = person.browser.run(place, vec![]).await;
    // "Their" is four letters longer than "A".
    assert_eq!(after[1].as_u64(), before[1].as_u64().map(|at| at + 4));
    assert_eq!((&after[0], &after[2]), (&before[0], &before[2]));

    person.browser.run(go, vec![]).await;
    let before = person.browser.run(place, vec![]).await;
    person.site.crash();
    active.send_keys(&save).await.unwrap();
    person.expect_text("#state", "Your text is safe").await;
    assert_eq!(person.browser.run(place, vec![]).await, before);
}

in_each_browser! {
    what_was_typed_is_offered_again_after_a_reload_until_it_is_published,
    a_discarded_text_is_forgotten,
    a_restored_text_overwrites_no_newer_one,
    a_problem_has_the_focus_with_scripts,
    a_problem_has_the_focus_without_scripts,
    on_a_phone_the_form_and_the_preview_take_turns_with_scripts,
    on_a_phone_the_form_and_the_preview_take_turns_without_scripts,
    shortcuts_publish_and_save_and_nothing_is_published_by_habit,
    a_double_click_publishes_once,
    a_text_that_is_offered_and_ignored_stays,
    two_tabs_have_their_own_texts,
    a_browser_without_room_says_so,
    saving_moves_nothing_whatever_happens,
}
