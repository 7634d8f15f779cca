//! Whatever the server and the database are set to.

use std::sync::Weak;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use handbill::store::{
    Decorated, Decorator, Entry, List, MemoryStore, Outcome, PageRequest, Post, Query, Search,
    Store,
};
use handbill_sql::MySqlStore;
use handbill_testing::samples::{self, key, owner, tag};
use handbill_tests::calls::Calls;
use handbill_tests::mariadb::{MariaDb, Shared};
use tokio::sync::Mutex;

use super::{open, reason};

/// Each call goes to the other of two instances.
struct InTurn([MySqlStore; 2], AtomicUsize);

impl Decorator for InTurn {
    fn inner(&self) -> &dyn Store {
        &self.0[self.1.fetch_add(1, Ordering::Relaxed) % 2]
    }
}

/// The contract of `Store` for two instances, on a server that is set to what breaks statements most.
mod contract {
    use super::*;

    static SHARED: Shared = Mutex::const_new(Weak::new());
    const SETTINGS: [&str; 5] = [
        "sql-mode=ANSI,NO_BACKSLASH_ESCAPES,TRADITIONAL,PAD_CHAR_TO_FULL_LENGTH,HIGH_NOT_PRECEDENCE,\
         NO_UNSIGNED_SUBTRACTION,NO_AUTO_VALUE_ON_ZERO,ONLY_FULL_GROUP_BY,EMPTY_STRING_IS_NULL",
        "default-time-zone=+09:00",
        "transaction-isolation=SERIALIZABLE",
        "autocommit=0",
        "character-set-server=latin1",
    ];

    handbill_testing::store_checks!(async {
        let server = MariaDb::shared_as(&SHARED, &SETTINGS).await?;
        let address = server.create_database_in("latin1").await;
        let stores = [open(&address).await, open(&address).await];
        Some((Decorated(InTurn(stores, AtomicUsize::new(0))), server))
    });
}

/// An empty mode cuts texts that are too long.
#[tokio::test]
async fn texts_are_whole_in_an_empty_sql_mode() {
    let Some(server) = MariaDb::start(&std::env::temp_dir(), &["sql-mode="]).await else {
        return;
    };
    let store = open(&server.create_database().await).await;
    let mut post = samples::post(1);
    post.body = "🦀 ".repeat(100_000);
    post.summary.title = Some("é".repeat(40_000));
    let inserted = store.insert_post(post.clone()).await.unwrap();
    assert_eq!(inserted, Outcome::Applied);
    let found = store.read_post(post.summary.id).await.unwrap().unwrap();
    assert_eq!(found, Entry::Live(post.into()));
}

/// Posts whose tags, owners and words are the same in some collation.
fn alike() -> Vec<Post> {
    let tags = [
        "i", "I", "ı", "İ", "i ", " i", "e", "é", "ß", "ss", "a\u{0}b", "ab",
    ];
    let owners = ["ann", "Ann", "ANN", "a%", "a_", "a\\"];
    let posts = (0..).zip(tags).map(|(number, text)| {
        let mut post = samples::post(number);
        post.summary.tags = vec![tag(text)];
        post.summary.owner = Some(owner(owners[number as usize % owners.len()]));
        post.body = format!("words of {text} resume résumé{number}");
        post
    });
    posts.collect()
}

async fn tells_them_apart(store: &impl Store, memory: &MemoryStore) {
    for post in alike() {
        assert_eq!(store.insert_post(post).await.unwrap(), Outcome::Applied);
    }
    for label in ["key", "KEY", "clé", "key "] {
        let mut key = key(label.len() as u32);
        key.label = Some(label.to_owned());
        let inserted = store.insert_key(key.clone()).await.unwrap();
        assert_eq!(inserted, Outcome::Applied);
        let found = store.find_key(key.secret).await.unwrap();
        assert_eq!(found.map(|key| key.label), Some(key.label));
        let revoked = store.revoke_key(key.id).await.unwrap();
        assert_eq!(revoked, Outcome::Applied);
    }
    let page = PageRequest::new(1, 100).unwrap();
    let mut pages = Vec::new();
    for post in alike() {
        let (tag, owner) = (&post.summary.tags[0], post.summary.owner.clone().unwrap());
        let lists = [
            List::Public,
            List::PublicOf(owner.clone()),
            List::AllOf(owner),
        ];
        for list in lists {
            let page = page.clone().with_list(list);
            for query in ["i", "ı", "e", "é", "ss", "resume", "résumé3"] {
                let search = Some(Search::new(&Query::parse(query).unwrap()));
                pages.push(page.clone().with_search(search));
            }
            pages.extend([page.clone().with_tag(Some(tag.clone())), page]);
        }
    }
    for page in pages {
        let expected = memory.list_posts(page.clone()).await.unwrap();
        assert_eq!(
            store.list_posts(page.clone()).await.unwrap(),
            expected,
            "{page:?}"
        );
    }
    let tags = store.list_tags(100).await.unwrap();
    assert_eq!(tags, memory.list_tags(100).await.unwrap());
}

#[tokio::test]
async fn what_is_the_same_in_the_database_s_collation_stays_apart() {
    let Some(server) = MariaDb::shared().await else {
        return;
    };
    let memory = MemoryStore::new();
    tells_them_apart(&memory.clone(), &memory).await;
    for collation in [
        "utf8mb4_general_ci",
        "utf8mb4_turkish_ci",
        "utf8mb4_unicode_520_nopad_ci",
    ] {
        let collation = format!("utf8mb4 COLLATE {collation}");
        let store = open(&server.create_database_in(&collation).await).await;
        tells_them_apart(&store, &memory).await;
    }
}

/// A post with so many different words.
fn long(number: u32, words: u32) -> Post {
    let mut post = samples::post(number);
    let words = (0..words).map(|word| format!("{word:07} "));
    post.body = words.collect();
    post
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_does_not_fit_into_a_packet_is_refused_and_others_are_written() {
    let settings = ["max-allowed-packet=1M"];
    let Some(server) = MariaDb::start(&std::env::temp_dir(), &settings).await else {
        return;
    };
    let store = open(&server.create_database().await).await;
    for number in 0..3 {
        let first = number * 100;
        let posts = (first..first + 20).map(|number| match number % 10 {
            4 => long(number, 50_000),
            7 => long(number, 130_000),
            _ => samples::post(number),
        });
        let posts: Vec<_> = posts.collect();
        let inserts = posts.iter().map(|post| store.insert_post(post.clone()));
        for (post, inserted) in posts.iter().zip(join_all(inserts).await) {
            if post.body.len() > 1_000_000 {
                let reason = reason(inserted);
                assert!(reason.contains("raise max_allowed_packet"), "{reason}");
            } else {
                assert_eq!(inserted.unwrap(), Outcome::Applied);
                let found = store.read_post(post.summary.id).await.unwrap().unwrap();
                assert_eq!(found, Entry::Live(post.clone().into()));
            }
        }
    }
    let small = samples::post(0);
    let mut grown = long(0, 130_000);
    grown.summary.revision = samples::revised(&small).summary.revision;
    let reason = reason(store.update_post(small.summary.revision, grown).await);
    assert!(reason.contains("raise max_allowed_packet"), "{reason}");
}
