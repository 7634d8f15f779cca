//! The host's own login: what a visitor sees and may do, and that others see nothing of it.

use handbill::host::KeyGrant;
use handbill::{List, SignedIn};
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LOCATION};

use super::*;

pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

/// A request of a visitor, who is signed in as this owner.
pub(crate) fn request(method: &str, path: &str, owner: Option<&str>) -> http::request::Builder {
    let request = Request::builder().method(method).uri(path);
    let request = request.header(ACCEPT, "text/html");
    match owner {
        Some(owner) => request.extension(SignedIn::new(owner.parse().unwrap())),
        None => request,
    }
}

pub(crate) async fn get_as(
    handbill: &Handbill,
    path: &str,
    owner: Option<&str>,
) -> Response<Bytes> {
    send(
        handbill,
        request("GET", path, owner).body(Full::default()).unwrap(),
    )
    .await
}

pub(crate) async fn post_as(
    handbill: &Handbill,
    path: &str,
    owner: Option<&str>,
    form: &str,
) -> Response<Bytes> {
    let request = request("POST", path, owner).header(CONTENT_TYPE, FORM);
    let form = form.to_owned().into_bytes();
    send(handbill, request.body(Full::from(form)).unwrap()).await
}

pub(crate) fn text(response: &Response<Bytes>) -> &str {
    str::from_utf8(response.body()).unwrap()
}

pub(crate) fn header(response: &Response<Bytes>, name: http::HeaderName) -> &str {
    response.headers()[name].to_str().unwrap()
}

/// A post of alice.
pub(crate) async fn post_of_alice(handbill: &Handbill, visibility: Visibility) -> PostId {
    let draft = Draft::new()
        .title("Hers")
        .body("By alice.")
        .visibility(visibility)
        .owner("alice".parse().unwrap());
    handbill.posts().create(draft).await.unwrap().id
}

/// The value of a hidden field of a form.
fn hidden(page: &Response<Bytes>, name: &str) -> Option<String> {
    let field = format!("name=\"{name}\" value=\"");
    let (_, rest) = text(page).split_once(&field)?;
    Some(rest.split_once('"')?.0.to_owned())
}

#[tokio::test]
async fn a_draft_is_shown_to_its_owner_and_to_others_is_like_an_id_that_was_never_used() {
    let handbill = handbill();
    let draft = post_of_alice(&handbill, Visibility::Draft).await;
    for path in [format!("/p/{draft}"), format!("/p/{draft}.md")] {
        let shown = get_as(&handbill, &path, Some("alice")).await;
        assert_eq!(shown.status(), 200, "{path}");
        assert!(text(&shown).contains("By alice."));
        assert_eq!(header(&shown, CACHE_CONTROL), "private, no-store");
        assert_eq!(shown.headers()["x-robots-tag"], "noindex");
        for stranger in [None, Some("bob")] {
            let hidden = get_as(&handbill, &path, stranger).await;
            let unused = path.replace(draft.as_str(), "bcdfghjklm");
            let never_used = get_as(&handbill, &unused, stranger).await;
            assert_eq!(hidden.status(), 404, "{path} for {stranger:?}");
            assert_eq!(hidden.headers(), never_used.headers());
            assert_eq!(text(&hidden), text(&never_used));
        }
    }
    let edit = format!("/p/{draft}/edit");
    let (edit_of_bob, no_edit) = (
        get_as(&handbill, &edit, Some("bob")).await,
        get_as(&handbill, &edit, None).await,
    );
    assert_eq!(
        (edit_of_bob.status(), no_edit.status()),
        (StatusCode::NOT_FOUND, StatusCode::NOT_FOUND)
    );

    handbill.posts().delete(draft).await.unwrap();
    let path = format!("/p/{draft}");
    assert_eq!(get_as(&handbill, &path, Some("alice")).await.status(), 410);
    assert_eq!(get_as(&handbill, &path, Some("bob")).await.status(), 404);
}

