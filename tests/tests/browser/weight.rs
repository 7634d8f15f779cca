//! Pages are light, and stand still while they load.

use serde_json::Value;

use crate::page::{LANGUAGES, Page, filled_site};

/// Bytes of a page with its styles and scripts, before compression.
const MOST: u64 = 20_000;

#[tokio::test]
async fn pages_are_light() {
    let Some(browser) = crate::browser().await else {
        return;
    };
    let site = filled_site().await;
    for language in LANGUAGES {
        // The post itself weighs what its writer gave it.
        for page in [
            Page::Home,
            Page::Untitled,
            Page::Keys,
            Page::KeyIssued,
            Page::Edit,
        ] {
            page.open(&browser, &site, language).await;
            let script = "
                const kinds = ['navigation', 'link', 'script'];
                const entries = [...performance.getEntriesByType('navigation'),
                                 ...performance.getEntriesByType('resource')];
                return entries.filter(entry => kinds.includes(entry.initiatorType))
                              .map(entry => [entry.name, entry.decodedBodySize]);";
            let loaded = browser.run(script, vec![]).await;
            let sizes = loaded.as_array().unwrap().iter();
            let sizes: Vec<u64> = sizes.map(|file| file[1].as_u64().unwrap()).collect();
            assert!(sizes.len() > 1, "{page:?} has a style: {loaded}");
            assert!(sizes.iter().sum::<u64>() < MOST, "{page:?}: {loaded}");
        }
    }
}

#[tokio::test]
async fn nothing_on_a_page_moves_while_it_loads() {
    let Some(browser) = crate::browser().await else {
        return;
    };
    let site = filled_site().await;
    for (width, height) in [(390, 844), (1280, 900)] {
        browser.show_as(width, height, "light").await;
        for page in [Page::Home, Page::Post, Page::Keys, Page::Edit] {
            page.open(&browser, &site, "en").await;
            let script = "
                const done = arguments[arguments.length - 1];
                let sum = 0;
                new PerformanceObserver(list => {
                    for (const entry of list.getEntries()) sum += entry.value;
                }).observe({ type: 'layout-shift', buffered: true });
                // What was buffered is told within the next two frames.
                requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum))));";
            let shift = browser.run_async(script, vec![]).await;
            assert_eq!(shift.as_f64(), Some(0.0), "{page:?} at {width}: {shift}");
        }
    }
    // What measures it does see what moves.
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
