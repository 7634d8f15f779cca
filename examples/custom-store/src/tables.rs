//! The tables of the file. Keys are what is looked up by; values are records (`record.rs`), texts
//! and numbers.

use std::error::Error;

use redb::{Table, TableDefinition, TableError, WriteTransaction};

use crate::place::LENGTH;

/// Why something failed below the store: redb's errors and those of records, kept as they are.
pub(crate) type Cause = Box<dyn Error + Send + Sync>;

type Definition<K, V> = TableDefinition<'static, K, V>;
type Text = &'static str;
type Record = &'static [u8];
type Hash = &'static [u8; 32];
type PlaceBytes = &'static [u8; LENGTH];

/// A list, the level of a count, and the place that its block begins at: see `lists.rs`.
pub(crate) type ListKey = (Text, u8, PlaceBytes);

/// By identifier: posts without their bodies, and tombstones.
pub(crate) const POSTS: Definition<Text, Record> = Definition::new("posts");
/// By place in the list of all: the bodies of posts. They are apart, so that a list without bodies
/// reads none, and those of new posts, which are written together, are neighbours.
pub(crate) const BODIES: Definition<PlaceBytes, Text> = Definition::new("bodies");
/// By the hash of the edit token that a post has now, or had last: the identifier, where it is not
/// the one that the hash itself names.
pub(crate) const EDIT_TOKENS: Definition<Hash, Text> = Definition::new("edit_tokens");
/// What stands in which list, and the counts that find a page.
pub(crate) const LISTS: Definition<ListKey, u64> = Definition::new("lists");
/// By identifier: API keys.
pub(crate) const KEYS: Definition<Text, Record> = Definition::new("keys");
/// By the hash of a key's secret: the identifier.
pub(crate) const KEY_SECRETS: Definition<Hash, Text> = Definition::new("key_secrets");

/// All tables, open to write.
pub(crate) struct Tables<'txn> {
    pub(crate) posts: Table<'txn, Text, Record>,
    pub(crate) bodies: Table<'txn, PlaceBytes, Text>,
    pub(crate) edit_tokens: Table<'txn, Hash, Text>,
    pub(crate) lists: Table<'txn, ListKey, u64>,
    pub(crate) keys: Table<'txn, Text, Record>,
    pub(crate) key_secrets: Table<'txn, Hash, Text>,
}

impl<'txn> Tables<'txn> {
    /// Opens the tables, and makes those that are not there.
    pub(crate) fn open(transaction: &'txn WriteTransaction) -> Result<Self, TableError> {
        Ok(Self {
            posts: transaction.open_table(POSTS)?,
            bodies: transaction.open_table(BODIES)?,
            edit_tokens: transaction.open_table(EDIT_TOKENS)?,
            lists: transaction.open_table(LISTS)?,
            keys: transaction.open_table(KEYS)?,
            key_secrets: transaction.open_table(KEY_SECRETS)?,
        })
    }
}