#[tokio::test]
async fn the_api_ignores_who_is_signed_in() {
    let handbill = handbill().with_key_requests(KeyRequests::SignedIn);
    let draft = post_of_alice(&handbill, Visibility::Draft).await;
    let post = post_of_alice(&handbill, Visibility::Public).await;
    for (method, path, status) in [
        ("GET", format!("/api/posts/{draft}"), 404),
        ("DELETE", format!("/api/posts/{post}"), 401),
        ("POST", "/api/posts".to_owned(), 401),
        ("GET", "/api/keys/current/posts".to_owned(), 401),
        ("POST", "/api/keys".to_owned(), 403),
    ] {
        let request =
            request(method, &path, Some("alice")).header(CONTENT_TYPE, "application/json");
        let response = send(&handbill, request.body(Full::default()).unwrap()).await;
        assert_eq!(response.status(), status, "{method} {path}");
    }
}

#[tokio::test]
async fn an_owner_edits_renews_and_deletes_without_a_token() {
    let handbill = handbill();
    let id = post_of_alice(&handbill, Visibility::Public).await;
    let edit = format!("/p/{id}/edit");
    let page = get_as(&handbill, &edit, Some("alice")).await;
    assert_eq!(page.status(), 200);
    assert_eq!(header(&page, CACHE_CONTROL), "no-store");
    assert!(!text(&page).contains("/e/"), "the page has no private link");

    let [revision, seen] = ["revision", "seen"].map(|name| hidden(&page, name).unwrap());
    let fields = format!("revision={revision}&seen={seen}&title=Hers&body=Better.&action=save");
    let saved = post_as(&handbill, &edit, Some("alice"), &fields).await;
    assert_eq!(saved.status(), 303);
    assert_eq!(header(&saved, LOCATION), format!("/blog/p/{id}/edit?saved"));
    assert_eq!(handbill.posts().read(id).await.unwrap().body, "Better.");

    let renewed = post_as(&handbill, &edit, Some("alice"), "action=renew").await;
    let link = header(&renewed, LOCATION).strip_prefix("/blog").unwrap();
    assert!(link.starts_with("/e/"), "{link}");
    assert_eq!(get_as(&handbill, link, None).await.status(), 200);

    let delete = "action=delete&confirm=yes";
    let foreign = request("POST", &edit, Some("alice"))
        .header(CONTENT_TYPE, FORM)
        .header("sec-fetch-site", "cross-site");
    let foreign = foreign.body(Full::from(delete)).unwrap();
    assert_eq!(send(&handbill, foreign).await.status(), 403);
    assert!(handbill.posts().read(id).await.is_ok());
    assert_eq!(
        post_as(&handbill, &edit, Some("alice"), delete)
            .await
            .status(),
        200
    );
    let gone = handbill.posts().read(id).await.unwrap_err();
    assert_eq!(gone.code(), Code::Gone);
}

#[tokio::test]
async fn others_do_not_edit_and_lose_nothing_that_they_typed() {
    let handbill = handbill();
    let id = post_of_alice(&handbill, Visibility::Public).await;
    let edit = format!("/p/{id}/edit");
    for (visitor, status) in [(Some("bob"), 403), (None, 404)] {
        assert_eq!(get_as(&handbill, &edit, visitor).await.status(), status);
        let form = "title=Mine&body=Typed+for+an+hour.&revision=1&action=save";
        let refused = post_as(&handbill, &edit, visitor, form).await;
        assert_eq!(refused.status(), status);
        assert!(text(&refused).contains("Typed for an hour."));
        assert!(text(&refused).contains("You are not signed in as the user who opened this page."));
        assert_eq!(
            hidden(&refused, "revision").as_deref(),
            Some("1"),
            "it can be sent again"
        );
    }
    assert_eq!(handbill.posts().read(id).await.unwrap().body, "By alice.");
}

