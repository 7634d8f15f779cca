//! On every page, axe-core finds no fault, nothing is wider than a small phone, and the console stays empty: there is
//! no error, and no violation of the page's policy. One visit to a page checks all of this.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use handbill_tests::browser::{Browser, Message};
use handbill_tests::missing;
use serde_json::{Value, json};

use crate::page::{Page, filled_site};

/// Each pair of a size and colours is in one language. Each language has both sizes and both colours.
const IN_ENGLISH: [Screen; 2] = [(390, 844, "light"), (1280, 900, "dark")];
const IN_FRENCH: [Screen; 2] = [(390, 844, "dark"), (1280, 900, "light")];

/// Its width and height in CSS pixels, and its colours.
type Screen = (u32, u32, &'static str);

/// The script of axe-core. If it is missing, this reports it and returns `None`.
fn axe() -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let installed = || root.join("target/axe/node_modules/axe-core/axe.min.js");
    let path: PathBuf =
        std::env::var_os("HANDBILL_AXE").map_or_else(installed, |path| root.join(path));
    let script = std::fs::read_to_string(&path);
    if script.is_err() {
        missing::say(
            &format!("there is no axe-core at {}", path.display()),
            "Install it with: npm install --prefix target/axe axe-core@4.14.1\n\
             or name its axe.min.js in HANDBILL_AXE.",
        );
    }
    script.ok()
}

/// The faults that axe-core finds on the current page, one line per element.
async fn violations(browser: &Browser) -> Vec<String> {
    let script = "
        const done = arguments[arguments.length - 1];
        const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
        axe.run(document, { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] })
            .then(found => done(found.violations), error => done(String(error)));";
    let found = browser.run_async(script, vec![]).await;
    let found = found
        .as_array()
        .unwrap_or_else(|| panic!("axe-core runs: {found}"));
    let lines = found.iter().flat_map(|rule| {
        let nodes = rule["nodes"].as_array().unwrap();
        nodes.iter().map(|node| {
            let summary = node["failureSummary"].as_str().unwrap().replace('\n', " ");
            format!("{}: {} {summary}", rule["id"], node["html"])
        })
    });
    lines.collect()
}

/// The messages on the console since the last call, except that which a browser writes for each error page: it
/// reports the status of the page itself.
async fn messages(browser: &Browser, page: Page) -> Vec<String> {
    let url = browser.client().current_url().await.unwrap();
    let status = page.status();
    let said =
        format!("{url} - Failed to load resource: the server responded with a status of {status} ");
    let is_of_the_page_itself = |message: &Message| {
        status >= 400 && message.source == "network" && message.text.starts_with(&said)
    };
    let mut messages = browser.console().await;
    messages.retain(|message| !is_of_the_page_itself(message));
    let lines = messages.iter().map(|message| format!("{message:?}"));
    lines.collect()
}

/// WCAG 1.4.10: at 320 CSS pixels, a page needs no horizontal scrolling. Returns what is wider.
async fn too_wide(browser: &Browser) -> Option<String> {
    browser.show_as(320, 640, "light").await;
    let script = "
        const wide = [...document.body.querySelectorAll('*')]
            .filter(element => element.getBoundingClientRect().right > 320)
            .map(element => element.cloneNode().outerHTML);
        const page = document.scrollingElement;
        return [page.clientWidth, page.scrollWidth, wide.slice(0, 3)];";
    let widths: Value = browser.run(script, vec![]).await;
    (widths[0] != json!(320) || widths[1] != json!(320)).then(|| format!("too wide: {widths}"))
}

/// Visits each page in this language.
async fn audit(language: &str, screens: [Screen; 2]) {
    let Some(axe) = axe() else { return };
    let Some(browser) = crate::browser().await else {
        return;
    };
    let site = filled_site().await;
    // Each fault, with the page and the screen.
    let mut faults = BTreeMap::<String, Vec<String>>::new();
    for page in Page::all() {
        // What axe-core writes to the console does not count.
        browser.console().await;
        page.open(&browser, &site, language).await;
        let mut found = messages(&browser, page).await;
        found.extend(too_wide(&browser).await);
        let mut add = |found: Vec<String>, on: &str| {
            for fault in found {
                let seen = format!("{page:?}{on}");
                faults.entry(fault).or_default().push(seen);
            }
        };
        add(found, "");
        browser.run(&axe, vec![]).await;
        for (width, height, colors) in screens {
            browser.show_as(width, height, colors).await;
            add(
                violations(&browser).await,
                &format!(" at {width} in {colors}"),
            );
        }
    }
    let lines = faults
        .iter()
        .map(|(fault, seen)| format!("{fault}\n    on {}", seen.join(", ")));
    let lines: Vec<_> = lines.collect();
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}

#[tokio::test]
async fn no_page_has_a_fault_in_english() {
    audit("en", IN_ENGLISH).await;
}

#[tokio::test]
async fn no_page_has_a_fault_in_french() {
    audit("fr", IN_FRENCH).await;
}

/// Proves that the audit finds faults.
#[tokio::test]
async fn planted_faults_are_found() {
    let (Some(axe), Some(browser)) = (axe(), crate::browser().await) else {
        return;
    };
    let site = filled_site().await;
    Page::KEYS.open(&browser, &site, "en").await;
    let script = "document.querySelector('label').remove();
                  document.querySelector('main p').style.color = '#999';
                  document.documentElement.removeAttribute('lang');
                  document.querySelector('main').style.width = '330px';
                  console.error('planted')";
    browser.run(script, vec![]).await;
    assert!(too_wide(&browser).await.is_some());
    assert_eq!(messages(&browser, Page::KEYS).await.len(), 1);
    browser.run(&axe, vec![]).await;
    browser.show_as(390, 844, "light").await;
    let found = violations(&browser).await.join("\n");
    for rule in ["\"label\"", "\"color-contrast\"", "\"html-has-lang\""] {
        assert!(found.contains(rule), "{rule} is not in\n{found}");
    }
}
