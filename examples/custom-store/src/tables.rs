//! The tables of the file, and the changes that each write makes. Posts and keys are JSON, as in an
//! archive of Handbill. Each write checks before it changes anything, so a conflict changes nothing.

use std::error::Error;
use std::sync::Arc;

use handbill::store::{
    Authority, Entry, KeyId, KeyRecord, List, Outcome, Owner, Post, PostId, PostSummary, Revision,
    SecretHash, Tag, Timestamp, Tombstone, Write,
};
use redb::{ReadableTable, Table, TableDefinition, TableError, WriteTransaction};
use serde::de::DeserializeOwned;

/// The reason for a failed operation: an error of redb, or of JSON.
pub(crate) type Cause = Box<dyn Error + Send + Sync>;

type Definition<K, V> = TableDefinition<'static, K, V>;
pub(crate) type Text = &'static str;
pub(crate) type Json = &'static [u8];
type Hash = &'static [u8; 32];
/// The key of a list row: list, time, identifier. A reverse scan gives the order of the list.
type Position = (Text, i64, Text);

/// Posts and tombstones by identifier.
pub(crate) const POSTS: Definition<Text, Json> = Definition::new("posts");
/// Identifiers of posts and tombstones by the hash of their edit token.
pub(crate) const EDIT_TOKENS: Definition<Hash, Text> = Definition::new("edit_tokens");
/// The live posts of each list, by its [`list_name`].
pub(crate) const LISTS: Definition<Position, ()> = Definition::new("lists");
/// The number of posts in each list that has any.
pub(crate) const TOTALS: Definition<Text, u64> = Definition::new("totals");
/// Tombstones by owner: the owner and the identifier.
const TOMBSTONES: Definition<(Text, Text), ()> = Definition::new("tombstones");
/// The live posts that are due: the time and the identifier.
pub(crate) const DUE: Definition<(i64, Text), ()> = Definition::new("due");
/// API keys by identifier.
pub(crate) const KEYS: Definition<Text, Json> = Definition::new("keys");
/// Identifiers of keys by the hash of their secret.
pub(crate) const KEY_SECRETS: Definition<Hash, Text> = Definition::new("key_secrets");
/// When the bars of owners end, in microseconds, by the owners' hashes.
pub(crate) const BARS: Definition<Hash, i64> = Definition::new("bars");
/// The installation's secret: one row.
const INSTALLATION: Definition<(), Hash> = Definition::new("installation");

/// All tables, opened for writing.
pub(crate) struct Tables<'txn> {
    posts: Table<'txn, Text, Json>,
    edit_tokens: Table<'txn, Hash, Text>,
    lists: Table<'txn, Position, ()>,
    totals: Table<'txn, Text, u64>,
    tombstones: Table<'txn, (Text, Text), ()>,
    due: Table<'txn, (i64, Text), ()>,
    keys: Table<'txn, Text, Json>,
    key_secrets: Table<'txn, Hash, Text>,
    bars: Table<'txn, Hash, i64>,
    installation: Table<'txn, (), Hash>,
}

impl<'txn> Tables<'txn> {
    /// Opens the tables, and creates missing ones.
    pub(crate) fn open(transaction: &'txn WriteTransaction) -> Result<Self, TableError> {
        Ok(Self {
            posts: transaction.open_table(POSTS)?,
            edit_tokens: transaction.open_table(EDIT_TOKENS)?,
            lists: transaction.open_table(LISTS)?,
            totals: transaction.open_table(TOTALS)?,
            tombstones: transaction.open_table(TOMBSTONES)?,
            due: transaction.open_table(DUE)?,
            keys: transaction.open_table(KEYS)?,
            key_secrets: transaction.open_table(KEY_SECRETS)?,
            bars: transaction.open_table(BARS)?,
            installation: transaction.open_table(INSTALLATION)?,
        })
    }

    pub(crate) fn make(&mut self, write: Write) -> Result<Outcome, Cause> {
        if write.by().map(|by| self.is_barred(by)).transpose()? == Some(true) {
            return Ok(Outcome::Barred);
        }
        match write {
            Write::InsertPost { post, .. } => self.insert_post(post),
            Write::InsertTombstone(gone) => self.insert_tombstone(gone),
            Write::UpdatePost { expected, post, .. } => self.update_post(expected, post),
            Write::DeletePost { id, expected, .. } => self.delete_post(id, expected),
            Write::InsertKey { key, .. } => self.insert_key(&key),
            Write::TouchKey { id, at } => self.touch_key(id, at),
            Write::RevokeKey(id) => self.revoke_key(id),
            Write::ForgetOwner { owner, limit } => self.forget_owner(&owner, limit),
            Write::Bar { owner, until } => self.bar(owner, until),
            Write::Unbar { owner, at } => self.unbar(owner, at),
        }
    }

