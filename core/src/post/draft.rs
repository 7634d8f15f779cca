//! The fields of a post as clients and hosts give them.

use super::{
    DueField, Owner, PerDueField, PerTextField, Post, PostId, Tag, TextField, Timestamp, Visibility,
};

/// The fields of a post before validation.
///
/// An update leaves the fields that the draft lacks unchanged, and clears those that are empty. A new
/// post has only the fields of its draft.
///
/// ```
/// let draft = handbill::Draft::new()
///     .title("Hello")
///     .body("Some *Markdown*.")
///     .tags(["rust", "web"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Draft {
    pub(crate) texts: PerTextField<Option<String>>,
    pub(crate) body: Option<String>,
    pub(crate) tags: Option<DraftTags>,
    pub(crate) visibility: Option<String>,
    /// RFC 3339, or empty.
    pub(crate) times: PerDueField<Option<String>>,
    pub(crate) owner: Option<Owner>,
    pub(crate) id: Option<PostId>,
    pub(crate) created_at: Option<Timestamp>,
    pub(crate) updated_at: Option<Timestamp>,
}

impl Draft {
    /// A draft without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// The fields of a stored post.
    pub(crate) fn of(post: &Post) -> Self {
        let summary = &post.summary;
        let text = |field| summary.text(field).map(str::to_owned);
        Self {
            texts: std::array::from_fn(|place| text(TextField::ALL[place])),
            body: Some(post.body.clone()),
            tags: Some(DraftTags::Stored(summary.tags.clone())),
            visibility: Some(summary.visibility.as_str().to_owned()),
            times: std::array::from_fn(|place| {
                let at = DueField::ALL[place].of(summary);
                Some(at.map_or_else(String::new, Timestamp::to_rfc3339))
            }),
            owner: summary.owner.clone(),
            ..Self::default()
        }
    }

    /// The bytes of all fields. Each tag of a list counts as one more, since an empty one is work too.
    pub(crate) fn len(&self) -> usize {
        let texts = self.texts.iter().chain([&self.body, &self.visibility]);
        let texts = texts.chain(&self.times);
        let tags = match &self.tags {
            None => 0,
            Some(DraftTags::Text(text)) => text.len(),
            Some(DraftTags::List(items)) => items.iter().map(|item| item.len() + 1).sum(),
            Some(DraftTags::Stored(tags)) => tags.iter().map(|tag| tag.as_str().len() + 1).sum(),
        };
        texts.flatten().map(String::len).sum::<usize>() + tags
    }

    /// Sets one of the optional texts.
    pub fn text(mut self, field: TextField, text: impl Into<String>) -> Self {
        self.texts[field as usize] = Some(text.into());
        self
    }

    /// Sets the title: one line.
    pub fn title(self, title: impl Into<String>) -> Self {
        self.text(TextField::Title, title)
    }

    /// Sets the body: Markdown. It cannot be cleared.
    pub fn body(self, body: impl Into<String>) -> Self {
        let body = Some(body.into());
        Self { body, ..self }
    }

    /// Sets the tags, one per item.
    pub fn tags<T: Into<String>>(self, tags: impl IntoIterator<Item = T>) -> Self {
        let tags = tags.into_iter().map(Into::into).collect();
        let tags = Some(DraftTags::List(tags));
        Self { tags, ..self }
    }

    /// Sets the focus keyword: the search term that the post is written for, one line.
    pub fn focus_keyword(self, focus_keyword: impl Into<String>) -> Self {
        self.text(TextField::FocusKeyword, focus_keyword)
    }

    /// Sets who the post is by, as readers are shown it: one line.
    pub fn author(self, author: impl Into<String>) -> Self {
        self.text(TextField::Author, author)
    }

    /// Sets the language: a BCP 47 tag, such as `en` or `zh-Hant`.
    pub fn language(self, language: impl Into<String>) -> Self {
        self.text(TextField::Language, language)
    }

    /// Sets who can find and read the post. A new post is public, or a draft if it is published later.
    pub fn visibility(self, visibility: Visibility) -> Self {
        let visibility = Some(visibility.as_str().to_owned());
        Self { visibility, ..self }
    }

    /// Sets when a draft becomes public by itself, to the millisecond: in the future, and at most 10 years ahead.
    /// `None` takes it back. A new post with such a time is a draft.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use handbill::{Draft, Timestamp};
    ///
    /// let tomorrow = Timestamp::from(SystemTime::now() + Duration::from_secs(86_400));
    /// let draft = Draft::new().body("News of tomorrow.").publish_at(tomorrow);
    /// ```
    pub fn publish_at(self, at: impl Into<Option<Timestamp>>) -> Self {
        self.time(DueField::PublishAt, at.into())
    }

    /// Sets when the post is deleted by itself, to the millisecond: at least a minute, and at most 10 years ahead.
    /// `None` takes it back.
    pub fn expires_at(self, at: impl Into<Option<Timestamp>>) -> Self {
        self.time(DueField::ExpiresAt, at.into())
    }

    fn time(mut self, field: DueField, at: Option<Timestamp>) -> Self {
        let text = at.map_or_else(String::new, Timestamp::to_rfc3339);
        self.times[field as usize] = Some(text);
        self
    }

    /// Sets the owner of the post. Clients cannot send that.
    pub fn owner(self, owner: Owner) -> Self {
        let owner = Some(owner);
        Self { owner, ..self }
    }

    /// Sets the identifier of a new post, from [`PostId::generate`], so that other posts can link to
    /// [its address](crate::Posts::url) before it exists. [`Posts::create`](crate::Posts::create) alone uses it.
    pub fn id(self, id: PostId) -> Self {
        let id = Some(id);
        Self { id, ..self }
    }

    /// Sets when a new post was created, and published if it is public, instead of now. Has no effect on an
    /// update.
    pub fn created_at(self, created_at: Timestamp) -> Self {
        let created_at = Some(created_at);
        Self { created_at, ..self }
    }

    /// Sets when a new post was last changed, if that is after its creation. Has no effect on an update.
    pub fn updated_at(self, updated_at: Timestamp) -> Self {
        let updated_at = Some(updated_at);
        Self { updated_at, ..self }
    }
}

/// Tags before validation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DraftTags {
    /// A text that separates tags by commas.
    Text(String),
    /// One tag per item.
    List(Vec<String>),
    /// The tags of a stored post. They were normalised when they were written; doing it again could change
    /// them, since Unicode's tables grow.
    Stored(Vec<Tag>),
}
