//! The lists that a post is in, also those of its words.

use std::collections::BTreeSet;
use std::iter;

use handbill::store::{Post, PostId, Tag, Timestamp, Words};
use sqlx::mysql::MySqlRow;
use sqlx::{AssertSqlSafe, MySqlConnection};

use super::statement::execute;
use crate::list_name::list_name;
use crate::row::{self, Row as _, required};

/// After so many bytes, the next entries go into another statement. Servers take statements of a megabyte at least.
const MAX_BYTES: usize = 128 * 1024;

const DELETE: &str = "DELETE FROM handbill_list_entries WHERE ";
const INSERT: &str = "INSERT INTO handbill_list_entries (list, time, post) VALUES ";
const COUNT: &str = "INSERT INTO handbill_list_changes (list, time, post, entries) VALUES ";

#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    list: Vec<u8>,
    time: i64,
    post: PostId,
}

impl Entry {
    /// Whether the entries of its list are counted.
    fn is_counted(&self) -> bool {
        !self.list.starts_with(WORD.as_bytes())
    }

    /// The name of its list, in hexadecimal digits.
    fn list(&self) -> String {
        format!("x'{}'", hex::encode(&self.list))
    }

    fn values(&self) -> String {
        format!("{},{},'{}'", self.list(), self.time, self.post)
    }
}

const WORD: &str = "word:";

/// The list of the posts with a word.
pub(super) fn list_of_word(word: &str) -> Vec<u8> {
    [WORD, word].concat().into_bytes()
}

/// Words as the column has them: with a space around each.
pub(super) fn text_of(words: &Words) -> String {
    let words = words.iter().map(|word| format!("{word} "));
    format!(" {}", words.collect::<String>())
}

/// Those of a post with these words.
pub(super) fn of_post(post: &Post, words: Option<&Words>) -> BTreeSet<Entry> {
    let summary = &post.summary;
    let listed_at = summary.listed_at().map(Timestamp::as_micros);
    let date = summary.published_at.unwrap_or(summary.created_at);
    let words = words.into_iter().flat_map(Words::iter);
    let (id, date) = (summary.id, date.as_micros());
    entries(id, listed_at, date, &summary.tags, words)
}

/// The columns by which [`of_row`] knows the lists of a stored post.
pub(super) const COLUMNS: &str =
    "id, listed_at, COALESCE(published_at, created_at) AS date, tags, words";

/// Those of a stored post, or those that it has with other words.
pub(super) fn of_row(row: &MySqlRow, words: Option<&Words>) -> sqlx::Result<BTreeSet<Entry>> {
    let (id, listed_at) = (row::id(row)?, row.integer("listed_at")?);
    let (date, tags) = (required(row, "date", row::Row::integer)?, row::tags(row)?);
    let stored = row.text("words")?.unwrap_or_default();
    let words: Vec<_> = match words {
        Some(words) => words.iter().collect(),
        None => stored.split_ascii_whitespace().collect(),
    };
    Ok(entries(id, listed_at, date, &tags, words.into_iter()))
}

fn entries<'w>(
    post: PostId,
    listed_at: Option<i64>,
    date: i64,
    tags: &[Tag],
    words: impl Iterator<Item = &'w str>,
) -> BTreeSet<Entry> {
    let lists_of_words = words.map(|word| (list_of_word(word), date));
    let entry = |(list, time)| Entry { list, time, post };
    let mut entries: BTreeSet<_> = lists_of_words.map(entry).collect();
    if let Some(time) = listed_at {
        for tag in iter::once(None).chain(tags.iter().map(Some)) {
            entries.insert(entry((list_name(tag).into_owned().into_bytes(), time)));
        }
    }
    entries
}

/// Makes of the entries that there were those that there are now.
pub(super) async fn change(
    connection: &mut MySqlConnection,
    before: &BTreeSet<Entry>,
    after: &BTreeSet<Entry>,
) -> sqlx::Result<()> {
    let (mut deleted, mut inserted, mut counted) = (Vec::new(), Vec::new(), Vec::new());
    for entry in before.difference(after) {
        let Entry { time, post, .. } = entry;
        let list = entry.list();
        deleted.push(format!(
            "(list = {list} AND time = {time} AND post = '{post}')"
        ));
        counted.extend(
            entry
                .is_counted()
                .then(|| format!("({},-1)", entry.values())),
        );
    }
    for entry in after.difference(before) {
        inserted.push(format!("({})", entry.values()));
        counted.extend(
            entry
                .is_counted()
                .then(|| format!("({},1)", entry.values())),
        );
    }
    run(connection, DELETE, deleted, " OR ").await?;
    run(connection, INSERT, inserted, ",").await?;
    run(connection, COUNT, counted, ",").await
}

/// Runs statements that begin like this, each for as many of the entries as fit. They have no parameters: the server
/// would prepare one for each number of entries. What is in them are digits and the letters of identifiers.
async fn run(
    connection: &mut MySqlConnection,
    start: &str,
    entries: Vec<String>,
    separator: &str,
) -> sqlx::Result<()> {
    let mut entries = entries.into_iter().peekable();
    while let Some(first) = entries.next() {
        let mut sql = format!("{start}{first}");
        while let Some(entry) = entries.next_if(|_| sql.len() < MAX_BYTES) {
            sql.push_str(separator);
            sql.push_str(&entry);
        }
        execute(connection, AssertSqlSafe(sql)).await?;
    }
    Ok(())
}
