//! Posts: validating, rendering, creating, reading, changing and deleting.
//!
//! Each change is decided on the current post and written only if the post still has the same revision.
//! If another change comes first, the operation starts again.

use std::sync::Arc;

use handbill_markdown::{Rendered, Style};

use super::access::Credentials;
use super::keys::invalid_key;
use super::{MAX_ATTEMPTS, no_free_identifier};
use crate::context::Context;
use crate::host::callback;
use crate::host::review::{Submission, Verdict};
use crate::limits::queue::Permit;
use crate::post::{
    Actor, ApiKey, Authority, Creation, Draft, EditToken, Entry, Event, FieldError, IdempotencyKey,
    InstallationSecret, KeyRecord, Limits, NewChange, NewPost, PageRequest, Post, PostChange,
    PostId, PostList, Revision, SecretHash, TagCount, Timestamp,
};
use crate::problem::{Code, Problem};
use crate::store::{Freshness, Outcome, PostKey, StoreError, Write};

/// How often a change is retried after a conflict. Every conflict means that another change succeeded, so
/// only a faulty store reaches this limit.
const MAX_CONFLICTS: u32 = 10_000;

/// A new post and its edit token, of which only the hash is stored.
#[derive(Debug)]
pub(crate) struct Created {
    pub(crate) id: PostId,
    pub(crate) edit_token: EditToken,
}

/// What identifies a retry of a creation: who sent it, the idempotency key, and the hash of the request body.
pub(crate) struct Idempotency<'a> {
    pub(crate) sender: IdempotencySender<'a>,
    pub(crate) key: IdempotencyKey,
    pub(crate) request: SecretHash,
}

/// Who sent an idempotency key. Those of different senders have nothing in common.
#[derive(Clone, Copy)]
pub(crate) enum IdempotencySender<'a> {
    /// A client, with or without an API key.
    Client(Option<&'a ApiKey>),
    /// The host's own code.
    Host,
}

impl Idempotency<'_> {
    /// 256 bits for a purpose, which no one can compute without the installation's secret.
    fn derive(&self, secret: &InstallationSecret, purpose: &str) -> [u8; 32] {
        match self.sender {
            IdempotencySender::Client(api_key) => secret.derive(api_key, &self.key, purpose),
            // No purpose of a client's creation begins like this.
            IdempotencySender::Host => secret.derive(None, &self.key, &format!("host's {purpose}")),
        }
    }

    /// What is created, if no post has the identifiers of the earlier attempts by chance.
    fn created(&self, secret: &InstallationSecret, attempt: u32) -> Created {
        let bits = |purpose: &str| self.derive(secret, &format!("{purpose} {attempt}"));
        Created {
            id: PostId::from_bits(bits("post id")),
            edit_token: EditToken::from_bits(bits("edit token")),
        }
    }
}

/// [`NewPost::parse`] or [`PostChange::parse`].
pub(crate) type ParseDraft<T> = fn(Draft, &Limits) -> Result<T, Vec<FieldError>>;

/// Validates a draft that is to be stored, with a permit for its length.
pub(crate) async fn validate<T: Send + 'static>(
    context: &Context,
    permit: &Permit,
    draft: Draft,
    parse: impl FnOnce(Draft, &Limits) -> Result<T, Vec<FieldError>> + Send + 'static,
) -> Result<T, Vec<FieldError>> {
    let limits = context.limits.clone();
    permit.run(move || parse(draft, &limits)).await
}

/// Renders the body of a post, with a permit for its length.
pub(crate) async fn render(permit: &Permit, post: &Arc<Post>, style: Style) -> Rendered {
    let post = Arc::clone(post);
    permit
        .run(move || handbill_markdown::render(&post.body, &style))
        .await
}

