//! The pages' forms beside the host's own login: who sent them, whose text they have, and what becomes of a draft.

use http::header::{CONTENT_TYPE, LOCATION};

use super::signed_in::{FORM, get_as, header, post_as, post_of_alice, request, text};
use super::*;

/// What another site sent is not shown as the visitor's own text, beside a button that publishes it.
#[tokio::test]
async fn a_form_of_another_site_does_not_come_back() {
    let handbill = handbill();
    let id = post_of_alice(&handbill, Visibility::Public).await;
    for path in ["/write".to_owned(), format!("/p/{id}/edit")] {
        for action in ["", "publish", "preview", "save"] {
            let sent = request("POST", &path, Some("alice"))
                .header(CONTENT_TYPE, FORM)
                .header("sec-fetch-site", "cross-site");
            let form = format!("action={action}&title=Theirs&body=Buy+this.");
            let refused = send(&handbill, sent.body(Full::from(form)).unwrap()).await;
            assert_eq!(refused.status(), 403, "{path}");
            assert!(!text(&refused).contains("Buy this."), "{path}");
        }
    }
}

/// The browser stores what a user types by a hash that is the user's, and that tells others nothing.
#[tokio::test]
async fn stored_text_belongs_to_the_user_who_typed_it() {
    let handbill = handbill();
    let place = async |handbill: &Handbill, owner| {
        let page = get_as(handbill, "/write", owner).await;
        let (_, place) = text(&page).split_once("data-draft=\"").unwrap();
        place.split_once('"').unwrap().0.to_owned()
    };
    let alice = place(&handbill, Some("alice")).await;
    assert_eq!(place(&handbill, Some("alice")).await, alice);
    let guest = place(&handbill, None).await;
    let others = [place(&handbill, Some("bob")).await, guest.clone()];
    // Another installation has another secret.
    let elsewhere = place(&super::handbill(), Some("alice")).await;
    for other in others.iter().chain([&elsewhere]) {
        assert_ne!(alice, *other);
    }
    let is_of_guests = alice.starts_with(&format!("{guest} "));
    assert!(!is_of_guests, "guests are offered what begins with {guest}");
}

/// A login that browsers send to any site, such as an address, gives no draft to scripts of other sites.
#[tokio::test]
async fn scripts_of_other_sites_read_no_drafts() {
    let handbill = handbill();
    for (visibility, is_open) in [(Visibility::Draft, false), (Visibility::Public, true)] {
        let id = post_of_alice(&handbill, visibility).await;
        let source = get_as(&handbill, &format!("/p/{id}.md"), Some("alice")).await;
        assert_eq!(source.status(), 200);
        let allowed = source.headers().contains_key("access-control-allow-origin");
        assert_eq!(allowed, is_open, "{visibility}");
    }
}

/// Without a login of the host there is no such page, so its form is not read.
#[tokio::test]
async fn without_a_login_a_form_of_a_login_is_not_read() {
    let handbill = handbill();
    let id = post_of_alice(&handbill, Visibility::Public).await;
    let edit = format!("/p/{id}/edit");
    let refused = post_as(&handbill, &edit, None, "body=Typed.").await;
    assert_eq!(refused.status(), 404);
    assert!(!text(&refused).contains("Typed."));
}

/// The title's field can grow, so a browser without scripts can break its line.
#[tokio::test]
async fn a_line_break_in_a_title_is_a_space() {
    let handbill = handbill();
    let sent = post_as(
        &handbill,
        "/write",
        Some("alice"),
        "title=One%0D%0ATwo&body=x",
    );
    assert_eq!(sent.await.status(), 303);
    let page = PageRequest::new(1, 1).unwrap();
    let list = handbill.posts().list(page).await.unwrap();
    assert_eq!(list.posts[0].summary.title.as_deref(), Some("One Two"));
}

/// Who is signed in publishes a draft on its edit page, and is told so.
#[tokio::test]
async fn the_button_decides_whether_a_draft_is_published() {
    let handbill = handbill();
    for (chosen, button, visibility, said) in [
        ("draft", "as=draft", Visibility::Draft, "saved"),
        ("public", "as=draft", Visibility::Draft, "saved"),
        ("draft", "as=publish", Visibility::Public, "published"),
        ("unlisted", "as=publish", Visibility::Unlisted, "published"),
        ("public", "action=save", Visibility::Public, "published"),
    ] {
        let id = post_of_alice(&handbill, Visibility::Draft).await;
        let edit = format!("/p/{id}/edit");
        let page = get_as(&handbill, &edit, Some("alice")).await;
        for shown in [
            "Edit the draft",
            ">Save draft</button>",
            ">Publish</button>",
        ] {
            assert!(text(&page).contains(shown), "{shown}");
        }
        let form = format!("body=Now.&visibility={chosen}&{button}");
        let saved = post_as(&handbill, &edit, Some("alice"), &form).await;
        let location = header(&saved, LOCATION).to_owned();
        assert_eq!(location, format!("/blog/p/{id}/edit?{said}"));
        let post = handbill.posts().summary(id).await;
        assert_eq!(post.unwrap().visibility, visibility, "{form}");
    }
    // On the page for new posts, too.
    for (form, visibility) in [
        ("body=x&visibility=public&as=draft", Visibility::Draft),
        ("body=x&visibility=draft&action=publish", Visibility::Draft),
        ("body=x&visibility=unlisted", Visibility::Unlisted),
    ] {
        let sent = post_as(&handbill, "/write", Some("alice"), form).await;
        let path = header(&sent, LOCATION).strip_prefix("/blog/p/").unwrap();
        let id = path.split('/').next().unwrap().parse().unwrap();
        let post = handbill.posts().summary(id).await;
        assert_eq!(post.unwrap().visibility, visibility, "{form}");
    }
}
