//! What the host's login tells: the visitor's name, whose posts they look after, and where to sign in.

use handbill::host::LoginAddress;
use handbill::{Actor, SignedIn};
use http::header::{CONTENT_TYPE, LOCATION};
use tokio::sync::mpsc;

use super::signed_in::{FORM, header, post_of_alice, text};
use super::*;

async fn send_as(
    handbill: &Handbill,
    visitor: Option<&SignedIn>,
    path: &str,
    form: Option<&str>,
) -> Response<Bytes> {
    let request = Request::builder().uri(path).header("accept", "text/html");
    let request = request.method(if form.is_some() { "POST" } else { "GET" });
    let mut request = request.header(CONTENT_TYPE, FORM);
    if let Some(visitor) = visitor {
        request = request.extension(visitor.clone());
    }
    let form = form.unwrap_or_default().to_owned().into_bytes();
    send(handbill, request.body(Full::from(form)).unwrap()).await
}

fn user(name: &str) -> SignedIn {
    SignedIn::new(name.parse().unwrap())
}

/// The author of the latest post.
async fn latest_author(handbill: &Handbill) -> Value {
    get(handbill, "/api/posts").await["posts"][0]["author"].clone()
}

#[tokio::test]
async fn who_is_signed_in_with_a_name_signs_with_it_whatever_a_form_says() {
    let handbill = handbill();
    let ada = user("ada").with_author("Ada Lovelace");
    let page = send_as(&handbill, Some(&ada), "/write", None).await;
    assert!(!text(&page).contains("name=\"author\""));
    let form = "body=x&author=The+management";
    let created = send_as(&handbill, Some(&ada), "/write", Some(form)).await;
    assert_eq!(created.status(), 303);
    assert_eq!(latest_author(&handbill).await, "Ada Lovelace");

    let address = header(&created, LOCATION);
    let edit = address
        .strip_prefix("/blog")
        .unwrap()
        .split('?')
        .next()
        .unwrap();
    let page = send_as(&handbill, Some(&ada), edit, None).await;
    assert!(!text(&page).contains("name=\"author\""));
    let form = "body=y&author=The+management";
    assert_eq!(
        send_as(&handbill, Some(&ada), edit, Some(form))
            .await
            .status(),
        303
    );
    assert_eq!(latest_author(&handbill).await, "Ada Lovelace");

    // Without a name, the visitor chooses one.
    let form = "body=z&author=Bob";
    send_as(&handbill, Some(&user("bob")), "/write", Some(form)).await;
    assert_eq!(latest_author(&handbill).await, "Bob");
}

#[tokio::test]
async fn a_name_becomes_one_that_an_author_may_have() {
    let handbill = handbill();
    for (name, author) in [
        (" Ada\u{202E}\tLovelace\n ", json!("AdaLovelace")),
        ("\u{200B}", Value::Null),
        ("", Value::Null),
        (&"é".repeat(150), json!("é".repeat(99) + "…")),
    ] {
        let visitor = user("ada").with_author(name);
        let created = send_as(&handbill, Some(&visitor), "/write", Some("body=x")).await;
        assert_eq!(created.status(), 303, "{name:?}");
        assert_eq!(latest_author(&handbill).await, author, "{name:?}");
    }
}

#[tokio::test]
async fn staff_look_after_posts_of_others_and_listeners_hear_who_did() {
    let (tell, mut heard) = mpsc::unbounded_channel();
    let handbill = handbill()
        .with_durable_listener("audit", move |change| {
            let told = tell.send((change.by, change.event.name()));
            async move { Ok(told?) }
        })
        .unwrap();
    let draft = post_of_alice(&handbill, Visibility::Draft).await;
    let (edit, page) = (format!("/p/{draft}/edit"), format!("/p/{draft}"));
    heard.recv().await.unwrap();
    let of_others = user("eve").with_posts_of(["bob".parse().unwrap()]);
    for stranger in [user("bob"), of_others] {
        assert_eq!(
            send_as(&handbill, Some(&stranger), &page, None)
                .await
                .status(),
            404
        );
        let change = send_as(&handbill, Some(&stranger), &edit, Some("body=y")).await;
        assert_eq!(change.status(), 404);
    }
    let staff = Actor::Staff("eve".parse().unwrap());
    for eve in [
        user("eve").with_all_posts(),
        user("eve").with_posts_of(["alice".parse().unwrap()]),
    ] {
        assert_eq!(
            send_as(&handbill, Some(&eve), &page, None).await.status(),
            200
        );
        let form = format!(
            "visibility=unlisted&title=By+{}",
            Owner::of_key(handbill::KeyId::generate())
        );
        let changed = send_as(&handbill, Some(&eve), &edit, Some(&form)).await;
        assert_eq!(changed.status(), 303, "{}", text(&changed));
        assert_eq!(heard.recv().await.unwrap(), (staff.clone(), "post.updated"));
    }
    let owner = handbill.posts().summary(draft).await.unwrap().owner;
    assert_eq!(owner, Some("alice".parse().unwrap()));
    let eve = user("eve").with_all_posts();
    let deleted = send_as(
        &handbill,
        Some(&eve),
        &edit,
        Some("action=delete&confirm=yes"),
    )
    .await;
    assert!(deleted.status().is_success() || deleted.status() == 303);
    assert_eq!(heard.recv().await.unwrap(), (staff, "post.deleted"));
}

#[tokio::test]
async fn guests_are_led_to_the_login_and_back_and_asked_for_no_key() {
    let handbill = handbill().with_key_requests(KeyRequests::SignedIn);
    let post = post_of_alice(&handbill, Visibility::Public).await;
    let edit = format!("/p/{post}/edit");
    for (address, base) in [
        ("/login?next=", "%2Fblog"),
        (
            "https://id.example.org/?to=",
            "https%3A%2F%2Fexample%2Eorg%2Fblog",
        ),
    ] {
        let handbill = handbill.clone().with_login(address.parse().unwrap());
        for path in ["/write", &edit] {
            let led = send_as(&handbill, None, path, None).await;
            assert_eq!(led.status(), 303, "{path}");
            let back = path.replace('/', "%2F");
            assert_eq!(header(&led, LOCATION), format!("{address}{base}{back}"));
            let shown = send_as(&handbill, Some(&user("alice")), path, None).await;
            assert_eq!(shown.status(), 200, "{path}");

            // A session has ended: the text is still there.
            let form = "title=Kept&body=typed";
            let refused = send_as(&handbill, None, path, Some(form)).await;
            assert!(refused.status().is_client_error(), "{path}");
            for part in ["Kept", "typed", &format!("href=\"{address}")] {
                assert!(text(&refused).contains(part), "{path}: {}", text(&refused));
            }
            assert!(!text(&refused).contains("name=\"api_key\""), "{path}");
        }
    }
    let handbill = handbill.with_login("/login".parse().unwrap());
    let led = send_as(&handbill, None, "/write", None).await;
    assert_eq!(header(&led, LOCATION), "/login");
}

#[test]
fn a_login_is_on_this_site_or_at_a_web_address() {
    for wrong in [
        "",
        "login",
        "//x.example",
        "/\\x.example",
        "/\t/x.example",
        "javascript:alert(1)",
        "https://user:secret@x.example",
        "https://",
        "ftp://x.example",
    ] {
        assert!(wrong.parse::<LoginAddress>().is_err(), "{wrong:?}");
    }
}
