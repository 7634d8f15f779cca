//! What the editor does while someone types, formats and pastes.

use fantoccini::Locator;
use handbill_tests::browser::{Engine, until};
use serde_json::{Value, json};

use crate::editor::{CONTROL, ENTER, RELEASED, focused};
use crate::person::Person;

const RIGHT: &str = "\u{E014}";

/// A person on the page for a new post, whose tools are there.
async fn writer(engine: Engine) -> Option<Person> {
    let person = Person::start(engine, "en", true).await?;
    person.open(&person.site.url("/write")).await;
    person.expect("#tools:not([hidden])").await;
    Some(person)
}

impl Person {
    /// Puts a text into the form, and selects a part of it.
    async fn selects(&self, text: &str, from: usize, to: usize) {
        let script = "const body = document.querySelector('#body');
                      body.value = arguments[0];
                      body.focus(); body.setSelectionRange(arguments[1], arguments[2])";
        let arguments = vec![json!(text), json!(from), json!(to)];
        self.browser.run(script, arguments).await;
    }

    /// The text, with what is selected in brackets.
    async fn selected(&self) -> String {
        let script = "const { value, selectionStart: from, selectionEnd: to } = document.querySelector('#body');
                      return `${value.slice(0, from)}⟦${value.slice(from, to)}⟧${value.slice(to)}`";
        let text = self.browser.run(script, vec![]).await;
        text.as_str().unwrap().to_owned()
    }

    /// Pastes, or drops, what another program offers: types and texts. A file has the type `Files`.
    async fn gets(&self, event: &str, data: &Value) {
        let script = "const data = new DataTransfer();
                      for (const [type, text] of Object.entries(arguments[1])) {
                        if (type === 'Files') data.items.add(new File(['x'], text, { type: 'image/png' }));
                        else data.setData(type, text);
                      }
                      const options = { bubbles: true, cancelable: true };
                      const happened = arguments[0] === 'paste'
                        ? new ClipboardEvent('paste', { ...options, clipboardData: data })
                        : new DragEvent('drop', { ...options, dataTransfer: data });
                      document.querySelector('#body').dispatchEvent(happened)";
        let arguments = vec![json!(event), data.clone()];
        self.browser.run(script, arguments).await;
    }
}

async fn the_tools_write_markdown_and_can_be_undone(engine: Engine) {
    let Some(person) = writer(engine).await else {
        return;
    };
    person.types("#body", "one two").await;
    let select = "const body = document.querySelector('#body');
                  body.focus(); body.setSelectionRange(4, 7)";
    person.browser.run(select, vec![]).await;
    person.press("[data-tool=bold]", "#body:focus").await;
    assert_eq!(person.value("#body").await, "one **two**");
    person
        .presses_keys("#body", &format!("{CONTROL}z{RELEASED}"))
        .await;
    assert_eq!(person.value("#body").await, "one two");
    for (tool, text) in [
        ("i", "one *two*"),
        ("k", "one [two](https://)"),
        ("b", "one **two**"),
    ] {
        person.types("#body", "one two").await;
        person.browser.run(select, vec![]).await;
        let active = person.browser.client().active_element().await.unwrap();
        let keys = format!("{CONTROL}{tool}{RELEASED}");
        active.send_keys(&keys).await.unwrap();
        assert_eq!(person.value("#body").await, text);
    }
    person.types("#body", "one").await;
    person.press("[data-tool=heading]", "#body:focus").await;
    assert_eq!(person.value("#body").await, "## one");
    // One stop for the Tab key; the arrows lead on.
    let stops = "#tools [tabindex='0']";
    let stops = person.browser.client().find_all(Locator::Css(stops));
    assert_eq!(stops.await.unwrap().len(), 1);
    let focus = "document.querySelector('[data-tool=bold]').focus()";
    person.browser.run(focus, vec![]).await;
    person.presses_keys("[data-tool=bold]", RIGHT).await;
    let at = "return document.activeElement.dataset.tool";
    assert_eq!(person.browser.run(at, vec![]).await, "italic");
}

async fn each_tool_takes_back_what_it_did(engine: Engine) {
    let Some(person) = writer(engine).await else {
        return;
    };
    for (tool, with) in [
        ("bold", "one **⟦two⟧**"),
        ("italic", "one *⟦two⟧*"),
        ("link", "one [two](⟦https://⟧)"),
        ("heading", "## one two⟦⟧"),
        ("list", "- one two⟦⟧"),
        ("quote", "> one two⟦⟧"),
        ("code", "one `⟦two⟧`"),
    ] {
        person.selects("one two", 4, 7).await;
        let button = format!("[data-tool={tool}]");
        person.press(&button, "#body:focus").await;
        assert_eq!(person.selected().await, with);
        person.press(&button, "#body:focus").await;
        assert_eq!(person.value("#body").await, "one two", "{tool}");
    }
    // What is selected may have the signs in it.
    person.selects("one **two**", 4, 11).await;
    for (tool, text) in [
        ("italic", "one ***two***"),
        ("italic", "one **two**"),
        ("bold", "one two"),
        ("bold", "one **two**"),
        ("italic", "one ***two***"),
        ("bold", "one *two*"),
        ("italic", "one two"),
    ] {
        person
            .press(&format!("[data-tool={tool}]"), "#body:focus")
            .await;
        assert_eq!(person.value("#body").await, text);
    }
}

