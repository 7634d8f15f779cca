//! Pathological Markdown takes linear time: four times the text takes the service and the browser
//! about four times the work, not sixteen times.

use std::path::PathBuf;

use handbill_tests::browser::Browser;
use handbill_tests::corpora;
use serde_json::{Value, json};

use crate::site::Site;

/// Characters of the longer text.
const LONGEST: u64 = 60_000;
const TIMES: u64 = 4;
/// Linear work grows by `TIMES`, quadratic work by its square. This is half way between.
const MOST_GROWTH: f64 = 8.0;
/// Below this many seconds, the clocks are too coarse to compare: one of them counts hundredths.
const GRAIN: f64 = 0.03;
/// Other programs can only add to the measurement, so the smallest of several results counts.
const TRIES: usize = 5;

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

/// The processor time that the service has used so far, in seconds.
fn seconds_of_service(site: &Site) -> f64 {
    let path = PathBuf::from(format!("/proc/{}/stat", site.process()));
    let stat = std::fs::read_to_string(path).unwrap();
    // User and system time are the 14th and 15th fields. The second field can contain spaces.
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .collect();
    let ticks: f64 = fields[11..13]
        .iter()
        .map(|ticks| ticks.parse::<f64>().unwrap())
        .sum();
    // Linux reports 100 ticks per second to every program.
    ticks / 100.0
}

/// The processor time that the service and the browser need for the text, or `None` if it is
/// refused.
async fn seconds(browser: &Browser, site: &Site, text: &str) -> Option<(f64, f64)> {
    let before = seconds_of_service(site);
    let post = site.try_publish(&json!({ "body": text })).await.ok()?;
    site.get(&post.path()).await;
    let service = seconds_of_service(site) - before;
    browser.open(&site.url(&post.path())).await;
    let metrics = browser.devtools("Performance.getMetrics", json!({})).await;
    let metrics = metrics["metrics"].as_array().unwrap();
    let tasks = metrics
        .iter()
        .find(|metric| metric["name"] == "TaskDuration");
    Some((service, tasks.unwrap()["value"].as_f64().unwrap()))
}

fn grew_too_much(short: f64, long: f64) -> bool {
    long > MOST_GROWTH * short.max(GRAIN)
}

#[tokio::test]
#[ignore = "measures processor time; .ci/full runs it"]
async fn pathological_markdown_takes_linear_time() {
    let Some(folder) = corpora::folder() else {
        return;
    };
    let generators = corpora::read_json(&folder.join("markdown/pathological.json"));
    expect_linear_time(&generators, 30).await;
}

/// What the corpora do not have: footnotes, addresses, headings, figures, tasks and code in colour.
#[tokio::test]
#[ignore = "measures processor time; .ci/full runs it"]
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

/// Expects that so many of the generators' texts are shown, and that none takes more than linear time.
async fn expect_linear_time(generators: &Value, at_least: usize) {
    let Some(browser) = crate::browser().await else {
        return;
    };
    let site = Site::start().await;
    browser
        .devtools("Performance.enable", json!({ "timeDomain": "threadTicks" }))
        .await;
    let (mut shown, mut faults) = (0, Vec::new());
    for generator in generators.as_array().unwrap() {
        let short = generate(&generator["parts"], LONGEST / TIMES);
        let long = generate(&generator["parts"], LONGEST);
        if long.len() < 3 * short.len() {
            continue;
        }
        let mut least = [(f64::MAX, f64::MAX); 2];
        for attempt in 1..=TRIES {
            let (Some(of_short), Some(of_long)) = (
                seconds(&browser, &site, &short).await,
                seconds(&browser, &site, &long).await,
            ) else {
                break;
            };
            for (least, now) in least.iter_mut().zip([of_short, of_long]) {
                *least = (least.0.min(now.0), least.1.min(now.1));
            }
            let [short, long] = least;
            if attempt == 1 {
                shown += 1;
            }
            if !grew_too_much(short.0, long.0) && !grew_too_much(short.1, long.1) {
                break;
            }
            if attempt == TRIES {
                faults.push(format!("{}: {least:?}", generator["name"]));
            }
        }
    }
    assert!(shown > at_least, "{shown}");
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}
