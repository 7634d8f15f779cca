//! What readers get of a post's Markdown: from the API, on its page and in a feed.

mod oracle;
mod rendering;
mod sanitiser;

use handbill::{Code, Draft, Handbill, MemoryStore};
use handbill_testing::http::App;
use handbill_tests::bare;

/// The HTML of one post.
struct Shown {
    body: String,
    /// As the API returns it.
    html: String,
    page: String,
    feed: String,
}

/// The HTML of a post with this body.
async fn show(body: impl Into<String>) -> Shown {
    show_all([body.into()]).await.pop().unwrap()
}

/// The HTML of a post with each body, except for those that no post may have. A feed has 50 posts at most.
async fn show_all(bodies: impl IntoIterator<Item = String>) -> Vec<Shown> {
    let service = Handbill::new("https://example.org", MemoryStore::new()).unwrap();
    let posts = service.posts();
    let mut created = Vec::new();
    for body in bodies {
        match posts.create(Draft::new().body(&*body)).await {
            Ok(post) => created.push((body, post.id)),
            Err(problem) => assert_eq!(problem.code(), Code::InvalidPost, "{body:?}"),
        }
    }
    let app = App::of(&bare::mount(), service.clone(), "no key").await;
    let feed = app.get("/feed.json").await.ok();
    let entries = feed["items"].as_array().unwrap();
    assert_eq!(entries.len(), created.len());
    let mut shown = Vec::new();
    for ((body, id), entry) in created.into_iter().zip(entries.iter().rev()) {
        shown.push(Shown {
            body,
            html: posts.read(id).await.unwrap().html,
            page: text_of_page(&app, id.as_str()).await,
            feed: entry["content_html"].as_str().unwrap().to_owned(),
        });
    }
    shown
}

/// The post on its page, without what is around it.
async fn text_of_page(app: &App, id: &str) -> String {
    let page = app.get(&format!("/p/{id}")).await;
    let (_, text) = page.text().split_once("<div class=\"text\">\n").unwrap();
    let (text, _) = text.rsplit_once("</article>").unwrap();
    let (text, _) = text.rsplit_once("\n</div>").unwrap();
    text.to_owned()
}
