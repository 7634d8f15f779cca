//! Stores for tests that differ from another store in a few methods.

use std::ops::Deref;

use async_trait::async_trait;
use handbill::{
    Entry, Health, InstallationSecret, KeyId, KeyRecord, Owner, PageRequest, Post, PostId,
    PostList, Revision, SecretHash, Store, StoreError, TagCount, Timestamp, Tombstone, Write,
};

/// Makes a [`Store`] of a type and of the methods of [`Layer`], which the type may replace.
macro_rules! layer {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        /// A store that differs from the one below it in the methods that it implements.
        #[async_trait]
        pub trait Layer: Send + Sync + 'static {
            /// The store below.
            fn below(&self) -> &dyn Store;

            $(
                #[expect(missing_docs, reason = "as in `Store`")]
                async fn $name(&self $(, $argument: $type)*) -> Result<$output, StoreError> {
                    self.below().$name($($argument),*).await
                }
            )*
        }

        #[async_trait]
        impl<L: Layer> Store for Layered<L> {
            $(
                async fn $name(&self $(, $argument: $type)*) -> Result<$output, StoreError> {
                    self.0.$name($($argument),*).await
                }
            )*
        }
    };
}

/// The [`Store`] of a [`Layer`].
#[derive(Clone, Debug, Default)]
pub struct Layered<L>(pub L);

layer! {
    insert_post(post: Post) -> Write;
    insert_tombstone(tombstone: Tombstone) -> Write;
    update_post(expected: Revision, post: Post) -> Write;
    delete_post(id: PostId, expected: Revision) -> Write;
    get_post(id: PostId) -> Option<Entry>;
    get_current_post(id: PostId) -> Option<Entry>;
    find_post_by_edit_token(token: SecretHash) -> Option<Entry>;
    list_posts(page: PageRequest) -> PostList;
    list_tags(limit: u32) -> Vec<TagCount>;
    walk_entries(after: Option<PostId>, limit: u32) -> Vec<Entry>;
    insert_key(key: KeyRecord) -> Write;
    find_key(secret: SecretHash) -> Option<KeyRecord>;
    walk_keys(after: Option<KeyId>, limit: u32) -> Vec<KeyRecord>;
    touch_key(id: KeyId, at: Timestamp) -> ();
    revoke_key(id: KeyId) -> Write;
    get_or_insert_installation_secret(candidate: InstallationSecret) -> InstallationSecret;
    forget_owner(owner: Owner, limit: u32) -> Write;
    health() -> Health;
}

impl<L> Deref for Layered<L> {
    type Target = L;

    fn deref(&self) -> &L {
        &self.0
    }
}
