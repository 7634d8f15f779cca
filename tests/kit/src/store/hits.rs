//! Checks of the lists of what searches find, against a model.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use handbill::store::{MAX_HITS, Post, Query, Search, Words};
use handbill::{List, PageRequest, PostId, Store, Visibility};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::many::{Step, make, some_owner, some_visibility};
use super::model::{Model, pages_are_shown};
use super::subject::{Subject, request};
use crate::samples::{dated, moment, owner, retagged, revised, tag, with_visibility};

const POSTS: u32 = 300;
const QUERIES: u32 = 80;

/// What posts have and readers search for.
const TEXTS: &str = r#"car card carton Café cafe naïve don't main.rs snake_case мой мои ёж Straße STRASSE ß ısı İstanbul
    東京都 京都 データベース データ สวัสดี हिन्दी 한국어 👍🏽🚀 3.14 1,000 AND or NEAR( C++ 100% \_% "quoted" x* -x"#;

/// The live posts with their words.
struct Posts {
    store: Subject,
    model: Model,
    words: HashMap<PostId, BTreeSet<String>>,
}

impl Posts {
    fn new(store: Arc<dyn Store>) -> Option<Self> {
        store.search_index()?;
        Some(Self {
            store: Subject::new(store),
            model: Model::default(),
            words: HashMap::new(),
        })
    }

    /// Makes the steps in the store and in the model.
    async fn make(&mut self, steps: Vec<Step>) {
        for step in &steps {
            match step {
                Step::Insert(post) | Step::Change(post) => {
                    let words = Words::of(post).iter().map(str::to_owned).collect();
                    self.words.insert(post.summary.id, words);
                    self.model.put(post);
                }
                Step::Delete(post) => self.model.remove(post.summary.id),
            }
        }
        make(&self.store, steps).await;
    }

    /// Asserts that a query, in this period, finds the latest posts of the list that match it.
    async fn are_found(&self, list: &PageRequest, query: &Query, search: Search) {
        let Search { from, before, .. } = search;
        let mut posts = self.model.list(list);
        posts.retain(|post| {
            let is_since = |from| post.published_at.is_some_and(|at| at >= from);
            let is_until = |before| post.published_at.is_some_and(|at| at < before);
            query.matches(&self.words[&post.id])
                && from.is_none_or(is_since)
                && before.is_none_or(is_until)
        });
        posts.truncate(MAX_HITS as usize);
        let list = list.clone().with_search(Some(search));
        pages_are_shown(&self.store, &list, &posts).await;
    }
}

fn query(text: &str) -> Query {
    Query::parse(text).expect("at most 16 words")
}

/// A post at a time of its own, found by this body.
fn with_body(number: u32, body: &str) -> Post {
    let mut post = dated(number, moment(i64::from(number)));
    post.body = body.to_owned();
    post
}

/// A search leaves the posts published from a time on, that one included, and before another. A draft has no such time.
/// A list in the order of creation stays in it.
pub async fn a_search_finds_posts_of_a_period(store: Arc<dyn Store>) {
    let Some(mut posts) = Posts::new(store) else {
        return;
    };
    let mut all: Vec<_> = (1..=6).map(|number| with_body(number, "word")).collect();
    all[4].summary.published_at = Some(moment(2));
    let mut draft = with_body(7, "word");
    draft.summary.visibility = Visibility::Draft;
    draft.summary.published_at = None;
    let mut unlisted = with_body(8, "word");
    unlisted.summary.visibility = Visibility::Unlisted;
    unlisted.summary.published_at = Some(moment(3));
    all.extend([draft, unlisted, with_body(9, "other")]);
    posts
        .make(all.into_iter().map(Step::Insert).collect())
        .await;
    let times = [None, Some(2), Some(3), Some(7)];
    for list in [List::Public, List::AllOf(owner("ann"))] {
        let list = request(1, 2, None).with_list(list);
        for (from, before) in times
            .iter()
            .flat_map(|from| times.map(|before| (*from, before)))
        {
            let query = query("word");
            let search = Search {
                from: from.map(moment),
                before: before.map(moment),
                ..Search::new(&query)
            };
            posts.are_found(&list, &query, search).await;
        }
    }
}

/// A search finds the latest 1,000 posts that have all of its terms, its tag and its time, and its total and pages are
/// of these.
pub async fn a_search_finds_the_latest_thousand(store: Arc<dyn Store>) {
    let Some(mut posts) = Posts::new(store) else {
        return;
    };
    let all = (0..1030).map(|number| {
        let body = if number < 10 { "common rare" } else { "common" };
        let mut post = with_body(number, body);
        // Many have equal times.
        let at = moment(i64::from(number / 90));
        (post.summary.created_at, post.summary.published_at) = (at, Some(at));
        if number < 7 {
            post.summary.owner = Some(owner("bob"));
        }
        if number < 5 {
            post.summary.tags.push(tag("few"));
        }
        post
    });
    let all: Vec<_> = all.collect();
    let newest = all.last().cloned().map(Step::Delete);
    posts
        .make(all.into_iter().map(Step::Insert).collect())
        .await;
    let public = request(1, 400, None);
    let of_bob = public.clone().with_list(List::AllOf(owner("bob")));
    let common = query("common");
    let old = Search {
        before: Some(moment(1)),
        ..Search::new(&common)
    };
    for deleted in [None, newest] {
        posts.make(deleted.into_iter().collect()).await;
        for (list, text) in [
            (&public, "common"),
            (&public, "common rare"),
            (&public, "rare"),
            (&public.clone().with_tag(Some(tag("few"))), "common"),
            (&of_bob, "common"),
        ] {
            let query = query(text);
            posts.are_found(list, &query, Search::new(&query)).await;
        }
        posts.are_found(&public, &common, old.clone()).await;
    }
}

/// After hundreds of insertions, changes and deletions, every page of every list has what random queries find.
pub async fn many_posts_are_found_as_the_contract_says(store: Arc<dyn Store>) {
    let Some(mut posts) = Posts::new(store) else {
        return;
    };
    let mut random = StdRng::seed_from_u64(1);
    let inserts = (0..POSTS).map(|number| {
        let mut post = dated(number, moment(random.random_range(0..100)));
        post.summary.owner = some_owner(&mut random);
        post.summary.visibility = some_visibility(&mut random);
        if post.summary.visibility == Visibility::Draft {
            post.summary.published_at = None;
        }
        post.summary.tags = vec![tag(some(&["rust", "web"], &mut random))];
        post.body = some_body(number, &mut random);
        Step::Insert(post)
    });
    let inserts = inserts.collect();
    posts.make(inserts).await;
    are_found(&posts, &mut random).await;

    let mut changes = Vec::new();
    for post in posts.model.posts() {
        let number = random.random_range(0..POSTS);
        changes.push(match random.random_range(0..5) {
            0 => Step::Delete(post),
            1 => Step::Change(retagged(&post, &["rust", "new"])),
            2 => {
                let visibility = some_visibility(&mut random);
                Step::Change(with_visibility(&post, visibility, moment(50)))
            }
            3 => {
                let mut rewritten = revised(&post);
                rewritten.body = some_body(number, &mut random);
                Step::Change(rewritten)
            }
            _ => continue,
        });
    }
    posts.make(changes).await;
    are_found(&posts, &mut random).await;
}

/// Asserts that random queries find what they should.
async fn are_found(posts: &Posts, random: &mut StdRng) {
    for _ in 0..QUERIES {
        let list = match random.random_range(0..4) {
            0 | 1 => List::Public,
            2 => List::PublicOf(owner("ann")),
            _ => List::AllOf(owner("ann")),
        };
        let tag = random
            .random_bool(0.3)
            .then(|| tag(some(&["rust", "new"], random)));
        let size = [3, 17, 50][random.random_range(0..3)];
        let list = request(1, size, tag.as_ref()).with_list(list);
        let query = query(&some_query(random));
        let mut some_time = || {
            let is_bounded = random.random_bool(0.2);
            is_bounded.then(|| moment(random.random_range(0..100)))
        };
        let search = Search {
            from: some_time(),
            before: some_time(),
            ..Search::new(&query)
        };
        posts.are_found(&list, &query, search).await;
    }
}

fn some<'a>(texts: &[&'a str], random: &mut StdRng) -> &'a str {
    texts[random.random_range(0..texts.len())]
}

fn some_text(random: &mut StdRng) -> &'static str {
    let texts: Vec<_> = TEXTS.split_whitespace().collect();
    some(&texts, random)
}

/// A few of the texts, a word that no other post has, and one that a third of the posts have.
fn some_body(number: u32, random: &mut StdRng) -> String {
    let mut body = format!("only{number}");
    if random.random_range(0..3) == 0 {
        body.push_str(" third");
    }
    for _ in 0..random.random_range(0..12) {
        body.push(' ');
        body.push_str(some_text(random));
    }
    body
}

/// A few of the texts, whole or their beginnings.
fn some_query(random: &mut StdRng) -> String {
    let mut query = String::new();
    for _ in 0..random.random_range(1..4) {
        let text = match random.random_range(0..8) {
            0 => format!("only{}", random.random_range(0..POSTS)),
            1 => "third".to_owned(),
            _ => some_text(random).to_owned(),
        };
        let letters = random.random_range(1..=2 * text.chars().count());
        query.extend(text.chars().take(letters));
        query.push(' ');
    }
    query
}
