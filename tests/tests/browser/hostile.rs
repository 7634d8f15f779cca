//! Hostile posts: nothing in them runs, and nothing leaves the page.
//!
//! This is tested twice: with the page's policy, which must have nothing to block, and without it,
//! so that everything that escapes the sanitiser runs.

use std::collections::BTreeSet;

use handbill_tests::browser::{Browser, Request, until};
use handbill_tests::corpora;
use serde_json::{Value, json};

use crate::site::{Post, Site};

/// The number of pages that a script fetches and lays out at the same time.
const AT_ONCE: usize = 40;
/// Posts on a page of a list.
const PER_PAGE: usize = 50;
/// Several strings share a post, but no post exceeds the limit.
const MOST_OF_A_BODY: usize = 60_000;

async fn watched_browser() -> Option<Browser> {
    let browser = crate::browser().await?;
    let source = json!({ "source": include_str!("hostile.js") });
    browser
        .devtools("Page.addScriptToEvaluateOnNewDocument", source)
        .await;
    // A new browser opens a page of its own.
    browser.requests().await;
    Some(browser)
}

fn strings() -> Option<Vec<String>> {
    let folder = corpora::folder()?;
    let strings = corpora::read_strings(&folder.join("xss/payloadbox_xss.json"));
    assert!(strings.len() > 6_000);
    Some(strings)
}

/// Publishes the string in all fields that accept it.
async fn publish_everywhere(site: &Site, text: &str) -> Post {
    let mut fields = json!({ "title": text, "body": text, "tags": text, "focus_keyword": text });
    match site.try_publish(&fields).await {
        Ok(post) => post,
        Err(refused) => {
            for field in refused {
                fields[field] = json!("x");
            }
            site.publish(&fields).await
        }
    }
}

/// Bodies with many strings each, one string per paragraph.
fn together(strings: &[String]) -> Vec<String> {
    let mut bodies = vec![String::new()];
    for text in strings {
        let last = bodies.last_mut().unwrap();
        if last.len() + text.len() > MOST_OF_A_BODY {
            bodies.push(text.clone());
        } else {
            last.push_str("\n\n");
            last.push_str(text);
        }
    }
    bodies
}

/// Checks that the open page does nothing.
async fn expect_nothing_happened(browser: &Browser, url: &str) {
    let here = browser.client().current_url().await.unwrap();
    assert_eq!(here.as_str(), url, "the page is another one");
    let found = browser
        .run("return [seen, inspect(document)]", vec![])
        .await;
    assert_eq!(found, json!([[], []]), "{url}");
}

/// Checks that all requests so far are for pictures or go to the service.
async fn expect_no_request_elsewhere(browser: &Browser, site: &Site) {
    let requests = browser.requests().await;
    assert!(!requests.is_empty());
    let elsewhere: BTreeSet<_> = requests
        .into_iter()
        .filter(|request| request.kind != "Image" && !request.url.starts_with(&site.url("/")))
        .map(|request| format!("{}: {}", request.kind, request.url))
        .collect();
    assert_eq!(elsewhere, BTreeSet::new());
}

/// Lays documents out in frames without a policy and returns what they did.
async fn lay_out(browser: &Browser, requests: &[Value]) -> Value {
    let script = "
        const done = arguments[arguments.length - 1];
        const lay = async ([path, form]) => {
            const options = form ? { method: 'POST', body: new URLSearchParams(form) } : {};
            const response = await fetch(path, { ...options, headers: { Accept: 'text/html' } });
            const text = await response.text();
            const frame = document.createElement('iframe');
            const loaded = new Promise(resolve => frame.addEventListener('load', resolve));
            frame.srcdoc = text;
            document.body.append(frame);
            await loaded;
            const page = frame.contentDocument;
            const did = [...frame.contentWindow.seen, ...inspect(page)];
            if (!response.ok || !page.querySelector('body > footer')) did.push(text);
            frame.remove();
            return did.map(what => `${path}: ${what}`);
        };
        Promise.all(arguments[0].map(lay))
            .then(did => done(did.flat()), error => done([String(error)]));";
    browser.run_async(script, vec![json!(requests)]).await
}

