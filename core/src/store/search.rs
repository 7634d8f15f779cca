//! The index of a store for searches: posts by their words.

use std::time::Duration;

use async_trait::async_trait;
use auto_impl::auto_impl;

use super::{PostId, Revision, StoreError, Words};

/// Finds posts by their words.
///
/// A store that returns itself from [`Store::search_index`](super::Store::search_index) answers searches
/// ([`PageRequest::search`](super::PageRequest::search)). The words of posts come with the writes that insert and
/// update them ([`Write::words`](super::Write::words)), and are stored in the same transactions. A write of a post
/// without words, and its deletion, remove those that the post had. The rule that makes words of texts is the
/// service's: a store compares bytes. Its engine must neither change words nor take them apart.
///
/// # Contract
///
/// 1. **A search finds the posts that have all of its terms**, and no others: those with exactly the word, or, if the
///    term is a prefix, with a word that begins with it ([`Term::finds`](super::Term::finds)). It finds no post without
///    words, no deleted one, and none by words that came with another revision than the post has now. Whatever the
///    version of its words, a post is found.
/// 2. **A list with a search has the latest posts** of the list that are found, with its tag and in the period of the
///    search ([`Search::includes`](super::Search::includes)), in its order, at most [`MAX_HITS`]. Pages and total are
///    those of this list.
/// 3. **A list with a search is marked as incomplete** until [`set_indexed`](Self::set_indexed) names
///    [`Words::VERSION`]. A new store without posts is complete.
/// 4. **Posts without words are found by a walk.** [`unindexed_posts`](Self::unindexed_posts) returns those that were
///    stored before the store had an index, that came without words, or whose words are of another version or revision.
///    Words of which there are none, as of a post without letters, are words, too.
/// 5. **Indexing is leased to one instance at a time**, by the store's own clock, which is that of all its processes.
///
/// `store_checks!` of the crate `handbill-testing` checks a store's index, too.
#[async_trait]
#[auto_impl(Arc, Box)]
pub trait SearchIndex: Send + Sync {
    /// Leases indexing to an instance for so long. Returns false, and changes nothing, if it is leased to another one.
    /// A time of zero ends a lease. A lease that ends more than [`MAX_LEASE`](super::MAX_LEASE) ahead is expired: the
    /// clock was set back.
    async fn lease_indexing(&self, instance: &str, time: Duration) -> Result<bool, StoreError>;

    /// The live posts whose identifiers come after this one, or the first ones, and that have no words of this version
    /// and of their own revision. They are in the order of identifiers, at most `limit` of them, and fewer only at the
    /// end.
    async fn unindexed_posts(
        &self,
        version: u32,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<PostId>, StoreError>;

    /// Stores the words of posts, instead of those that they had. Ignores posts that are not live in this revision.
    async fn index_posts(&self, posts: Vec<(PostId, Revision, Words)>) -> Result<(), StoreError>;

    /// Notes that all posts have words of this version.
    async fn set_indexed(&self, version: u32) -> Result<(), StoreError>;
}

/// The most posts that a search finds.
pub const MAX_HITS: u32 = 1000;
