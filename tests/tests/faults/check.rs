//! Compares the ledger with what an instance returns.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use handbill_tests::load::get;
use handbill_tests::wire::{Connection, TestResponse};
use serde_json::Value;
use tokio::time::sleep;

use super::client::{Client, compare, created};
use super::post::{State, TAGS, state_of};
use super::tally::Tally;

/// How long an instance may return the old version after another instance acknowledged a change:
/// the program's promise, and a little more.
const BEHIND: Duration = Duration::from_secs(2);
/// The time between two reads of a post that was changed on another instance.
const PAUSE: Duration = Duration::from_millis(50);

/// Checks that an instance returns everything that was acknowledged to its clients, exactly once.
pub(crate) async fn check(connection: &mut Connection, clients: &[Client], tally: &mut Tally) {
    let began = Instant::now();
    for client in clients {
        for known in &client.posts {
            let shows = |response: &TestResponse| {
                response.status == 200 && state_of(&response.json()) == Ok(known.state)
            };
            let response = settled(connection, &known.created.id, began, shows).await;
            compare(tally, known, &response);
        }
        for id in &client.gone {
            let is_gone = |response: &TestResponse| response.status == 410;
            let status = settled(connection, id, began, is_gone).await.status;
            if status != 410 {
                tally.lose(format!("post {id} was deleted, and is {status}"));
            }
        }
        repeat_creations(connection, client, tally).await;
    }
    check_lists(connection, clients, tally).await;
}

/// Reads a post until it is as expected, or until an older version would break the promise.
async fn settled(
    connection: &mut Connection,
    id: &str,
    began: Instant,
    is_expected: impl Fn(&TestResponse) -> bool,
) -> TestResponse {
    let request = get(&format!("/api/posts/{id}"));
    loop {
        let over = began.elapsed() > BEHIND;
        let response = send(connection, &request).await;
        if over || is_expected(&response) {
            return response;
        }
        sleep(PAUSE).await;
    }
}

async fn send(connection: &mut Connection, request: &[u8]) -> TestResponse {
    connection.send(request).await.expect("a response")
}

/// Checks that a creation with a key always gets the same response.
async fn repeat_creations(connection: &mut Connection, client: &Client, tally: &mut Tally) {
    for keyed in &client.keyed {
        let response = send(connection, &client.creation(keyed.state, true)).await;
        if response.status != 201 || created(&response.json()) != keyed.created {
            let (state, status) = (keyed.state, response.status);
            tally.double(format!("{state}, created again: {status}"));
        }
    }
}

/// Checks that the lists contain each live post exactly once, and nothing else.
async fn check_lists(connection: &mut Connection, clients: &[Client], tally: &mut Tally) {
    let (listed, total) = walk(connection, "").await;
    let posts = clients.iter().flat_map(|client| &client.posts);
    let mut known: HashMap<&str, State> =
        posts.map(|post| (&*post.created.id, post.state)).collect();
    let unknown = clients.iter().flat_map(|client| &client.unknown);
    let mut unknown: HashSet<State> = unknown.copied().collect();
    let mut states = Vec::new();
    for post in &listed {
        let id = post["id"].as_str().unwrap();
        match (state_of(post), known.remove(id)) {
            (Ok(shown), Some(state)) if shown != state => {
                tally.lose(format!("post {id} is listed as {shown}, not {state}"));
            }
            (Ok(shown), None) if !unknown.remove(&shown) => {
                tally.double(format!(
                    "{shown} is listed as {id}, which was never requested"
                ));
            }
            (Ok(shown), _) => states.push(shown),
            (Err(words), _) => tally.go_wrong(format!("post {id} in a list: {words}")),
        }
    }
    for id in known.keys() {
        tally.lose(format!("post {id} is in no list"));
    }
    if total != listed.len() {
        tally.go_wrong(format!("{total} in total, {} listed", listed.len()));
    }
    for number in 0..TAGS {
        let (listed, total) = walk(connection, &format!("&tag=tag+{number}")).await;
        let expected = states
            .iter()
            .filter(|&state| state % TAGS == number)
            .count();
        if (total, listed.len()) != (expected, expected) {
            let listed = listed.len();
            tally.go_wrong(format!(
                "tag {number}: {expected} posts, {total} in total, {listed} listed"
            ));
        }
    }
}

/// The posts of all pages, and the total.
async fn walk(connection: &mut Connection, query: &str) -> (Vec<Value>, usize) {
    let mut listed = Vec::new();
    for number in 1.. {
        let path = format!("/api/posts?page={number}&per_page=50&include=body{query}");
        let mut page = send(connection, &get(&path)).await.json();
        let Some(posts) = page["posts"]
            .as_array_mut()
            .filter(|posts| !posts.is_empty())
        else {
            let total = page["total"].as_u64().unwrap_or(u64::MAX);
            return (listed, total as usize);
        };
        listed.append(posts);
    }
    unreachable!("pages end")
}
