//! Pictures of each page, for people to look at.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::page::{LANGUAGES, Page, filled_site};

/// `HANDBILL_PICTURES=folder cargo test -p handbill-tests --test browser -- --ignored pictures`
#[tokio::test]
#[ignore = "takes pictures, and checks nothing"]
async fn pictures() {
    let folder = std::env::var_os("HANDBILL_PICTURES");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = root.join(folder.expect("HANDBILL_PICTURES names a folder"));
    std::fs::create_dir_all(&folder).unwrap();
    let Some(browser) = crate::browser().await else {
        return;
    };
    let site = filled_site().await;
    for language in LANGUAGES {
        for page in Page::ALL {
            page.open(&browser, &site, language).await;
            for (name, width, height) in [("phone", 390, 844), ("desktop", 1280, 900)] {
                for colors in ["light", "dark"] {
                    browser.show_as(width, height, colors).await;
                    let whole = json!({ "captureBeyondViewport": true });
                    let taken = browser.devtools("Page.captureScreenshot", whole).await;
                    let picture = STANDARD.decode(taken["data"].as_str().unwrap()).unwrap();
                    let file = format!("{page:?}-{language}-{name}-{colors}.png").to_lowercase();
                    std::fs::write(folder.join(file), picture).unwrap();
                }
            }
        }
    }
}