#[tokio::test]
async fn who_is_signed_in_writes_without_a_key_and_owns_the_post() {
    let handbill = handbill().with_key_requests(KeyRequests::Closed);
    let blank = get_as(&handbill, "/write", Some("alice")).await;
    assert!(!text(&blank).contains("name=\"api_key\""));
    assert!(text(&get_as(&handbill, "/write", None).await).contains("name=\"api_key\""));

    let opened_by = hidden(&blank, "opened_by").unwrap();
    let form = format!("title=Hers&body=x&opened_by={opened_by}");
    let published = post_as(&handbill, "/write", Some("alice"), &form).await;
    assert_eq!(published.status(), 303);
    let location = header(&published, LOCATION).strip_prefix("/blog").unwrap();
    assert!(location.starts_with("/p/") && location.ends_with("/edit?published"));
    let page = get_as(&handbill, location, Some("alice")).await;
    assert!(text(&page).contains("id=\"published\""));
    assert!(!text(&page).contains("/e/"), "the page has no private link");

    let own = PageRequest::new(1, 20)
        .unwrap()
        .with_list(List::AllOf("alice".parse().unwrap()));
    assert_eq!(handbill.posts().list(own).await.unwrap().total, 1);
}

#[tokio::test]
async fn a_form_that_one_user_opened_does_not_become_the_post_of_another() {
    let handbill = handbill();
    let opened = get_as(&handbill, "/write", Some("alice")).await;
    let opened_by = hidden(&opened, "opened_by").unwrap();
    let form = format!("title=Hers&body=By+alice.&opened_by={opened_by}");
    for other in [Some("bob"), None] {
        let refused = post_as(&handbill, "/write", other, &form).await;
        assert_eq!(refused.status(), 403, "{other:?}");
        assert!(text(&refused).contains("By alice."));
        assert_eq!(hidden(&refused, "opened_by").as_ref(), Some(&opened_by));
    }
    let all = PageRequest::new(1, 20).unwrap();
    assert_eq!(handbill.posts().list(all).await.unwrap().total, 0);
    assert_eq!(
        post_as(&handbill, "/write", Some("alice"), &form)
            .await
            .status(),
        303
    );
}

#[tokio::test]
async fn keys_can_be_for_those_who_are_signed_in() {
    let handbill = handbill().with_key_requests(KeyRequests::SignedIn);
    let page = get_as(&handbill, "/keys", None).await;
    assert!(text(&page).contains("Sign in to this site to get a key."));
    assert_eq!(
        post_as(&handbill, "/keys", None, "label=x").await.status(),
        403
    );
    assert!(!text(&get_as(&handbill, "/", None).await).contains("/blog/keys"));
    let form = get_as(&handbill, "/write", None).await;
    assert!(text(&form).contains("Sign in to this site to publish."));
    let form = get_as(&handbill, "/write", Some("alice")).await;
    assert!(!text(&form).contains("api_key"));

    assert!(text(&get_as(&handbill, "/", Some("alice")).await).contains("/blog/keys"));
    assert_eq!(
        post_as(&handbill, "/keys", Some("alice"), "label=x")
            .await
            .status(),
        200
    );
    let keys = handbill.keys().list().await.unwrap();
    assert_eq!(keys[0].owner.as_str(), "alice");
}

#[tokio::test]
async fn a_decision_that_names_no_owner_is_for_the_one_who_is_signed_in() {
    for (decision, owner) in [
        (KeyGrant::Granted, "alice"),
        (
            KeyGrant::GrantedTo("the newsroom".replace(' ', "-").parse().unwrap()),
            "the-newsroom",
        ),
    ] {
        let handbill = handbill().with_key_requests(KeyRequests::decided_by(move |_| {
            let decision = decision.clone();
            async move { decision }
        }));
        assert_eq!(
            post_as(&handbill, "/keys", Some("alice"), "")
                .await
                .status(),
            200
        );
        assert_eq!(
            handbill.keys().list().await.unwrap()[0].owner.as_str(),
            owner
        );
    }
}

