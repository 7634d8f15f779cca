//! The API documentation, compared with `openapi.json` and across languages.

use handbill::{Code, KeyRequests, Limits};
use serde_json::Value;

use super::markup::{pieces, tags};
use super::{ADDRESSES, App, Mount, TestResponse};

/// Text of at least this many bytes is a sentence, which differs between languages.
const SENTENCE: usize = 25;

/// The page in each of its languages.
async fn languages(app: &App, path: &str) -> Vec<(String, TestResponse)> {
    let page = app.get(path).await;
    let mut pages = Vec::new();
    for tag in tags(&page) {
        if tag.name != "link" || tag.attribute("rel") != Some("alternate") {
            continue;
        }
        let language = tag.attribute("hreflang").unwrap_or_default();
        let there = app.follow(tag.attribute("href").unwrap_or_default()).await;
        there.expect_status(200);
        if language != "x-default" {
            there.expect_text(&format!("<html lang=\"{language}\">"));
            pages.push((language.to_owned(), there));
        }
    }
    assert!(pages.len() >= 2, "{page}: it names no other language");
    pages
}

/// The code and examples of the page, in order.
fn code(page: &TestResponse) -> Vec<String> {
    let pieces = pieces(page).into_iter();
    let code = pieces.filter(|(tag, _)| tag == "code" || tag == "samp");
    code.map(|(_, text)| text).collect()
}

/// Each tag with its address and its id, which are the same in each language.
fn structure(page: &TestResponse, language: &str) -> Vec<(String, Option<String>, Option<String>)> {
    let tags = tags(page).into_iter().map(|tag| {
        // Links to other languages differ between languages.
        let leads = tag.attribute("href");
        let leads = leads.filter(|_| tag.attribute("hreflang").is_none());
        let leads = leads.map(|leads| leads.split(&format!("lang={language}")).collect());
        let id = tag.attribute("id").map(str::to_owned);
        (tag.name, leads, id)
    });
    tags.collect()
}

/// `GET /docs` lists each operation of `openapi.json`, in each language.
pub async fn the_docs_page_names_every_operation(mount: &Mount) {
    let app = App::new(mount).await;
    let document = app.get("/openapi.json").await.ok();
    for (_, page) in languages(&app, "/docs").await {
        let code = code(&page);
        for (method, path, _) in operations(&document) {
            let is_there = code.contains(&format!("{method} {path}"));
            assert!(is_there, "{page}: {method} {path} is not in it");
        }
    }
}

/// `GET /docs/reference` lists each operation of `openapi.json`, its parameters and its problems, with a
/// link to the explanation of each, in each language.
pub async fn the_reference_names_all_parameters_and_problems(mount: &Mount) {
    let app = App::new(mount).await;
    let document = app.get("/openapi.json").await.ok();
    for (_, page) in languages(&app, "/docs/reference").await {
        let code = code(&page);
        let leads: Vec<_> = tags(&page)
            .iter()
            .filter_map(|tag| Some(tag.attribute("href")?.to_owned()))
            .collect();
        let expect = |text: &str| {
            let is_there = code.iter().any(|code| code == text);
            assert!(is_there, "{page}: `{text}` is not in it");
        };
        // They are the same for every address, so the page describes them once.
        expect("HEAD");
        expect("OPTIONS");
        for (method, path, operation) in operations(&document) {
            expect(&format!("{method} {path}"));
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                expect(parameter["name"].as_str().unwrap());
            }
            for code in codes(operation) {
                let anchor = format!("#{}", code.replace('_', "-"));
                let is_linked = leads.iter().any(|leads| leads.ends_with(&anchor));
                assert!(is_linked, "{page}: {code} leads nowhere");
            }
        }
    }
}

/// The operations of `openapi.json` with their methods and paths, except for `HEAD` and `OPTIONS`.
fn operations(document: &Value) -> Vec<(String, &str, &Value)> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if !["head", "options"].contains(&&**method) {
                found.push((method.to_uppercase(), &**path, operation));
            }
        }
    }
    found
}

fn codes(operation: &Value) -> Vec<&str> {
    let responses = operation["responses"].as_object().unwrap().values();
    let codes = responses.filter_map(|response| response["x-problem-codes"].as_array());
    codes.flatten().filter_map(Value::as_str).collect()
}

/// The docs describe this service: its address, its limits, and who may request keys.
pub async fn the_docs_show_the_limits_of_the_host(mount: &Mount) {
    let app = App::new(mount).await;
    let address = format!("URL={}\n", app.base());
    let key_request = "-X POST \"$URL/api/keys\"";
    let says = |page: &TestResponse, text: &str| code(page).iter().any(|code| code.contains(text));
    let docs = app.get("/docs").await;
    assert!(says(&docs, &address) && says(&docs, key_request), "{docs}");
    let mut limits = Limits::default();
    (limits.title, limits.request) = (4_321, 7_654_321);
    let app = app
        .set(|service| {
            let service = service.with_limits(limits);
            service.with_key_requests(KeyRequests::Closed)
        })
        .await;
    app.get("/docs/reference")
        .await
        .expect_text("4321")
        .expect_text("7654321");
    let docs = app.get("/docs").await;
    assert!(says(&docs, &address) && !says(&docs, key_request), "{docs}");
}

/// The documentation has the same structure, addresses and examples in each language, and different
/// text.
pub async fn the_docs_say_the_same_in_each_language(mount: &Mount) {
    let app = App::new(mount).await;
    let docs = ADDRESSES.iter().map(|address| address.path);
    for path in docs.filter(|path| path.starts_with("/docs")) {
        let pages = languages(&app, path).await;
        let (language, first) = &pages[0];
        let sentences = |page: &TestResponse| -> Vec<String> {
            let pieces = pieces(page).into_iter();
            let words = pieces.filter(|(tag, _)| tag != "code" && tag != "samp");
            let words = words.map(|(_, text)| text.trim().to_owned());
            words.filter(|text| text.len() > SENTENCE).collect()
        };
        for (other, page) in &pages[1..] {
            assert_eq!(code(first), code(page), "{page}: code and examples");
            let structures = (structure(first, language), structure(page, other));
            assert_eq!(structures.0, structures.1, "{page}: structure");
            let known = sentences(first);
            assert!(known.len() > 20, "{first}: it says little");
            for sentence in sentences(page) {
                let is_same = known.contains(&sentence);
                assert!(!is_same, "{page}: it is not in {other}: {sentence}");
            }
        }
    }
}

/// `/docs/errors` lists each problem type.
pub async fn the_errors_page_explains_each_type(mount: &Mount) {
    let app = App::new(mount).await;
    let page = app.get("/docs/errors").await;
    let all = tags(&page);
    for code in Code::ALL {
        let anchor = code.as_str().replace('_', "-");
        let ids = all
            .iter()
            .filter(|tag| tag.attribute("id") == Some(&anchor));
        assert_eq!(ids.count(), 1, "{page}: what explains {anchor}");
        page.expect_text(code.as_str());
    }
}