/// Creates a post, which was authorised at this time, or returns the one that an earlier attempt of the same request
/// created, if the request can be retried.
///
/// Then identifier and edit token are derived from the installation's secret, the API key and the idempotency
/// key, so a retry derives the same ones. The edit token in [`Creation`] shows whether the existing
/// post is from this request.
pub(crate) async fn create(
    context: &Context,
    content: &NewPost,
    creator: Option<&KeyRecord>,
    idempotency: Option<&Idempotency<'_>>,
    actor: &Actor,
    authorized_at: Timestamp,
) -> Result<Created, Problem> {
    for attempt in 0..MAX_ATTEMPTS {
        let created = match idempotency {
            Some(idempotency) => idempotency.created(context.installation_secret().await?, attempt),
            None => Created {
                id: content.id.unwrap_or_else(PostId::generate),
                edit_token: EditToken::generate(),
            },
        };
        let hash = created.edit_token.hash();
        let creation = idempotency.map(|idempotency| Creation::new(hash, idempotency.request));
        let inserted = insert(
            context,
            content,
            &created,
            creator,
            creation,
            (actor, authorized_at),
        );
        let inserted = match inserted.await {
            Ok(Outcome::Applied) => return Ok(created),
            Ok(_) => Ok(()),
            // A retry returns the created post, even if the review would refuse it now, or its times have passed.
            Err(problem) if matches!(problem.code(), Code::Refused | Code::InvalidPost) => {
                Err(problem)
            }
            Err(problem) => return Err(problem),
        };
        if let Some(creation) = creation
            && let Some((current_token, stored_creation)) = find_creation(context, &created).await?
        {
            return response_to_retry(created, &creation, &stored_creation, current_token);
        }
        inserted?;
        // The identifier belongs to another post by chance.
    }
    Err(no_free_identifier())
}

/// The post that the host created with an idempotency key, also if it was changed or deleted since.
pub(crate) async fn find_created(
    context: &Context,
    idempotency: &Idempotency<'_>,
) -> Result<Option<PostId>, Problem> {
    let secret = context.installation_secret().await?;
    for attempt in 0..MAX_ATTEMPTS {
        let created = idempotency.created(secret, attempt);
        if find_creation(context, &created).await?.is_some() {
            return Ok(Some(created.id));
        }
    }
    Ok(None)
}

/// The edit token that a post has now, and its creation, if it was created like this.
async fn find_creation(
    context: &Context,
    created: &Created,
) -> Result<Option<(SecretHash, Creation)>, StoreError> {
    let (current_token, creation) = match get_current(context, created.id).await? {
        Some(Entry::Live(post)) => (post.edit_token, post.creation),
        Some(Entry::Gone(tombstone)) => (tombstone.edit_token, tombstone.creation),
        None => return Ok(None),
    };
    let token = created.edit_token.hash();
    let creation = creation.filter(|creation| creation.edit_token == token);
    Ok(creation.map(|creation| (current_token, creation)))
}

/// The result of a retry.
fn response_to_retry(
    created: Created,
    creation: &Creation,
    stored_creation: &Creation,
    current_token: SecretHash,
) -> Result<Created, Problem> {
    if stored_creation.request != creation.request {
        let detail = "This idempotency key was used with another request body.";
        return Err(Problem::new(Code::IdempotencyKeyReused, detail));
    }
    if current_token != creation.edit_token {
        let detail =
            "This request has created a post, and the post's edit token was replaced later.";
        return Err(Problem::new(Code::EditTokenReplaced, detail));
    }
    Ok(created)
}

async fn insert(
    context: &Context,
    content: &NewPost,
    created: &Created,
    creator: Option<&KeyRecord>,
    creation: Option<Creation>,
    (actor, authorized_at): (&Actor, Timestamp),
) -> Result<Outcome, Problem> {
    let (token, now) = (created.edit_token.hash(), context.clock.now());
    let post = content.to_post(created.id, token, creator, creation, now);
    let post = post.map_err(Problem::invalid_fields)?;
    let post = Arc::new(review(context, actor, creator, post, None).await?);
    let change = NewChange::post_created(now, actor.clone(), &post.summary);
    let owner = post.summary.owner.as_ref();
    let authority = owner.map(|owner| Authority::of(owner, authorized_at));
    let insert = Write::InsertPost {
        post,
        words: None,
        by: authority,
    };
    context.write(insert, Some(change)).await
}