#[tokio::test]
async fn rates_of_those_who_are_signed_in_count_by_owner() {
    let limits = {
        let mut limits = RateLimits::off();
        limits.previews = Some(twice_a_day());
        limits.creations = Some(twice_a_day());
        limits.key_requests = Some(twice_a_day());
        limits.wrong_credentials = Some(twice_a_day());
        limits
    };
    let handbill = handbill().with_rate_limits(limits);
    let others = post_of_alice(&handbill, Visibility::Public).await;
    let post = async |path: &str, owner: &str, form: &str| {
        let request = request("POST", path, Some(owner))
            .header(CONTENT_TYPE, FORM)
            .extension(from("192.0.2.1"));
        let form = form.to_owned().into_bytes();
        send(&handbill, request.body(Full::from(form)).unwrap())
            .await
            .status()
    };
    let edit = format!("/p/{others}/edit");
    for (path, form, allowed) in [
        ("/write", "body=x&action=preview", 200),
        ("/write", "body=x", 303),
        ("/keys", "", 200),
        (&edit, "body=x", 403),
    ] {
        for owner in ["bob", "carol"] {
            for expected in [allowed, allowed, 429] {
                let status = post(path, owner, form).await;
                assert_eq!(status, expected, "{owner} at {path} with {form:?}");
            }
        }
    }
}

#[tokio::test]
async fn what_an_owner_stores_without_a_key_is_limited_by_the_day() {
    let mut limits = RateLimits::off();
    limits.stored_bytes = Some(Rate::new(
        NonZeroU32::new(100).unwrap(),
        Duration::from_secs(86_400),
    ));
    let handbill = handbill().with_rate_limits(limits);
    let form = |bytes| format!("body={}", "x".repeat(bytes));
    for (owner, bytes, status) in [
        ("alice", 60, 303),
        ("alice", 60, 429),
        ("bob", 60, 303),
        ("alice", 40, 303),
    ] {
        let sent = post_as(&handbill, "/write", Some(owner), &form(bytes)).await;
        assert_eq!(sent.status(), status, "{owner}: {bytes}");
    }
}

#[tokio::test]
async fn a_frame_knows_the_post_and_whether_the_visitor_may_edit_it() {
    let plain = handbill();
    let id = post_of_alice(&plain, Visibility::Public).await;
    let token = plain.posts().replace_edit_token(id).await.unwrap().token;
    let framed = plain.with_frame(|page| {
        let post = page.post.map(|post| post.id.to_string());
        format!("{} {}", post.unwrap_or_default(), page.may_edit)
    });
    let (post, link) = (format!("/p/{id}"), format!("/e/{}", token.expose()));
    for (path, visitor, expected) in [
        (&*post, Some("alice"), format!("{id} true")),
        (&post, Some("bob"), format!("{id} false")),
        (&post, None, format!("{id} false")),
        (&format!("{post}/edit"), Some("alice"), format!("{id} true")),
        (&link, None, format!("{id} false")),
        ("/", Some("alice"), " false".to_owned()),
    ] {
        let page = get_as(&framed, path, visitor).await;
        assert_eq!(text(&page), expected, "{path} for {visitor:?}");
    }
}

