use handbill::host::{Contact, CspNonce};
use handbill_testing::samples;

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

async fn text(handbill: &Handbill, path: &str) -> String {
    let response = send(handbill, page(path, None)).await;
    str::from_utf8(response.body()).unwrap().to_owned()
}

#[tokio::test]
async fn pages_and_feeds_have_the_name_and_the_description_of_the_site() {
    let unnamed = handbill();
    let created = unnamed.posts().create(Draft::new().body("x")).await;
    let post = format!("/p/{}", created.unwrap().id);
    let named = unnamed
        .clone()
        .with_name("  Köln &\n<News>\0 ")
        .with_description("All about\tthe city");
    for (path, parts) in [
        (
            "/",
            [
                "– Köln &#38; &#60;News&#62;</title>",
                "content=\"All about the city\"",
            ],
        ),
        (
            &post,
            [
                "og:site_name\" content=\"Köln &#38; &#60;News&#62;\"",
                "title=\"Köln &#38;",
            ],
        ),
        (
            "/feed.atom",
            [
                "<title>Köln &amp; &lt;News&gt;</title>",
                "<subtitle>All about the city<",
            ],
        ),
        (
            "/feed.json",
            [
                "\"title\":\"Köln & <News>\"",
                "\"description\":\"All about the city\"",
            ],
        ),
    ] {
        let html = text(&named, path).await;
        for part in parts {
            assert!(html.contains(part), "{path} lacks {part}: {html}");
        }
        let html = text(&unnamed, path).await;
        assert!(
            html.contains("example.org") && !html.contains("Köln"),
            "{path}"
        );
    }
    let etag = async |handbill: &Handbill| {
        send(handbill, page(&post, None)).await.headers()["etag"].clone()
    };
    assert_ne!(
        etag(&named).await,
        etag(&unnamed).await,
        "the page of a post"
    );

    let unset = named.with_name(" ").with_description("");
    let home = text(&unset, "/").await;
    assert!(
        home.contains("Köln") && !home.contains("All about"),
        "{home}"
    );
}

/// A style sheet, a line in the footer, and a contact for readers.
#[tokio::test]
async fn a_host_adds_to_the_look_of_the_pages() {
    const CSS: &str = ".handbill { --link: teal; }\n";
    let plain = handbill();
    let post = Draft::new().title("T").body("x");
    let post = plain.posts().create(post).await.unwrap();
    let contact: Contact = "mailto:harbour@example.org".parse().unwrap();
    let own = plain
        .clone()
        .with_style(CSS)
        .with_footer("Since 2019 &\nlater")
        .with_contact(contact);
    let page = format!("/p/{}", post.id);
    let (before, after) = (text(&plain, &page).await, text(&own, &page).await);

    assert!(
        after.contains("<p dir=\"auto\">Since 2019 &#38; later</p>"),
        "{after}"
    );
    assert!(
        after.contains("href=\"mailto:harbour@example.org\""),
        "{after}"
    );
    let report =
        "href=\"mailto:harbour@example.org?subject=Report%20this%20post&#38;body=https%3A%2F%2F";
    assert!(after.contains(report), "{after}");
    let (_, style) = after
        .rsplit_once("rel=\"stylesheet\" href=\"/blog")
        .unwrap();
    let (style, _) = style.split_once('"').unwrap();
    assert!(
        style.starts_with("/assets/style-"),
        "the last one is the host's: {style}"
    );
    assert_eq!(text(&own, style).await, CSS);
    for added in ["mailto:", "Since 2019", "/assets/style-"] {
        assert!(!before.contains(added), "{added} is in {before}");
    }
    let response = send(&plain, Request::get(style).body(Full::default()).unwrap()).await;
    assert_eq!(response.status(), 404, "it is another host's");
    let etag =
        async |handbill| send(handbill, self::page(&page, None)).await.headers()["etag"].clone();
    assert_ne!(etag(&plain).await, etag(&own).await);
}

