//! The variants of a response: each client gets its own, whatever others have asked for.

use bytes::Bytes;
use handbill::host::CspNonce;
use handbill::{Draft, Handbill, MemoryStore, Owner, SignedIn, Visibility};
use http::header::{ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, IF_NONE_MATCH};
use http::{HeaderValue, Method, Request, Response};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use crate::{send, service};

/// What a client sends.
#[derive(Clone, Debug)]
struct Wanted {
    method: Method,
    path: String,
    languages: Option<&'static str>,
    accept: &'static str,
    codings: Option<&'static str>,
    visitor: Visitor,
}

#[derive(Clone, Debug)]
enum Visitor {
    Anyone,
    SignedIn(Owner),
    /// One to whom the host's frame gives a nonce of its own.
    Nonce(CspNonce),
}

impl Wanted {
    fn request(&self, condition: Option<&HeaderValue>) -> http::request::Builder {
        let mut request = Request::builder().method(&self.method).uri(&self.path);
        for (name, value) in [
            (ACCEPT_LANGUAGE, self.languages),
            (ACCEPT, Some(self.accept)),
            (ACCEPT_ENCODING, self.codings),
        ] {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        if let Some(condition) = condition {
            request = request.header(IF_NONE_MATCH, condition);
        }
        match self.visitor.clone() {
            Visitor::Anyone => request,
            Visitor::SignedIn(owner) => request.extension(SignedIn::new(owner)),
            Visitor::Nonce(nonce) => request.extension(nonce),
        }
    }
}

/// Each combination of what responses vary by.
fn all_wanted(addresses: &[String]) -> Vec<Wanted> {
    let mut all = Vec::new();
    for address in addresses {
        for query in ["", "?lang=fr", "?lang=en"] {
            for languages in [None, Some("fr")] {
                for accept in ["text/html", "text/markdown"] {
                    for codings in [None, Some("gzip, br")] {
                        for method in [Method::GET, Method::HEAD] {
                            for visitor in 0..4 {
                                let nonce = format!("nonce{}", all.len());
                                all.push(Wanted {
                                    method: method.clone(),
                                    path: format!("{address}{query}"),
                                    languages,
                                    accept,
                                    codings,
                                    visitor: match visitor {
                                        0 => Visitor::Anyone,
                                        1 => Visitor::Nonce(nonce.parse().unwrap()),
                                        owner => Visitor::SignedIn(owned(owner)),
                                    },
                                });
                            }
                        }
                    }
                }
            }
        }
    }
    all
}

fn owned(number: u32) -> Owner {
    format!("user:{number}").parse().unwrap()
}

/// What a service returns that has nothing cached.
async fn fresh(handbill: &Handbill, request: http::request::Builder) -> Response<Bytes> {
    send(&handbill.clone().with_cors(true), request).await
}

#[track_caller]
fn assert_same(found: &Response<Bytes>, expected: &Response<Bytes>, wanted: &Wanted) {
    assert_eq!(found.status(), expected.status(), "{wanted:?}");
    assert_eq!(found.headers(), expected.headers(), "{wanted:?}");
    assert!(found.body() == expected.body(), "the body for {wanted:?}");
}

#[tokio::test]
async fn each_client_gets_its_own_variant() {
    let handbill = service(MemoryStore::new()).with_compression();
    let mut addresses = ["/", "/tags", "/follow", "/api/posts"]
        .map(str::to_owned)
        .to_vec();
    for visibility in [Visibility::Public, Visibility::Draft] {
        let draft = Draft::new()
            .title("A post")
            .body("Some *Markdown*. ".repeat(100))
            .owner(owned(2))
            .visibility(visibility);
        let id = handbill.posts().create(draft).await.unwrap().id;
        addresses.extend(["", ".md"].map(|suffix| format!("/p/{id}{suffix}")));
        addresses.push(format!("/api/posts/{id}"));
    }
    let mut random = StdRng::seed_from_u64(5861);
    let mut all = all_wanted(&addresses);
    all.shuffle(&mut random);
    let mut etags = Vec::new();
    // The second time, they come from the cache.
    for _ in 0..2 {
        for wanted in &all {
            let found = send(&handbill, wanted.request(None)).await;
            let expected = fresh(&handbill, wanted.request(None)).await;
            assert_same(&found, &expected, wanted);
            etags.extend(found.headers().get("etag").cloned());
        }
    }
    for wanted in &all {
        let etag = &etags[random.random_range(0..etags.len())];
        let found = send(&handbill, wanted.request(Some(etag))).await;
        let expected = fresh(&handbill, wanted.request(Some(etag))).await;
        assert_same(&found, &expected, wanted);
    }
    let stats = handbill.stats().await.responses;
    assert!(stats.hits > all.len() as u64, "{stats:?}");
}
