//! Checks of searches: which posts are found, and by which words.

use std::sync::Arc;

use handbill::store::{Authority, Outcome, Post, Search, Term, Write};
use handbill::{List, PageRequest, PageSize, PostId, Store, Visibility};

use super::index_subject::{IndexSubject, made, search};
use super::races::on_threads;
use super::subject::Subject;
use crate::check::setup;
use crate::samples::{hidden, moment, owner, post, retagged, revised, tag, token, with_visibility};

/// Words that a database could change, take apart or take for one another.
const HOSTILE: &str = r#"o'reilly o reilly main.rs main rs snake_case snakexcase snake case
    a%b a*b a\b a"b a:b a-b a(b a&b a|b a!b a<b ab a b and or not near the run runs running c c++ c# 1 1,000 1.5 15
    мой мои ж ısı isi straße strasse hände hande かき がき 東京 京都 東 हिन्दी हनद ก็ ก 한국어 한국 👍🏽 👍 🚀"#;

/// The identifiers of the posts with these numbers.
fn ids<const N: usize>(numbers: [u32; N]) -> Vec<PostId> {
    numbers.map(|number| post(number).summary.id).to_vec()
}

/// A term finds the posts that have exactly its word, or a word that begins with it. Without terms, none is found.
pub async fn a_term_finds_a_word_or_its_beginning(store: Arc<dyn Store>) {
    let Some(index) = IndexSubject::new(store) else {
        return;
    };
    let words = ["car card ca", "cart", "ca scar", "care's 東京", ""];
    for (number, words) in (1..).zip(words) {
        index.put(&post(number), words).await;
    }
    for (terms, expected) in [
        ("car", ids([1])),
        ("car…", ids([4, 2, 1])),
        ("ca", ids([3, 1])),
        ("ca…", ids([4, 3, 2, 1])),
        ("card…", ids([1])),
        ("cards", ids([])),
        ("cards…", ids([])),
        ("ar…", ids([])),
        ("s…", ids([3])),
        ("東", ids([])),
        ("東…", ids([4])),
        ("", ids([])),
    ] {
        assert_eq!(index.found(search(terms)).await, expected, "by {terms:?}");
    }
}

/// A search finds the posts that have all of its terms, in whichever order, and one word may have several of them.
pub async fn a_search_finds_posts_with_all_terms(store: Arc<dyn Store>) {
    let Some(index) = IndexSubject::new(store) else {
        return;
    };
    let many: Vec<_> = (10..26).map(|number| format!("word{number}")).collect();
    let many = many.join(" ");
    let words = ["red green", "red blue greenish", "green blue", &many];
    for (number, words) in (1..).zip(words) {
        index.put(&post(number), words).await;
    }
    for (terms, expected) in [
        ("red", ids([2, 1])),
        ("red green", ids([1])),
        ("gre… red", ids([2, 1])),
        ("red blue gre…", ids([2])),
        ("green gre… gre…", ids([3, 1])),
        ("red red", ids([2, 1])),
        ("red yellow", ids([])),
        ("yellow… red", ids([])),
        (&many, ids([4])),
        (&many.replace("word25", "word26"), ids([])),
    ] {
        assert_eq!(index.found(search(terms)).await, expected, "by {terms:?}");
    }
}

/// A post is found by the words that came with its last write, by none if it came without, and not when it is deleted.
pub async fn a_post_is_found_by_the_words_that_it_has_now(store: Arc<dyn Store>) {
    let Some(index) = IndexSubject::new(Arc::clone(&store)) else {
        return;
    };
    let store = Subject::new(store);
    let expect = async |expected: [(&str, Vec<PostId>); 3]| {
        for (terms, expected) in expected {
            assert_eq!(index.found(search(terms)).await, expected, "by {terms:?}");
        }
    };
    let mut now = post(1);
    index.put(&now, "old stays").await;
    index.put(&post(2), "old stays").await;
    now = revised(&now);
    index.change(&now, "new stays").await;
    expect([("old", ids([2])), ("new", ids([1])), ("stays", ids([2, 1]))]).await;
    now = revised(&now);
    assert_eq!(index.update(&now, None).await, Outcome::Applied);
    expect([("old", ids([2])), ("new", ids([])), ("stays", ids([2]))]).await;
    now = revised(&now);
    index.change(&now, "new").await;
    expect([("old", ids([2])), ("new", ids([1])), ("stays", ids([2]))]).await;
    store.remove(&now).await;
    store.remove(&post(2)).await;
    expect([("old", ids([])), ("new", ids([])), ("stays", ids([]))]).await;
}