#[test]
fn a_contact_is_a_mailbox_or_a_secure_page() {
    for contact in ["mailto:a@example.org", "https://example.org/contact?a=b"] {
        assert!(contact.parse::<Contact>().is_ok(), "{contact}");
    }
    for other in [
        "",
        "a@example.org",
        "http://example.org",
        "mailto:",
        "mailto:nobody",
        "javascript:alert(1)",
    ] {
        assert!(other.parse::<Contact>().is_err(), "{other}");
    }
}

/// The ways to everything else, which our own frame has around each page.
#[tokio::test]
async fn a_page_in_a_host_s_frame_leads_to_the_others() {
    let handbill = handbill().with_frame(|page| page.main.to_owned());
    let home = text(&handbill, "/").await;
    for leads in [
        "/blog/",
        "/blog/write",
        "/blog/tags",
        "/blog/follow",
        "/blog/docs",
        "?lang=fr",
    ] {
        assert!(
            home.contains(&format!("href=\"{leads}\"")),
            "{leads} is not in {home}"
        );
    }
}

/// A misspelt variable would change nothing.
#[tokio::test]
async fn themes_set_variables_that_the_style_sheet_uses() {
    let handbill = handbill();
    let home = text(&handbill, "/").await;
    let sheets = home.split("href=\"").skip(1);
    let mut sheets = sheets.filter_map(|link| link.split_once('"').map(|(address, _)| address));
    let address = sheets.find(|address| address.contains("/page-")).unwrap();
    let style = text(&handbill, address.strip_prefix("/blog").unwrap()).await;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/axum/themes");
    let mut themes = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let theme = std::fs::read_to_string(&path).unwrap();
        let lines = theme.lines().map(str::trim);
        let names = lines.filter_map(|line| line.split_once(':').map(|(name, _)| name));
        let variables: Vec<_> = names.filter(|name| name.starts_with("--")).collect();
        assert!(variables.contains(&"--link"), "{}", path.display());
        for variable in variables {
            let sets = format!("{variable}:");
            assert!(style.contains(&sets), "{}: {variable}", path.display());
        }
        themes += 1;
    }
    assert_eq!(themes, 3);
}

/// Months without posts are left out.
#[tokio::test]
async fn the_page_of_a_month_leads_to_the_next_ones_that_have_posts() {
    let store = MemoryStore::new();
    for (number, day) in (1..).zip(["2026-01-31", "2026-03-01", "2026-03-02", "2026-11-30"]) {
        let mut post = samples::post(number);
        post.summary.published_at = Some(format!("{day}T00:00:00Z").parse().unwrap());
        let _ = store.insert_post(post).await.unwrap();
    }
    let handbill = Handbill::new(BASE, store).unwrap();
    for (month, posts, next) in [
        ("2026-01", "One post", &["2026-03"][..]),
        ("2026-03", "2 posts", &["2026-11", "2026-01"]),
        ("2026-11", "One post", &["2026-03"]),
    ] {
        let html = text(&handbill, &format!("/?month={month}")).await;
        assert!(html.contains(posts), "{month}: {html}");
        let (_, nav) = html.split_once("<nav class=\"pages\"").unwrap();
        let (nav, _) = nav.split_once("</nav>").unwrap();
        let links = nav.split("?month=").skip(1);
        let links: Vec<_> = links.map(|link| &link[..month.len()]).collect();
        assert_eq!(links, next, "{month}: {nav}");
    }
}

/// Otherwise a browser would go on with a page that links to what is closed.
#[tokio::test]
async fn the_tag_of_a_page_changes_when_key_requests_are_closed() {
    let open = handbill();
    let post = open.posts().create(Draft::new().body("x")).await.unwrap();
    let closed = open.clone().with_key_requests(KeyRequests::Closed);
    for path in ["/", "/tags", &format!("/p/{}", post.id)] {
        let etag =
            async |handbill| send(handbill, page(path, None)).await.headers()["etag"].clone();
        assert_ne!(etag(&open).await, etag(&closed).await, "{path}");
    }
}