    fn is_barred(&self, by: Authority) -> Result<bool, Cause> {
        let until = self.bars.get(by.owner.as_bytes())?;
        Ok(until.is_some_and(|until| until.value() >= by.at.as_micros()))
    }

    fn bar(&mut self, owner: SecretHash, until: Timestamp) -> Result<Outcome, Cause> {
        let (owner, until) = (owner.as_bytes(), until.as_micros());
        let now = self.bars.get(owner)?.map(|now| now.value());
        if now >= Some(until) {
            return Ok(Outcome::Conflict);
        }
        self.bars.insert(owner, until)?;
        Ok(Outcome::Applied)
    }

    fn unbar(&mut self, owner: SecretHash, at: Timestamp) -> Result<Outcome, Cause> {
        let (owner, at) = (owner.as_bytes(), at.as_micros());
        let now = self.bars.get(owner)?.map(|now| now.value());
        if now <= Some(at) {
            return Ok(Outcome::NotFound);
        }
        self.bars.insert(owner, at)?;
        Ok(Outcome::Applied)
    }

    fn insert_post(&mut self, post: Arc<Post>) -> Result<Outcome, Cause> {
        if self.posts.get(post.summary.id.as_str())?.is_some() {
            return Ok(Outcome::Conflict);
        }
        self.put(post)?;
        Ok(Outcome::Applied)
    }

    fn update_post(&mut self, expected: Revision, post: Arc<Post>) -> Result<Outcome, Cause> {
        let Some(old) = self.live(post.summary.id, expected)? else {
            return Ok(Outcome::Conflict);
        };
        self.remove(&old)?;
        self.put(post)?;
        Ok(Outcome::Applied)
    }

    fn insert_tombstone(&mut self, gone: Tombstone) -> Result<Outcome, Cause> {
        if self.posts.get(gone.id.as_str())?.is_some() {
            return Ok(Outcome::Conflict);
        }
        self.put_tombstone(gone)?;
        Ok(Outcome::Applied)
    }

    /// The tombstone has the post's identifier and edit token, and is in no list.
    fn delete_post(&mut self, id: PostId, expected: Revision) -> Result<Outcome, Cause> {
        let Some(old) = self.live(id, expected)? else {
            return Ok(Outcome::Conflict);
        };
        self.remove(&old)?;
        self.put_tombstone(old.into_tombstone())?;
        Ok(Outcome::Applied)
    }

    fn insert_key(&mut self, key: &KeyRecord) -> Result<Outcome, Cause> {
        let id = key.id.as_str();
        if self.keys.get(id)?.is_some() {
            return Ok(Outcome::Conflict);
        }
        self.put_key(key)?;
        self.key_secrets.insert(key.secret.as_bytes(), id)?;
        Ok(Outcome::Applied)
    }

    fn touch_key(&mut self, id: KeyId, at: Timestamp) -> Result<Outcome, Cause> {
        let Some(key) = read::<KeyRecord>(&self.keys, id.as_str())? else {
            return Ok(Outcome::NotFound);
        };
        self.put_key(&key.with_last_used_at(Some(at)))?;
        Ok(Outcome::Applied)
    }

    fn revoke_key(&mut self, id: KeyId) -> Result<Outcome, Cause> {
        let Some(key) = read::<KeyRecord>(&self.keys, id.as_str())? else {
            return Ok(Outcome::NotFound);
        };
        self.keys.remove(id.as_str())?;
        self.key_secrets.remove(key.secret.as_bytes())?;
        Ok(Outcome::Applied)
    }

    fn forget_owner(&mut self, owner: &Owner, limit: u32) -> Result<Outcome, Cause> {
        let owner = owner.as_str();
        let mut named = Vec::new();
        for row in self.tombstones.range((owner, "")..)?.take(limit as usize) {
            let (row, _) = row?;
            let (named_owner, id) = row.value();
            if named_owner != owner {
                break;
            }
            named.push(id.to_owned());
        }
        for id in &named {
            self.tombstones.remove((owner, id.as_str()))?;
            if let Some(Entry::Gone(gone)) = read(&self.posts, id)? {
                self.put_tombstone(gone.with_owner(None))?;
            }
        }
        Ok(match named.is_empty() {
            true => Outcome::NotFound,
            false => Outcome::Applied,
        })
    }

