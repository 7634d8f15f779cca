//! The index for searches: a row for each word of a post.

use std::collections::HashSet;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{
    Entry, ListedPost, MAX_HITS, PageRequest, PageStart, Post, PostId, PostList, Revision, Search,
    SearchIndex, StoreError, Term, Words,
};
use redb::{
    ReadTransaction, ReadableTableMetadata, Table, TableDefinition, TableError, WriteTransaction,
};
use serde::{Deserialize, Serialize};

use crate::lease::Lease;
use crate::store::RedbStore;
use crate::tables::{Cause, Json, LISTS, POSTS, Text, read};

/// Live posts by word: the word and the identifier.
const WORDS: TableDefinition<'static, (Text, Text), ()> = TableDefinition::new("words");
/// The words of live posts, by identifier.
const INDEXED: TableDefinition<'static, Text, Json> = TableDefinition::new("indexed");
/// The version of the words that all posts have, and the lease of indexing.
const INDEXING: TableDefinition<'static, Text, Json> = TableDefinition::new("indexing");

#[derive(Deserialize, Serialize)]
struct Indexed {
    version: u32,
    words: Vec<String>,
}

/// The tables of the index, opened for writing.
pub(crate) struct IndexTables<'txn> {
    words: Table<'txn, (Text, Text), ()>,
    indexed: Table<'txn, Text, Json>,
    indexing: Table<'txn, Text, Json>,
}

impl<'txn> IndexTables<'txn> {
    fn open(transaction: &'txn WriteTransaction) -> Result<Self, TableError> {
        Ok(Self {
            words: transaction.open_table(WORDS)?,
            indexed: transaction.open_table(INDEXED)?,
            indexing: transaction.open_table(INDEXING)?,
        })
    }

    /// Opens the tables, and creates missing ones. A file without posts is indexed.
    pub(crate) fn create(transaction: &'txn WriteTransaction) -> Result<(), Cause> {
        let is_new = transaction.open_table(POSTS)?.is_empty()?;
        let mut tables = Self::open(transaction)?;
        if is_new {
            tables.set_indexed(Words::VERSION)?;
        }
        Ok(())
    }

    /// Stores the words of a post, instead of those that it had.
    pub(crate) fn set(
        transaction: &'txn WriteTransaction,
        id: PostId,
        words: Option<&Words>,
    ) -> Result<(), Cause> {
        let (mut tables, id) = (Self::open(transaction)?, id.as_str());
        if let Some(old) = read::<Indexed>(&tables.indexed, id)? {
            for word in &old.words {
                tables.words.remove((word.as_str(), id))?;
            }
            tables.indexed.remove(id)?;
        }
        if let Some(words) = words {
            for word in words.iter() {
                tables.words.insert((word, id), ())?;
            }
            let json = serde_json::to_vec(&Indexed {
                version: words.version(),
                words: words.iter().map(str::to_owned).collect(),
            })?;
            tables.indexed.insert(id, &*json)?;
        }
        Ok(())
    }

    fn set_indexed(&mut self, version: u32) -> Result<(), Cause> {
        let json = serde_json::to_vec(&version)?;
        self.indexing.insert("version", &*json)?;
        Ok(())
    }

    fn lease(&mut self, instance: &str, time: Duration) -> Result<bool, Cause> {
        let lease = read::<Lease>(&self.indexing, "lease")?.unwrap_or_default();
        let Some(lease) = lease.taken(instance, time)? else {
            return Ok(false);
        };
        let json = serde_json::to_vec(&lease)?;
        self.indexing.insert("lease", &*json)?;
        Ok(true)
    }
}

/// One page of the posts that a search finds in a list.
pub(crate) fn find(
    tx: &ReadTransaction,
    page: &PageRequest,
    list: &str,
    search: &Search,
) -> Result<PostList, Cause> {
    let hits = hits(tx, list, search)?;
    let place = |post: &Arc<Post>| page.place_of(&post.summary);
    let at = match page.start {
        PageStart::Skip(posts) => usize::try_from(posts)?.min(hits.len()),
        PageStart::After(after) => hits.partition_point(|post| place(post) >= after),
        PageStart::Before(before) => hits.partition_point(|post| place(post) > before),
    };
    let (newer, older) = hits.split_at(at);
    let size = page.per_page.get() as usize;
    let posts = match page.start {
        PageStart::Before(_) => &newer[at.saturating_sub(size)..],
        _ => &older[..size.min(older.len())],
    };
    let posts = posts.iter().map(|post| {
        let body = page.bodies.then(|| post.body.clone());
        ListedPost::new(post.summary.clone()).with_body(body)
    });
    let version = read::<u32>(&tx.open_table(INDEXING)?, "version")?;
    let is_incomplete = version != Some(Words::VERSION);
    Ok(PostList::new(posts.collect(), hits.len() as u64).with_incomplete(is_incomplete))
}

