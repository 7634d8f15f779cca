//! Pictures of each page, for people to look at.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use handbill_tests::browser::{Browser, until};
use serde_json::{Value, json};

use crate::page::{LANGUAGES, Page, filled_site};
use crate::site::Site;

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
        for page in Page::all() {
            page.open(&browser, &site, language).await;
            for (name, width, height) in [("phone", 390, 844), ("desktop", 1280, 900)] {
                for colors in ["light", "dark"] {
                    browser.show_as(width, height, colors).await;
                    let page = format!("{page:?}").replace(|c: char| !c.is_alphanumeric(), "-");
                    let file = format!("{page}-{language}-{name}-{colors}.png").to_lowercase();
                    let whole = json!({ "captureBeyondViewport": true });
                    take(&browser, &folder.join(file), whole).await;
                }
            }
        }
    }
}

async fn take(browser: &Browser, file: &Path, settings: Value) {
    let taken = browser.devtools("Page.captureScreenshot", settings).await;
    let picture = STANDARD.decode(taken["data"].as_str().unwrap()).unwrap();
    std::fs::write(file, picture).unwrap();
}

const POSTS: [(&str, &str, &str); 3] = [
    (
        "How to read a tide table",
        "Two highs and two lows a day, and never at the same hour.",
        "tides, sailing",
    ),
    (
        "",
        "Fog until ten. Then the whole bay at once, as if someone had pulled a curtain.",
        "weather",
    ),
    (
        "A year of measuring the bridge",
        "Every morning at nine I read the level at the old bridge and write it down[^1]. \
         Here is what twelve months of numbers say.\n\n\
         | month | lowest | highest |\n|:--|--:|--:|\n| March | 0.42 m | 1.87 m |\n| July | 0.31 m | 0.96 m |\n\n\
         ## The script\n\n\
         ```python\n# One reading a line: date, metres.\nlines = open(\"bridge.txt\").readlines()\nlevels = [float(line.split()[1]) for line in lines]\n\
         print(min(levels), max(levels))\n```\n\n\
         > The river forgets nothing, said the ferryman, it only takes its time.\n\n\
         [^1]: Except on three Sundays.",
        "rivers, maps, python",
    ),
];

/// Takes the pictures of the README: `cargo test -p handbill-tests --test browser -- --ignored readme`
#[tokio::test]
#[ignore = "takes pictures, and checks nothing"]
async fn pictures_of_the_readme() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures");
    std::fs::create_dir_all(&folder).unwrap();
    let Some(browser) = crate::browser().await else {
        return;
    };
    let about = "Short notes on tides, rivers and weather.";
    let site = Site::start_with(&["--name", "Harbour notes", "--description", about]).await;
    let mut posts = Vec::new();
    for (title, body, tags) in POSTS {
        let post = json!({ "title": title, "body": body, "tags": tags, "author": "Ann Example", "language": "en" });
        posts.push(site.publish(&post).await);
    }
    let post = &posts[2];
    for (name, path, colors) in [
        ("home", "/".to_owned(), "light"),
        ("post", post.path(), "light"),
        ("post-dark", post.path(), "dark"),
        ("editor", post.edit_path(), "light"),
    ] {
        browser.show_as(1000, 660, colors).await;
        browser.open(&site.url(&path)).await;
        until("the scripts have run", async || {
            let script = "return !document.querySelector('#tools[hidden]')";
            browser.run(script, vec![]).await == true
        })
        .await;
        let small = json!({ "format": "webp", "quality": 80 });
        take(&browser, &folder.join(format!("{name}.webp")), small).await;
    }
}