    pub(crate) fn installation_secret(&mut self, candidate: [u8; 32]) -> Result<[u8; 32], Cause> {
        let stored = self.installation.get(())?.map(|secret| *secret.value());
        if stored.is_none() {
            self.installation.insert((), &candidate)?;
        }
        Ok(stored.unwrap_or(candidate))
    }

    /// The post with this identifier, if it is live and has this revision.
    fn live(&self, id: PostId, expected: Revision) -> Result<Option<Post>, Cause> {
        let Some(Entry::Live(post)) = read(&self.posts, id.as_str())? else {
            return Ok(None);
        };
        Ok((post.summary.revision == expected).then(|| Arc::unwrap_or_clone(post)))
    }

    fn put_key(&mut self, key: &KeyRecord) -> Result<(), Cause> {
        let json = serde_json::to_vec(key)?;
        self.keys.insert(key.id.as_str(), &*json)?;
        Ok(())
    }

    fn put_tombstone(&mut self, gone: Tombstone) -> Result<(), Cause> {
        if let Some(owner) = &gone.owner {
            let row = (owner.as_str(), gone.id.as_str());
            self.tombstones.insert(row, ())?;
        }
        let edit_token = gone.edit_token;
        self.put_entry(&Entry::Gone(gone), edit_token)
    }

    /// Writes a post or a tombstone with the row of its edit token.
    fn put_entry(&mut self, entry: &Entry, edit_token: SecretHash) -> Result<(), Cause> {
        let (id, json) = (entry.id(), serde_json::to_vec(entry)?);
        self.posts.insert(id.as_str(), &*json)?;
        self.edit_tokens
            .insert(edit_token.as_bytes(), id.as_str())?;
        Ok(())
    }

    /// Writes a post and adds it to its lists.
    fn put(&mut self, post: Arc<Post>) -> Result<(), Cause> {
        if let Some(due) = due(&post.summary) {
            self.due.insert(due, ())?;
        }
        for (list, time) in positions(&post.summary) {
            let list = list.as_str();
            self.lists
                .insert((list, time, post.summary.id.as_str()), ())?;
            let total = self.totals.get(list)?.map_or(0, |total| total.value());
            self.totals.insert(list, total + 1)?;
        }
        let edit_token = post.edit_token;
        self.put_entry(&Entry::Live(post), edit_token)
    }

    /// Reverts `put`, except for the post itself, which is overwritten.
    fn remove(&mut self, post: &Post) -> Result<(), Cause> {
        self.edit_tokens.remove(post.edit_token.as_bytes())?;
        if let Some(due) = due(&post.summary) {
            self.due.remove(due)?;
        }
        for (list, time) in positions(&post.summary) {
            let list = list.as_str();
            self.lists.remove((list, time, post.summary.id.as_str()))?;
            let total = self.totals.remove(list)?.map_or(0, |total| total.value());
            if total > 1 {
                self.totals.insert(list, total - 1)?;
            }
        }
        Ok(())
    }
}

/// The value of a row, if there is one.
pub(crate) fn read<T: DeserializeOwned>(
    table: &impl ReadableTable<Text, Json>,
    id: &str,
) -> Result<Option<T>, Cause> {
    let json = table.get(id)?;
    let value = json.map(|json| serde_json::from_slice(json.value()));
    Ok(value.transpose()?)
}

/// A list with a tag has the tag after a space. An owner has no spaces.
pub(crate) fn list_name(list: &List, tag: Option<&Tag>) -> String {
    let name = match list {
        List::Public => "public".to_owned(),
        List::PublicOf(owner) => format!("public of {owner}"),
        List::AllOf(owner) => format!("all of {owner}"),
    };
    match tag {
        None => name,
        Some(tag) => format!("{name} #{tag}"),
    }
}

/// The lists that a live post is in, each with the time that the post is sorted by.
fn positions(post: &PostSummary) -> Vec<(String, i64)> {
    let mut positions = Vec::new();
    for list in List::of(post) {
        let time = list.place_of(post).time.as_micros();
        let tags = [None].into_iter().chain(post.tags.iter().map(Some));
        positions.extend(tags.map(|tag| (list_name(&list, tag), time)));
    }
    positions
}

/// The row of a post that is due.
fn due(post: &PostSummary) -> Option<(i64, &str)> {
    Some((post.due_at()?.as_micros(), post.id.as_str()))
}