/// The post as the host's review lets it be written, after or instead of the one before.
async fn review(
    context: &Context,
    actor: &Actor,
    key: Option<&KeyRecord>,
    mut post: Post,
    before: Option<&Post>,
) -> Result<Post, Problem> {
    let Some(review) = &context.review else {
        return Ok(post);
    };
    if before.is_some_and(|before| post.only_hides(before)) {
        return Ok(post);
    }
    let submission = Submission {
        by: actor.clone(),
        post: post.summary.clone(),
        body: post.body.clone(),
        before: before.map(|before| before.summary.clone()),
    };
    let verdict = callback::call(review, submission).await;
    match verdict.map_err(|cause| Problem::host_failed("review a post", cause))? {
        Verdict::Accept => {}
        Verdict::Refuse(errors) => return Err(Problem::of_fields(Code::Refused, errors)),
        Verdict::Hold => post.hold(before),
        Verdict::Unavailable => {
            return Err(Problem::host_failed(
                "review a post",
                "the host can't decide now",
            ));
        }
    }
    // The key may have been revoked during the review.
    if let Some(key) = key
        && context.store.find_key(key.secret).await?.is_none()
    {
        return Err(invalid_key());
    }
    Ok(post)
}

pub(super) async fn get_current(
    context: &Context,
    id: PostId,
) -> Result<Option<Entry>, StoreError> {
    let key = PostKey::Id(id);
    context.store.get_post(key, Freshness::Current).await
}

/// Reads a post for everyone. A store may return a slightly older state.
pub(crate) async fn read(context: &Context, id: PostId) -> Result<Arc<Post>, Problem> {
    let entry = context.store.get_post(PostKey::Id(id), Freshness::Bounded);
    Credentials::Reader.authorize_read(entry.await?)
}

/// Reads the current state of a post, for a caller that may see more than others.
pub(crate) async fn read_current(
    context: &Context,
    id: PostId,
    credentials: &Credentials,
) -> Result<Arc<Post>, Problem> {
    credentials.authorize_read(get_current(context, id).await?)
}

/// Reads the current state of a post, for a caller that wants to change it.
pub(crate) async fn read_to_change(
    context: &Context,
    id: PostId,
    credentials: &Credentials,
) -> Result<Arc<Post>, Problem> {
    credentials.authorize_change(get_current(context, id).await?)
}

/// Finds the post that an edit token belongs to.
#[cfg(feature = "pages")]
pub(crate) async fn read_by_edit_token(
    context: &Context,
    token: SecretHash,
) -> Result<Arc<Post>, Problem> {
    let key = PostKey::EditToken(token);
    let entry = context.store.get_post(key, Freshness::Current).await?;
    Credentials::Token(token).authorize_change(entry)
}

pub(crate) async fn list(context: &Context, page: PageRequest) -> Result<PostList, Problem> {
    if page.search.is_some() && !context.has_search() {
        return Err(Problem::search_not_available());
    }
    Ok(context.store.list_posts(page).await?)
}

/// The tags of public posts with their numbers, at most `limit` of them.
pub(crate) async fn tags(context: &Context, limit: u32) -> Result<Vec<TagCount>, Problem> {
    Ok(context.store.list_tags(limit).await?)
}

/// Counts the bytes that a change adds to a post, for the key that created it, or else for its owner.
pub(crate) fn count_growth(
    context: &Context,
    post: &Post,
    change: &PostChange,
) -> Result<(), Problem> {
    let (rate_limiter, bytes) = (&context.rate_limiter, change.growth(Some(post)));
    match (post.created_by, &post.summary.owner) {
        (Some(key), _) => rate_limiter.stored_bytes.count_bytes(&key, bytes),
        (None, Some(owner)) => rate_limiter.stored_by_owner.count_bytes(owner, bytes),
        (None, None) => Ok(()),
    }
}

/// Whether a post may be changed as it is now.
pub(crate) type IsExpected<'a> = &'a (dyn Fn(&Post) -> bool + Sync);

/// Changes a post if it is as expected. The write happens only if the post has not changed since that check. Without
/// `authorized_at`, it is in no owner's name.
pub(crate) async fn update(
    context: &Context,
    id: PostId,
    credentials: &Credentials,
    change: &PostChange,
    is_expected: IsExpected<'_>,
    authorized_at: Option<Timestamp>,
) -> Result<Arc<Post>, Problem> {
    for _ in 0..MAX_CONFLICTS {
        let post = read_to_change(context, id, credentials).await?;
        if !is_expected(&post) {
            return Err(precondition_failed());
        }
        let changed = change.apply(&post, context.clock.now());
        let Some(changed) = changed.map_err(Problem::invalid_fields)? else {
            return Ok(post);
        };
        let key = match credentials {
            Credentials::Owner { key, .. } => key.as_ref(),
            _ => None,
        };
        let actor = credentials.actor(&post);
        let changed = review(context, &actor, key, changed, Some(&post)).await?;
        let changed = Arc::new(changed);
        let change = NewChange::post_updated(actor, &changed.summary);
        let authority = authorized_at.and_then(|at| credentials.authority(&post, at));
        let written = write(
            context,
            &post,
            Arc::clone(&changed),
            Some(change),
            authority,
        );
        if written.await? == Outcome::Applied {
            return Ok(changed);
        }
    }
    Err(too_many_conflicts())
}