/// Whatever was asked before, and whatever copies a visitor has, each gets the page that a service without a cache
/// makes for this visitor.
#[tokio::test]
async fn no_page_of_one_visitor_is_served_to_another() {
    const VISITORS: [Option<&str>; 3] = [None, Some("alice"), Some("bob")];
    let store = MemoryStore::new();
    let new = || {
        let handbill = Handbill::new(BASE, store.clone()).unwrap();
        handbill.with_rate_limits(RateLimits::off())
    };
    let handbill = new().with_key_requests(KeyRequests::SignedIn);
    let public = post_of_alice(&handbill, Visibility::Public).await;
    let unlisted = post_of_alice(&handbill, Visibility::Unlisted).await;
    let draft = post_of_alice(&handbill, Visibility::Draft).await;
    let paths = [
        "/".to_owned(),
        "/tags".to_owned(),
        "/follow".to_owned(),
        "/docs".to_owned(),
        "/docs/reference".to_owned(),
        "/docs/errors".to_owned(),
        "/feed.atom".to_owned(),
        "/llms.txt".to_owned(),
        format!("/p/{public}"),
        format!("/p/{public}.md"),
        format!("/p/{unlisted}"),
        format!("/p/{draft}"),
    ];
    for path in &paths {
        let mut copies = Vec::new();
        for first in VISITORS.into_iter().chain(VISITORS) {
            let fresh = new().with_key_requests(KeyRequests::SignedIn);
            let expected = get_as(&fresh, path, first).await;
            let page = get_as(&handbill, path, first).await;
            assert_eq!(text(&page), text(&expected), "{path} for {first:?}");
            assert_eq!(page.headers(), expected.headers(), "{path} for {first:?}");
            if page.status() != 200 {
                continue;
            }
            let is_page = header(&page, CONTENT_TYPE).starts_with("text/html");
            let is_for_all = header(&page, CACHE_CONTROL) == "public, no-cache";
            assert_eq!(
                is_for_all,
                first.is_none() || !is_page,
                "{path} for {first:?}"
            );
            // A cache between them asks with what it has.
            for (owner, copy) in &copies {
                let asked = request("GET", path, first).header(IF_NONE_MATCH, copy);
                let answer = send(&handbill, asked.body(Full::default()).unwrap()).await;
                let is_same = *copy == header(&page, ETAG);
                let status = if is_same { 304 } else { 200 };
                assert_eq!(answer.status(), status, "{path}: {owner:?}'s for {first:?}");
            }
            if let Some(etag) = page.headers().get(ETAG) {
                copies.push((first, etag.to_str().unwrap().to_owned()));
            }
        }
    }
    let page = async |visitor| text(&get_as(&handbill, &paths[8], visitor).await).to_owned();
    let link = format!("href=\"/blog/p/{public}/edit\"");
    assert!(page(Some("alice")).await.contains(&link));
    assert!(!page(Some("bob")).await.contains(&link) && !page(None).await.contains(&link));
}

#[tokio::test]
async fn a_panic_of_the_host_ends_its_own_request_only() {
    let handbill = handbill().with_key_requests(KeyRequests::decided_by(|request| async move {
        assert_ne!(request.uri.path(), "/keys", "the decision panics");
        true
    }));
    let id = post_of_alice(&handbill, Visibility::Public).await;
    let handbill = handbill.with_frame(|page| {
        assert!(!page.may_edit, "the frame panics");
        page.main.to_owned()
    });
    let path = format!("/p/{id}");
    for _ in 0..3 {
        let refused = post_as(&handbill, "/keys", Some("alice"), "").await;
        assert_eq!(refused.status(), 503);
        let framed = request("GET", &path, Some("alice")).body(Full::default());
        let (framed, clone) = (framed.unwrap(), handbill.clone());
        let task = tokio::spawn(async move { send(&clone, framed).await });
        assert!(task.await.is_err_and(|failed| failed.is_panic()));
        assert_eq!(get_as(&handbill, &path, Some("bob")).await.status(), 200);
        assert_eq!(status_of(&handbill, key_request()).await, 201);
    }
}

#[tokio::test(start_paused = true)]
async fn a_decision_that_never_ends_grants_no_key() {
    let handbill =
        handbill().with_key_requests(KeyRequests::decided_by(|_| std::future::pending::<bool>()));
    assert_eq!(status_of(&handbill, key_request()).await, 503);
    let published = post_as(&handbill, "/write", None, "body=kept").await;
    assert_eq!(published.status(), 503);
    assert!(text(&published).contains("kept"));
    assert_eq!(get_as(&handbill, "/write", None).await.status(), 200);
}
