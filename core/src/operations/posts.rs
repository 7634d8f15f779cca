use std::sync::Arc;

use crate::context::Context;
use crate::event::Event;
use crate::field::FieldError;
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::limit::Limits;
use crate::markdown::{self, Rendered, Style};
use crate::post::{Creation, Draft, Entry, NewPost, PageRequest, Post, PostChange, PostList};
use crate::problem::{Code, Problem};
use crate::secret::{ApiKey, EditToken, IdempotencyKey, SecretHash};
use crate::store::{StoreError, Write};

/// Identifiers that are tried for one post. Two collisions in a row are as good as impossible
/// before the store holds 10^12 posts.
const TRIES: u32 = 8;
/// Times that a change is made anew because another one came first. Each of these was applied, so
/// that only a store which conflicts without cause gets here.
const MAX_CONFLICTS: u32 = 10_000;

/// A post that was created, and the only time that its token is known.
#[derive(Debug)]
pub(crate) struct Created {
    pub(crate) id: PostId,
    pub(crate) edit_token: EditToken,
    token_hash: SecretHash,
}

impl Created {
    fn new(id: PostId, edit_token: EditToken) -> Self {
        let token_hash = edit_token.hash();
        Self {
            id,
            edit_token,
            token_hash,
        }
    }
}

/// A request to create a post exactly once.
pub(crate) struct Once<'a> {
    pub(crate) key: &'a ApiKey,
    pub(crate) name: IdempotencyKey,
    pub(crate) request: SecretHash,
}

/// [`NewPost::parse`] or [`PostChange::parse`].
pub(crate) type ParseDraft<T> = fn(Draft, &Limits) -> Result<T, Vec<FieldError>>;

/// Turns what was sent into what is valid, away from other requests if it is long.
pub(crate) async fn check<T: Send + 'static>(
    context: &Context,
    draft: Draft,
    parse: ParseDraft<T>,
) -> Result<T, Vec<FieldError>> {
    let limits = context.limits.clone();
    let body_len = draft.body.as_ref().map_or(0, String::len);
    let parsing = move || parse(draft, &limits);
    context.blocking.run(body_len, parsing).await
}

/// Renders the source of a stored post.
pub(crate) async fn render(context: &Context, source: &str, style: Style) -> Rendered {
    let (len, source) = (source.len(), source.to_owned());
    let rendering = move || markdown::render(&source, &style);
    context.blocking.run(len, rendering).await
}

/// Creates a post.
pub(crate) async fn create(
    context: &Context,
    content: &NewPost,
    creator: Option<KeyId>,
) -> Result<Created, Problem> {
    for _ in 0..TRIES {
        let created = Created::new(PostId::generate(), EditToken::generate());
        if insert(context, content, &created, creator, None).await? == Write::Applied {
            return Ok(created);
        }
    }
    Err(no_free_identifier().into())
}

/// Creates a post, or finds the one that the same request created before.
pub(crate) async fn create_once(
    context: &Context,
    content: &NewPost,
    creator: &KeyRecord,
    once: &Once<'_>,
) -> Result<Created, Problem> {
    for attempt in 0..TRIES {
        let bits = |purpose| once.key.derive(&once.name, &format!("{purpose} {attempt}"));
        let edit_token = EditToken::from_bits(bits("edit token"));
        let created = Created::new(PostId::from_bits(bits("post id")), edit_token);
        let creation = Creation::new(created.token_hash, once.request);
        if insert(context, content, &created, Some(creator.id), Some(creation)).await?
            == Write::Applied
        {
            return Ok(created);
        }
        let Some(earlier) = context.store.get_current_post(created.id).await? else {
            continue;
        };
        let (token_now, earlier) = match earlier {
            Entry::Live(post) => (post.edit_token, post.creation),
            Entry::Gone(tombstone) => (tombstone.edit_token, tombstone.creation),
        };
        if let Some(earlier) = earlier
            && earlier.edit_token == creation.edit_token
        {
            return repeated(created, &creation, &earlier, token_now);
        }
        // Another post has this identifier by chance: try the next one.
    }
    Err(no_free_identifier().into())
}

fn no_free_identifier() -> StoreError {
    StoreError::new(
        "find a free identifier",
        "every identifier that was tried is taken",
    )
}

