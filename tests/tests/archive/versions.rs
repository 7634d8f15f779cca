use handbill::MemoryStore;
use handbill::archive::ArchiveError;
use handbill::store::TextField;
use serde_json::json;
use sha2::{Digest, Sha256};

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
    let written = String::from_utf8(export(World::small().store().await).await).unwrap();
    let mut lines: Vec<String> = written.lines().map(str::to_owned).collect();
    lines.pop();
    let header = lines.remove(0);
    // Without the names that a later release added.
    let version_1 = str::from_utf8(VERSION_1).unwrap();
    let names = TextField::ALL.iter();
    let names = names.map(|field| format!("\"{}\":", field.name()));
    for name in names.filter(|name| !version_1.contains(name)) {
        for line in &mut lines {
            *line = line.replace(&format!("{name}null,"), "");
        }
    }
    assert_eq!(
        String::from_utf8_lossy(without_header(&sealed(&header, &lines))),
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
async fn names_and_lines_that_a_later_release_added_are_ignored() {
    let text = std::str::from_utf8(VERSION_1).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.pop();
    // In the header, in a line, in each object of a line, and in a line of their own.
    let header = lines
        .remove(0)
        .replacen('{', "{\"site\":{\"name\":\"Ours\"},", 1);
    for line in &mut lines {
        *line = line.replacen(":{", ":{\"added_later\":\"It goes on\",", 1);
        *line = line.replacen("\"creation\":{", "\"creation\":{\"by\":[1],", 1);
        *line = line.replacen('{', "{\"size\":1,", 1);
    }
    lines.insert(1, "{\"picture\":{\"id\":\"bcdfghjklm\"}}".to_owned());
    let store = MemoryStore::new();
    import(&sealed(&header, &lines), store.clone())
        .await
        .unwrap();
    assert_eq!(World::of(&store).await, World::small());
}

/// An archive of these lines.
fn sealed(header: &str, lines: &[String]) -> Vec<u8> {
    let records: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let sha256 = Sha256::digest(&records);
    let sha256: String = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
    let end = json!({ "end": { "lines": lines.len(), "sha256": sha256 } });
    format!("{header}\n{records}{end}\n").into_bytes()
}
