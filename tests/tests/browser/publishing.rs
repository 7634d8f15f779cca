//! Publishing ends on the post's own page, and the browser remembers what was written in it.

use fantoccini::Locator;
use handbill_tests::browser::{Engine, until};
use serde_json::{Value, json};

use crate::editor::{CONTROL, ENTER, RELEASED};
use crate::person::Person;

impl Person {
    async fn writes(&self, title: &str) -> Value {
        self.open(&self.site.url("/write")).await;
        self.types("#title", title).await;
        self.types("#body", "Some words.").await;
        self.publishes().await
    }

    /// The names of the posts that the browser remembers.
    async fn remembered(&self) -> Vec<String> {
        self.open(&self.site.url("/write")).await;
        let posts = Locator::Css("#your-posts li > a:first-child");
        let mut names = Vec::new();
        for post in self.browser.client().find_all(posts).await.unwrap() {
            names.push(post.text().await.unwrap());
        }
        names
    }
}

/// The address that people share holds no secret, and the private link is kept.
async fn the_post_s_own_page_follows_with_the_private_link_once(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    let created = person.writes("A walk").await;
    let shown = created["url"].as_str().unwrap();
    assert!(shown.contains("/p/"), "{shown}");
    let (email, file) = (
        person.attribute("#email", "href").await.unwrap(),
        person.attribute("#download", "download").await.unwrap(),
    );
    let token = created["edit_url"]
        .as_str()
        .unwrap()
        .rsplit('/')
        .next()
        .unwrap();
    assert!(
        email.starts_with("mailto:?") && email.contains(token),
        "{email}"
    );
    assert_eq!(file, format!("{}.txt", created["id"].as_str().unwrap()));
    assert!(!person.warns_before_leaving().await, "it is remembered");
    // The first thing to copy is the address for readers.
    let first = person.attribute("#new button", "data-copy").await;
    assert_eq!(first.as_deref(), Some("address"));

    person.reloads().await;
    assert!(!person.is_seen("#new").await);
    let edit = person.attribute("#edit", "href").await;
    assert_eq!(edit.as_deref(), created["edit_url"].as_str());
    // What the server sends is the same for all.
    let page = person
        .site
        .get(&format!("/p/{}", created["id"].as_str().unwrap()))
        .await;
    assert!(!String::from_utf8(page.body).unwrap().contains(token));
}

async fn the_browser_remembers_its_posts_until_it_is_told_to_forget(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    let first = person.writes("First").await;
    person.writes("Second").await;
    assert_eq!(person.remembered().await, ["Second", "First"]);
    let today = "return new Date().toLocaleDateString('en-GB', { dateStyle: 'long' })";
    let today = person.browser.run(today, vec![]).await;
    person
        .expect_text("#your-posts li", today.as_str().unwrap())
        .await;
    person
        .press("#your-posts li:first-child button", "#remember:focus")
        .await;
    assert_eq!(person.remembered().await, ["First"]);

    // On the page of the post, too.
    person.writes("Third").await;
    person
        .press("#remembered button", "#remembered[hidden]")
        .await;
    assert_eq!(person.remembered().await, ["First"]);

    // A post that is deleted is not listed.
    person.open(first["edit_url"].as_str().unwrap()).await;
    let confirm = "document.querySelector('#delete').open = true;
                   document.querySelector('#delete [name=confirm]').checked = true";
    person.browser.run(confirm, vec![]).await;
    person.press("[value=delete]", "#deleted").await;
    assert!(person.remembered().await.is_empty());
}

async fn a_writer_on_a_shared_computer_is_not_remembered(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    person.open(&person.site.url("/write")).await;
    person.press("#remember", "#remember:not(:checked)").await;
    let created = person.writes("Not mine").await;
    assert!(!person.is_seen("#remembered").await);
    assert!(person.warns_before_leaving().await);
    person.press("#download", "#new").await;
    assert!(!person.warns_before_leaving().await);
    assert!(person.remembered().await.is_empty());
    person.press("#remember", "#remember:checked").await;
    person.open(created["url"].as_str().unwrap()).await;
    assert!(!person.is_seen("#edit").await);
}

/// Going back to the form of a post leads to the post, whatever the browser kept of the form.
async fn back_after_publishing_makes_no_second_post(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    let created = person.writes("Once").await;
    let client = person.browser.client();
    client.back().await.unwrap();
    let script =
        "return location.pathname === '/write' && document.querySelector('#body').value !== ''";
    assert_eq!(person.browser.run(script, vec![]).await, false);
    client.forward().await.unwrap();
    client.back().await.unwrap();
    let publish = format!("{CONTROL}{ENTER}{RELEASED}");
    if client.find(Locator::Css("#body")).await.is_ok() {
        person.presses_keys("#body", &publish).await;
    }
    let list = person.site.get("/api/posts").await.json();
    assert_eq!(list["total"], 1);
    assert_eq!(list["posts"][0]["id"], created["id"]);
}

