//! Nothing moves while a page loads. `http/weight.rs` counts the size of the pages.

use handbill_tests::browser::Browser;
use serde_json::{Value, json};

use crate::page::{LANGUAGES, Page, filled_site};

#[tokio::test]
async fn nothing_on_a_page_moves_while_it_loads() {
    let Some(browser) = crate::browser().await else {
        return;
    };
    let site = filled_site().await;
    for (width, height) in [(390, 844), (1280, 900)] {
        browser.show_as(width, height, "light").await;
        for page in [Page::HOME, Page::Post, Page::KEYS, Page::WRITE, Page::Edit] {
            page.open(&browser, &site, "en").await;
            let script = "
                const done = arguments[arguments.length - 1];
                let sum = 0;
                new PerformanceObserver(list => {
                    for (const entry of list.getEntries()) sum += entry.value;
                }).observe({ type: 'layout-shift', buffered: true });
                // The observer reports buffered entries within the next two frames.
                requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum))));";
            let shift = browser.run_async(script, vec![]).await;
            assert_eq!(shift.as_f64(), Some(0.0), "{page:?} at {width}: {shift}");
        }
    }
    // Proves that the measurement detects movement.
    let script = "
        const done = arguments[arguments.length - 1];
        new PerformanceObserver(list => done(list.getEntries()[0].value))
            .observe({ type: 'layout-shift' });
        const block = document.createElement('div');
        block.append(document.createElement('br'), document.createElement('br'));
        document.querySelector('main').prepend(block);";
    let shift: Value = browser.run_async(script, vec![]).await;
    assert!(shift.as_f64().unwrap() > 0.0);
}

#[tokio::test]
async fn the_script_moves_nothing() {
    let Some(browser) = crate::browser().await else {
        return;
    };
    let site = filled_site().await;
    for page in [
        Page::HOME,
        Page::Post,
        Page::KEYS,
        Page::KeyIssued,
        Page::DOCS,
        Page::WRITE,
        Page::Edit,
    ] {
        for language in LANGUAGES {
            scripts_load(&browser, false).await;
            page.open(&browser, &site, language).await;
            let before = places_on_screens(&browser).await;
            scripts_load(&browser, true).await;
            page.open(&browser, &site, language).await;
            let after = places_on_screens(&browser).await;
            for ((width, before), (_, after)) in before.iter().zip(&after) {
                assert_eq!(before.len(), after.len(), "{page:?}");
                let seen = before
                    .iter()
                    .zip(after)
                    .filter(|(before, after)| !before.is_null() && !after.is_null());
                for (before, after) in seen {
                    assert_eq!(before, after, "{page:?} at {width} in {language}");
                }
            }
        }
    }
}

/// Where everything is on screens of several widths.
async fn places_on_screens(browser: &Browser) -> Vec<(u32, Vec<Value>)> {
    let mut found = Vec::new();
    for (width, height) in [(320, 700), (390, 844), (1280, 900)] {
        browser.show_as(width, height, "light").await;
        found.push((width, places(browser).await));
    }
    found
}

/// Whether the files of scripts load from now on. Where they do not, a page stays as it is before they run.
async fn scripts_load(browser: &Browser, load: bool) {
    let blocked: &[&str] = if load { &[] } else { &["*.js"] };
    browser.devtools("Network.enable", json!({})).await;
    let parameters = json!({ "urls": blocked });
    browser.devtools("Network.setBlockedURLs", parameters).await;
}

/// The position of each element on the first screen of the page, or null if it is not visible there. Boxes with buttons
/// that a script adds to code are left out, and so are fields of times, which get another field beside them.
async fn places(browser: &Browser) -> Vec<Value> {
    let script = "
        const all = document.body.querySelectorAll('*:not(.code, .code > button, [type=datetime-local])');
        return Array.from(all, element => {
            const { x, y, width } = element.getBoundingClientRect();
            const isSeen = width > 0 && y < innerHeight && getComputedStyle(element).visibility === 'visible';
            return isSeen ? [element.tagName, Math.round(x), Math.round(y)] : null;
        });";
    let places = browser.run(script, vec![]).await;
    places.as_array().unwrap().clone()
}