/// Blank lines stay as they are.
async fn a_tool_for_lines_is_for_all_that_are_selected(engine: Engine) {
    let Some(person) = writer(engine).await else {
        return;
    };
    person.selects("a\n\n- b\nc", 0, 8).await;
    for text in ["- a\n\n- b\n- c", "a\n\nb\nc"] {
        person.press("[data-tool=list]", "#body:focus").await;
        assert_eq!(person.value("#body").await, text);
        let select = "document.querySelector('#body').select()";
        person.browser.run(select, vec![]).await;
    }
}

async fn a_list_goes_on_until_an_item_is_empty(engine: Engine) {
    let Some(person) = writer(engine).await else {
        return;
    };
    for (typed, text) in [
        (["- one", "two", "", "end"], "- one\n- two\n\nend"),
        (["9. one", "two", "", "end"], "9. one\n10. two\n\nend"),
        (
            ["- [x] one", "two", "", "end"],
            "- [x] one\n- [ ] two\n\nend",
        ),
        (["> - one", "two", "", "end"], "> - one\n> - two\n\nend"),
        (["```", "- one", "two", "```"], "```\n- one\ntwo\n```"),
    ] {
        person.types("#body", &typed.join(ENTER)).await;
        assert_eq!(person.value("#body").await, text);
    }
}

// A script can paste in Chromium only.

#[tokio::test]
async fn an_address_that_is_pasted_on_words_makes_a_link() {
    let Some(person) = writer(Engine::Chromium).await else {
        return;
    };
    let address = json!({ "text/plain": "https://example.org/x" });
    person.selects("see this page", 4, 8).await;
    person.gets("paste", &address).await;
    let text = "see [this](https://example.org/x) page";
    assert_eq!(person.value("#body").await, text);
    // On the text or the empty address of a link, it becomes the link's address.
    for (before, from, to) in [("[two](https://)", 6, 14), ("[two](https://old.org)", 1, 4)] {
        person.selects(before, from, to).await;
        person.gets("paste", &address).await;
        let after = if to == 4 {
            "[two](https://example.org/x)"
        } else {
            before
        };
        assert_eq!(person.value("#body").await, after, "{before}");
    }
    // Alone, that of a picture becomes the picture.
    person.selects("", 0, 0).await;
    let picture = json!({ "text/plain": "https://example.org/fog.JPG?w=9" });
    person.gets("paste", &picture).await;
    let text = "![](https://example.org/fog.JPG?w=9)";
    assert_eq!(person.value("#body").await, text);
    person.selects("see this page", 4, 8).await;
    person.gets("paste", &address).await;
    let undo = format!("{CONTROL}z{RELEASED}");
    person.presses_keys("#body", &undo).await;
    assert_eq!(person.value("#body").await, "see this page");
}

#[tokio::test]
async fn rich_text_that_is_pasted_becomes_markdown() {
    let Some(person) = writer(Engine::Chromium).await else {
        return;
    };
    let docs = "<b style='font-weight:normal' id='docs-internal-guid-1'><h2>Head</h2>\
                <p><span style='font-weight:700'>bold</span> and <span style='font-style:italic'>slanted</span> \
                <a href='https://e.org/'>link</a> <img src='data:x' alt='picture'><s>gone</s></p>\
                <ul><li>one</li><li>two</li></ul>\
                <table><tr><td>a</td><td>b|c</td></tr><tr><td>1</td><td>2</td></tr></table>\
                <script>alert(1)</script></b>";
    let word = "<p style='mso-list:l0'><span style='mso-list:Ignore'>1.</span>first</p>\
                <p style='mso-list:l0'><span style='mso-list:Ignore'>2.</span>second</p>";
    for (html, markdown) in [
        (
            docs,
            "## Head\n\n**bold** and *slanted* [link](https://e.org/) picture~~gone~~\n\n- one\n- two\n\n\
             | a | b\\|c |\n| --- | --- |\n| 1 | 2 |",
        ),
        (word, "1. first\n2. second"),
        (
            "<p>a <a href='https://e.org/'>link</a></p>",
            "a [link](https://e.org/)",
        ),
    ] {
        person.selects("", 0, 0).await;
        let data = json!({ "text/plain": "plain", "text/html": html });
        person.gets("paste", &data).await;
        until("the text is pasted", async || {
            person.value("#body").await == markdown
        })
        .await;
    }
    // What an editor for code copies has colours only.
    person.selects("", 0, 0).await;
    let script = "const plain = { 'text/plain': 'x', 'text/html': '<div style=\"color:red\">x</div>' };
                  const data = new DataTransfer();
                  for (const type in plain) data.setData(type, plain[type]);
                  const paste = new ClipboardEvent('paste', { cancelable: true, clipboardData: data });
                  return document.querySelector('#body').dispatchEvent(paste)";
    let is_left_to_the_browser = person.browser.run(script, vec![]).await;
    assert_eq!(is_left_to_the_browser, true);
}

