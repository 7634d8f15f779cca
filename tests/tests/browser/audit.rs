//! axe-core finds no fault on any page, and no page is wider than a small phone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use handbill_tests::browser::Browser;
use handbill_tests::missing;
use serde_json::{Value, json};

use crate::page::{LANGUAGES, Page, filled_site};

const SCREENS: [(u32, u32); 2] = [(390, 844), (1280, 900)];
const COLORS: [&str; 2] = ["light", "dark"];

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

/// Runs axe-core on each page in this language.
async fn audit(language: &str) {
    let Some(axe) = axe() else { return };
    let Some(browser) = crate::browser().await else {
        return;
    };
    let site = filled_site().await;
    // Each fault, with the page and the settings.
    let mut faults = BTreeMap::<String, Vec<String>>::new();
    for page in Page::ALL {
        page.open(&browser, &site, language).await;
        browser.run(&axe, vec![]).await;
        for (width, height) in SCREENS {
            for colors in COLORS {
                browser.show_as(width, height, colors).await;
                for fault in violations(&browser).await {
                    let seen = format!("{page:?} {width} {colors}");
                    faults.entry(fault).or_default().push(seen);
                }
            }
        }
    }
    let lines = faults
        .iter()
        .map(|(fault, seen)| format!("{fault}\n    on {}", seen.join(", ")));
    let lines: Vec<_> = lines.collect();
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}

#[tokio::test]
async fn axe_finds_no_fault_in_english() {
    audit(LANGUAGES[0]).await;
}

#[tokio::test]
async fn axe_finds_no_fault_in_french() {
    audit(LANGUAGES[1]).await;
}

/// Proves that the audit finds faults.
#[tokio::test]
async fn axe_finds_planted_faults() {
    let (Some(axe), Some(browser)) = (axe(), crate::browser().await) else {
        return;
    };
    let site = filled_site().await;
    Page::Keys.open(&browser, &site, "en").await;
    let script = "document.querySelector('label').remove();
                  document.querySelector('main p').style.color = '#999';
                  document.documentElement.removeAttribute('lang')";
    browser.run(script, vec![]).await;
    browser.run(&axe, vec![]).await;
    browser.show_as(390, 844, "light").await;
    let found = violations(&browser).await.join("\n");
    for rule in ["\"label\"", "\"color-contrast\"", "\"html-has-lang\""] {
        assert!(found.contains(rule), "{rule} is not in\n{found}");
    }
}

/// WCAG 1.4.10: at 320 CSS pixels, a page needs no horizontal scrolling.
#[tokio::test]
async fn no_page_is_wider_than_a_small_phone() {
    let Some(browser) = crate::browser().await else {
        return;
    };
    let site = filled_site().await;
    let mut faults = Vec::new();
    for language in LANGUAGES {
        browser.show_as(320, 640, "light").await;
        for page in Page::ALL {
            page.open(&browser, &site, language).await;
            let script = "
                const wide = [...document.body.querySelectorAll('*')]
                    .filter(element => element.getBoundingClientRect().right > 320)
                    .map(element => element.cloneNode().outerHTML);
                const page = document.scrollingElement;
                return [page.clientWidth, page.scrollWidth, wide.slice(0, 3)];";
            let widths: Value = browser.run(script, vec![]).await;
            if widths[0] != json!(320) || widths[1] != json!(320) {
                faults.push(format!("{page:?} in {language}: {widths}"));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}
