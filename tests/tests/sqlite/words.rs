//! The words by which searches find posts.

use std::collections::BTreeSet;
use std::time::Duration;

use handbill::store::{Query, Search, Words, Write};
use tokio::time::{pause, sleep};

use super::*;

#[tokio::test]
async fn they_are_stored_unchanged() {
    let (_folder, path) = database();
    let store = open(&path).await;
    let signs = ('!'..='~').map(|sign| format!("a{sign}é{sign}").to_lowercase());
    let others = [
        "東京",
        "京",
        "🚀",
        "👩‍👩‍👧",
        "или",
        "й",
        "ม้",
        "हिन्दी",
        "ı",
        "and",
        "near",
    ];
    let long = ["x", "é", "𝄞"].map(|letter| letter.repeat(64));
    let words = signs.chain(others.map(str::to_owned)).chain(long);
    let words: BTreeSet<String> = words.collect();
    let insert = Write::InsertPost {
        post: post(1).into(),
        words: Some(Words::new(1, words.clone())),
        by: None,
    };
    assert_eq!(store.write(insert, None).await.unwrap(), Outcome::Applied);
    let stored = "SELECT term FROM handbill_vocabulary WHERE term NOT LIKE '=%'";
    let mut host = host(&path).await;
    let stored = sqlx::query_scalar(stored).fetch_all(&mut host).await;
    let stored: Vec<String> = stored.unwrap();
    assert_eq!(stored, words.into_iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn those_of_a_deleted_post_leave_the_file() {
    let (_folder, path) = database();
    let store = open(&path).await;
    for number in 1..5 {
        let mut post = post(number);
        post.body = format!("some yzzyva{number}");
        let inserted = store.insert_post(post).await.unwrap();
        assert_eq!(inserted, Outcome::Applied);
    }
    let in_file = |text: &str| {
        ["db", "db-wal"].iter().any(|extension| {
            let content = std::fs::read(path.with_extension(extension)).unwrap();
            let mut places = content.windows(text.len());
            places.any(|place| place == text.as_bytes())
        })
    };
    let (id, revision) = (post(2).summary.id, post(2).summary.revision);
    assert_eq!(
        store.delete_post(id, revision).await.unwrap(),
        Outcome::Applied
    );
    pause();
    while in_file("yzzyva2") {
        sleep(Duration::from_secs(1)).await;
    }
    let some = Search::new(&Query::parse("yzzyva").unwrap());
    let found = store.list_posts(first_page().with_search(Some(some))).await;
    assert_eq!(found.unwrap().total, 3);
}
