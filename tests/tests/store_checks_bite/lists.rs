//! Faulty lists.

use std::cmp::{Ordering, Reverse};
use std::time::{Duration, Instant};

use handbill::store::{ListedPost, PageStart, Place, StoreError};
use handbill::{List, Owner, PageRequest, PostId, PostList, Store, Tag};

use crate::fault::Fault::{self, *};
use crate::faulty::{Faulty, failure};

/// The longest time that a page waits until a write has changed its total.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

impl Faulty {
    /// All posts of a list, with their bodies.
    async fn whole(&self, list: &List, tag: Option<&Tag>) -> Result<Vec<ListedPost>, StoreError> {
        let mut rows = Vec::new();
        for number in 1.. {
            let page = PageRequest::new(number, 50).unwrap().with_bodies(true);
            let page = page.with_list(list.clone()).with_tag(tag.cloned());
            let page = self.inner.list_posts(page).await?;
            if page.posts.is_empty() {
                break;
            }
            rows.extend(page.posts.iter().cloned());
        }
        Ok(rows)
    }

    /// The list of a store with this fault, if it differs from the correct one.
    async fn faulty_list(&self, list: &PageRequest) -> Result<Option<Vec<ListedPost>>, StoreError> {
        let Some(fault) = self.fault else {
            return Ok(None);
        };
        let tag = list.tag.as_ref();
        let tag = tag.filter(|_| fault != IgnoresTagsBesidePlaces || is_numbered(list));
        match &list.list {
            List::Public => {}
            List::PublicOf(owner) if fault == ShowsHiddenPostsOfOwners => {
                let all = self.whole(&List::AllOf(owner.clone()), tag).await?;
                return Ok(Some(all));
            }
            List::PublicOf(_) => return Ok(None),
            List::AllOf(owner) => return self.faulty_list_of(fault, owner, tag).await,
        }
        let mut rows = self.whole(&List::Public, tag).await?;
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
                rows.sort_by_key(newest_first);
            }
            ListsDrafts => {
                let posts = self.live_posts().await?.into_iter();
                rows = posts
                    .filter(|post| tag.is_none_or(|tag| post.tags.contains(tag)))
                    .map(ListedPost::new)
                    .collect();
                rows.sort_by_key(newest_first);
            }
            SortsByCreation => rows.sort_by_key(newest_first),
            ListsByFirstTags => {
                rows = self.whole(&List::Public, None).await?;
                rows.retain(|row| {
                    let tags = first(row.summary.id).map(|(_, post)| post.summary.tags);
                    tag.is_none_or(|tag| tags.is_some_and(|tags| tags.contains(tag)))
                });
            }
            FoldsTags => {
                let fold = |tag: &Tag| tag.as_str().to_lowercase();
                rows = self.whole(&List::Public, None).await?;
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
            fault if fault.is_of_places() => {}
            _ => return Ok(None),
        }
        Ok(Some(rows))
    }

    /// An owner's list of a store with this fault, if it differs from the correct one.
    async fn faulty_list_of(
        &self,
        fault: Fault,
        owner: &Owner,
        tag: Option<&Tag>,
    ) -> Result<Option<Vec<ListedPost>>, StoreError> {
        let list = List::AllOf(owner.clone());
        let mut rows = self.whole(&list, tag).await?;
        match fault {
            HidesDraftsFromTheirOwners => rows.retain(|row| row.summary.listed_at().is_some()),
            TurnsTiesOfOwnersAround => rows.sort_by_key(newest_first_ties_around),
            IgnoresTagsOfOwners => rows = self.whole(&list, None).await?,
            FoldsOwners => {
                let is_owner = |other: &Owner| {
                    let other = other.as_str();
                    other.eq_ignore_ascii_case(owner.as_str())
                };
                let posts = self.live_posts().await?.into_iter();
                rows = posts
                    .filter(|post| tag.is_none_or(|tag| post.tags.contains(tag)))
                    .filter(|post| post.owner.as_ref().is_some_and(is_owner))
                    .map(ListedPost::new)
                    .collect();
                rows.sort_by_key(newest_first);
            }
            ListsPostsOfOwnersAsTheyWere => {
                let first = self.aside(|aside| aside.first.clone());
                for row in &mut rows {
                    let mut first = first.iter().map(|post| &post.summary);
                    if let Some(first) = first.find(|post| post.id == row.summary.id) {
                        row.summary = first.clone();
                    }
                }
            }
            fault if fault.is_of_places() => {}
            _ => return Ok(None),
        }
        Ok(Some(rows))
    }

    pub(crate) async fn listed(&self, request: PageRequest) -> Result<PostList, StoreError> {
        if let Some(page) = self.faulty_page(&request).await? {
            return Ok(page);
        }
        let mut page = self.inner.list_posts(request.clone()).await?;
        match self.fault {
            Some(FailsOnEmptyLists) if page.total == 0 => return Err(failure()),
            Some(KnowsNoTotalPastTheEnd) if page.posts.is_empty() => page.total = 0,
            Some(CountsDeletedPosts) => {
                page.total += self.aside(|aside| aside.deleted.len() as u64);
            }
            Some(CountsHiddenPosts) if request.list == List::Public => {
                let posts = self.live_posts().await?;
                let hidden = posts.iter().filter(|post| post.listed_at().is_none());
                page.total += hidden.count() as u64;
            }
            Some(CapsPages) => page.posts = page.posts.iter().take(50).cloned().collect(),
            Some(AlwaysListsBodies) => {
                page = self.inner.list_posts(request.with_bodies(true)).await?
            }
            Some(ReturnsCachedListsOnce) => {
                let cached = self.aside(|aside| aside.pages.remove(&request));
                if let Some(cached) = cached {
                    return Ok(cached);
                }
                self.aside(|aside| aside.pages.insert(request, page.clone()));
            }
            Some(CountsAfterItLists) => {
                let (listed, started) = (page.total, Instant::now());
                while page.total == listed && started.elapsed() < LONGEST_WAIT {
                    std::thread::yield_now();
                    page.total = self.inner.list_posts(request.clone()).await?.total;
                }
            }
            _ => {}
        }
        Ok(page)
    }

    async fn faulty_page(&self, request: &PageRequest) -> Result<Option<PostList>, StoreError> {
        let Some(rows) = self.faulty_list(request).await? else {
            return Ok(None);
        };
        let mut total = rows.len();
        let rows = match request.start {
            PageStart::Skip(mut offset) => {
                if self.has(OverlapsPages) {
                    offset -= offset / u64::from(request.per_page.get());
                }
                if self.has(SkipsOneBetweenBlocks) && offset >= 2048 {
                    offset += 1;
                }
                let offset = usize::try_from(offset).unwrap();
                rows.into_iter().skip(offset).collect()
            }
            PageStart::After(place) => self.beside(rows, request, place, Ordering::Less),
            PageStart::Before(place) => {
                let mut rows = self.beside(rows, request, place, Ordering::Greater);
                if !self.has(ReturnsTheNewestBeforePlaces) {
                    let farther = rows.len().saturating_sub(request.per_page.get() as usize);
                    rows.drain(..farther);
                }
                rows
            }
        };
        if self.has(CountsFromPlaces) && !is_numbered(request) {
            total = rows.len();
        }
        let posts = rows
            .into_iter()
            .take(request.per_page.get() as usize)
            .map(|row| {
                let body = row.body.filter(|_| request.bodies);
                ListedPost::new(row.summary).with_body(body)
            })
            .collect();
        Ok(Some(PostList::new(posts, total as u64)))
    }

    /// The rows whose places compare with this one in this way.
    fn beside(
        &self,
        mut rows: Vec<ListedPost>,
        request: &PageRequest,
        place: Place,
        compares: Ordering,
    ) -> Vec<ListedPost> {
        let place_of = |row: &ListedPost| {
            let mut place = request.place_of(&row.summary);
            if self.has(SortsPlacesOfOwnersByPublication) {
                place.time = row.summary.published_at.unwrap_or(place.time);
            }
            place
        };
        if self.has(LosesPlacesOfDeletedPosts) && !rows.iter().any(|row| place_of(row) == place) {
            rows.clear();
        }
        rows.retain(|row| {
            let ordering = match self.fault {
                Some(ComparesPlacesByTime) => place_of(row).time.cmp(&place.time),
                _ => place_of(row).cmp(&place),
            };
            ordering == compares || (self.has(ReturnsThePlaceItself) && ordering.is_eq())
        });
        rows
    }
}

fn is_numbered(page: &PageRequest) -> bool {
    matches!(page.start, PageStart::Skip(_))
}

fn newest_first(row: &ListedPost) -> impl Ord + use<> {
    Reverse((row.summary.created_at, row.summary.id))
}

fn newest_first_ties_around(row: &ListedPost) -> impl Ord + use<> {
    (Reverse(row.summary.created_at), row.summary.id)
}
