//! Compares every public address with the model.

use handbill::Store;
use handbill::store::TagCount;
use handbill_testing::http::{App, TestResponse};
use serde_json::Value;

use crate::model::{Life, ModelPost, TAGS};

const PER_PAGE: usize = 3;

/// Inspects all addresses after a step, which is `what` happened.
pub(crate) async fn inspect(app: &App, store: &dyn Store, life: &mut Life, what: &str) {
    for tag in [None].into_iter().chain(TAGS.map(Some)) {
        list_is_right(app, life, tag, what).await;
        places_are_right(app, life, tag, what).await;
    }
    tags_are_right(store, life, what).await;
    tags_page_is_right(app, life, what).await;
    own_list_is_right(app, life, what).await;
    for post in &life.posts {
        is_found_by_those_who_may(app, post, what).await;
    }
}

/// The identifiers in a list of the API.
fn ids(list: &Value) -> Vec<&str> {
    let posts = list["posts"].as_array().into_iter().flatten();
    posts.filter_map(|post| post["id"].as_str()).collect()
}

/// Pages, totals, links and the entity tag of a public list.
async fn list_is_right(app: &App, life: &mut Life, tag: Option<&str>, what: &str) {
    let expected = life.public(tag);
    let filter = tag.map(|tag| format!("&tag={tag}")).unwrap_or_default();
    let pages = expected.len().div_ceil(PER_PAGE);
    for page in 1..=pages + 1 {
        let query = format!("?page={page}&per_page={PER_PAGE}{filter}");
        let response = app.get(&format!("/api/posts{query}")).await;
        let list = response.ok();
        let shown = expected.iter().skip((page - 1) * PER_PAGE).take(PER_PAGE);
        let shown: Vec<_> = shown.map(|(at, _)| life.id(*at)).collect();
        assert_eq!(ids(&list), shown, "{response} after {what}");
        assert_eq!(list["total"], expected.len(), "{response} after {what}");
        let has_next = response
            .header("link")
            .is_some_and(|link| link.contains("next"));
        assert_eq!(
            has_next,
            page < pages,
            "a next page, {response} after {what}"
        );
    }
    let path = format!("/api/posts?per_page=50{filter}");
    let etag = app.get(&path).await.etag();
    if let Some((before, known)) = life.lists.get(&path) {
        let is_same = *before == expected;
        assert_eq!(
            etag == *known,
            is_same,
            "the entity tag of {path} after {what}"
        );
    }
    life.lists.insert(path, (expected, etag));
}

/// The index, the feeds, the sitemap and `llms.txt`.
async fn places_are_right(app: &App, life: &Life, tag: Option<&str>, what: &str) {
    let public = life.public(tag);
    let query = tag.map(|tag| format!("?tag={tag}")).unwrap_or_default();
    let mut places = ["/", "/feed.atom", "/feed.json"]
        .map(|path| format!("{path}{query}"))
        .to_vec();
    if tag.is_none() {
        places.extend(["/sitemap.xml", "/llms.txt"].map(str::to_owned));
    }
    for place in places {
        let response = app.get(&place).await;
        response.expect_status(200);
        for (at, post) in life.posts.iter().enumerate() {
            let is_public = public.iter().any(|(public, _)| *public == at);
            let is_shown = response.text().contains(&post.created.id);
            assert_eq!(is_shown, is_public, "post {at} in {response} after {what}");
            // Titles may be shown without a link.
            let is_named = names(&response, &post.title);
            assert!(
                is_public || !is_named,
                "post {at} in {response} after {what}"
            );
        }
    }
}

/// Whether the response has this title, and not only one that begins like it.
fn names(response: &TestResponse, title: &str) -> bool {
    let mut rests = response.text().split(title).skip(1);
    rests.any(|rest| !rest.starts_with([',', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']))
}

async fn tags_are_right(store: &dyn Store, life: &Life, what: &str) {
    let counts = TAGS.map(|tag| {
        let posts = life.public(Some(tag)).len() as u64;
        TagCount::new(tag.parse().unwrap(), posts)
    });
    let mut expected: Vec<_> = counts.into_iter().filter(|count| count.posts > 0).collect();
    expected.sort_by_key(|count| std::cmp::Reverse(count.posts));
    let tags = store.list_tags(10).await.unwrap();
    assert_eq!(tags, expected, "the tags after {what}");
}

/// The page with the tags has those of public posts, and the number of public posts with each.
async fn tags_page_is_right(app: &App, life: &Life, what: &str) {
    for path in ["/tags", "/tags?sort=posts"] {
        let response = app.get(path).await;
        response.expect_status(200);
        for tag in TAGS {
            let posts = life.public(Some(tag)).len();
            let name = format!("<bdi>{tag}</bdi>");
            let counted = format!("{name}</a> <span class=\"muted\">{posts}</span>");
            let text = response.text();
            let is_right = match posts {
                0 => !text.contains(&name),
                _ => text.contains(&counted),
            };
            assert!(is_right, "{tag} in {response} after {what}");
        }
    }
}

/// The list of the key's owner has all live posts, the latest created first.
async fn own_list_is_right(app: &App, life: &Life, what: &str) {
    let call = app.get("/api/keys/current/posts?per_page=50");
    let response = call.header("x-api-key", &*app.key).await;
    let list = response.ok();
    let mut expected: Vec<_> = life.live().map(|at| life.id(at)).collect();
    expected.reverse();
    assert_eq!(ids(&list), expected, "{response} after {what}");
    assert_eq!(list["total"], expected.len(), "{response} after {what}");
}

/// The post's own addresses, with and without a right to it.
async fn is_found_by_those_who_may(app: &App, post: &ModelPost, what: &str) {
    let (path, page) = (post.created.path(), post.created.page());
    let for_all = match (post.visibility, post.is_deleted) {
        ("draft", _) => 404,
        (_, true) => 410,
        (_, false) => 200,
    };
    let wrong = "0".repeat(43);
    for call in [
        app.get(&path),
        app.get(&page),
        app.get(&format!("{page}.md")),
        app.get(&page).header("accept", "text/markdown"),
        app.get(&path).header("x-edit-token", &wrong),
    ] {
        let response = call.await;
        assert_eq!(response.status, for_all, "{response} after {what}");
        let robots = (for_all == 200 && post.visibility == "unlisted").then_some("noindex");
        let header = response.header("x-robots-tag");
        let is_noindex = header.is_some_and(|header| header.contains("noindex"));
        assert_eq!(is_noindex, robots.is_some(), "{response} after {what}");
    }
    let with_right = if post.is_deleted { 410 } else { 200 };
    for call in [
        app.edit("GET", &post.created),
        app.get(&path).header("x-api-key", &*app.key),
        app.get(&post.created.edit_page()),
    ] {
        let response = call.await;
        assert_eq!(response.status, with_right, "{response} after {what}");
    }
}
