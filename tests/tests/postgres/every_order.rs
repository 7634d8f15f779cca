//! Every order of the steps of writers and counters. After each step, reads see exactly what is
//! committed, and in the end the counts are right.
//!
//! A writer is a store whose one statement waits before it commits, until the test lets it go on. A
//! counter is a connection on which the test runs `count.sql`, one statement after the other. A read is
//! one statement and locks nothing, so it is enough to read after each step.

use std::collections::HashMap;

use handbill::store::{Outcome, TagCount};
use handbill::{MemoryStore, PageRequest, PostList, Revision, Store, Tag};
use handbill_sql::PostgresStore;
use handbill_tests::calls::Calls;
use handbill_tests::postgres::Postgres;
use handbill_tests::postgres::posts::{post, retagged};
use sqlx::{AssertSqlSafe, Executor, PgConnection, Row};
use tokio::task::{JoinHandle, yield_now};

use super::counting::{counts_are_right, number};
use super::{connect, open};

const COUNT: &str = include_str!("../../../integrations/sql/src/postgres/count.sql");
/// The lengths of blocks in `count.sql`, and those used here, so that a list of few posts has blocks.
const BLOCK_LENGTHS: [(&str, &str); 2] = [("1024", "8"), ("512", "4")];
const MAX_BLOCK: i64 = 8;
/// The posts that there are at first, all counted.
const POSTS: u64 = 13;

/// The changes of a writer wait before the commit for a lock that the test holds. The counters of the
/// writers' stores do nothing, as if other instances were always counting.
const PREPARE: &str = "
CREATE FUNCTION wait_before_commit() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF CURRENT_SETTING('application_name') LIKE 'writer %' THEN
    PERFORM PG_ADVISORY_XACT_LOCK(SUBSTR(CURRENT_SETTING('application_name'), 8)::BIGINT);
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER wait_before_commit AFTER INSERT ON handbill_list_changes
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_before_commit();
CREATE FUNCTION do_not_count() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF CURRENT_SETTING('application_name') LIKE 'writer %' THEN
    RAISE EXCEPTION USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER do_not_count BEFORE UPDATE ON handbill_meta
FOR EACH STATEMENT EXECUTE FUNCTION do_not_count()";
const SAVE: &str = "
CREATE TABLE saved_posts AS TABLE handbill_posts;
CREATE TABLE saved_words AS TABLE handbill_indexed;
CREATE TABLE saved_entries AS TABLE handbill_list_entries;
CREATE TABLE saved_totals AS TABLE handbill_list_totals;
CREATE TABLE saved_blocks AS TABLE handbill_list_blocks";
const RESTORE: &str = "
DELETE FROM handbill_posts;
DELETE FROM handbill_indexed;
DELETE FROM handbill_list_entries;
DELETE FROM handbill_list_totals;
DELETE FROM handbill_list_blocks;
INSERT INTO handbill_posts TABLE saved_posts;
INSERT INTO handbill_indexed TABLE saved_words;
INSERT INTO handbill_list_entries TABLE saved_entries;
INSERT INTO handbill_list_totals TABLE saved_totals;
INSERT INTO handbill_list_blocks TABLE saved_blocks;
SELECT PG_ADVISORY_UNLOCK_ALL()";
/// The lock of a row or of a writer that this connection waits for.
const AWAITED_LOCK: &str = "
SELECT locktype FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE application_name = $1 AND datname = CURRENT_DATABASE() AND NOT granted
  AND locktype IN ('advisory', 'transactionid', 'tuple')";

/// What a writer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Change {
    /// One new post in the middle of the list and one at its end, in one batch.
    CreateTwo,
    Retag,
    Delete,
}

impl Change {
    async fn make(self, store: &dyn Store) -> bool {
        let (old, revision) = (post(6, 60, &["some"]), Revision::from_number(1));
        let write = match self {
            Self::CreateTwo => {
                let middle = store.insert_post(post(50, 45, &["some"]));
                let end = store.insert_post(post(51, 500, &["other"]));
                let (middle, end) = tokio::join!(middle, end);
                assert_eq!(middle.expect("a write"), Outcome::Applied);
                end
            }
            Self::Retag => {
                store
                    .update_post(revision, retagged(&old, &["other"]))
                    .await
            }
            Self::Delete => store.delete_post(old.summary.id, revision).await,
        };
        write.expect("a write") == Outcome::Applied
    }
}

