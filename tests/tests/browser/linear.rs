//! Pathological Markdown takes linear time: the service and the browser complete the longest texts long before
//! quadratic work could.

use std::time::Duration;

use handbill_tests::corpora;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::site::Site;

/// Characters of a text, as many as a body may have. Ten thousand million steps exceed the deadline.
const LONGEST: u64 = 100_000;
/// Linear work takes a second.
const DEADLINE: Duration = Duration::from_secs(15);

/// The generator's longest text of at most this length, with all its parts.
fn generate(parts: &Value, length: u64) -> String {
    let parts: Vec<(String, u64)> = serde_json::from_value(parts.clone()).unwrap();
    let chars = |unit: &str| unit.chars().count() as u64;
    let whole: u64 = parts.iter().map(|(unit, count)| chars(unit) * count).sum();
    let scaled = |count: u64| (count * length / whole.max(length)).max(1);
    parts
        .iter()
        .map(|(unit, count)| unit.repeat(scaled(*count) as usize))
        .collect()
}

#[tokio::test]
#[ignore = "takes minutes; .ci/full runs it"]
async fn pathological_markdown_takes_linear_time() {
    let Some(folder) = corpora::folder() else {
        return;
    };
    let generators = corpora::read_json(&folder.join("markdown/pathological.json"));
    expect_linear_time(&generators, 30).await;
}

/// What the corpora do not have: footnotes, addresses, headings, figures, tasks and code in colour.
#[tokio::test]
#[ignore = "takes minutes; .ci/full runs it"]
async fn pathological_extensions_take_linear_time() {
    let words = "word ".repeat(20);
    let units = [
        format!("[^a]: {words}\n"),
        format!("{words}[^a]\n\n[^a]: b\n"),
        format!("- [^a]: > {words}\n"),
        "[^a]: [^b]: ".to_owned(),
        "www.a_".to_owned(),
        format!("www.a.b {words}\n"),
        "https://a(".to_owned(),
        "# a\n".to_owned(),
        format!("![a](/b \"{words}\")\n\n"),
        "- [x] a\n".to_owned(),
        "```rust\n'\\\n```\n".to_owned(),
        "```html\n<a b\n```\n".to_owned(),
    ];
    let generators = units.map(|unit| {
        let count = LONGEST as usize / unit.chars().count();
        json!({ "name": unit, "parts": [[unit, count]] })
    });
    expect_linear_time(&json!(generators), 8).await;
}

/// Expects that so many of the generators' texts are shown, and each of them in time.
async fn expect_linear_time(generators: &Value, at_least: usize) {
    let Some(browser) = crate::browser().await else {
        return;
    };
    let site = Site::start().await;
    let mut shown = 0;
    for generator in generators.as_array().unwrap() {
        let text = generate(&generator["parts"], LONGEST);
        let show = async {
            let Ok(post) = site.try_publish(&json!({ "body": text })).await else {
                return;
            };
            browser.open(&site.url(&post.path())).await;
            shown += 1;
        };
        let is_in_time = timeout(DEADLINE, show).await.is_ok();
        assert!(is_in_time, "{}", generator["name"]);
    }
    assert!(shown > at_least, "{shown}");
}