/// Deletes a post, as [`update`] changes it.
pub(crate) async fn delete(
    context: &Context,
    id: PostId,
    credentials: &Credentials,
    is_expected: IsExpected<'_>,
    authorized_at: Option<Timestamp>,
) -> Result<(), Problem> {
    for _ in 0..MAX_CONFLICTS {
        let post = read_to_change(context, id, credentials).await?;
        if !is_expected(&post) {
            return Err(precondition_failed());
        }
        let expected = post.summary.revision;
        let now = context.clock.now();
        let deleted_at = post.summary.updated_at.next_millisecond_or(now);
        let event = Event::PostDeleted {
            id,
            visibility: post.summary.visibility,
            owner: post.summary.owner.clone(),
        };
        let change = NewChange::new(deleted_at, credentials.actor(&post), Some(expected), event);
        let authority = authorized_at.and_then(|at| credentials.authority(&post, at));
        let delete = Write::DeletePost {
            id,
            expected,
            by: authority,
        };
        if context.write(delete, Some(change)).await? == Outcome::Applied {
            return Ok(());
        }
    }
    Err(too_many_conflicts())
}

pub(crate) fn precondition_failed() -> Problem {
    let detail = "The post does not match the condition. Read it again.";
    Problem::new(Code::PreconditionFailed, detail)
}

/// Gives a post a new edit token, as [`update`] does. The old one stops working at once.
pub(crate) async fn replace_edit_token(
    context: &Context,
    id: PostId,
    credentials: &Credentials,
    authorized_at: Option<Timestamp>,
) -> Result<EditToken, Problem> {
    for _ in 0..MAX_CONFLICTS {
        let post = read_to_change(context, id, credentials).await?;
        let token = EditToken::generate();
        let mut changed = Post::clone(&post);
        changed.summary.revision = post.summary.revision.next();
        changed.edit_token = token.hash();
        let authority = authorized_at.and_then(|at| credentials.authority(&post, at));
        if write(context, &post, Arc::new(changed), None, authority).await? == Outcome::Applied {
            return Ok(token);
        }
    }
    Err(too_many_conflicts())
}

/// Writes a changed post if the stored one still has the revision of `before`. A post in the last revision, which
/// only an archive can bring, is not changed any more: no archive may have a later one.
pub(super) async fn write(
    context: &Context,
    before: &Post,
    after: Arc<Post>,
    change: Option<NewChange>,
    authority: Option<Authority>,
) -> Result<Outcome, Problem> {
    let expected = before.summary.revision;
    if after.summary.revision > Revision::LAST {
        return Err(StoreError::new("change a post", "it is in the last revision").into());
    }
    let update = Write::UpdatePost {
        expected,
        post: after,
        words: None,
        by: authority,
    };
    context.write(update, change).await
}

fn too_many_conflicts() -> Problem {
    let cause = "every attempt conflicted with another change";
    StoreError::new("change a post", cause).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_and_a_client_derive_different_bits_from_the_same_key() {
        let secret = InstallationSecret::from_bytes([7; 32]);
        let of = |sender| Idempotency {
            sender,
            key: IdempotencyKey::parse(b"job").unwrap(),
            request: SecretHash::of([]),
        };
        let api_key = ApiKey::generate();
        let senders = [
            IdempotencySender::Host,
            IdempotencySender::Client(None),
            IdempotencySender::Client(Some(&api_key)),
        ];
        let mut bits: Vec<_> = senders
            .map(|sender| of(sender).derive(&secret, "post id 0"))
            .into();
        bits.sort_unstable();
        bits.dedup();
        assert_eq!(bits.len(), 3);
    }
}