#[tokio::test]
async fn too_much_rich_text_is_pasted_as_plain_text() {
    let Some(person) = writer(Engine::Chromium).await else {
        return;
    };
    let script = "const data = new DataTransfer();
                  data.setData('text/plain', 'plain');
                  data.setData('text/html', '<b>bold</b>'.repeat(500_000));
                  const paste = new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data });
                  document.querySelector('#body').dispatchEvent(paste)";
    person.browser.run(script, vec![]).await;
    assert_eq!(person.value("#body").await, "plain");
    person.expect_text("#state", "as plain text").await;
}

#[tokio::test]
async fn a_picture_that_is_pasted_or_dropped_gets_an_answer() {
    let Some(person) = writer(Engine::Chromium).await else {
        return;
    };
    let here = person.browser.client().current_url().await.unwrap();
    for event in ["paste", "drop"] {
        person.types("#body", event).await;
        person.gets(event, &json!({ "Files": "harbour.png" })).await;
        person.expect_text("#state", "needs an address").await;
        assert_eq!(person.value("#body").await, event);
    }
    assert_eq!(person.browser.client().current_url().await.unwrap(), here);
}

async fn the_preview_follows_the_caret(engine: Engine) {
    let Some(person) = writer(engine).await else {
        return;
    };
    let long = "word ".repeat(60);
    let blocks: Vec<_> = (0..200)
        .map(|number| format!("Paragraph {number}. {long}"))
        .collect();
    let text = blocks.join("\n\n");
    let at = text.find("Paragraph 120.").unwrap();
    person.selects(&text, at, at).await;
    person.presses_keys("#body", "HERE ").await;
    until("the preview shows the paragraph of the caret", async || {
        let script = "const pane = document.querySelector('#preview');
                      const here = [...pane.querySelectorAll('p')].find((p) => p.textContent.startsWith('HERE'));
                      if (!here) return false;
                      const { top, bottom } = pane.getBoundingClientRect();
                      const place = here.getBoundingClientRect();
                      return place.top >= top && place.top < bottom";
        person.browser.run(script, vec![]).await == true
    })
    .await;
}

/// The form asks for little, and begins with the title.
async fn the_form_looks_like_a_page(engine: Engine) {
    let Some(person) = writer(engine).await else {
        return;
    };
    assert_eq!(focused(&person).await, "title");
    assert!(!person.is_seen("#author").await);
    let script = "return [document.querySelector('#language').value, document.querySelector('#advice').innerText]";
    let settings = person.browser.run(script, vec![]).await;
    assert_eq!(settings, json!(["English", ""]));
    person.types("#body", "Guten Tag.").await;
    let open = "document.querySelector('#settings').open = true";
    person.browser.run(open, vec![]).await;
    person.types("#language", "German").await;
    person.types("#focus_keyword", "Tag").await;
    person.expect("#advice [data-hint=opening]").await;
    person.expect("#body[lang=de]").await;
    let created = person.publishes().await;
    assert_eq!(person.post(&created).await["language"], "de");
    person.press("#edit", "#settings[open]").await;
    assert_eq!(person.value("#language").await, "Deutsch");
    person.types("#language", "Klingonish").await;
    person
        .press("[value=save]", "#language[aria-invalid=true]")
        .await;
    assert_eq!(person.post(&created).await["language"], "de");
}

/// Near its limit, the length of a field is shown.
async fn the_room_that_is_left_is_shown_when_there_is_little(engine: Engine) {
    let Some(person) = writer(engine).await else {
        return;
    };
    let counter = "[data-counts=title]";
    person.types("#title", &"x".repeat(159)).await;
    assert!(!person.is_seen(counter).await);
    person.presses_keys("#title", "x").await;
    person.expect_text(counter, "160 / 200").await;
    let counters = person
        .browser
        .client()
        .find_all(Locator::Css(".over"))
        .await;
    assert!(counters.unwrap().is_empty());
    person.types("#title", &"x".repeat(201)).await;
    person.expect_text(".over", "201 / 200").await;
}

// Firefox has no `field-sizing`, and `show_as` is Chromium's.

