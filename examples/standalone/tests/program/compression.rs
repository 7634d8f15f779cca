//! Responses in fewer bytes.

use std::io::Read;

use handbill_tests::load::{get, post_json};
use handbill_tests::program::Program;
use handbill_tests::wire::TestResponse;
use http::HeaderMap;
use serde_json::json;

use crate::place::{Place, new_key, send};

/// Sends a request of this method with these headers.
async fn ask(program: &Program, method: &str, path: &str, headers: &str) -> TestResponse {
    let request = String::from_utf8(get(path)).unwrap();
    let request = request.replacen("GET", method, 1);
    let request = request.replacen("\r\n", &format!("\r\n{headers}"), 1);
    send(program, request.as_bytes()).await
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers
        .get(name)
        .map_or("", |value| value.to_str().unwrap())
}

/// The body without its coding.
fn decoded(response: &TestResponse) -> Vec<u8> {
    let mut text = Vec::new();
    match self::text(&response.headers, "content-encoding") {
        "gzip" => {
            let mut decoder = flate2::read::GzDecoder::new(&*response.body);
            decoder.read_to_end(&mut text).unwrap();
        }
        "br" => {
            brotli::BrotliDecompress(&mut &*response.body, &mut text).unwrap();
        }
        "" => text.clone_from(&response.body),
        other => panic!("{other}"),
    }
    text
}

/// A program with a long post, at these paths.
async fn with_long_post(place: &Place) -> (Program, Vec<String>, String) {
    let program = place.start(&[]).await;
    let key = new_key(&program).await;
    // Words that repeat as those of prose do.
    let words = [
        "harbour", "light", "the", "a", "morning", "of", "and", "ships",
    ];
    let place_of = |number: usize| (number * number * 7919 + number / 3) % words.len();
    let prose: Vec<_> = (0..18_000).map(|number| words[place_of(number)]).collect();
    let body = json!({ "body": prose.join(" ") }).to_string();
    let headers = format!("X-Api-Key: {key}\r\n");
    let created = send(&program, &post_json("/api/posts", &headers, &body)).await;
    assert_eq!(created.status, 201, "{created:?}");
    let created = created.json();
    let id = created["id"].as_str().unwrap();
    let token = created["edit_token"].as_str().unwrap().to_owned();
    let paths = vec![
        format!("/p/{id}"),
        format!("/p/{id}.md"),
        format!("/api/posts/{id}"),
        "/api/posts?per_page=1&include=body".to_owned(),
        "/feed.atom".to_owned(),
        "/openapi.json".to_owned(),
    ];
    (program, paths, token)
}

#[tokio::test]
async fn a_public_text_is_compressed_as_its_client_wants() {
    let place = Place::new();
    let (program, paths, _) = with_long_post(&place).await;
    for path in &paths {
        let plain = ask(&program, "GET", path, "").await;
        assert_eq!(plain.status, 200, "{path}");
        assert_eq!(text(&plain.headers, "content-encoding"), "", "{path}");
        let mut tags = vec![text(&plain.headers, "etag").to_owned()];
        for (accepted, coding) in [
            ("gzip", "gzip"),
            ("gzip, deflate, br, zstd", "br"),
            ("BR;q=0.5, gzip;q=0.1", "br"),
            ("br;q=0, gzip", "gzip"),
            ("br;q=0.000, gzip;Q=0", ""),
            ("identity", ""),
            ("zstd, *", ""),
        ] {
            let headers = format!("Accept-Encoding: {accepted}\r\n");
            let coded = ask(&program, "GET", path, &headers).await;
            assert_eq!(text(&coded.headers, "content-encoding"), coding, "{path}");
            assert_eq!(decoded(&coded), decoded(&plain), "{path}");
            let shared = coded.headers.get_all("vary").iter();
            let shared: Vec<_> = shared.map(|vary| vary.to_str().unwrap()).collect();
            assert!(shared.contains(&"Accept-Encoding"), "{path}: {shared:?}");
            let tag = text(&coded.headers, "etag").to_owned();
            match coding {
                "" => assert_eq!(tag, tags[0]),
                _ => assert!(coded.body.len() * 4 < plain.body.len() * 3, "{path}"),
            }
            tags.push(tag);
        }
        tags.sort_unstable();
        tags.dedup();
        assert_eq!(tags.len(), 3, "a tag for each coding: {tags:?}");
        let read = ask(&program, "GET", path, "Accept-Encoding: br\r\n").await;
        let head = ask(&program, "HEAD", path, "Accept-Encoding: br\r\n").await;
        for name in ["content-encoding", "content-length", "etag"] {
            let (of_head, of_read) = (text(&head.headers, name), text(&read.headers, name));
            assert_eq!(of_head, of_read, "{path} {name}");
        }
    }
}

#[tokio::test]
async fn the_entity_tag_of_a_coding_is_good_for_conditions() {
    let place = Place::new();
    let (program, paths, token) = with_long_post(&place).await;
    for accepted in ["gzip", "br", "identity"] {
        let accepted = format!("Accept-Encoding: {accepted}\r\n");
        for path in &paths {
            let read = ask(&program, "GET", path, &accepted).await;
            let tag = text(&read.headers, "etag");
            for list in [tag.to_owned(), format!("\"other\", W/{tag}")] {
                let headers = format!("{accepted}If-None-Match: {list}\r\n");
                let again = ask(&program, "GET", path, &headers).await;
                assert_eq!(again.status, 304, "{path} {list}");
                assert_eq!(text(&again.headers, "etag"), tag);
                assert!(again.body.is_empty());
            }
        }
        let path = &paths[2];
        let read = ask(&program, "GET", path, &accepted).await;
        let tag = text(&read.headers, "etag");
        let change = |tag: &str, title: &str| {
            let headers = format!("X-Edit-Token: {token}\r\nIf-Match: {tag}\r\n");
            let body = json!({ "title": title }).to_string();
            let request = String::from_utf8(post_json(path, &headers, &body)).unwrap();
            request.replacen("POST", "PATCH", 1).into_bytes()
        };
        assert_eq!(send(&program, &change(tag, &accepted)).await.status, 200);
        assert_eq!(send(&program, &change(tag, "too late")).await.status, 412);
        let changed = ask(&program, "GET", path, &accepted).await;
        assert!(
            String::from_utf8(decoded(&changed))
                .unwrap()
                .contains(accepted.trim())
        );
    }
}

#[tokio::test]
async fn what_may_hold_a_secret_is_sent_as_it_is() {
    let place = Place::new();
    let (program, _, token) = with_long_post(&place).await;
    let accepted = "Accept: text/html\r\nAccept-Encoding: gzip, br\r\n";
    for path in [
        &format!("/e/{token}"),
        "/write",
        "/keys",
        "/nowhere",
        "/readyz",
    ] {
        let response = ask(&program, "GET", path, accepted).await;
        assert_eq!(text(&response.headers, "content-encoding"), "", "{path}");
        let cache_control = text(&response.headers, "cache-control");
        assert!(!cache_control.contains("public"), "{path}: {cache_control}");
    }
}

/// A post of 122 KB goes out as 30.
#[tokio::test]
async fn a_long_post_is_a_quarter_as_long() {
    let place = Place::new();
    let (program, paths, _) = with_long_post(&place).await;
    let plain = ask(&program, "GET", &paths[1], "").await.body.len();
    for coding in ["gzip", "br"] {
        let headers = format!("Accept-Encoding: {coding}\r\n");
        let coded = ask(&program, "GET", &paths[1], &headers).await.body.len();
        assert!(coded * 4 < plain, "{coding}: {coded} of {plain}");
    }
}
