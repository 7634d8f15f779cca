//! Thousands of hostile inputs. Each is stored as the contract says, or refused with an error that
//! names the field.

use std::collections::BTreeSet;
use std::fs;
use std::future::Future;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use handbill_testing::http::{App, Created, TestResponse};
use handbill_tests::corpora::{folder, read_json, read_strings};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{html, sqlite};

/// Longer than any request takes. A request that hangs fails after this time.
const HUNG: Duration = Duration::from_secs(30);
/// Concurrent requests.
const AT_ONCE: usize = 256;

fn strings(folder: &Path) -> Vec<String> {
    let files = [
        "strings/blns.json",
        "sqli/payloadbox_sqli.json",
        "xss/payloadbox_xss.json",
    ];
    let lists = files.map(|file| read_strings(&folder.join(file)));
    let all = lists.concat();
    assert!(all.len() > 8_000, "{}", all.len());
    all
}

/// Calls a function on each item, several at once, and returns the results in the order of the
/// items.
async fn each<T, R, F>(items: impl IntoIterator<Item = T>, work: impl Fn(T) -> F) -> Vec<R>
where
    R: Send + 'static,
    F: Future<Output = R> + Send + 'static,
{
    let mut running = JoinSet::new();
    let mut done = Vec::new();
    for (number, item) in items.into_iter().enumerate() {
        if running.len() >= AT_ONCE {
            done.push(running.join_next().await.unwrap().unwrap());
        }
        let work = work(item);
        running.spawn(async move { (number, work.await) });
    }
    done.extend(running.join_all().await);
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

const FIELDS: [&str; 4] = ["title", "body", "tags", "focus_keyword"];

/// The value that reads return for this input of a field, or `None` if it is refused. This is the
/// contract, written a second time. For non-ASCII tags, it checks only what needs no Unicode
/// tables.
fn normalised(field: &str, text: &str) -> Option<Value> {
    let trimmed = text.trim();
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    let line = |max: usize| {
        let valid = !trimmed.contains(hidden) && trimmed.chars().count() <= max;
        valid.then(|| {
            if trimmed.is_empty() {
                json!(null)
            } else {
                json!(trimmed)
            }
        })
    };
    match field {
        "title" if trimmed.chars().all(is_invisible) => {
            (!trimmed.contains(hidden)).then_some(json!(null))
        }
        "title" => line(200),
        "focus_keyword" => line(100),
        "body" => {
            let valid =
                !trimmed.is_empty() && !text.contains('\0') && text.chars().count() <= 100_000;
            valid.then(|| json!(text))
        }
        _ => {
            let mut tags: Vec<String> = Vec::new();
            for item in text.split(',') {
                let spaced = item.split_whitespace().collect::<Vec<_>>().join(" ");
                let tag = spaced.trim_start_matches(['#', ' ']).to_lowercase();
                if tag.contains(hidden) || tag.chars().count() > 50 {
                    return None;
                }
                if !tag.is_empty() && !tags.contains(&tag) {
                    tags.push(tag);
                }
            }
            (tags.len() <= 20).then(|| json!(tags))
        }
    }
}

/// The invisible characters of the corpora.
fn is_invisible(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '\u{AD}' | '\u{34F}' | '\u{600}'..='\u{605}' | '\u{61C}' | '\u{6DD}' | '\u{70F}'
        )
        || matches!(character, '\u{115F}' | '\u{1160}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}')
        || matches!(character, '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}')
        || matches!(character, '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

/// The fields that a response refuses.
fn refused(response: &TestResponse) -> Vec<String> {
    match response.status.as_u16() {
        422 => response.faulty_fields(),
        _ => Vec::new(),
    }
}

/// Replaces the fields of a post by the text: all of them, or none if one is refused. Then creates a post with the text
/// in the fields that take it, and reads it. Returns both.
async fn update_and_create(app: App, text: String) -> [Created; 2] {
    let fields = FIELDS
        .iter()
        .filter(|field| text.is_ascii() || **field != "tags");
    let expected: Vec<_> = fields
        .map(|field| (*field, normalised(field, &text)))
        .collect();

    let updated = app.create_body("x").await;
    let before = app.read(&updated).await;
    let mut sent = json!({ "title": text, "body": text, "tags": text, "focus_keyword": text });
    let response = app.put(&updated, &sent).await;
    let refused = refused(&response);
    for (field, value) in &expected {
        let is_refused = refused.iter().any(|name| name == field);
        assert_eq!(is_refused, value.is_none(), "{field} {text:?}");
    }
    let after = app.read(&updated).await;
    assert_eq!(
        after,
        if refused.is_empty() {
            response.ok()
        } else {
            before
        }
    );

    let accepted = sent.as_object_mut().unwrap();
    accepted.retain(|name, _| !refused.contains(name));
    accepted.entry("body").or_insert_with(|| json!("x"));
    let created = app.create(&sent).await;
    let read = app.read(&created).await;
    for (field, value) in expected {
        if let Some(value) = value {
            assert_eq!(read[field], value, "{text:?}");
        }
    }
    html::assert_safe(read["html"].as_str().unwrap());
    assert!(read["excerpt"].as_str().unwrap().chars().count() <= 200);
    let again = app.update(&created, &read).await;
    assert_eq!(
        again, read,
        "a post that was read can be sent back: {text:?}"
    );
    [updated, created]
}

async fn list_all(app: &App) -> (u64, BTreeSet<String>) {
    let (mut found, mut page) = (BTreeSet::new(), 1);
    loop {
        let path = format!("/api/posts?per_page=50&include=body&page={page}");
        let list = app.get(&path).await.ok();
        let posts = list["posts"].as_array().unwrap();
        for post in posts {
            let is_new = found.insert(post["id"].as_str().unwrap().to_owned());
            assert!(is_new, "{} appears on two pages", post["id"]);
        }
        if posts.is_empty() {
            return (list["total"].as_u64().unwrap(), found);
        }
        page += 1;
    }
}

/// On a database, which has the most ways to change a text.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_strings_are_stored_or_refused() {
    let Some(folder) = folder() else { return };
    let (app, _folder) = sqlite::app().await;
    let strings = strings(&folder);
    let posts = each(strings, |text| update_and_create(app.clone(), text)).await;
    let posts = posts.into_iter().flatten();
    let ids: BTreeSet<_> = posts.map(|post| post.id).collect();
    let (total, found) = list_all(&app).await;
    assert_eq!((total, found), (ids.len() as u64, ids));
}

#[tokio::test]
async fn hostile_json_is_an_invalid_request() {
    let Some(folder) = folder() else { return };
    let app = crate::app().await;
    let post = app.create_body("unchanged").await;
    let mut files = 0;
    for part in ["json/test_parsing", "json/test_transform"] {
        for entry in fs::read_dir(folder.join(part)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let bytes = Bytes::from(fs::read(&path).unwrap());
            for call in [app.post_as(), app.edit("PUT", &post)] {
                let response = call.body("application/json", bytes.clone()).await;
                let status = response.status.as_u16();
                assert!(matches!(status, 200 | 201 | 400 | 422), "{name}: {status}");
                let parsed = serde_json::from_slice::<Value>(&bytes);
                let is_object = parsed.is_ok_and(|value| value.is_object());
                if name.starts_with("n_") || !is_object {
                    assert_eq!(response.problem("invalid_json")["status"], 400, "{name}");
                } else if name.starts_with("y_") {
                    // An object with a duplicate name is valid JSON, but Handbill refuses it.
                    let refused = name.contains("duplicated_key");
                    assert_eq!(response.status == 400, refused, "{name}");
                }
            }
            files += 1;
        }
    }
    assert!(files > 300, "{files}");
    assert_eq!(app.read(&post).await["body"], "unchanged");
}

fn generate(parts: &Value, max_bytes: usize) -> String {
    let mut text = String::new();
    for part in parts.as_array().unwrap() {
        let unit = part[0].as_str().unwrap();
        for _ in 0..part[1].as_u64().unwrap() {
            if text.len() + unit.len() > max_bytes {
                return text;
            }
            text.push_str(unit);
        }
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn pathological_markdown_is_rendered_or_refused_in_time() {
    let Some(folder) = folder() else { return };
    let app = crate::app().await;
    let quick = app.create_body("quick").await;
    let generators = read_json(&folder.join("markdown/pathological.json"));
    let generators = generators.as_array().unwrap();
    assert!(generators.len() >= 50);
    for generator in generators {
        let name = generator["name"].as_str().unwrap();
        let whole = generate(&generator["parts"], usize::MAX);
        let cut = whole.chars().take(100_000).collect::<String>();
        let slow = tokio::spawn({
            let (app, body) = (app.clone(), cut.clone());
            tokio::time::timeout(HUNG, async move {
                let response = app.post(&json!({ "body": body })).await;
                if response.status == 422 {
                    assert_eq!(response.faulty_fields(), ["body"]);
                    return None;
                }
                let read = app.read(&response.created()).await;
                assert_eq!(read["body"], body);
                Some((read["html"].clone(), read["excerpt"].clone()))
            })
        });
        // Other requests are served at the same time.
        let quick_read = tokio::time::timeout(HUNG, app.read(&quick)).await;
        assert_eq!(quick_read.expect(name)["body"], "quick");
        let Some((html, excerpt)) = slow.await.unwrap().expect(name) else {
            continue;
        };
        let html = html.as_str().unwrap();
        assert!(
            html.len() <= 8 * cut.len() + 64 * 1024,
            "{name}: {}",
            html.len()
        );
        html::assert_safe(html);
        assert!(excerpt.as_str().unwrap().chars().count() <= 200, "{name}");

        if whole.chars().count() > 100_000 {
            // The JSON also needs room for quotes, escapes and the name of the field.
            let large = generate(&generator["parts"], 500_000);
            let response = tokio::time::timeout(HUNG, app.post(&json!({ "body": large }))).await;
            assert_eq!(response.expect(name).faulty_fields(), ["body"], "{name}");
            let too_large = whole.repeat((1 << 20) / whole.len() + 1);
            app.post(&json!({ "body": too_large }))
                .await
                .problem("body_too_large");
        }
    }
}

/// On a single-threaded runtime, rendering that does not yield would block every other request.
#[tokio::test]
async fn rendering_does_not_block_other_requests() {
    let app = crate::app().await;
    let quick = app.create_body("quick").await;
    let body = "*a **a ".repeat(14_000);
    let (mut order, mut post) = (Vec::new(), None);
    {
        let order = std::cell::RefCell::new(&mut order);
        tokio::join!(
            async {
                post = Some(app.create_body(&body).await);
                order.borrow_mut().push("slow write");
            },
            async {
                app.read(&quick).await;
                order.borrow_mut().push("quick read");
            },
        );
    }
    assert_eq!(order, ["quick read", "slow write"]);
    order.clear();
    {
        let order = std::cell::RefCell::new(&mut order);
        let post = post.unwrap();
        tokio::join!(
            async {
                app.read(&post).await;
                order.borrow_mut().push("slow read");
            },
            async {
                app.read(&quick).await;
                order.borrow_mut().push("quick read");
            },
        );
    }
    assert_eq!(order, ["quick read", "slow read"]);
}