async fn insert_first_posts(store: &dyn Store) {
    for number in 0..POSTS {
        let micros = 10 * number.cast_signed();
        let inserted = store.insert_post(post(number, micros, &["some"])).await;
        assert_eq!(inserted.expect("a write"), Outcome::Applied);
    }
}

/// What a reader sees: pages that are found from blocks or from the end, with their totals.
async fn read(store: &dyn Store) -> (Vec<PostList>, Vec<TagCount>) {
    let page = |number, tag: Option<&str>| {
        let page = PageRequest::new(number, 3).expect("a page in bounds");
        store.list_posts(page.with_tag(tag.map(Tag::from_stored)))
    };
    let (middle, old, tagged, tags) = tokio::join!(
        page(3, None),
        page(4, None),
        page(3, Some("some")),
        store.list_tags(10),
    );
    let pages = [middle, old, tagged].map(|page| page.expect("a page"));
    (pages.into(), tags.expect("tags"))
}

/// The statements of a counter, of which the first takes the snapshot.
fn count_statements() -> Vec<String> {
    let lines = COUNT.lines().filter(|line| !line.starts_with("--"));
    let mut text: String = lines.flat_map(|line| [line, "\n"]).collect();
    for (length, shorter) in BLOCK_LENGTHS {
        assert!(text.contains(length), "blocks have another length");
        text = text.replace(length, shorter);
    }
    let statements = text.split_inclusive(';').map(str::trim);
    let mut statements = statements.filter(|statement| !statement.is_empty());
    let begin = statements.next().expect("a first statement");
    assert!(begin.starts_with("BEGIN"));
    let first = statements.next().expect("a second statement");
    [format!("{begin} {first}")]
        .into_iter()
        .chain(statements.map(str::to_owned))
        .collect()
}

/// Fewer steps for the same statements: those in the middle are one step.
fn fewer(statements: &[String]) -> Vec<String> {
    let [first, middle @ .., last, commit] = statements else {
        panic!("there are four statements at least");
    };
    vec![first.clone(), middle.concat(), last.clone(), commit.clone()]
}

/// A writer or a counter.
struct Actor {
    /// The `application_name` of its connection.
    name: String,
    role: Role,
    state: State,
    running: Option<JoinHandle<Done>>,
}

enum Role {
    Writer(Change, Box<PostgresStore>),
    Counter {
        connection: Option<PgConnection>,
        left: Vec<String>,
    },
}

