use std::io::Cursor;

use handbill::archive::ArchiveError;
use handbill::{Handbill, MemoryStore};

use crate::world::{World, import_with, service, without_header};

/// The bits that are flipped in each byte: the last one, that which makes a letter small, and that which no ASCII
/// character has.
const BITS: [u32; 3] = [0, 5, 7];

/// A service over an empty store.
struct Empty {
    store: MemoryStore,
    service: Handbill,
}

impl Empty {
    fn new() -> Self {
        let store = MemoryStore::new();
        let service = service(store.clone());
        Self { store, service }
    }

    /// Imports a faulty archive, which must write nothing.
    async fn refuses(&self, archive: &[u8]) -> ArchiveError {
        let error = import_with(archive, self.service.archive())
            .await
            .unwrap_err();
        assert_eq!(World::of(&self.store).await, World::default(), "{error}");
        let again = self
            .service
            .archive()
            .dry_run(Cursor::new(archive.to_vec()))
            .await;
        assert_eq!(again.unwrap_err().to_string(), error.to_string());
        error
    }
}

async fn refused(archive: &[u8]) -> ArchiveError {
    Empty::new().refuses(archive).await
}

fn lines(archive: &[u8]) -> Vec<&[u8]> {
    archive.split_inclusive(|byte| *byte == b'\n').collect()
}

/// The archive with this line replaced.
fn with_line(archive: &[u8], number: usize, line: &str) -> Vec<u8> {
    let line = format!("{line}\n");
    let mut lines = lines(archive);
    lines[number - 1] = line.as_bytes();
    lines.concat()
}