/// Inserts the HTML of each post of a list into the page and returns what it did.
async fn insert_html(browser: &Browser, list: &str) -> Value {
    let script = "
        const done = arguments[arguments.length - 1];
        const insert = async () => {
            const { posts } = await (await fetch(arguments[0])).json();
            const block = document.createElement('div');
            for (const { html } of posts) {
                const text = document.createElement('div');
                text.className = 'text';
                text.innerHTML = html;
                block.append(text);
            }
            document.body.append(block);
            // Event handlers run before the next frame.
            await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
            const did = [...seen, ...inspect(block)];
            block.remove();
            return posts.length ? did : ['no posts'];
        };
        insert().then(done, error => done([String(error)]));";
    browser.run_async(script, vec![json!(list)]).await
}

fn expect_none(did: &Value) {
    assert_eq!(*did, json!([]));
}

/// Pages that show all strings: lists, and the pages of some posts.
fn pages(posts: &[Post], sample: usize) -> impl Iterator<Item = String> {
    let some = posts.iter().step_by(sample);
    some.flat_map(|post| [post.path(), post.edit_path()])
}

fn lists(posts: &[Post], also: &str) -> Vec<String> {
    let numbers = 1..=posts.len().div_ceil(PER_PAGE);
    let list = |page| format!("{also}?page={page}&per_page={PER_PAGE}");
    numbers.map(list).collect()
}

#[tokio::test]
async fn nothing_runs_and_nothing_leaves_the_page() {
    let Some(strings) = strings() else { return };
    let Some(browser) = watched_browser().await else {
        return;
    };
    let site = Site::start().await;
    let bodies = together(&strings);
    let mut together = Vec::new();
    for body in &bodies {
        together.push(site.publish(&json!({ "body": body })).await);
    }
    let mut posts = Vec::new();
    for text in &strings {
        posts.push(publish_everywhere(&site, text).await);
    }

    // With the policy.
    let some_lists = lists(&posts, "/").into_iter().step_by(16);
    let shown = pages(&together, 1).chain(pages(&posts, 800));
    for path in shown.chain(some_lists) {
        let url = site.url(&path);
        browser.open(&url).await;
        expect_nothing_happened(&browser, &url).await;
    }

    // Without the policy, each page in a frame of a page that stays open.
    browser
        .devtools("Page.setBypassCSP", json!({ "enabled": true }))
        .await;
    let url = site.url("/keys");
    browser.open(&url).await;
    let shown = pages(&posts, 100).chain(lists(&posts, "/"));
    let mut requests: Vec<_> = shown.map(|path| json!([path])).collect();
    for (body, post) in bodies.iter().zip(&together) {
        let form = json!({
            "action": "preview", "revision": "1", "title": "<script>alert(1)</script>",
            "body": body, "tags": "", "focus_keyword": "",
        });
        requests.push(json!([post.edit_path(), form]));
    }
    for some in requests.chunks(AT_ONCE) {
        expect_none(&lay_out(&browser, some).await);
    }

    // Only the HTML of each string, as a host might put it into its own pages.
    for list in lists(&posts, "/api/posts") {
        expect_none(&insert_html(&browser, &format!("{list}&include=body")).await);
    }
    expect_nothing_happened(&browser, &url).await;
    expect_no_request_elsewhere(&browser, &site).await;
}

/// Proves that the detection works; otherwise the test above would prove nothing.
#[tokio::test]
async fn running_scripts_are_detected() {
    let Some(browser) = watched_browser().await else {
        return;
    };
    let site = Site::start().await;
    let attempt = "
        const block = document.createElement('div');
        block.innerHTML = '<img src=x onerror=\"alert(1)\"><a href=\"javascript:alert(2)\">x</a>';
        document.querySelector('main').append(block);
        const script = document.createElement('script');
        script.src = 'https://example.org/x.js';
        document.body.append(script);";
    for bypassed in [false, true] {
        browser
            .devtools("Page.setBypassCSP", json!({ "enabled": bypassed }))
            .await;
        browser.open(&site.url("/")).await;
        browser.requests().await;
        browser.run(attempt, vec![]).await;
        let expected = if bypassed {
            "alert(1)"
        } else {
            "blocked by script-src-attr"
        };
        until(
            "each script is reported as executed or blocked",
            async || {
                let seen = browser.run("return seen.join()", vec![]).await;
                seen.as_str().unwrap().contains(expected)
            },
        )
        .await;
        let found = browser.run("return inspect(document).length", vec![]).await;
        assert_eq!(
            found, 3,
            "an event handler, a script address, and a foreign script"
        );
        let requests = browser.requests().await;
        let script = |request: &Request| request.url == "https://example.org/x.js";
        assert!(requests.iter().any(script), "{requests:?}");
    }
}
