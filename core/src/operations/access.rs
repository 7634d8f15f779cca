//! Who may read and change a post: the one place that decides it, for the API, the pages and the host.

use std::sync::Arc;

use crate::host::signed_in::SignedIn;
use crate::post::{
    Actor, Authority, Entry, KeyRecord, Owner, Post, SecretHash, Timestamp, Visibility,
};
use crate::problem::{Code, Problem};

#[derive(Clone, Debug)]
pub(crate) enum Credentials {
    /// An anonymous reader, without credentials.
    Reader,
    /// An edit token. It alone decides, whatever else was sent.
    Token(SecretHash),
    /// Those of an owner, who has sent an API key or is signed in by the host.
    Owner {
        visitor: SignedIn,
        key: Option<KeyRecord>,
    },
    /// The caller is the host's own code, or the operator.
    Host(Actor),
}

impl From<&SignedIn> for Credentials {
    fn from(visitor: &SignedIn) -> Self {
        let (visitor, key) = (visitor.clone(), None);
        Self::Owner { visitor, key }
    }
}

impl Credentials {
    /// The post, for a caller that wants to read it. A draft that the credentials do not open is like an
    /// identifier that was never used.
    pub(crate) fn authorize_read(&self, entry: Option<Entry>) -> Result<Arc<Post>, Problem> {
        let Some(entry) = entry else {
            return Err(Problem::not_found());
        };
        let (visibility, token, owner) = match &entry {
            Entry::Live(post) => (
                post.summary.visibility,
                post.edit_token,
                &post.summary.owner,
            ),
            Entry::Gone(gone) => (gone.visibility, gone.edit_token, &gone.owner),
        };
        if visibility == Visibility::Draft && !self.allow(token, owner.as_ref()) {
            return Err(Problem::not_found());
        }
        match entry {
            Entry::Live(post) => Ok(post),
            Entry::Gone(_) => {
                let detail = "A deleted post can't be restored.";
                Err(Problem::new(Code::Gone, detail))
            }
        }
    }

    /// The post, for a caller that wants to change it.
    pub(crate) fn authorize_change(&self, entry: Option<Entry>) -> Result<Arc<Post>, Problem> {
        let post = self.authorize_read(entry)?;
        if self.allow(post.edit_token, post.summary.owner.as_ref()) {
            return Ok(post);
        }
        Err(match self {
            Self::Owner { .. } => Problem::new(
                Code::NotTheOwner,
                "Use an API key of the post's owner, or the post's edit token.",
            ),
            Self::Reader | Self::Token(_) | Self::Host(_) => Problem::new(
                Code::InvalidEditToken,
                "This is not the post's current edit token.",
            ),
        })
    }

    /// Who makes the changes of this post that the credentials allow.
    pub(crate) fn actor(&self, post: &Post) -> Actor {
        match self {
            Self::Reader => Actor::Visitor,
            Self::Token(_) => Actor::EditToken,
            Self::Owner { key: Some(key), .. } => Actor::Key(key.id),
            Self::Owner { visitor, key: None } => {
                let owner = visitor.owner();
                match post.summary.owner.as_ref() == Some(owner) {
                    true => Actor::SignedIn(owner.clone()),
                    false => Actor::Staff(owner.clone()),
                }
            }
            Self::Host(actor) => actor.clone(),
        }
    }

    /// In whose name the changes of this post are made, if it is in an owner's. They were authorised at this time.
    pub(crate) fn authority(&self, post: &Post, at: Timestamp) -> Option<Authority> {
        let owner = match self {
            Self::Owner { visitor, .. } => visitor.owner(),
            Self::Host(Actor::SignedIn(owner)) => owner,
            Self::Token(_) => post.summary.owner.as_ref()?,
            Self::Reader | Self::Host(_) => return None,
        };
        Some(Authority::of(owner, at))
    }

    /// Whether they open a post, or its tombstone, with this edit token and owner.
    fn allow(&self, edit_token: SecretHash, owner: Option<&Owner>) -> bool {
        match self {
            Self::Reader => false,
            Self::Token(token) => *token == edit_token,
            Self::Owner { visitor, .. } => visitor.may_edit(owner),
            Self::Host(_) => true,
        }
    }
}