/// A draft has no page of its own, so its edit page shows the link.
async fn a_draft_stays_on_its_edit_page(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    person.open(&person.site.url("/write")).await;
    person.types("#body", "Not yet.").await;
    let choose = "document.querySelector('#visibility').value = 'draft'";
    person.browser.run(choose, vec![]).await;
    person.press("[value=publish]", "#published").await;
    person.expect_text("#published h2", "Draft saved").await;
    let address = person.browser.client().find(Locator::Css("#address"));
    assert!(address.await.is_err(), "readers find nothing there");
    assert!(!person.is_seen("#edit-address").await, "it is remembered");
    person.press("#link summary", "#link[open]").await;
    let old = person.text("#edit-address").await;
    person.press("#save-draft", "#state #saved").await;
    assert!(!person.warns_before_leaving().await, "nothing is lost");
    assert_eq!(person.remembered().await.len(), 1);

    // With a new link, it is the new one that is remembered.
    person.expect_text("#your-posts li", "Draft").await;
    // The title of a draft leads to its writer's page.
    person
        .press("#your-posts li > a:first-child", "#form")
        .await;
    person.press("#renew summary", "#renew[open]").await;
    person.press("[value=renew]", "#renewed").await;
    let new = person.text("#edit-address").await;
    assert_ne!(new, old);
    person
        .press("[data-copy=edit-address]", "#copied:not(:empty)")
        .await;
    person.remembered().await;
    let edit = person.attribute("#your-posts li > a + a", "href").await;
    assert_eq!(edit, Some(new));

    // Saved again, it is a draft; published, its page is shown and listed.
    person
        .press("#your-posts li > a:first-child", "#form")
        .await;
    person.types("#title", "Now").await;
    person.press("#save-draft", "#state #saved").await;
    person.expect_text("main > h1", "Edit the draft").await;
    person.press("[value=publish]", "#new:not([hidden])").await;
    person.expect_text("#new-title", "Published: Now").await;
    assert_eq!(person.remembered().await, ["Now"]);
    let title = person.attribute("#your-posts li > a", "href").await;
    assert!(title.unwrap().contains("/p/"));
}

/// The author of a new post is the one of the last.
async fn the_author_is_remembered(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    person.open(&person.site.url("/write")).await;
    let open = "document.querySelector('#settings').open = true";
    person.browser.run(open, vec![]).await;
    person.types("#author", "Ann").await;
    person.types("#body", "First").await;
    person.publishes().await;
    let second = person.writes("Second").await;
    assert_eq!(person.post(&second).await["author"], "Ann");
}

/// The end of a post leads on.
async fn a_post_leads_to_its_neighbours(engine: Engine) {
    let Some(person) = Person::start(engine, "en", true).await else {
        return;
    };
    for title in ["One", "Two", "Three"] {
        let fields = json!({ "title": title, "body": "x", "tags": "numbers" });
        person.site.publish(&fields).await;
    }
    person.open(&person.site.url("/")).await;
    person.press(".posts li:nth-child(2) h2 a", "article").await;
    assert_eq!(person.text("article h1").await, "Two");
    // They have names, and the newest has no newer one.
    person.expect_text("[rel~=prev]", "Older post: One").await;
    person.expect_text("[rel~=next]", "Newer post: Three").await;
    person.press("[rel~=prev]", "article").await;
    person.expect_text("article h1", "One").await;
    person.press("[rel~=next]", "article").await;
    person.expect_text("article h1", "Two").await;
    person.press("[rel~=next]", "article").await;
    person.expect_text("article h1", "Three").await;
    until("there is no newer post", async || {
        !person.is_seen("[rel~=next]").await
    })
    .await;
    person.press("article [rel=tag]", ".posts").await;
    person.press(".posts h2 a", "[data-copy=url]").await;
    person.press("[data-copy=url]", "#copied:not(:empty)").await;
}

in_each_browser! {
    the_post_s_own_page_follows_with_the_private_link_once,
    the_browser_remembers_its_posts_until_it_is_told_to_forget,
    a_writer_on_a_shared_computer_is_not_remembered,
    back_after_publishing_makes_no_second_post,
    a_draft_stays_on_its_edit_page,
    the_author_is_remembered,
    a_post_leads_to_its_neighbours,
}