impl Actor {
    fn into_counter(self) -> Option<PgConnection> {
        match self.role {
            Role::Counter { connection, .. } => connection,
            Role::Writer(..) => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    /// It can make its next step.
    Ready,
    /// It waits for a lock of another one.
    Waiting,
    Ended,
}

enum Done {
    Written(bool),
    Counted(PgConnection, sqlx::Result<()>),
}

struct World {
    /// Holds the locks that writers wait for.
    connection: PgConnection,
    statements: Vec<String>,
    writers: Vec<(Change, PostgresStore)>,
    /// The connections of counters that do not run.
    counters: Vec<PgConnection>,
    /// What readers see after these changes.
    expected: HashMap<Vec<Change>, (Vec<PostList>, Vec<TagCount>)>,
}

impl World {
    async fn new(
        address: &str,
        changes: &[Change],
        counters: usize,
        statements: Vec<String>,
    ) -> Self {
        let mut writers = Vec::new();
        for (number, change) in changes.iter().enumerate() {
            let name = format!("{address}?application_name=writer%20{number}");
            writers.push((*change, open(&name).await));
        }
        let mut connection = connect(address).await;
        connection.execute(PREPARE).await.expect("triggers");
        insert_first_posts(&writers[0].1).await;
        let mut connections = Vec::new();
        for number in 0..counters {
            let name = format!("{address}?application_name=counter%20{number}");
            connections.push(connect(&name).await);
        }
        let mut world = Self {
            connection,
            statements,
            writers,
            counters: connections,
            expected: HashMap::new(),
        };
        world.count().await;
        world.connection.execute(SAVE).await.expect("a copy");
        world
    }

    /// One undisturbed run of a counter.
    async fn count(&mut self) {
        let statements = sqlx::raw_sql(AssertSqlSafe(self.statements.concat()));
        let counted = statements.execute(&mut self.connection).await;
        counted.expect("nothing is in the way");
        let changes = "SELECT COUNT(*) FROM handbill_list_changes";
        assert_eq!(
            number(&mut self.connection, changes).await,
            0,
            "not counted"
        );
        counts_are_right(&mut self.connection, MAX_BLOCK).await;
    }

    /// Runs all in one order. `choices` has the beginning of the order; the rest is added, with the
    /// number of actors that were ready each time.
    async fn run(&mut self, choices: &mut Vec<(usize, usize)>) {
        self.connection.execute(RESTORE).await.expect("the posts");
        for number in 0..self.writers.len() {
            self.advisory_lock("SELECT PG_ADVISORY_LOCK($1)", number)
                .await;
        }
        let mut actors = self.actors();
        let mut committed = Vec::new();
        let mut steps = 0;
        loop {
            self.readers_see_exactly(&committed).await;
            let ready = ready(&actors);
            if ready.is_empty() {
                break;
            }
            if steps == choices.len() {
                choices.push((0, ready.len()));
            }
            assert_eq!(choices[steps].1, ready.len(), "another order than before");
            let chosen = ready[choices[steps].0];
            steps += 1;
            self.step(&mut actors[chosen], chosen).await;
            self.settle(&mut actors[chosen], &mut committed).await;
            // Others may have waited for it, and still others for those.
            loop {
                let mut went_on = false;
                for actor in &mut actors {
                    if actor.state == State::Waiting {
                        self.settle(actor, &mut committed).await;
                        went_on |= actor.state != State::Waiting;
                    }
                }
                if !went_on {
                    break;
                }
            }
        }
        let ended = actors.iter().all(|actor| actor.state == State::Ended);
        assert!(ended, "they wait for each other");
        self.counters = actors.into_iter().filter_map(Actor::into_counter).collect();
        self.count().await;
        self.readers_see_exactly(&committed).await;
    }

    fn actors(&mut self) -> Vec<Actor> {
        let writers = self.writers.iter().cloned();
        let writers = writers.map(|(change, store)| Role::Writer(change, store.into()));
        let counters = self.counters.drain(..).map(|connection| Role::Counter {
            connection: Some(connection),
            left: self.statements.iter().rev().cloned().collect(),
        });
        let named = |(kind, role): (&str, (usize, Role))| Actor {
            name: format!("{kind} {}", role.0),
            role: role.1,
            state: State::New,
            running: None,
        };
        let writers = writers.enumerate().map(|role| ("writer", role));
        let counters = counters.enumerate().map(|role| ("counter", role));
        writers.chain(counters).map(named).collect()
    }

    async fn advisory_lock(&mut self, statement: &'static str, number: usize) {
        let locked = sqlx::query(statement)
            .bind(i64::try_from(number).expect("a small number"))
            .execute(&mut self.connection);
        locked.await.expect("a lock");
    }

    /// Begins the next step.
    async fn step(&mut self, actor: &mut Actor, number: usize) {
        match &mut actor.role {
            Role::Writer(change, store) if actor.running.is_none() => {
                let (change, store) = (*change, store.clone());
                let made = async move { Done::Written(change.make(&store).await) };
                actor.running = Some(tokio::spawn(made));
            }
            // It waits before its commit.
            Role::Writer(..) => {
                self.advisory_lock("SELECT PG_ADVISORY_UNLOCK($1)", number)
                    .await;
            }
            Role::Counter { connection, left } => {
                let mut connection = connection.take().expect("its statement has ended");
                let statement = left.pop().expect("it has not ended");
                actor.running = Some(tokio::spawn(async move {
                    let statement = sqlx::raw_sql(AssertSqlSafe(statement));
                    let done = statement.execute(&mut connection).await;
                    Done::Counted(connection, done.map(drop))
                }));
            }
        }
    }

    /// Returns when the step has ended, or waits for a lock.
    async fn settle(&mut self, actor: &mut Actor, committed: &mut Vec<Change>) {
        while !actor.running.as_ref().is_some_and(JoinHandle::is_finished) {
            let lock = sqlx::query(AWAITED_LOCK).bind(&actor.name);
            let lock = lock.fetch_optional(&mut self.connection).await;
            if let Some(lock) = lock.expect("the locks") {
                actor.state = match lock.get("locktype") {
                    "advisory" => State::Ready,
                    _ => State::Waiting,
                };
                return;
            }
            yield_now().await;
        }
        let done = actor.running.take().expect("a step");
        actor.state = match (done.await.expect("a step"), &mut actor.role) {
            (Done::Written(applied), Role::Writer(change, _)) => {
                let made = [committed.as_slice(), &[*change]].concat();
                assert_eq!(applied, self.expect(&made).await, "a wrong outcome");
                if applied {
                    *committed = made;
                }
                State::Ended
            }
            (Done::Counted(mut with, done), Role::Counter { connection, left }) => {
                // As in `counter.rs`: another counter was faster.
                if let Err(error) = done {
                    let code = error.as_database_error().and_then(|error| error.code());
                    assert_eq!(code.as_deref(), Some("40001"), "{error}");
                    with.execute("ROLLBACK").await.expect("a rollback");
                    left.clear();
                }
                *connection = Some(with);
                match left.is_empty() {
                    true => State::Ended,
                    false => State::Ready,
                }
            }
            _ => unreachable!("each does its own work"),
        };
    }

    /// Finds out what readers see after these changes. Returns whether the last of them is applied.
    async fn expect(&mut self, changes: &[Change]) -> bool {
        let model = MemoryStore::new();
        insert_first_posts(&model).await;
        let mut applied = true;
        for change in changes {
            applied = change.make(&model).await;
        }
        self.expected.insert(changes.to_vec(), read(&model).await);
        applied
    }

    async fn readers_see_exactly(&mut self, committed: &[Change]) {
        if !self.expected.contains_key(committed) {
            self.expect(committed).await;
        }
        let found = read(&self.writers[0].1).await;
        assert_eq!(found, self.expected[committed], "after {committed:?}");
    }
}

/// Those that can make a step. Counters are all the same, so they begin in their order.
fn ready(actors: &[Actor]) -> Vec<usize> {
    let is_new_counter =
        |actor: &Actor| actor.state == State::New && matches!(actor.role, Role::Counter { .. });
    let next_counter = actors.iter().position(is_new_counter);
    let ready = actors
        .iter()
        .enumerate()
        .filter(|(number, actor)| match actor.state {
            State::New => !is_new_counter(actor) || Some(*number) == next_counter,
            State::Ready => true,
            State::Waiting | State::Ended => false,
        });
    ready.map(|(number, _)| number).collect()
}

/// Runs these writers and counters in every order.
async fn check_every_order(changes: &[Change], counters: usize, statements: Vec<String>) {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let mut world = World::new(&address, changes, counters, statements).await;
    let mut choices = Vec::new();
    loop {
        world.run(&mut choices).await;
        // The next order differs in the last choice that has another alternative.
        while choices
            .pop_if(|(chosen, ready)| *chosen + 1 == *ready)
            .is_some()
        {}
        match choices.last_mut() {
            Some((chosen, _)) => *chosen += 1,
            None => return,
        }
    }
}

#[tokio::test]
async fn in_every_order_of_a_writer_and_the_statements_of_a_counter_lists_are_right() {
    for change in [Change::CreateTwo, Change::Retag, Change::Delete] {
        check_every_order(&[change], 1, count_statements()).await;
    }
}

#[tokio::test]
async fn in_every_order_of_a_writer_and_two_counters_lists_are_right() {
    for change in [Change::CreateTwo, Change::Delete] {
        check_every_order(&[change], 2, fewer(&count_statements())).await;
    }
}

#[tokio::test]
async fn in_every_order_of_two_writers_and_a_counter_lists_are_right() {
    for changes in [
        [Change::CreateTwo, Change::Delete],
        [Change::Retag, Change::Delete],
    ] {
        check_every_order(&changes, 1, fewer(&count_statements())).await;
    }
}
