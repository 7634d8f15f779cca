//! A pointer to a store is a store: `Arc<S>` to share one, `Box<dyn Store>` to choose one at run time.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Health, Outbox, Store, StoreError, Write};
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::owner::Owner;
use crate::post::{Entry, PageRequest, Post, PostList, Revision, TagCount, Tombstone};
use crate::secret::{InstallationSecret, SecretHash};
use crate::time::Timestamp;

macro_rules! store_for_pointer {
    ($($pointer:ident)*) => {$(
        #[async_trait]
        impl<S: Store + ?Sized> Store for $pointer<S> {
            async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
                S::insert_post(self, post).await
            }

            async fn insert_tombstone(&self, tombstone: Tombstone) -> Result<Write, StoreError> {
                S::insert_tombstone(self, tombstone).await
            }

            async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError> {
                S::update_post(self, expected, post).await
            }

            async fn delete_post(&self, id: PostId, expected: Revision) -> Result<Write, StoreError> {
                S::delete_post(self, id, expected).await
            }

            async fn get_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
                S::get_post(self, id).await
            }

            async fn get_current_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
                S::get_current_post(self, id).await
            }

            async fn find_post_by_edit_token(
                &self,
                token: SecretHash,
            ) -> Result<Option<Entry>, StoreError> {
                S::find_post_by_edit_token(self, token).await
            }

            async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
                S::list_posts(self, page).await
            }

            async fn list_tags(&self, limit: u32) -> Result<Vec<TagCount>, StoreError> {
                S::list_tags(self, limit).await
            }

            async fn walk_entries(
                &self,
                after: Option<PostId>,
                limit: u32,
            ) -> Result<Vec<Entry>, StoreError> {
                S::walk_entries(self, after, limit).await
            }

            async fn insert_key(&self, key: KeyRecord) -> Result<Write, StoreError> {
                S::insert_key(self, key).await
            }

            async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
                S::find_key(self, secret).await
            }

            async fn walk_keys(
                &self,
                after: Option<KeyId>,
                limit: u32,
            ) -> Result<Vec<KeyRecord>, StoreError> {
                S::walk_keys(self, after, limit).await
            }

            async fn touch_key(&self, id: KeyId, at: Timestamp) -> Result<(), StoreError> {
                S::touch_key(self, id, at).await
            }

            async fn revoke_key(&self, id: KeyId) -> Result<Write, StoreError> {
                S::revoke_key(self, id).await
            }

            async fn get_or_insert_installation_secret(
                &self,
                candidate: InstallationSecret,
            ) -> Result<InstallationSecret, StoreError> {
                S::get_or_insert_installation_secret(self, candidate).await
            }

            async fn forget_owner(&self, owner: Owner, limit: u32) -> Result<Write, StoreError> {
                S::forget_owner(self, owner, limit).await
            }

            async fn health(&self) -> Result<Health, StoreError> {
                S::health(self).await
            }

            fn outbox(&self) -> Option<&dyn Outbox> {
                S::outbox(self)
            }
        }
    )*};
}

store_for_pointer!(Arc Box);
