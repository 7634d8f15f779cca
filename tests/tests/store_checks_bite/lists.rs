//! Faulty lists.

use std::cmp::Reverse;

use handbill::{ListedPost, PageRequest, PostId, PostList, Store, StoreError, Tag};

use crate::fault::Fault::*;
use crate::faulty::Faulty;

impl Faulty {
    /// All posts of a list, with their bodies.
    async fn whole(&self, tag: Option<&Tag>) -> Result<Vec<ListedPost>, StoreError> {
        let mut rows = Vec::new();
        for number in 1.. {
            let page = PageRequest::new(number, 50).unwrap().with_bodies(true);
            let page = self.inner.list_posts(page.with_tag(tag.cloned())).await?;
            if page.posts.is_empty() {
                break;
            }
            rows.extend(page.posts.iter().cloned());
        }
        Ok(rows)
    }

    /// The list of a store with this fault, if it differs from the correct one.
    async fn faulty_list(&self, tag: Option<&Tag>) -> Result<Option<Vec<ListedPost>>, StoreError> {
        let Some(fault) = self.fault else {
            return Ok(None);
        };
        let mut rows = self.whole(tag).await?;
        let first = |id: PostId| {
            self.aside(|aside| {
                let mut posts = aside.first.iter();
                let at = posts.position(|post| post.summary.id == id);
                at.map(|at| (at, aside.first[at].clone()))
            })
        };
        match fault {
            ListsOldestFirst => rows.reverse(),
            TurnsTiesAround => rows.sort_by_key(newest_first_ties_around),
            TurnsTiesAroundInLongLists if rows.len() > 1000 => {
                rows.sort_by_key(newest_first_ties_around);
            }
            ListsInOrderOfArrival => {
                rows.sort_by_key(|row| first(row.summary.id).map(|(at, _)| at));
                rows.reverse();
            }
            ListsDeletedPosts => {
                let deleted = self.aside(|aside| aside.deleted.clone());
                let deleted = deleted
                    .into_iter()
                    .filter(|post| tag.is_none_or(|tag| post.summary.tags.contains(tag)));
                rows.extend(
                    deleted.map(|post| ListedPost::new(post.summary).with_body(Some(post.body))),
                );
                rows.sort_by_key(|row| Reverse((row.summary.created_at, row.summary.id)));
            }
            ListsByFirstTags => {
                rows = self.whole(None).await?;
                rows.retain(|row| {
                    let tags = first(row.summary.id).map(|(_, post)| post.summary.tags);
                    tag.is_none_or(|tag| tags.is_some_and(|tags| tags.contains(tag)))
                });
            }
            FoldsTags => {
                let fold = |tag: &Tag| tag.as_str().to_lowercase();
                rows = self.whole(None).await?;
                rows.retain(|row| {
                    tag.is_none_or(|tag| {
                        row.summary
                            .tags
                            .iter()
                            .any(|other| fold(other) == fold(tag))
                    })
                });
            }
            ListsPostsAsTheyWere => {
                for row in &mut rows {
                    if let Some((_, first)) = first(row.summary.id) {
                        row.summary = first.summary;
                    }
                }
            }
            OverlapsPages | SkipsOneBetweenBlocks => {}
            _ => return Ok(None),
        }
        Ok(Some(rows))
    }

    pub(crate) async fn faulty_page(
        &self,
        request: &PageRequest,
    ) -> Result<Option<PostList>, StoreError> {
        let Some(rows) = self.faulty_list(request.tag()).await? else {
            return Ok(None);
        };
        let mut offset = request.offset();
        if self.has(OverlapsPages) {
            offset -= (request.page() - 1).min(offset);
        }
        if self.has(SkipsOneBetweenBlocks) && offset >= 2048 {
            offset += 1;
        }
        let total = rows.len() as u64;
        let posts = rows
            .into_iter()
            .skip(usize::try_from(offset).unwrap())
            .take(request.per_page() as usize)
            .map(|row| {
                let body = row.body.filter(|_| request.bodies());
                ListedPost::new(row.summary).with_body(body)
            })
            .collect();
        Ok(Some(PostList::new(posts, total)))
    }
}

fn newest_first_ties_around(row: &ListedPost) -> impl Ord + use<> {
    (Reverse(row.summary.created_at), row.summary.id)
}
