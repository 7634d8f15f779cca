//! What all forms on pages have in common, and the one for requesting a key.

use std::num::NonZeroU32;
use std::time::Duration;

use handbill::{Rate, RateLimits};

use super::app::{FORM, HTML, NO_TOKEN};
use super::markup::field;
use super::{App, Mount, unavailable};

/// A form that is refused comes back filled in to a browser, whatever the reason: nothing that was typed is lost.
pub async fn a_refused_form_comes_back_filled_in(mount: &Mount) {
    const TYPED: [(&str, &str); 4] = [
        ("title", "What was typed"),
        ("body", "Words & <more>."),
        ("tags", "a, b"),
        ("visibility", "unlisted"),
    ];
    let send = async |app: &App, path: &str, more: &[(&str, &str)], status: u16| {
        let fields = [&TYPED, more].concat();
        let page = app.submit(path, &fields).header("accept", "text/html");
        let page = page.await;
        page.expect_status(status)
            .expect_header("content-type", HTML);
        page.expect_text(r#"role="alert""#)
            .expect_text("Words &#38; &#60;more&#62;.</textarea>")
            .expect_text(r#"value="unlisted" selected"#);
        for name in ["title", "tags"] {
            let typed = fields.iter().find(|(known, _)| *known == name);
            assert_eq!(field(&page, name), typed.unwrap().1, "{page}: {name}");
        }
        page
    };

    let down = unavailable::broken(mount).await;
    let lost = format!("/e/{NO_TOKEN}");
    let remembered = [("revision", "3"), ("seen", "x"), ("lines", "0123456789ab")];
    for page in [
        send(&down, "/write", &[], 503).await,
        send(&down, &lost, &remembered, 503).await,
    ] {
        let wait = page.header("retry-after");
        assert!(wait.is_some(), "{page}: no Retry-After");
    }
    let page = send(&down, &lost, &remembered, 503).await;
    for (name, value) in remembered {
        assert_eq!(field(&page, name), value, "{page}: {name}");
    }

    let (app, post) = App::and_post(mount).await;
    app.delete(&post).await;
    let write = format!(r#"formaction="{}/write""#, app.mount.prefix());
    for page in [
        send(&app, &post.edit_page(), &[], 410).await,
        send(&app, &lost, &[], 404).await,
    ] {
        page.expect_text(&write);
    }

    let mut limits = RateLimits::off();
    let once = Rate::new(NonZeroU32::MIN, Duration::from_secs(86_400));
    (limits.creations, limits.changes, limits.previews) = (Some(once), Some(once), Some(once));
    let limited = app.set(|service| service.with_rate_limits(limits.clone()));
    let app = limited.await;
    let post = app.create_body("x").await;
    app.submit("/write", &TYPED).await.expect_status(303);
    app.submit(&post.edit_page(), &TYPED)
        .await
        .expect_status(303);
    for path in ["/write", &post.edit_page()] {
        send(&app, path, &[], 429).await;
        let preview = [("action", "preview")];
        app.submit(path, &[&TYPED, &preview[..]].concat()).await;
        send(&app, path, &preview, 429).await;
    }
}

/// A form that is not UTF-8 or repeats a field is refused.
pub async fn a_form_is_text_and_has_each_field_once(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body("unchanged").await;
    for page in [&*post.edit_page(), "/write", "/keys"] {
        for broken in [
            &b"body=\xFF&label=\xFF"[..],
            b"body=%FF&label=%FF",
            b"body=a&label=a&body=b&label=b",
        ] {
            let call = app.call("POST", page).body(FORM, broken);
            call.await.problem("invalid_parameter");
        }
    }
    app.expect_body(&post, "unchanged").await;
}

/// A form has at most 100 fields. Those that the page does not know are ignored, also if they are repeated.
pub async fn a_form_has_at_most_100_fields(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for (page, field, status) in [
        (&*post.edit_page(), ("body", "y"), 303),
        ("/write", ("body", "y"), 303),
        ("/keys", ("label", "y"), 200),
    ] {
        let mut fields = vec![("unknown", "x"); 99];
        fields.push(field);
        app.submit(page, &fields).await.expect_status(status);
        fields.push(("unknown", "x"));
        let refused = app.submit(page, &fields).await;
        refused.problem("invalid_parameter");
        let empty = app.call("POST", page).body(FORM, "&".repeat(1 << 20));
        empty.await.problem("invalid_parameter");
    }
}

/// The origin of the mount's public address.
pub(super) fn origin(app: &App) -> String {
    app.base().split('/').take(3).collect::<Vec<_>>().join("/")
}

/// Form posts from other origins are refused, by `Sec-Fetch-Site` or else by `Origin`.
pub async fn a_form_from_another_site_is_refused(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body("unchanged").await;
    let own = origin(&app);
    let (longer, port) = (format!("{own}.other.example"), format!("{own}:8443"));
    let tls = own.replace("http:", "https:");
    for path in [&*post.edit_page(), "/write", "/keys"] {
        let sent = || {
            app.call("POST", path)
                .body(FORM, "body=stolen&label=stolen")
        };
        for site in ["cross-site", "same-site", ""] {
            let response = sent().header("sec-fetch-site", site).await;
            response.problem("cross_site");
        }
        let beside_origin = sent().header("sec-fetch-site", "cross-site");
        let response = beside_origin.header("origin", &own).await;
        response.problem("cross_site");
        for other in ["https://other.example", &longer, &port, &tls, "null", ""] {
            let response = sent().header("origin", other).await;
            response.problem("cross_site");
        }
        let twice = sent().header("origin", &own).header("origin", &own);
        twice.await.problem("invalid_header");
    }
    app.expect_body(&post, "unchanged").await;
    let list = app.get("/api/posts").await.ok();
    assert_eq!(list["total"], 1, "the number of posts");
    let issued = app.service.keys().list().await.unwrap();
    assert_eq!(issued.len(), 1, "the number of keys");
}

/// Forms from the service's own pages are accepted, and so are those that do not come from a page.
pub async fn a_form_from_our_own_pages_or_without_an_origin_is_accepted(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let own = origin(&app);
    for headers in [
        &[("sec-fetch-site", "same-origin")][..],
        &[("sec-fetch-site", "none")],
        &[("sec-fetch-site", "same-origin"), ("origin", "null")],
        &[("origin", &own)],
        &[],
    ] {
        let mut call = app.call("POST", &post.edit_page());
        for (name, value) in headers {
            call = call.header(name, value);
        }
        let response = call.body(FORM, "body=y").await;
        assert_eq!(response.status, 303, "{response}, sent with {headers:?}");
    }
}

/// `/keys` issues a key and shows it once.
pub async fn the_keys_page_shows_a_key_once(mount: &Mount) {
    let app = App::new(mount).await;
    app.get("/keys").await.expect_text("<form");
    let page = app.submit("/keys", &[("label", "My laptop")]).await;
    let text = page.expect_status(200).expect_text(">hb_").text();
    let key = text
        .split(">hb_")
        .nth(1)
        .and_then(|rest| rest.split('<').next());
    let key = format!("hb_{}", key.unwrap_or_default());
    let current = app.get("/api/keys/current").header("x-api-key", key);
    let current = current.await;
    assert_eq!(current.ok()["label"], "My laptop", "{current}");
    app.get("/keys").await.expect_no_text("hb_");

    let long = "x".repeat(101);
    let refused = app.submit("/keys", &[("label", &long)]).await;
    refused
        .expect_status(422)
        .expect_text("At most 100 characters")
        .expect_no_text("hb_");
}