/// The line that is typed is above the bar of buttons, on each size.
#[tokio::test]
async fn the_line_that_is_typed_is_in_sight() {
    let Some(person) = writer(Engine::Chromium).await else {
        return;
    };
    let text = "A line of the text.\n".repeat(80);
    for (width, height) in [(320, 640), (390, 844), (1366, 650), (1920, 950)] {
        person.browser.show_as(width, height, "light").await;
        person.selects(&text, text.len(), text.len()).await;
        person.presses_keys("#body", "x").await;
        let script = "const body = document.querySelector('#body');
                      const hidden = body.scrollHeight - body.clientHeight - body.scrollTop;
                      const line = body.getBoundingClientRect().bottom + hidden;
                      const bar = document.querySelector('.bar').getBoundingClientRect();
                      return [line, bar.top, hidden, innerHeight]";
        until(format!("the line is in sight at {width}"), async || {
            let found = person.browser.run(script, vec![]).await;
            let [line, bar, ..] = found.as_array().unwrap().as_slice() else {
                return false;
            };
            line.as_f64() <= bar.as_f64().map(|bar| bar + 8.0) && line.as_f64() > Some(0.0)
        })
        .await;
    }
}

/// A key that begins something ends it, too.
async fn a_sign_that_is_there_is_stepped_over(engine: Engine) {
    let Some(person) = writer(engine).await else {
        return;
    };
    let bold = format!("{CONTROL}b{RELEASED}");
    let italic = format!("{CONTROL}i{RELEASED}");
    person.types("#body", "").await;
    for keys in [
        "This is ", &bold, "bold", &bold, " and ", &italic, "slanted", &italic, " text",
    ] {
        person.presses_keys("#body", keys).await;
    }
    let text = "This is **bold** and *slanted* text";
    assert_eq!(person.value("#body").await, text);
}

async fn a_picture_is_asked_for_by_its_address(engine: Engine) {
    let Some(person) = writer(engine).await else {
        return;
    };
    person.selects("See ", 4, 4).await;
    person.press("[data-tool=picture]", "#picture[open]").await;
    let address = "https://example.org/a (1).jpg";
    person.types("#picture-address", address).await;
    person.types("#picture-text", "The [old] harbour").await;
    person
        .press("#picture [value=insert]", "#picture:not([open])")
        .await;
    let text = r"See ![The \[old\] harbour](https://example.org/a%20%281%29.jpg)";
    until("the picture is in the text", async || {
        person.value("#body").await == text
    })
    .await;
}

/// Until the language is chosen, it is the likely one of the script, and it is seen beside the buttons.
async fn the_language_follows_the_script(engine: Engine) {
    let Some(person) = writer(engine).await else {
        return;
    };
    for (text, tag, name) in [
        ("مرحبا بالعالم", "ar", "Arabic"),
        ("こんにちは、世界と港の霧", "ja", "Japanese"),
        ("今天有雾，港口很安静", "zh", "Chinese"),
        ("Καλημέρα κόσμε", "el", "Greek"),
        ("Good morning, Κόσμε", "English", "English"),
        ("Доброе утро", "ru", "Russian"),
    ] {
        person.types("#body", text).await;
        person.expect_text("#chosen-language", name).await;
        assert_eq!(person.value("#language").await, tag, "{text}");
    }
    person.press("#chosen-language", "#settings[open]").await;
    person.types("#language", "Bulgarian").await;
    person.types("#body", "Добро утро, свят").await;
    let created = person.publishes().await;
    assert_eq!(person.post(&created).await["language"], "bg");
}

/// A long title is read whole, and stays one line of text.
#[tokio::test]
async fn the_title_grows() {
    let Some(person) = writer(Engine::Chromium).await else {
        return;
    };
    let height = "return document.querySelector('#title').offsetHeight";
    let low = person.browser.run(height, vec![]).await.as_f64();
    person
        .types("#title", &"The fog lifts at last ".repeat(8))
        .await;
    assert!(person.browser.run(height, vec![]).await.as_f64() > low);
    let paste = "const title = document.querySelector('#title');
                 title.value = 'One\\nTwo';
                 title.dispatchEvent(new Event('input', { bubbles: true }))";
    person.browser.run(paste, vec![]).await;
    assert_eq!(person.value("#title").await, "One Two");
}

in_each_browser! {
    the_tools_write_markdown_and_can_be_undone,
    each_tool_takes_back_what_it_did,
    a_tool_for_lines_is_for_all_that_are_selected,
    a_list_goes_on_until_an_item_is_empty,
    the_preview_follows_the_caret,
    the_form_looks_like_a_page,
    the_room_that_is_left_is_shown_when_there_is_little,
    a_sign_that_is_there_is_stepped_over,
    a_picture_is_asked_for_by_its_address,
    the_language_follows_the_script,
}
