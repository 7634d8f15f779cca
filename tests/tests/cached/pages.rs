//! Pages, lists and feeds.

use std::time::Duration;

use bytes::Bytes;
use handbill::store::Changes;
use handbill::{Draft, Handbill, MemoryStore, PostId, Visibility};
use http::Response;

use crate::slow::{Call, Slow};
use crate::{BOUND, get, id, service, with_a_post};

const HOUR: Duration = Duration::from_secs(3600);

fn draft(word: &str) -> Draft {
    Draft::new().title(word).body(word).tags([word])
}

/// The addresses that show a post: lists, and its own ones.
fn addresses(id: PostId) -> ([&'static str; 8], [String; 4]) {
    let lists = [
        "/",
        "/tags",
        "/feed.atom",
        "/feed.json",
        "/sitemap.xml",
        "/llms.txt",
        "/api/posts",
        "/api/posts?include=body",
    ];
    let own = ["/p/{id}", "/p/{id}.md", "/p/{id}.png", "/api/posts/{id}"];
    (
        lists,
        own.map(|address| address.replace("{id}", id.as_str())),
    )
}

async fn all(handbill: &Handbill, id: PostId) -> Vec<(String, Response<Bytes>)> {
    let (lists, own) = addresses(id);
    let mut all = Vec::new();
    for address in lists.map(str::to_owned).into_iter().chain(own) {
        let response = get(handbill, &address).await;
        all.push((address, response));
    }
    all
}

fn has(response: &Response<Bytes>, word: &str) -> bool {
    String::from_utf8_lossy(response.body()).contains(word)
}

/// Checks that the writes of `writer` are seen at once in everything that `reader` has cached.
async fn writes_are_seen_at_once(writer: &Handbill, reader: &Handbill) {
    let id = writer.posts().create(draft("before")).await.unwrap().id;
    let before = all(reader, id).await;
    assert!(before.iter().all(|(_, response)| response.status() == 200));
    all(reader, id).await;
    writer.posts().update(id, draft("after")).await.unwrap();
    for ((address, before), (_, after)) in before.iter().zip(all(reader, id).await) {
        assert!(!has(&after, "before"), "{address}");
        assert_ne!(before.body(), after.body(), "{address}");
    }
    writer.posts().delete(id).await.unwrap();
    let (lists, _) = addresses(id);
    for (number, (address, response)) in all(reader, id).await.into_iter().enumerate() {
        assert_eq!(response.status() == 410, number >= lists.len(), "{address}");
        assert!(!has(&response, "after"), "{address}");
    }
    writer.posts().create(draft("newest")).await.unwrap();
    for list in ["/", "/api/posts", "/feed.atom", "/feed.json", "/tags"] {
        assert!(has(&get(reader, list).await, "newest"), "{list}");
    }
}

#[tokio::test]
async fn lists_and_pages_are_made_again_after_an_own_write() {
    let slow = Slow::default();
    let notified = service(slow.0.telling(&Changes::notified(HOUR)));
    writes_are_seen_at_once(&notified, &notified).await;
    let of_a_maximum_age = service(Slow::default()).with_max_age(HOUR);
    writes_are_seen_at_once(&of_a_maximum_age, &of_a_maximum_age).await;
}

#[tokio::test]
async fn two_services_on_one_store_in_memory_see_each_others_writes_at_once() {
    let store = MemoryStore::new();
    let (one, other) = (service(store.clone()), service(store));
    writes_are_seen_at_once(&one, &one).await;
    writes_are_seen_at_once(&one, &other).await;
    writes_are_seen_at_once(&other, &one).await;
}

#[tokio::test]
async fn everything_is_made_once_for_all_readers_until_something_changes() {
    for handbill in [
        service(MemoryStore::new()),
        service(Slow::default()).with_max_age(HOUR),
    ] {
        let id = handbill.posts().create(draft("word")).await.unwrap().id;
        let first = all(&handbill, id).await;
        for ((address, first), (_, second)) in first.iter().zip(all(&handbill, id).await) {
            assert_eq!(first.body().as_ptr(), second.body().as_ptr(), "{address}");
        }
    }
}

#[tokio::test]
async fn without_a_bound_a_store_that_tells_of_no_changes_is_asked_at_each_read() {
    let slow = Slow::default();
    crate::insert(&slow, &crate::post(1)).await;
    let handbill = service(slow.clone());
    for _ in 0..3 {
        assert_eq!(get(&handbill, &crate::path(1)).await.status(), 200);
    }
    assert_eq!(slow.0.reads(), 3);
}

#[tokio::test]
async fn a_page_that_was_being_made_when_its_post_was_deleted_is_not_used_again() {
    let (_, instance, _) = with_a_post(BOUND).await;
    let page = format!("/p/{}", id(1));
    let (handbill, address) = (instance.handbill.clone(), page.clone());
    let mut making = Call::new(async move { get(&handbill, &address).await.status() });
    making.stop();
    making.stop();
    instance.handbill.posts().delete(id(1)).await.unwrap();
    assert_eq!(get(&instance.handbill, &page).await.status(), 410);
    assert_eq!(making.step().unwrap(), 200, "it began before");
    assert_eq!(get(&instance.handbill, &page).await.status(), 410);
}

#[tokio::test]
async fn made_up_queries_do_not_fill_the_cache() {
    let handbill = service(MemoryStore::new());
    let id = handbill.posts().create(draft("word")).await.unwrap().id;
    let (lists, own) = addresses(id);
    let mut templates: Vec<_> = lists
        .iter()
        .map(|list| (*list).to_owned())
        .chain(own)
        .map(|address| match address.contains('?') {
            true => address + "&x=?",
            false => address + "?x=?",
        })
        .collect();
    let others = [
        "/?tag=t?",
        "/?page=?",
        "/?lang=x?",
        "/tags?sort=?",
        "/tags?lang=?",
        "/feed.atom?tag=t?",
        "/feed.json?tag=t?",
        "/sitemap.xml?page=?",
        "/api/posts?tag=t?",
        "/api/posts?page=?&include=body",
        "/follow?tag=t?",
        "/follow?x=?",
        "/docs?x=?",
        "/docs/reference?x=?",
        "/docs/errors?x=?",
        "/manifest.webmanifest?x=?",
        "/openapi.json?x=?",
        "/p/none?x=?",
    ];
    templates.extend(others.map(str::to_owned));
    for number in 2..2 + 10_000 / templates.len() {
        for template in &templates {
            let (path, query) = template.split_once('?').unwrap();
            let query = query.replace('?', &number.to_string());
            get(&handbill, &format!("{path}?{query}")).await;
        }
    }
    let stats = handbill.stats().await.responses;
    assert!(stats.entries <= templates.len() as u64, "{stats:?}");
}

#[tokio::test]
async fn posts_lead_to_their_neighbours_which_leave_nothing_in_the_cache() {
    let handbill = service(MemoryStore::new());
    let mut ids = Vec::new();
    for word in ["one", "two", "three"] {
        ids.push(handbill.posts().create(draft(word)).await.unwrap().id);
    }
    let unlist = Draft::new().visibility(Visibility::Unlisted);
    let unlisted = handbill.posts().create(draft("four")).await.unwrap().id;
    handbill.posts().update(unlisted, unlist).await.unwrap();
    let neighbours = [
        (ids[1], "older", Some(ids[0])),
        (ids[1], "newer", Some(ids[2])),
        (ids[0], "older", None),
        (ids[2], "newer", None),
        (unlisted, "older", Some(ids[2])),
    ];
    for (id, side, neighbour) in neighbours {
        let response = get(&handbill, &format!("/p/{id}?go={side}")).await;
        assert_eq!(response.status(), 303);
        let path = neighbour.map_or("/".to_owned(), |id| format!("/p/{id}"));
        assert_eq!(response.headers()["location"], path, "{side} than {id}");
    }
    assert_eq!(handbill.stats().await.responses.entries, 0);
}
