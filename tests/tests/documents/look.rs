//! The look of the pages.

use handbill::Draft;
use handbill::host::CspNonce;
use http::{HeaderValue, Request};

use super::{Failure, handbill, send};

/// A user of the app.
#[derive(Clone)]
struct YourUser {
    name: String,
}

fn your_layout(language: &str, title: &str, head: &str, main: &str, user: &str) -> String {
    format!(
        "<!doctype html><html lang=\"{language}\"><title>{title} | The shop</title>{head}\
         <header>Hello {user}</header><main>{main}</main>"
    )
}

#[tokio::test]
async fn pages_are_in_the_frame_of_the_host() -> Result<(), Failure> {
    let handbill = handbill();
    let handbill = handbill.with_name("The shop's blog").with_frame(|page| {
        let head = [page.style, page.head].concat();
        let user = page.request.extensions.get::<YourUser>();
        let user = user.map_or("guest", |user| &user.name);
        your_layout(page.language, page.title, &head, page.main, user)
    });
    let draft = Draft::new().title("Hello").body("Some *Markdown*.");
    let id = handbill.posts().create(draft).await?.id;
    let name = "Alice".to_owned();
    let request = Request::get(format!("/p/{id}")).extension(YourUser { name });
    let page = send(&handbill, request.body(Default::default())?).await;
    let text = page.body();
    assert!(text.contains(" | The shop</title>"), "{text}");
    assert!(text.contains("<header>Hello Alice</header>"), "{text}");
    assert!(text.contains("<em>Markdown</em>"), "{text}");
    Ok(())
}

#[tokio::test]
async fn a_frame_shows_an_edit_button() -> Result<(), Failure> {
    let handbill = handbill();
    let handbill = handbill.with_frame(|page| {
        let edit = match page.post {
            Some(post) if page.may_edit => format!("<a href=\"/blog/p/{}/edit\">Edit</a>", post.id),
            _ => String::new(),
        };
        your_layout(page.language, page.title, page.head, page.main, &edit)
    });
    let draft = Draft::new().body("Hers.").owner("alice".parse()?);
    let id = handbill.posts().create(draft).await?.id;
    let link = format!("<header>Hello <a href=\"/blog/p/{id}/edit\">Edit</a></header>");
    for (user, shows) in [("alice", true), ("bob", false)] {
        let user = handbill::SignedIn::new(user.parse()?);
        let request = Request::get(format!("/p/{id}")).extension(user);
        let page = send(&handbill, request.body(Default::default())?).await;
        assert_eq!(page.body().contains(&link), shows, "{}", page.body());
    }
    Ok(())
}

#[tokio::test]
async fn the_look_without_a_frame_has_settings() -> Result<(), Failure> {
    let handbill = handbill();
    let handbill = handbill
        .with_name("The shop")
        .with_description("What is new in the shop.")
        .with_style(".handbill { --text-font: Georgia, serif; --measure: 36rem; }")
        .with_footer("Open from nine to five.")
        .with_contact("mailto:editor@example.org".parse()?);
    let page = send(&handbill, Request::get("/").body(Default::default())?).await;
    for part in [
        "The shop",
        "What is new in the shop.",
        "Open from nine to five.",
        "mailto:editor@example.org",
    ] {
        assert!(page.body().contains(part), "{part}: {}", page.body());
    }
    let (_, style) = page.body().split_once("/style-").unwrap();
    let (style, _) = style.split_once('"').unwrap();
    let style = page.body().split('"').find(|part| part.ends_with(style));
    let style = style.unwrap().replace("https://example.org", "");
    let style = style.strip_prefix("/blog").unwrap();
    let style = send(&handbill, Request::get(style).body(Default::default())?).await;
    assert!(
        style.body().contains("--measure: 36rem"),
        "{}",
        style.body()
    );
    Ok(())
}

#[tokio::test]
async fn a_nonce_is_in_the_policy_and_in_the_frame() -> Result<(), Failure> {
    let your_random_base64 = || "8IBTHwOdqNKAWeKl7plt8g==";
    let mut request = Request::get("/").body(Default::default())?;

    let nonce: CspNonce = your_random_base64().parse()?;
    request.extensions_mut().insert(nonce);

    let handbill = handbill().with_frame(|page| {
        let nonce = page.request.extensions.get::<CspNonce>();
        let nonce = nonce.map_or("", CspNonce::as_str);
        let script = format!("<script nonce=\"{nonce}\">yourScript()</script>");
        your_layout(page.language, page.title, &script, page.main, "guest")
    });
    let page = send(&handbill, request).await;
    let script = "<script nonce=\"8IBTHwOdqNKAWeKl7plt8g==\">";
    assert!(page.body().contains(script), "{}", page.body());
    let policy = page.headers().get("content-security-policy");
    let policy = policy.and_then(|policy: &HeaderValue| policy.to_str().ok());
    assert!(policy.unwrap().contains("'nonce-8IBTHwOdqNKAWeKl7plt8g=='"));
    Ok(())
}
