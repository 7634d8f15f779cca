use handbill::{ArchiveError, MemoryStore};

use crate::world::{World, export, import, without_header};

/// Written by the first release with archives. It is never written again: every later release reads it.
const VERSION_1: &[u8] = include_bytes!("version-1.ndjson");

#[tokio::test]
async fn an_archive_of_version_1_is_read_for_ever() {
    let store = MemoryStore::new();
    let imported = import(VERSION_1, store.clone()).await.unwrap();
    assert_eq!(imported.posts.inserted, 2);
    assert_eq!(imported.tombstones.inserted, 1);
    assert_eq!(imported.keys.inserted, 1);
    assert_eq!(World::of(&store).await, World::small());
}

#[tokio::test]
async fn this_release_writes_version_1() {
    let written = export(World::small().store().await).await;
    assert_eq!(
        String::from_utf8_lossy(without_header(&written)),
        String::from_utf8_lossy(without_header(VERSION_1))
    );
}

#[tokio::test]
async fn a_newer_archive_is_refused_by_its_version() {
    let text = std::str::from_utf8(VERSION_1).unwrap();
    let newer = text.replacen("\"handbill_archive\":1", "\"handbill_archive\":2", 1);
    let store = MemoryStore::new();
    let error = import(newer.as_bytes(), store.clone()).await.unwrap_err();
    assert!(
        matches!(error, ArchiveError::NewerVersion { version: 2, .. }),
        "{error}"
    );
    assert_eq!(World::of(&store).await, World::default());
}

#[tokio::test]
async fn a_later_release_may_add_names_to_the_header() {
    let text = std::str::from_utf8(VERSION_1).unwrap();
    let more = text.replacen('{', "{\"site\":{\"name\":\"Ours\"},", 1);
    assert!(import(more.as_bytes(), MemoryStore::new()).await.is_ok());
}