/// A search finds posts of its list as they are now: of its owner and tag, and in public lists no hidden ones.
pub async fn a_search_finds_posts_of_its_list(store: Arc<dyn Store>) {
    let Some(index) = IndexSubject::new(Arc::clone(&store)) else {
        return;
    };
    let [mut others, mut without] = [post(4), post(5)];
    others.summary.owner = Some(owner("bob"));
    without.summary.owner = None;
    without.summary.tags = Vec::new();
    let draft = hidden(2, Visibility::Draft);
    let unlisted = hidden(3, Visibility::Unlisted);
    for post in [&post(1), &draft, &unlisted, &others, &without] {
        index.put(post, "word").await;
    }
    index.put(&post(6), "other").await;
    let expect = async |expected: [[Vec<PostId>; 2]; 4]| {
        let lists = [
            List::Public,
            List::PublicOf(owner("ann")),
            List::AllOf(owner("ann")),
            List::AllOf(owner("bob")),
        ];
        for (list, expected) in lists.into_iter().zip(expected) {
            let list = PageRequest::first(PageSize::MAX).with_list(list);
            for (tag, expected) in [None, Some(tag("rust"))].into_iter().zip(expected) {
                let list = list.clone().with_tag(tag);
                let found = index.found_in(&list, search("word")).await;
                assert_eq!(found, expected, "in {list:?}");
            }
        }
    };
    expect([
        [ids([5, 4, 1]), ids([4, 1])],
        [ids([1]), ids([1])],
        [ids([3, 2, 1]), ids([3, 2, 1])],
        [ids([4]), ids([4])],
    ])
    .await;

    let published = with_visibility(&draft, Visibility::Public, moment(1000));
    let retagged = retagged(&post(1), &["new"]);
    let hidden = with_visibility(&others, Visibility::Unlisted, moment(0));
    let mut taken = revised(&without);
    taken.summary.owner = Some(owner("ann"));
    for post in [&published, &retagged, &hidden, &taken] {
        index.change(post, "word").await;
    }
    expect([
        [ids([2, 5, 1]), ids([2])],
        [ids([2, 5, 1]), ids([2])],
        [ids([5, 3, 2, 1]), ids([3, 2])],
        [ids([4]), ids([4])],
    ])
    .await;
    let list = PageRequest::first(PageSize::of::<1>()).with_bodies(true);
    let page = index.page(&list, search("word")).await;
    let body = page.posts.first().and_then(|post| post.body.as_ref());
    assert_eq!((body, page.total), (Some(&published.body), 3));
}

/// Words are compared byte by byte: no engine folds them, takes them apart, or reads signs and operators in them.
pub async fn words_are_compared_byte_by_byte(store: Arc<dyn Store>) {
    let Some(index) = IndexSubject::new(store) else {
        return;
    };
    let longest = ["ж", "\u{20000}"].map(|letter| letter.repeat(63));
    let longest = longest
        .iter()
        .flat_map(|word| ["а", "б", ""].map(|end| format!("{word}{end}")));
    let words = HOSTILE.split_whitespace().map(str::to_owned);
    let words: Vec<_> = words.chain(longest).collect();
    let posts: Vec<_> = (1..).map(post).take(words.len()).collect();
    for (post, word) in posts.iter().zip(&words) {
        index.put(post, word).await;
    }
    let with_all = post(0);
    index.put(&with_all, &words.join(" ")).await;
    for (text, is_prefix) in words.iter().flat_map(|word| [(word, false), (word, true)]) {
        let text = text.clone();
        let term = Term { text, is_prefix };
        let is_found = |(post, word): (&Post, &String)| term.finds(word).then_some(post.summary.id);
        let found = posts.iter().zip(&words).filter_map(is_found);
        let mut expected: Vec<_> = found.collect();
        expected.reverse();
        expected.push(with_all.summary.id);
        let terms = vec![term.clone()];
        let found = index
            .found(Search {
                terms,
                ..search("")
            })
            .await;
        assert_eq!(found, expected, "by {term:?}");
    }
    for terms in words.chunks(16) {
        let found = index.found(search(&terms.join(" "))).await;
        assert_eq!(found, [with_all.summary.id], "by {terms:?}");
    }
}