#[tokio::test]
async fn an_archive_cut_at_any_byte_is_refused_by_name() {
    let archive = World::small().archive().await;
    let (header, empty) = (lines(&archive)[0].len(), Empty::new());
    for end in 0..archive.len() {
        let error = empty.refuses(&archive[..end]).await;
        match end < header {
            true => assert!(
                matches!(error, ArchiveError::NotAnArchive),
                "{end}: {error}"
            ),
            false => assert!(matches!(error, ArchiveError::Cut { .. }), "{end}: {error}"),
        }
    }
    let cut_in_line_3 = &archive[..lines(&archive)[..3].concat().len() - 1];
    let error = refused(cut_in_line_3).await;
    assert!(
        matches!(error, ArchiveError::Cut { line: 3, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn a_flipped_bit_is_recognised_wherever_it_matters() {
    let world = World::small();
    let archive = world.archive().await;
    let header = archive.len() - without_header(&archive).len();
    let empty = Empty::new();
    for position in 0..archive.len() {
        for bit in BITS {
            let mut damaged = archive.clone();
            damaged[position] ^= 1 << bit;
            if position > header {
                empty.refuses(&damaged).await;
                continue;
            }
            // The header has no checksum. A flip in it is refused, or in the text of its date and program.
            let Empty { store, service } = Empty::new();
            match import_with(&damaged, service.archive()).await {
                Ok(_) => assert_eq!(World::of(&store).await, world, "byte {position}"),
                Err(_) => assert_eq!(World::of(&store).await, World::default()),
            }
        }
    }
}

#[tokio::test]
async fn a_repeated_a_moved_and_a_missing_line_are_recognised() {
    let archive = World::small().archive().await;
    let lines = lines(&archive);
    for number in 1..lines.len() {
        let mut repeated = lines.clone();
        repeated.insert(number, lines[number]);
        refused(&repeated.concat()).await;
        let mut missing = lines.clone();
        missing.remove(number);
        refused(&missing.concat()).await;
    }
    let twice = [lines[0], lines[1], lines[1]].concat();
    let error = refused(&twice).await;
    assert!(
        matches!(error, ArchiveError::Repeated { line: 3, .. }),
        "{error}"
    );
    let missing = [lines[0], lines[1], lines[2], lines[5]].concat();
    let error = refused(&missing).await;
    let expected = "its last line says 4 lines, and there are 2";
    assert!(error.to_string().contains(expected), "{error}");
    let moved = [lines[0], lines[2], lines[1], lines[3], lines[4], lines[5]].concat();
    let error = refused(&moved).await;
    assert!(
        matches!(error, ArchiveError::Repeated { line: 3, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn a_changed_text_is_recognised_by_the_checksum() {
    let archive = String::from_utf8(World::small().archive().await).unwrap();
    let changed = archive.replace("Nothing else.", "Nothing more.");
    let error = refused(changed.as_bytes()).await;
    assert!(matches!(error, ArchiveError::WrongChecksum), "{error}");
}

#[tokio::test]
async fn what_follows_the_last_line_is_refused() {
    let archive = World::small().archive().await;
    for more in [&b"\n"[..], b"x", &archive] {
        let error = refused(&[&archive, more].concat()).await;
        assert!(
            matches!(error, ArchiveError::Unreadable { line: 7, .. }),
            "{error}"
        );
    }
}

#[tokio::test]
async fn other_files_are_no_archives() {
    for text in [
        "",
        "\n",
        "{}\n",
        "[]\n",
        "# Hello\n\nSome text.\n",
        "{\"handbill_archive\":0}\n",
    ] {
        let error = refused(text.as_bytes()).await;
        assert!(
            matches!(error, ArchiveError::NotAnArchive),
            "{text:?}: {error}"
        );
    }
    let error = refused(b"\x89PNG\r\n\x1a\n").await;
    assert!(matches!(error, ArchiveError::NotAnArchive), "{error}");
}

#[tokio::test]
async fn a_line_that_no_post_can_have_is_named() {
    let archive = World::small().archive().await;
    let text = std::str::from_utf8(&archive).unwrap();
    let (post, key) = (text.lines().nth(1).unwrap(), text.lines().nth(4).unwrap());
    let of_post = |from: &str, to: &str| (2, post.replace(from, to));
    let cases = [
        (
            of_post("bcdfghjklm", "abcdefghij"),
            "an identifier is 10 lowercase consonants",
        ),
        (
            of_post("\"revision\":7", "\"revision\":0"),
            "a revision is a number from 1",
        ),
        (
            of_post("\"revision\":7", "\"revision\":9223372036854775807"),
            "a revision is a number from 1 to 9007199254740992",
        ),
        (
            of_post("1795168800000123", "-1"),
            "a time is in microseconds",
        ),
        (
            of_post("1795168900000456", "253402300799999999"),
            "a time is in microseconds, from the years 1970 to 9998",
        ),
        (
            of_post("user:42", "user 42"),
            "an owner is 1 to 100 visible ASCII characters",
        ),
        (of_post("unlisted", "hidden"), "unknown variant `hidden`"),
        (
            of_post("0101", "010x"),
            "a hash of 64 lowercase hexadecimal digits is expected",
        ),
        (of_post("\"body\"", "\"soul\""), "missing field `body`"),
        (
            (
                2,
                post.replacen('{', "{\"end\":{\"lines\":4,\"sha256\":\"\"},", 1),
            ),
            "a line has one of `post`, `tombstone`, `key`, `bar` and `end`",
        ),
        ((2, "JSON".to_owned()), "expected value, at column 1"),
        (
            (5, key.replace("\"owner\":\"user:42\"", "\"owner\":null")),
            "invalid type: null",
        ),
    ];
    for ((number, line), expected) in cases {
        let error = refused(&with_line(&archive, number, &line)).await;
        let says = error.to_string();
        assert!(
            says.starts_with(&format!("line {number}: {expected}")),
            "{says}"
        );
    }
}

#[tokio::test]
async fn a_line_without_end_takes_bounded_memory() {
    let archive = World::small().archive().await;
    let mut endless = lines(&archive)[0].to_vec();
    endless.resize(65 * 1024 * 1024, b'x');
    let error = refused(&endless).await;
    assert!(
        matches!(error, ArchiveError::Unreadable { line: 2, .. }),
        "{error}"
    );
}
