//! What is done with the bytes, and what must hold.

use std::str::FromStr;

use bytes::Bytes;
use handbill::Tag;
use http::{HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::Full;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

use crate::sanitiser::{api_sanitiser, removed};
use crate::service::{Service, json_of, run};

const MAX_EXCERPT: usize = 200;

/// The body of a post: its HTML has nothing that a sanitiser removes, and every page and feed shows it.
pub(crate) fn markdown(input: &[u8]) {
    let Ok(source) = std::str::from_utf8(input) else {
        return;
    };
    run(async |service: Service| {
        let Some(created) = service.create(&json!({ "body": source })).await else {
            return;
        };
        let post = service.read(&created.id).await;
        assert_eq!(post["body"], source);
        let excerpt = post["excerpt"].as_str().expect("a text");
        assert!(excerpt.chars().count() <= MAX_EXCERPT, "{excerpt:?}");
        let html = post["html"].as_str().expect("a text");
        if let Some(cleaned) = removed(&api_sanitiser(), html) {
            panic!("{html:?} became {cleaned:?}");
        }
        for path in [
            &*format!("/p/{}", created.id),
            &format!("/p/{}.md", created.id),
            &format!("/e/{}", created.edit_token),
            "/",
            "/feed.atom",
            "/feed.json",
            "/sitemap.xml",
            "/tags",
            "/llms.txt",
        ] {
            assert_eq!(service.get(path).await.status(), StatusCode::OK, "{path}");
        }
    });
}

/// The body of a creation and of a change: it is accepted or refused, and what was created can be sent
/// back as it is read.
pub(crate) fn json(input: &[u8]) {
    run(async |service: Service| {
        let body = Bytes::copy_from_slice(input);
        let created = service.send_json("POST", "/api/posts", body.clone()).await;
        if created.status() == StatusCode::CREATED {
            let created = json_of(&created);
            let path = format!("/api/posts/{}", created["id"].as_str().expect("a text"));
            let etag = service.get(&path).await.headers()["etag"].clone();
            let read = service.get(&path).await.into_body();
            let token = created["edit_token"].as_str().expect("a text");
            let same = format!("{path}?token={token}");
            let same = service.send_json("PUT", &same, read).await;
            assert_eq!(
                (same.status(), &same.headers()["etag"]),
                (StatusCode::OK, &etag)
            );
        }
        let post = service.create_any().await;
        let change = format!("/api/posts/{}?token={}", post.id, post.edit_token);
        service.send_json("PATCH", &change, body).await;
    });
}

/// A form on each page that has one.
pub(crate) fn form(input: &[u8]) {
    run(async |service: Service| {
        let post = service.create_any().await;
        for path in ["/keys", "/write", &format!("/e/{}", post.edit_token)] {
            let request = Request::post(path)
                .header("content-type", "application/x-www-form-urlencoded")
                .body(Full::new(Bytes::copy_from_slice(input)));
            let response = service.send(request.expect("a request")).await;
            let policy = response.headers().get("content-security-policy");
            assert!(
                policy.is_some() || response.body().is_empty(),
                "{response:?}"
            );
        }
    });
}

/// A method and an address.
pub(crate) fn address(input: &[u8]) {
    let Some((method, path)) = std::str::from_utf8(input)
        .ok()
        .and_then(|text| text.split_once(' '))
    else {
        return;
    };
    let (Ok(method), Ok(uri)) = (Method::from_str(method), Uri::from_str(path)) else {
        return;
    };
    run(async |service: Service| {
        service.create_any().await;
        let request = Request::builder().method(method).uri(uri);
        service
            .send(request.body(Full::default()).expect("a request"))
            .await;
    });
}

/// The conditions of a read and of a change, one header per line.
pub(crate) fn conditions(input: &[u8]) {
    const NAMES: [&str; 4] = [
        "if-match",
        "if-none-match",
        "if-modified-since",
        "if-unmodified-since",
    ];
    run(async |service: Service| {
        let post = service.create_any().await;
        let path = format!("/api/posts/{}", post.id);
        for method in [Method::GET, Method::DELETE] {
            let mut request = Request::builder().method(&method).uri(&path);
            request = request.header("x-edit-token", &post.edit_token);
            for line in input.split(|byte| *byte == b'\n') {
                let (Some((name, value)), true) = (line.split_first(), line.len() < 1_000) else {
                    continue;
                };
                if let Ok(value) = HeaderValue::from_bytes(value) {
                    request = request.header(NAMES[usize::from(*name) % NAMES.len()], value);
                }
            }
            let request = request.body(Full::default()).expect("a request");
            let status = service.send(request).await.status().as_u16();
            assert!(matches!(status, 200 | 204 | 304 | 400 | 412), "{status}");
        }
    });
}

/// A title, a focus keyword and tags, on a line each: what was accepted is accepted again as it was
/// printed, and means the same.
pub(crate) fn fields(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let mut lines = text.splitn(3, '\n');
    let (title, keyword, tags) = (lines.next(), lines.next(), lines.next());
    run(async |service: Service| {
        let fields = json!({ "title": title, "focus_keyword": keyword, "tags": tags, "body": "x" });
        let Some(created) = service.create(&fields).await else {
            return;
        };
        let read = service.read(&created.id).await;
        let again = json!({
            "title": read["title"],
            "focus_keyword": read["focus_keyword"],
            "tags": read["tags"],
            "body": "x",
        });
        let again = service
            .create(&again)
            .await
            .expect("it was accepted before");
        let again = service.read(&again.id).await;
        for name in ["title", "focus_keyword", "tags"] {
            assert_eq!(read[name], again[name]);
        }
        for tag in read["tags"].as_array().expect("a list") {
            let text = tag.as_str().expect("a text");
            assert_eq!(text.parse::<Tag>().expect("a tag").as_str(), text);
        }
        let page = service.get(&format!("/p/{}", created.id)).await;
        assert_eq!(page.status(), StatusCode::OK);
    });
}

/// All bytes of a connection to a hyper server, which answers each request or closes.
pub(crate) fn connection(input: &[u8]) {
    run(async |service: Service| {
        service.create_any().await;
        let (mut client, server) = duplex(1 << 20);
        client.write_all(input).await.expect("room for the input");
        client.shutdown().await.expect("the server is there");
        let serve = hyper::server::conn::http1::Builder::new().serve_connection(
            TokioIo::new(server),
            TowerToHyperService::new(service.handbill.clone()),
        );
        let mut responses = Vec::new();
        // Malformed requests are errors.
        let (_, read) = tokio::join!(serve, client.read_to_end(&mut responses));
        read.expect("the server closed the connection");
        assert!(responses.is_empty() || responses.starts_with(b"HTTP/1."));
        let healthy: Value = json_of(&service.get("/healthz").await);
        assert!(healthy["status"].is_string());
    });
}