/// A write that conflicts or is barred changes no words.
pub async fn a_write_that_is_not_applied_changes_no_words(store: Arc<dyn Store>) {
    let Some(index) = IndexSubject::new(Arc::clone(&store)) else {
        return;
    };
    let store = Subject::new(store);
    index.put(&post(1), "first").await;
    let now = revised(&post(1));
    index.change(&now, "now").await;
    index.put(&post(2), "deleted").await;
    store.remove(&post(2)).await;
    let (owner, at) = (token("owner ann"), moment(10));
    let bar = Write::Bar { owner, until: at };
    setup(async { assert_eq!(store.write(bar).await, Outcome::Applied) }).await;

    let (by, words) = (Some(Authority { owner, at }), Some(made("wrong")));
    let inserted = |post: &Post, by| {
        let (post, words) = (Arc::new(post.clone()), words.clone());
        Write::InsertPost { post, words, by }
    };
    let updated = |post: &Post, by| Write::UpdatePost {
        expected: now.summary.revision,
        post: Arc::new(post.clone()),
        words: words.clone(),
        by,
    };
    let deleted = |expected, by| Write::DeletePost {
        id: now.summary.id,
        expected,
        by,
    };
    for (write, outcome) in [
        (inserted(&post(1), None), Outcome::Conflict),
        (inserted(&post(2), None), Outcome::Conflict),
        (inserted(&post(3), by), Outcome::Barred),
        (updated(&post(2), None), Outcome::Conflict),
        (updated(&post(4), None), Outcome::Conflict),
        (updated(&revised(&now), by), Outcome::Barred),
        (deleted(post(1).summary.revision, None), Outcome::Conflict),
        (deleted(now.summary.revision, by), Outcome::Barred),
    ] {
        assert_eq!(index.write(write).await, outcome);
    }
    let stale = index.update(&now, words.clone()).await;
    assert_eq!(stale, Outcome::Conflict);
    for (terms, expected) in [("now", ids([1])), ("first", ids([])), ("wrong", ids([]))] {
        assert_eq!(index.found(search(terms)).await, expected, "by {terms:?}");
    }
}

/// Concurrent writes: each search sees all earlier writes, its total is that of its posts, and of two updates of one
/// revision the words of the one that is applied are found.
pub async fn of_concurrent_writes_all_words_are_found(store: Arc<dyn Store>) {
    const THREADS: u32 = 8;
    const ROUNDS: u32 = 12;
    let Some(index) = IndexSubject::new(Arc::clone(&store)) else {
        return;
    };
    let store = Subject::new(store);
    index.put(&post(0), "rival").await;
    let subject = index.clone();
    let applied = on_threads(THREADS, move |thread| {
        let (index, store) = (subject.clone(), store.clone());
        async move {
            let (mut applied, mut rival) = (Vec::new(), post(0));
            for round in 0..ROUNDS {
                let own = post(1 + round * THREADS + thread);
                let word = format!("word{thread}.{round}");
                index.put(&own, &format!("common {word}")).await;
                assert_eq!(index.found(search(&word)).await, [own.summary.id]);
                let changed = revised(&own);
                index
                    .change(&changed, &format!("common changed.{word}"))
                    .await;
                assert_eq!(index.found(search(&word)).await, []);
                if round % 2 == 0 {
                    store.remove(&changed).await;
                }
                let left = (round % 2 == 1).then_some(own.summary.id);
                let found = index.found(search(&format!("common changed.{word}"))).await;
                assert!(found.iter().eq(&left), "the words of a post as it is now");
                let common = index.found(search("common")).await;
                assert!(common.len() as u32 >= round / 2, "posts of earlier rounds");
                rival = revised(&rival);
                let words = Some(made(&format!("rival {word}")));
                if index.update(&rival, words).await == Outcome::Applied {
                    applied.push((rival.summary.revision, word));
                }
            }
            applied
        }
    })
    .await;
    let common = index.found(search("common")).await;
    assert_eq!(common.len() as u32, THREADS * ROUNDS / 2);
    let mut applied: Vec<_> = applied.into_iter().flatten().collect();
    applied.sort();
    let last = applied.pop().expect("an update is applied").1;
    for (_, word) in applied {
        assert_eq!(index.found(search(&word)).await, [], "by {word}");
    }
    assert_eq!(index.found(search(&last)).await, ids([0]), "by {last}");
}
