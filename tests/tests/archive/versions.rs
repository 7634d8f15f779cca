use handbill::MemoryStore;
use handbill::archive::ArchiveError;
use handbill::store::{Bar, Outcome, Store, TextField, Write};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::world::{World, export, hash, import, service, time, without_header};

/// Written by the first releases with archives, and with bans. They are never written again: every later release reads
/// them.
const VERSION_1: &[u8] = include_bytes!("version-1.ndjson");
const VERSION_2: &[u8] = include_bytes!("version-2.ndjson");

#[tokio::test]
async fn an_archive_of_version_1_is_read_for_ever() {
    let store = MemoryStore::new();
    let imported = import(VERSION_1, store.clone()).await.unwrap();
    assert_eq!(imported.posts.inserted, 2);
    assert_eq!(imported.tombstones.inserted, 1);
    assert_eq!(imported.keys.inserted, 1);
    assert_eq!(World::of(&store).await, World::small());
}

/// A ban must not be ignored, so an archive with one has a version that earlier releases refuse.
#[tokio::test]
async fn an_archive_with_a_ban_is_of_version_2_and_read_for_ever() {
    let store = MemoryStore::new();
    let imported = import(VERSION_2, store.clone()).await.unwrap();
    assert_eq!((imported.posts.inserted, imported.bans.inserted), (2, 1));
    assert_eq!(World::of(&store).await, World::small());
    let bar = Bar {
        owner: hash(7),
        until: time(i64::MAX),
    };
    assert_eq!(store.walk_bars(None, 10).await.unwrap(), [bar]);
    let mut written = Vec::new();
    let exported = service(store.clone()).archive().export(&mut written).await;
    assert_eq!(exported.unwrap().bans, 1);
    assert!(written.starts_with(b"{\"handbill_archive\":2,"));
    assert_eq!(
        String::from_utf8_lossy(without_header(&written)),
        String::from_utf8_lossy(without_header(VERSION_2))
    );
    let file = std::io::Cursor::new(VERSION_2);
    let again = service(store.clone()).archive().dry_run(file).await;
    let repeated = import(VERSION_2, store.clone()).await.unwrap();
    for imported in [again.unwrap(), repeated] {
        assert_eq!((imported.bans.inserted, imported.bans.skipped), (0, 1));
    }
}

/// A bar that has ended is not exported: what it concerns has been refused.
#[tokio::test]
async fn this_release_writes_version_1() {
    let store = World::small().store().await;
    let (owner, until) = (hash(7), time(1));
    let ended = store.write(Write::Bar { owner, until }, None).await;
    assert_eq!(ended.unwrap(), Outcome::Applied);
    let written = String::from_utf8(export(store).await).unwrap();
    assert!(written.starts_with("{\"handbill_archive\":1,"));
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
    let newer = text.replacen("\"handbill_archive\":1", "\"handbill_archive\":3", 1);
    let store = MemoryStore::new();
    let error = import(newer.as_bytes(), store.clone()).await.unwrap_err();
    assert!(
        matches!(error, ArchiveError::NewerVersion { version: 3, .. }),
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
