//! Pages stand still while they load. What they weigh is counted without a browser, in
//! `http/weight.rs`.

use serde_json::Value;

use crate::page::{Page, filled_site};

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
