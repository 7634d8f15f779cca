use std::io::Cursor;
use std::sync::Mutex;

use handbill::archive::Step;
use handbill::store::{Entry, KeyRecord};
use handbill::{Draft, MemoryStore, Visibility};
use proptest::prelude::*;
use tokio::runtime::Runtime;

use crate::world::{World, export, import, import_with, service, without_header, worlds};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_is_lost_and_exporting_again_gives_the_same_bytes(world in worlds()) {
        Runtime::new().unwrap().block_on(async {
            let archive = world.archive().await;
            let store = MemoryStore::new();
            let imported = import(&archive, store.clone()).await.unwrap();
            let entries = imported.posts.inserted + imported.tombstones.inserted;
            assert_eq!(entries, world.entries.len() as u64);
            assert_eq!(imported.keys.inserted, world.keys.len() as u64);
            assert_eq!(World::of(&store).await, world);
            assert_eq!(without_header(&export(store).await), without_header(&archive));
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn with_serde_posts_and_keys_have_the_form_that_they_have_in_an_archive(world in worlds()) {
        let archive = Runtime::new().unwrap().block_on(world.archive());
        let archive = String::from_utf8(archive).unwrap();
        let mut lines = archive.lines().skip(1);
        for entry in &world.entries {
            let json = serde_json::to_string(entry).unwrap();
            assert_eq!(lines.next(), Some(&*json));
            assert_eq!(&serde_json::from_str::<Entry>(&json).unwrap(), entry);
        }
        for key in &world.keys {
            let json = serde_json::to_string(key).unwrap();
            assert_eq!(lines.next(), Some(&*format!(r#"{{"key":{json}}}"#)));
            assert_eq!(&serde_json::from_str::<KeyRecord>(&json).unwrap(), key);
        }
    }
}

#[tokio::test]
async fn edit_tokens_keys_and_tombstones_work_after_the_move() {
    let store = MemoryStore::new();
    let old = service(store.clone());
    let key = old.keys().issue(Some("a key"), None).await.unwrap().key;
    let other = old
        .posts()
        .create(Draft::new().body("Kept."))
        .await
        .unwrap();
    let gone = old
        .posts()
        .create(Draft::new().body("Gone."))
        .await
        .unwrap();
    old.posts().delete(gone.id).await.unwrap();

    let moved = service(MemoryStore::new());
    import_with(&export(store).await, moved.archive())
        .await
        .unwrap();
    let send = async |request: http::request::Builder, body: &'static str| {
        let request = request.header("content-type", "application/json");
        let request = request.body(body.to_owned()).unwrap();
        let mut service = moved.clone();
        tower::Service::call(&mut service, request)
            .await
            .unwrap()
            .status()
            .as_u16()
    };
    let address = format!("/api/posts/{}", other.id);
    let with_token =
        http::Request::patch(&address).header("x-edit-token", other.edit.token.expose());
    assert_eq!(send(with_token, r#"{"title": "Changed"}"#).await, 200);
    let with_key = http::Request::post("/api/posts").header("x-api-key", key.expose());
    assert_eq!(send(with_key, r#"{"body": "New."}"#).await, 201);
    let gone = http::Request::get(format!("/api/posts/{}", gone.id));
    assert_eq!(send(gone, "").await, 410);
}

#[tokio::test]
async fn an_archive_holds_no_secret() {
    let store = MemoryStore::new();
    let service = service(store.clone());
    let key = service.keys().issue(None, None).await.unwrap().key;
    let post = service
        .posts()
        .create(Draft::new().body("x"))
        .await
        .unwrap();
    let archive = String::from_utf8(export(store).await).unwrap();
    assert!(!archive.contains(key.expose()));
    assert!(!archive.contains(post.edit.token.expose()));
}

#[tokio::test]
async fn an_export_pages_through_more_posts_than_one_piece() {
    let store = MemoryStore::new();
    let posts = service(store.clone());
    for number in 0..250 {
        let body = format!("Post {number}.");
        let draft = Draft::new().body(body).visibility(Visibility::Unlisted);
        posts.posts().create(draft).await.unwrap();
        posts.keys().issue(None, None).await.unwrap();
    }
    let mut file = Vec::new();
    let exported = posts.archive().export(&mut file).await.unwrap();
    assert_eq!((exported.posts, exported.keys), (250, 250));
    let moved = MemoryStore::new();
    import(&file, moved.clone()).await.unwrap();
    assert_eq!(World::of(&moved).await, World::of(&store).await);
}

#[tokio::test]
async fn progress_counts_every_step_up_to_the_total() {
    let archive = World::small().archive().await;
    let service = service(MemoryStore::new());
    let reports = Mutex::new(Vec::new());
    let into = service.archive();
    let into = into.with_progress(|progress| reports.lock().unwrap().push(progress));
    into.import(Cursor::new(archive)).await.unwrap();
    into.export(&mut Vec::new()).await.unwrap();
    drop(into);
    let reports = reports.into_inner().unwrap();
    let of = |step| reports.iter().filter(move |progress| progress.step == step);
    assert_eq!(of(Step::Check).next_back().unwrap().done, 4);
    assert!(of(Step::Import).all(|progress| progress.total == Some(4)));
    assert_eq!(of(Step::Import).next_back().unwrap().done, 4);
    assert_eq!(of(Step::Export).next_back().unwrap().done, 4);
}
