//! What a store's writing task is asked for.

use std::time::Duration;

use handbill::store::{
    Authority, InstallationSecret, NewChange, Post, PostId, Retry, Revision, Words, Write,
};

/// What the writing task is asked for.
pub(crate) enum Request {
    /// A write, and its change.
    Write(Write, Option<NewChange>),
    InsertInstallationSecret(InstallationSecret),
    Outbox(OutboxChange),
    Index(IndexChange),
}

impl Request {
    pub(crate) const fn change(&self) -> Option<&NewChange> {
        match self {
            Self::Write(_, change) => change.as_ref(),
            Self::InsertInstallationSecret(_) | Self::Outbox(_) | Self::Index(_) => None,
        }
    }
}

/// A post, its words, in whose name it is inserted, and its change.
pub(crate) struct NewPost<'a> {
    pub(crate) post: &'a Post,
    pub(crate) words: Option<&'a Words>,
    pub(crate) by: Option<Authority>,
    #[cfg(feature = "sqlite")]
    pub(crate) change: Option<&'a NewChange>,
}

impl<'a> NewPost<'a> {
    pub(crate) fn of(request: &'a Request) -> Option<Self> {
        match request {
            Request::Write(Write::InsertPost { post, words, by }, _) => Some(Self {
                post,
                words: words.as_ref(),
                by: *by,
                #[cfg(feature = "sqlite")]
                change: request.change(),
            }),
            _ => None,
        }
    }
}

/// What a write changes in the outbox itself.
pub(crate) enum OutboxChange {
    Add(String),
    Remove(String),
    Lease {
        listener: String,
        instance: String,
        time: Duration,
    },
    Settle {
        listener: String,
        done: Vec<u64>,
        again: Vec<Retry>,
    },
}

/// A write of the index itself.
pub(crate) enum IndexChange {
    Lease { instance: String, time: Duration },
    Posts(Vec<(PostId, Revision, Words)>),
    Complete(u32),
}
