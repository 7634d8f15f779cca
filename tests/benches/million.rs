//! What a million posts cost: the first page of a list against the last one and the middle one,
//! time from start to the first answer, and memory at rest, beside an empty database.
//!
//! `cargo bench -p handbill-tests --bench million`

#![expect(clippy::unwrap_used, reason = "a benchmark stops where it can't go on")]

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use handbill::{
    Entry, KeyId, Post, PostId, PostSummary, Revision, SecretHash, SqliteStore, Store, Tag,
    Timestamp, Write,
};
use handbill_tests::load::{get, median, prose};
use handbill_tests::program::{self, Program};
use handbill_tests::wire::Connection;

const ROUNDS: usize = 3;
const POSTS: u64 = 1_000_000;
const WRITERS: usize = 64;
/// Posts that are deleted, and posts that lose the tag, after all were inserted.
const CHANGED: u64 = 5_000;
const PER_PAGE: u64 = 20;
/// Pages that are read at each place: each once, so that none is remembered.
const PAGES: u64 = 200;
const START: i64 = 1_700_000_000_000_000;

#[tokio::main]
async fn main() {
    program::path();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    starts("an empty database", &folder.path().join("empty.db")).await;

    let database = folder.path().join("million.db");
    let started = Instant::now();
    fill(&database).await;
    println!(
        "{POSTS} posts written in {:.0} s",
        started.elapsed().as_secs_f64()
    );
    starts("a million posts", &database).await;
    lists(&database).await;
}

async fn start(database: &Path) -> Program {
    let url = format!("sqlite://{}", database.display());
    let arguments = ["--rate-limits", "off", "--database", &url];
    Program::start_under(&[], &arguments, Stdio::null()).await
}

async fn starts(name: &str, database: &Path) {
    let (mut millis, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let program = start(database).await;
        let mut connection = Connection::open(program.address).await.unwrap();
        let answer = connection.send(&get("/api/posts")).await.unwrap();
        assert_eq!(answer.status, 200);
        millis.push(started.elapsed().as_secs_f64() * 1000.0);
        let status = std::fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap();
        let resident = status
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .unwrap();
        let kib: f64 = resident.split_whitespace().nth(1).unwrap().parse().unwrap();
        memory.push(kib / 1024.0);
        assert!(program.stop().await.success());
    }
    println!(
        "{name}: {:.0} ms to the first answer, {:.1} MiB at rest",
        median(&millis),
        median(&memory),
    );
}

/// Writes a million posts, of which half carry the tag `harbour`; deletes some and takes the tag
/// from some.
async fn fill(database: &Path) {
    let store = SqliteStore::open(database).await.unwrap();
    let next = Arc::new(AtomicU64::new(0));
    let writers = (0..WRITERS).map(|_| {
        let (store, next) = (store.clone(), Arc::clone(&next));
        tokio::spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= POSTS {
                    return;
                }
                assert_eq!(
                    store.insert_post(post(number)).await.unwrap(),
                    Write::Applied
                );
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    for change in 0..CHANGED {
        // Spread over all of them; the deleted ones carry the tag, as those do that lose it.
        let number = change * (POSTS / CHANGED);
        let deleted = post(number).summary.id;
        let first = Revision::from_number(1);
        assert_eq!(
            store.delete_post(deleted, first).await.unwrap(),
            Write::Applied
        );
        let retagged = post(number + 2).summary.id;
        let Some(Entry::Live(post)) = store.post(retagged).await.unwrap() else {
            panic!()
        };
        let mut post = Arc::unwrap_or_clone(post);
        post.summary.tags.retain(|tag| tag.as_str() != "harbour");
        post.summary.revision = Revision::from_number(2);
        assert_eq!(
            store.update_post(first, post).await.unwrap(),
            Write::Applied
        );
    }
    store.close().await;
}

fn post(number: u64) -> Post {
    let mut token = [0; 32];
    // A bijection of the numbers: no two tokens, and so identifiers, begin alike.
    let mixed = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    token[..8].copy_from_slice(&mixed.to_be_bytes());
    token[8..16].copy_from_slice(&mixed.rotate_left(29).to_be_bytes());
    let edit_token = SecretHash::from_bytes(token);
    let at = Timestamp::from_micros(START + number.cast_signed() * 1_000);
    let tags: &[&str] = if number.is_multiple_of(2) {
        &["notes", "harbour"]
    } else {
        &["notes"]
    };
    Post {
        summary: PostSummary {
            id: PostId::named_by(&edit_token),
            title: Some(format!("Note {number}")),
            excerpt: prose(1, 200),
            tags: tags.iter().map(|tag| Tag::from_stored(*tag)).collect(),
            focus_keyword: None,
            created_at: at,
            updated_at: at,
            revision: Revision::from_number(1),
        },
        body: prose(number as usize, 1000),
        edit_token,
        created_by: KeyId::parse("bcdfghjklm"),
        creation: None,
    }
}

async fn lists(database: &Path) {
    let program = start(database).await;
    let mut connection = Connection::open(program.address).await.unwrap();
    for (name, tag, total) in [
        ("all posts", "", POSTS - CHANGED),
        ("posts of a tag", "&tag=harbour", POSTS / 2 - 2 * CHANGED),
    ] {
        let pages = total.div_ceil(PER_PAGE);
        let mut ratios = Vec::new();
        for round in 0..ROUNDS as u64 {
            // Other pages in each round: what was read before is remembered.
            let shift = round * PAGES;
            let first = read(&mut connection, tag, total, 1 + shift).await;
            let middle = read(&mut connection, tag, total, pages / 2 + shift).await;
            let last = read(&mut connection, tag, total, pages - shift - PAGES + 1).await;
            ratios.push(last / first);
            println!(
                "{name}, round {}: first pages {first:.0} µs, middle {middle:.0} µs, \
                 last {last:.0} µs",
                round + 1,
            );
        }
        println!(
            "{name}: the last page takes {:.2} times the first",
            median(&ratios)
        );
    }
    assert!(program.stop().await.success());
}

/// The median time of pages from this one on, in microseconds.
async fn read(connection: &mut Connection, tag: &str, total: u64, from: u64) -> f64 {
    let mut micros = Vec::new();
    for page in from..from + PAGES {
        let request = get(&format!("/api/posts?page={page}&per_page={PER_PAGE}{tag}"));
        let started = Instant::now();
        let answer = connection.send(&request).await.unwrap();
        micros.push(started.elapsed().as_secs_f64() * 1e6);
        assert_eq!(answer.json()["total"], total);
        assert!(!answer.json()["posts"].as_array().unwrap().is_empty());
    }
    median(&micros)
}