fn repeated(
    created: Created,
    creation: &Creation,
    earlier: &Creation,
    token_now: SecretHash,
) -> Result<Created, Problem> {
    if earlier.request != creation.request {
        let detail = "This idempotency key was used with another request body.";
        return Err(Problem::new(Code::IdempotencyKeyReused, detail));
    }
    if token_now != creation.edit_token {
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
    creator: Option<KeyId>,
    creation: Option<Creation>,
) -> Result<Write, StoreError> {
    let now = context.clock.now();
    let post = content.to_post(created.id, created.token_hash, creator, creation, now);
    let event = context.event(|| Event::PostCreated(post.summary.clone()));
    let store = Arc::clone(&context.store);
    let insert = async move { store.insert_post(post).await };
    context.change(created.id, event, insert).await
}

/// The post, for anyone to read.
pub(crate) async fn read(context: &Context, id: PostId) -> Result<Arc<Post>, Problem> {
    live(context.store.get_post(id).await?)
}

/// The post as it is now, for whoever is about to change it.
pub(crate) async fn read_current(context: &Context, id: PostId) -> Result<Arc<Post>, Problem> {
    live(context.store.get_current_post(id).await?)
}

/// The post that an edit address leads to.
pub(crate) async fn read_by_edit_token(
    context: &Context,
    token: SecretHash,
) -> Result<Arc<Post>, Problem> {
    live(context.store.find_post_by_edit_token(token).await?)
}

fn live(entry: Option<Entry>) -> Result<Arc<Post>, Problem> {
    match entry {
        Some(Entry::Live(post)) => Ok(post),
        Some(Entry::Gone(_)) => Err(Problem::gone()),
        None => Err(Problem::not_found()),
    }
}

/// One page of posts, newest first.
pub(crate) async fn list(context: &Context, page: PageRequest) -> Result<PostList, Problem> {
    Ok(context.store.list_posts(page).await?)
}

/// Lets through whoever has the post's edit token.
pub(crate) fn allow_editor(post: &Post, token: SecretHash) -> Result<(), Problem> {
    if post.edit_token == token {
        return Ok(());
    }
    Err(Problem::new(
        Code::InvalidEditToken,
        "This is not the post's current edit token.",
    ))
}

/// Changes a post. `allow` may refuse the state that the change would be applied to: between that
/// check and the write nothing comes.
pub(crate) async fn update(
    context: &Context,
    id: PostId,
    change: &PostChange,
    allow: impl Fn(&Post) -> Result<(), Problem>,
) -> Result<Arc<Post>, Problem> {
    for _ in 0..MAX_CONFLICTS {
        let post = read_current(context, id).await?;
        allow(&post)?;
        let Some(changed) = change.apply(&post, context.clock.now()) else {
            return Ok(post);
        };
        let event = context.event(|| Event::PostUpdated(changed.summary.clone()));
        if put(context, &post, changed.clone(), event).await? == Write::Applied {
            return Ok(changed.into());
        }
    }
    Err(endless_conflict().into())
}

/// Deletes a post. `allow` as for [`update`].
pub(crate) async fn delete(
    context: &Context,
    id: PostId,
    allow: impl Fn(&Post) -> Result<(), Problem>,
) -> Result<(), Problem> {
    for _ in 0..MAX_CONFLICTS {
        let post = read_current(context, id).await?;
        allow(&post)?;
        let expected = post.summary.revision;
        let event = context.event(|| Event::PostDeleted(id));
        let store = Arc::clone(&context.store);
        let delete = async move { store.delete_post(id, expected).await };
        if context.change(id, event, delete).await? == Write::Applied {
            return Ok(());
        }
    }
    Err(endless_conflict().into())
}

/// Gives a post a new edit token; the old one is dead at once. `allow` as for [`update`].
pub(crate) async fn replace_edit_token(
    context: &Context,
    id: PostId,
    allow: impl Fn(&Post) -> Result<(), Problem>,
) -> Result<EditToken, Problem> {
    for _ in 0..MAX_CONFLICTS {
        let post = read_current(context, id).await?;
        allow(&post)?;
        let token = EditToken::generate();
        let mut changed = Post::clone(&post);
        changed.summary.revision = post.summary.revision.next();
        changed.edit_token = token.hash();
        if put(context, &post, changed, None).await? == Write::Applied {
            return Ok(token);
        }
    }
    Err(endless_conflict().into())
}

async fn put(
    context: &Context,
    before: &Post,
    after: Post,
    event: Option<Event>,
) -> Result<Write, StoreError> {
    let (id, expected) = (before.summary.id, before.summary.revision);
    let store = Arc::clone(&context.store);
    let update = async move { store.update_post(expected, after).await };
    context.change(id, event, update).await
}

fn endless_conflict() -> StoreError {
    StoreError::new(
        "change a post",
        "each of the changes conflicted with another one",
    )
}