/// The latest posts that a search finds in a list. Walks over the list until it has enough of them.
fn hits(tx: &ReadTransaction, list: &str, search: &Search) -> Result<Vec<Arc<Post>>, Cause> {
    let found = search.terms.iter().map(|term| with_term(tx, term));
    let found: Vec<_> = found.collect::<Result<_, _>>()?;
    let (mut hits, posts) = (Vec::new(), tx.open_table(POSTS)?);
    if found.iter().any(HashSet::is_empty) || found.is_empty() {
        return Ok(hits);
    }
    let lists = tx.open_table(LISTS)?;
    for row in lists.range((list, 0, "")..(list, i64::MAX, ""))?.rev() {
        let (position, _) = row?;
        let (_, _, id) = position.value();
        if found.iter().all(|ids| ids.contains(id))
            && let Some(Entry::Live(post)) = read(&posts, id)?
            && search.includes(post.summary.published_at)
        {
            hits.push(post);
        }
        if hits.len() == MAX_HITS as usize {
            break;
        }
    }
    Ok(hits)
}

/// The identifiers of the posts with a term: those of the words from the term on, as long as it finds them.
fn with_term(tx: &ReadTransaction, term: &Term) -> Result<HashSet<String>, Cause> {
    let mut ids = HashSet::new();
    for row in tx.open_table(WORDS)?.range((term.text.as_str(), "")..)? {
        let (row, _) = row?;
        let (word, id) = row.value();
        if !term.finds(word) {
            break;
        }
        ids.insert(id.to_owned());
    }
    Ok(ids)
}

/// The live posts after this one that have no words of this version. The words of a live post are of its own revision.
fn unindexed(
    tx: &ReadTransaction,
    version: u32,
    after: Option<PostId>,
    limit: u32,
) -> Result<Vec<PostId>, Cause> {
    let after = after.as_ref().map(PostId::as_str);
    let (posts, indexed) = (tx.open_table(POSTS)?, tx.open_table(INDEXED)?);
    let mut found = Vec::new();
    for row in posts.range::<&str>((after.map_or(Unbounded, Excluded), Unbounded))? {
        if found.len() == limit as usize {
            break;
        }
        let (id, entry) = row?;
        let indexed = read::<Indexed>(&indexed, id.value())?;
        if indexed.is_none_or(|indexed| indexed.version != version)
            && let Entry::Live(post) = serde_json::from_slice(entry.value())?
        {
            found.push(post.summary.id);
        }
    }
    Ok(found)
}

#[async_trait]
impl SearchIndex for RedbStore {
    async fn lease_indexing(&self, instance: &str, time: Duration) -> Result<bool, StoreError> {
        let instance = instance.to_owned();
        self.transaction("lease the indexing", move |tx| {
            IndexTables::open(tx)?.lease(&instance, time)
        })
        .await
    }

    async fn unindexed_posts(
        &self,
        version: u32,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<PostId>, StoreError> {
        self.read("find posts without words", move |tx| {
            unindexed(tx, version, after, limit)
        })
        .await
    }

    async fn index_posts(&self, posts: Vec<(PostId, Revision, Words)>) -> Result<(), StoreError> {
        self.transaction("index posts", move |tx| {
            let entries = tx.open_table(POSTS)?;
            for (id, revision, words) in posts {
                if let Some(Entry::Live(post)) = read(&entries, id.as_str())?
                    && post.summary.revision == revision
                {
                    IndexTables::set(tx, id, Some(&words))?;
                }
            }
            Ok(())
        })
        .await
    }

    async fn set_indexed(&self, version: u32) -> Result<(), StoreError> {
        self.transaction("note what is indexed", move |tx| {
            IndexTables::open(tx)?.set_indexed(version)
        })
        .await
    }
}
