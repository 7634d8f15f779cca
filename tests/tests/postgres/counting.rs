//! Lists and their totals are exact at any time, while several instances write and count.

use std::collections::HashMap;
use std::time::Duration;

use handbill::store::{Entry, Outcome, Post};
use handbill::{List, MemoryStore, Owner, PageRequest, Store, Tag, Timestamp, Visibility};
use handbill_sql::PostgresStore;
use handbill_tests::calls::Calls;
use handbill_tests::postgres::Postgres;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sqlx::{Executor, PgConnection, Row};
use tokio::time::{sleep, timeout};

use super::{connect, open};
use handbill_tests::postgres::posts::{post, retagged, revised};

const TAGS: [&str; 3] = ["most", "some", "few"];
const TAGS_IN_HUNDREDTHS: [u32; 3] = [90, 30, 2];

fn some_tags(random: &mut StdRng) -> Vec<&'static str> {
    let tags = TAGS.into_iter().zip(TAGS_IN_HUNDREDTHS);
    tags.filter(|(_, hundredths)| random.random_range(0..100) < *hundredths)
        .map(|(tag, _)| tag)
        .collect()
}

const OWNERS: [&str; 2] = ["first", "second"];

fn owner(name: &str) -> Owner {
    name.parse().expect("an owner")
}

/// Shows the post to everyone, or to fewer. Some posts were created long before they are published.
fn show_to_some(post: &mut Post, random: &mut StdRng) {
    let summary = &mut post.summary;
    summary.visibility = match random.random_range(0..10) {
        0..7 => Visibility::Public,
        7..9 => Visibility::Unlisted,
        _ => Visibility::Draft,
    };
    if summary.visibility == Visibility::Public && summary.published_at.is_none() {
        let micros = summary.created_at.as_micros() + random.random_range(0..5000);
        summary.published_at = Some(Timestamp::from_micros(micros));
    }
}

/// Returns when a counter has counted all changes.
pub(crate) async fn counted(connection: &mut PgConnection) {
    let all = async {
        let changes = "SELECT COUNT(*) FROM handbill_list_changes";
        while number(connection, changes).await > 0 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(60), all)
        .await
        .expect("all changes are counted");
}

pub(crate) async fn number(connection: &mut PgConnection, question: &'static str) -> i64 {
    let row = connection.fetch_one(question).await.expect("a response");
    row.get(0)
}

/// Checks that the counts match the entries, and that each block has fewer than `max_entries`.
pub(crate) async fn counts_are_right(connection: &mut PgConnection, max_entries: i64) {
    let wrong_totals = "
        SELECT COUNT(*) FROM handbill_list_totals AS total
        FULL JOIN (
          SELECT list, COUNT(*) AS entries FROM handbill_list_entries GROUP BY list
        ) AS counted USING (list)
        WHERE total.entries IS DISTINCT FROM counted.entries";
    assert_eq!(number(connection, wrong_totals).await, 0, "wrong totals");
    let wrong_blocks = "
        SELECT COUNT(*) FROM handbill_list_blocks AS block WHERE entries_before <> (
          SELECT COUNT(*) FROM handbill_list_entries AS entry
          WHERE entry.list = block.list AND entry.listed_at < block.start
        )";
    assert_eq!(number(connection, wrong_blocks).await, 0, "wrong blocks");
    let longest = "
        SELECT COALESCE(MAX(entries), 0) FROM (
          SELECT LEAD(entries_before, 1, total) OVER (PARTITION BY list ORDER BY start)
            - entries_before AS entries
          FROM (
            SELECT list, start, entries_before FROM handbill_list_blocks
            UNION ALL SELECT list, -1, 0 FROM handbill_list_totals
          ) AS block
          JOIN (
            SELECT list, entries AS total FROM handbill_list_totals
          ) AS total USING (list)
        ) AS lengths";
    let longest = number(connection, longest).await;
    assert!(longest < max_entries, "a block of {longest} entries");
}

/// Checks that each page of each list is the same in both stores, and the tags, too.
async fn same_pages(store: &PostgresStore, model: &MemoryStore) {
    let owners = OWNERS.map(owner);
    let owned = [List::PublicOf, List::AllOf].map(|list| owners.clone().map(list));
    let lists = owned.into_iter().flatten().chain([List::Public]);
    let tags = TAGS.into_iter().map(Some).chain([None]);
    let lists = lists.flat_map(|list| tags.clone().map(move |tag| (list.clone(), tag)));
    for list in lists {
        for page in 1.. {
            let request = PageRequest::new(page, 1000).expect("a page in bounds");
            let request = request
                .with_list(list.0.clone())
                .with_tag(list.1.map(Tag::from_stored));
            let expected = model.list_posts(request.clone()).await.expect("a page");
            let found = store.list_posts(request).await.expect("a page");
            assert_eq!(found, expected, "page {page} of {list:?}");
            if found.posts.is_empty() {
                break;
            }
        }
    }
    for limit in [2, 10] {
        let expected = model.list_tags(limit).await.expect("tags");
        let found = store.list_tags(limit).await.expect("tags");
        assert_eq!(found, expected);
    }
}

