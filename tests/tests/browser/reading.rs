//! What a reader of a post sees and can do.

use fantoccini::Locator;
use handbill_tests::browser::{Browser, Engine, Reader, until};
use serde_json::{Value, json};

use crate::site::Site;

const BODY: &str = "## First\n\nText[^1].\n\n\
    | a | b | c |\n|---|:-:|--:|\n| 1 | 2 | 3 |\n\n\
    - [x] done\n- not a task\n\n\
    ```rust\nlet a = \"b\"; // c\n```\n\n[^1]: A note.\n";

/// Opens a post with this body in a browser with scripts or without.
async fn open(body: &str, runs_scripts: bool) -> Option<(Browser, Site)> {
    let reader = Reader {
        languages: "fr",
        runs_scripts,
    };
    let browser = Browser::start(Engine::Chromium, reader).await?;
    let site = Site::start().await;
    let post = site.publish(&json!({ "body": body })).await;
    browser.open(&site.url(&post.path())).await;
    Some((browser, site))
}

async fn run(browser: &Browser, script: &str) -> Value {
    browser.run(script, vec![]).await
}

async fn click(browser: &Browser, selector: &str) {
    let found = browser.client().find(Locator::Css(selector)).await;
    found.unwrap().click().await.unwrap();
}

#[tokio::test]
async fn a_button_copies_code_and_says_so_in_the_reader_s_language() {
    let Some((browser, _site)) = open(BODY, true).await else {
        return;
    };
    run(
        &browser,
        "navigator.clipboard.writeText = async (text) => { window.copied = text; }",
    )
    .await;
    let label = run(
        &browser,
        "return document.querySelector('.code button').ariaLabel",
    );
    assert_eq!(label.await, "Copier le code");
    click(&browser, ".code button").await;
    until("the page says that it copied", async || {
        let script = "return document.querySelector('[role=status]').textContent";
        run(&browser, script).await == "Copié"
    })
    .await;
    assert_eq!(
        run(&browser, "return window.copied").await,
        "let a = \"b\"; // c"
    );
}

#[tokio::test]
async fn a_post_without_code_loads_no_colours() {
    let Some((browser, site)) = open("`a` <pre>", true).await else {
        return;
    };
    let sheets = "return document.querySelectorAll('link[href*=\"/code-\"]').length";
    assert_eq!(run(&browser, sheets).await, 0);
    let post = site.publish(&json!({ "body": BODY })).await;
    browser.open(&site.url(&post.path())).await;
    assert_eq!(run(&browser, sheets).await, 1);
}

#[tokio::test]
async fn without_scripts_there_is_no_button() {
    let Some((browser, _site)) = open(BODY, false).await else {
        return;
    };
    let code = browser.client().find(Locator::Css(".text pre")).await;
    assert!(code.is_ok(), "there is code");
    for button in browser
        .client()
        .find_all(Locator::Css("button"))
        .await
        .unwrap()
    {
        let label = button.html(true).await.unwrap();
        assert!(!button.is_displayed().await.unwrap(), "{label}");
    }
}

#[tokio::test]
async fn headings_and_footnotes_can_be_followed() {
    let Some((browser, _site)) = open(BODY, true).await else {
        return;
    };
    let anchor = "document.querySelector('.text h1 .anchor')";
    let opacity = format!("return getComputedStyle({anchor}).opacity");
    assert_eq!(run(&browser, &opacity).await, "0");
    run(&browser, &format!("{anchor}.focus()")).await;
    assert_eq!(run(&browser, &opacity).await, "1");
    for (link, target) in [
        (".text h1 .anchor", "h-first"),
        ("sup a", "fn-1"),
        ("section li a", "fnref-1"),
    ] {
        click(&browser, link).await;
        let script = "return document.querySelector(':target').id";
        assert_eq!(run(&browser, script).await, target);
    }
}

#[tokio::test]
async fn tables_tasks_and_code_look_as_they_were_meant() {
    let Some((browser, _site)) = open(BODY, true).await else {
        return;
    };
    let styles = "
        const style = (selector, name) => [...document.querySelectorAll(`.text ${selector}`)]
            .map(element => getComputedStyle(element)[name]);";
    for (wanted, expected) in [
        (
            "style('td', 'textAlign')",
            json!(["start", "center", "right"]),
        ),
        ("style('ul > li', 'listStyleType')", json!(["none", "disc"])),
        (
            "new Set(['code', '.hl-keyword', '.hl-text', '.hl-comment'].flatMap(part => style(part, 'color'))).size",
            json!(4),
        ),
        ("style('', 'width')", json!(["576px"])),
    ] {
        let found = run(&browser, &format!("{styles} return {wanted}")).await;
        assert_eq!(found, expected, "{wanted}");
    }
    // Without the reader's colours, the ground shows where code ends.
    let forced = json!({ "features": [{ "name": "forced-colors", "value": "active" }] });
    browser.devtools("Emulation.setEmulatedMedia", forced).await;
    let edge = format!("{styles} return style('pre', 'borderTopStyle')");
    assert_eq!(run(&browser, &edge).await, json!(["solid"]));
}

#[tokio::test]
async fn a_picture_that_does_not_come_looks_like_its_description() {
    let Some((browser, _site)) = open("![A boat](/nothing.png)\n\na ![b](/no.png)", true).await
    else {
        return;
    };
    until("both pictures are missing", async || {
        let script =
            "return [...document.querySelectorAll('.text .missing')].map(({ alt }) => alt)";
        run(&browser, script).await == json!(["A boat", "b"])
    })
    .await;
}

#[tokio::test]
async fn a_printed_post_has_its_address_and_no_buttons() {
    let Some((browser, _site)) = open(BODY, true).await else {
        return;
    };
    let print = json!({ "media": "print" });
    browser.devtools("Emulation.setEmulatedMedia", print).await;
    let script = "
        const shown = (selector) => getComputedStyle(document.querySelector(selector)).display;
        return [shown('.printed'), shown('.code button'), shown('.anchor'), shown('section li a'), shown('body > header'),
            document.querySelector('.printed').textContent.endsWith(` · ${location.href}`),
            getComputedStyle(document.querySelector('.text h1')).breakAfter,
            getComputedStyle(document.querySelector('td')).overflowWrap];";
    let expected = json!([
        "block",
        "none",
        "none",
        "none",
        "none",
        true,
        "avoid",
        "break-word"
    ]);
    assert_eq!(run(&browser, script).await, expected);
}
