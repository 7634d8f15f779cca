use handbill::CspNonce;

use super::*;

fn page(path: &str, nonce: Option<&str>) -> Request<Full<Bytes>> {
    let mut request = Request::get(path).body(Full::default()).unwrap();
    if let Some(nonce) = nonce {
        let nonce = nonce.parse::<CspNonce>().unwrap();
        request.extensions_mut().insert(nonce);
    }
    request
}

#[tokio::test]
async fn styles_and_scripts_of_pages_have_the_hosts_nonce() {
    let handbill = handbill();
    let draft = Draft::new().title("T").body("x");
    let post = handbill.posts().create(draft).await.unwrap();
    let framed = handbill
        .clone()
        .with_frame(|page| [page.style, page.head].concat());
    for path in [&format!("/p/{}", post.id), "/keys"] {
        for handbill in [&handbill, &framed] {
            let response = send(handbill, page(path, Some("cmFuZG9t"))).await;
            let policy = response.headers()["content-security-policy"]
                .to_str()
                .unwrap();
            for directive in ["script-src", "style-src"] {
                let with_nonce = format!("{directive} 'self' 'nonce-cmFuZG9t';");
                assert!(policy.contains(&with_nonce), "{policy}");
            }
            let html = str::from_utf8(response.body()).unwrap();
            let loading = html.split('<').filter(|tag| {
                tag.starts_with("script ") || tag.starts_with("link rel=\"stylesheet\"")
            });
            let loading: Vec<_> = loading.collect();
            assert!(!loading.is_empty());
            for tag in loading {
                assert!(tag.contains(" nonce=\"cmFuZG9t\""), "{tag}");
            }
            let cache_control = response.headers()["cache-control"].to_str().unwrap();
            assert!(
                ["private, no-cache", "no-store"].contains(&cache_control),
                "{cache_control}"
            );
        }
    }
    // The nonce of one response appears in no other.
    let other = send(&handbill, page(&format!("/p/{}", post.id), None)).await;
    assert!(!str::from_utf8(other.body()).unwrap().contains("nonce"));
    let policy = other.headers()["content-security-policy"].to_str().unwrap();
    assert!(!policy.contains("nonce"), "{policy}");
}

#[tokio::test]
async fn a_frame_can_use_the_request() {
    let handbill = handbill().with_frame(|page| {
        let reader = page.request.extensions.get::<&str>().unwrap_or(&"nobody");
        format!("{reader} reads {}", page.title)
    });
    for reader in ["ada", "grace"] {
        let mut request = page("/", None);
        request.extensions_mut().insert(reader);
        let response = send(&handbill, request).await;
        assert_eq!(response.headers()["cache-control"], "private, no-cache");
        let html = str::from_utf8(response.body()).unwrap();
        assert!(html.starts_with(&format!("{reader} reads ")), "{html}");
    }
}