/// One random write of a client, made in both stores.
async fn step(
    number: u64,
    random: &mut StdRng,
    live: &mut HashMap<u64, Post>,
    store: &PostgresStore,
    model: &MemoryStore,
) {
    let some = live
        .keys()
        .copied()
        .nth(random.random_range(0..=live.len()));
    let (found, expected) = match (random.random_range(0..10), some) {
        (0..2, Some(some)) => {
            let gone = live.remove(&some).expect("a live post").summary;
            (
                store.delete_post(gone.id, gone.revision).await,
                model.delete_post(gone.id, gone.revision).await,
            )
        }
        (2..4, Some(some)) => {
            let post = live.get_mut(&some).expect("a live post");
            let expected = post.summary.revision;
            *post = match random.random_range(0..2) {
                0 => retagged(post, &some_tags(random)),
                _ => revised(post),
            };
            if random.random_range(0..2) == 0 {
                show_to_some(post, random);
            }
            (
                store.update_post(expected, post.clone()).await,
                model.update_post(expected, post.clone()).await,
            )
        }
        _ => {
            // Mostly new posts, sometimes posts from any time before.
            let micros = match random.random_range(0..10) {
                0 => random.random_range(0..=number),
                _ => number,
            };
            let mut post = post(number, micros.cast_signed(), &some_tags(random));
            let mut owners = OWNERS.into_iter().map(owner);
            post.summary.owner = owners.nth(random.random_range(0..=2));
            post.summary.published_at = None;
            show_to_some(&mut post, random);
            live.insert(number, post.clone());
            (
                store.insert_post(post.clone()).await,
                model.insert_post(post).await,
            )
        }
    };
    assert_eq!(found.expect("a write"), Outcome::Applied);
    assert_eq!(expected.expect("a write"), Outcome::Applied);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_right_with_three_instances_writing_and_counting() {
    const CLIENTS: u64 = 24;
    const STEPS: u64 = 150;
    const ROUNDS: u64 = 3;
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let stores = [
        open(&address).await,
        open(&address).await,
        open(&address).await,
    ];
    let model = MemoryStore::new();
    let mut connection = connect(&address).await;
    let mut clients: Vec<(StdRng, HashMap<u64, Post>)> = (0..CLIENTS)
        .map(|client| (StdRng::seed_from_u64(client), HashMap::new()))
        .collect();
    for round in 0..ROUNDS {
        let tasks = (0..).zip(clients.drain(..)).map(|(client, state)| {
            let store = stores[client as usize % stores.len()].clone();
            let (model, (mut random, mut live)) = (model.clone(), state);
            tokio::spawn(async move {
                for at in 0..STEPS {
                    let number = (round * STEPS + at) * CLIENTS + client;
                    step(number, &mut random, &mut live, &store, &model).await;
                }
                (random, live)
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            clients.push(task.await.expect("a client that finishes"));
        }
        // By now, some changes are counted and some are not.
        same_pages(&stores[0], &model).await;
        counted(&mut connection).await;
        counts_are_right(&mut connection, 1024).await;
        same_pages(&stores[1], &model).await;
    }
    // When all posts are deleted, no counts remain.
    for (_, live) in clients {
        for post in live.into_values() {
            let (id, revision) = (post.summary.id, post.summary.revision);
            let deleted = stores[2].delete_post(id, revision).await;
            assert_eq!(deleted.expect("a write"), Outcome::Applied);
        }
    }
    counted(&mut connection).await;
    let left = "SELECT (SELECT COUNT(*) FROM handbill_list_totals)
        + (SELECT COUNT(*) FROM handbill_list_blocks)
        + (SELECT COUNT(*) FROM handbill_list_entries)";
    assert_eq!(
        number(&mut connection, left).await,
        0,
        "counts of empty lists"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_that_an_instance_did_not_count_are_counted_by_the_next_instance() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    open(&address).await.close().await;
    let mut connection = connect(&address).await;
    // As if an instance had written these posts and crashed before it counted them.
    let left = "
        INSERT INTO handbill_posts (
          id, deleted, revision, created_at, updated_at, edit_token, tags, excerpt, visibility,
          published_at, listed_at, body
        )
        SELECT TRANSLATE(LPAD(number::TEXT, 10, '0'), '0123456789', 'bcdfghjklm'), FALSE, 1, number,
          number, DECODE(LPAD(number::TEXT, 64, '0'), 'hex'), '[]', '', 'public', number, number, ''
        FROM GENERATE_SERIES(1, 5000) AS number;
        INSERT INTO handbill_list_entries SELECT 'all', listed_at, id FROM handbill_posts;
        INSERT INTO handbill_list_changes VALUES ('all', 'left', 1, 5000, 5000)";
    connection.execute(left).await.expect("rows");
    let store = open(&address).await;
    let page = PageRequest::new(150, 20).expect("a page in bounds");
    let before = store.list_posts(page.clone()).await.expect("a page");
    counted(&mut connection).await;
    counts_are_right(&mut connection, 1024).await;
    let after = store.list_posts(page).await.expect("a page");
    assert_eq!(before, after);
    assert_eq!((after.total, after.posts.len()), (5000, 20));
    let first = &after.posts[0].summary;
    assert_eq!(first.created_at.as_micros(), 5000 - 149 * 20);
    let entry = store.read_post(first.id).await.expect("a read");
    assert!(matches!(entry, Some(Entry::Live(_))));
}
