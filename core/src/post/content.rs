//! The content of a post after validation. A [`NewPost`] or a [`PostChange`] is always valid.

use super::{
    Creation, Draft, DraftTags, DueField, FieldError, FieldFault, KeyRecord, Limits, Owner,
    PerDueField, PerTextField, Post, PostId, PostSummary, SecretHash, Tag, TextField, Timestamp,
    Visibility, due, field, tag,
};

/// The valid content of a new post: a change to a post without content, which sets the body.
#[derive(Debug)]
pub(crate) struct NewPost {
    content: PostChange,
    /// What the draft names as its identifier.
    pub(crate) id: Option<PostId>,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
}

/// A valid change to a post. `None` leaves a field unchanged.
#[derive(Clone, Debug)]
pub(crate) struct PostChange {
    texts: PerTextField<Option<Option<String>>>,
    body: Option<ParsedBody>,
    tags: Option<Vec<Tag>>,
    visibility: Option<Visibility>,
    times: PerDueField<Option<Option<Timestamp>>>,
    owner: Option<Owner>,
}

/// A valid Markdown source, with what is made of it.
#[derive(Clone, Debug)]
struct ParsedBody {
    source: String,
    heading: Option<String>,
    excerpt: String,
    picture: Option<String>,
}

impl NewPost {
    /// Validates a draft.
    ///
    /// # Errors
    /// All invalid fields.
    pub(crate) fn parse(draft: Draft, limits: &Limits) -> Result<Self, Vec<FieldError>> {
        let is_missing = draft.body.is_none();
        let (id, created_at, updated_at) = (draft.id, draft.created_at, draft.updated_at);
        let content = PostChange::parse(draft, limits);
        if !is_missing {
            return content.map(|content| Self {
                content: content.published_later_as_draft(),
                id,
                created_at,
                updated_at,
            });
        }
        let detail = "a post must have a body";
        let mut errors = vec![FieldError::new("body", FieldFault::Required, detail)];
        errors.extend(content.err().into_iter().flatten());
        Err(errors)
    }

    /// The bytes of its texts.
    pub(crate) fn text_len(&self) -> usize {
        self.content.growth(None)
    }

    /// Makes a post of this content. It belongs to the owner of the key that creates it, unless the draft
    /// names another owner.
    ///
    /// # Errors
    /// The invalid times. `parse` does not check them, because a retry must succeed although a time has passed.
    pub(crate) fn to_post(
        &self,
        id: PostId,
        edit_token: SecretHash,
        creator: Option<&KeyRecord>,
        creation: Option<Creation>,
        now: Timestamp,
    ) -> Result<Post, Vec<FieldError>> {
        let created_at = self.created_at.unwrap_or(now);
        let updated_at = self.updated_at.unwrap_or(created_at);
        let summary = PostSummary::new(id, created_at)
            .with_updated_at(updated_at.max(created_at))
            .with_owner(creator.map(|key| key.owner.clone()));
        let mut post = Post::new(summary, String::new(), edit_token)
            .with_created_by(creator.map(|key| key.id))
            .with_creation(creation);
        self.content.set_fields(&mut post);
        if post.summary.visibility != Visibility::Public {
            post.summary.published_at = None;
        }
        post.summary.check_times(None)?;
        Ok(post)
    }
}

impl PostChange {
    /// Validates the fields that the draft has.
    ///
    /// # Errors
    /// All invalid fields.
    pub(crate) fn parse(draft: Draft, limits: &Limits) -> Result<Self, Vec<FieldError>> {
        let mut errors = Vec::new();
        let mut texts = PerTextField::default();
        for (field, text) in TextField::ALL.iter().zip(draft.texts) {
            let text = valid(text, &mut errors, |text| field.parse(&text, limits));
            texts[*field as usize] = text;
        }
        let visibility = valid(draft.visibility, &mut errors, |name| {
            parse_visibility(&name)
        });
        let mut times = PerDueField::default();
        for (field, text) in DueField::ALL.iter().zip(draft.times) {
            times[*field as usize] = valid(text, &mut errors, |text| field.parse(&text));
        }
        let is_draft = visibility.is_none_or(|visibility| visibility == Visibility::Draft);
        if matches!(times[DueField::PublishAt as usize], Some(Some(_))) && !is_draft {
            errors.push(due::conflicts());
        }
        let tags = valid(draft.tags, &mut errors, |tags| parse_tags(tags, limits));
        let body = valid(draft.body, &mut errors, |body| {
            ParsedBody::parse(body, limits.body)
        });
        if errors.is_empty() {
            Ok(Self {
                texts,
                body,
                tags,
                visibility,
                times,
                owner: draft.owner,
            })
        } else {
            // Without other errors, times are checked against the post later: a time that it has already is valid.
            let now = Timestamp::now();
            let set_times = DueField::ALL.iter().zip(times);
            let set_times = set_times.filter_map(|(field, at)| Some((field, at??)));
            errors.extend(set_times.filter_map(|(field, at)| field.check(at, now).err()));
            Err(errors)
        }
    }

    /// The content of a new post, which is a draft if it is published later.
    fn published_later_as_draft(mut self) -> Self {
        if let Some(Some(_)) = self.times[DueField::PublishAt as usize] {
            self.visibility = Some(Visibility::Draft);
        }
        self
    }

    /// The text fields that it changes.
    fn texts(&self) -> impl Iterator<Item = (TextField, &Option<String>)> {
        let all = TextField::ALL.iter().zip(&self.texts);
        all.filter_map(|(field, text)| Some((*field, text.as_ref()?)))
    }

    /// The post after this change, in its next revision. `None` if the change has no effect.
    ///
    /// Its time of change is `now`, but always visibly later than the previous one.
    ///
    /// # Errors
    /// What is wrong with a time of the post.
    pub(crate) fn apply(
        &self,
        post: &Post,
        now: Timestamp,
    ) -> Result<Option<Post>, Vec<FieldError>> {
        let mut changed = post.clone();
        self.set_fields(&mut changed);
        if changed == *post {
            return Ok(None);
        }
        changed.summary.check_times(Some(&post.summary))?;
        changed.summary.revision = post.summary.revision.next();
        changed.summary.updated_at = post.summary.updated_at.next_millisecond_or(now);
        if changed.summary.visibility == Visibility::Public {
            let first_time = now.max(post.summary.created_at);
            changed.summary.published_at.get_or_insert(first_time);
        }
        Ok(Some(changed))
    }

    /// By how many bytes it makes the texts of a post longer. A new post has no texts before.
    pub(crate) fn growth(&self, post: Option<&Post>) -> usize {
        let tags_len = |tags: &[Tag]| tags.iter().map(|tag| tag.as_str().len()).sum();
        let (mut new, mut old) = (0, 0);
        let mut add = |len: usize, len_before: Option<usize>| {
            new += len;
            old += len_before.unwrap_or(0);
        };
        for (field, text) in self.texts() {
            let before = post.and_then(|post| post.summary.text(field));
            add(text.as_ref().map_or(0, String::len), before.map(str::len));
        }
        if let Some(tags) = &self.tags {
            add(
                tags_len(tags),
                post.map(|post| tags_len(&post.summary.tags)),
            );
        }
        if let Some(body) = &self.body {
            add(body.source.len(), post.map(|post| post.body.len()));
        }
        new.saturating_sub(old)
    }

    /// Sets the fields of the post that this change has, and nothing else.
    pub(crate) fn set_fields(&self, post: &mut Post) {
        for (field, text) in self.texts() {
            post.summary.text_mut(field).clone_from(text);
        }
        if let Some(body) = &self.body
            && body.source != post.body
        {
            post.body.clone_from(&body.source);
            post.summary.heading.clone_from(&body.heading);
            post.summary.excerpt.clone_from(&body.excerpt);
            post.summary.picture.clone_from(&body.picture);
        }
        if let Some(tags) = &self.tags {
            post.summary.tags.clone_from(tags);
        }
        if let Some(visibility) = self.visibility {
            post.summary.visibility = visibility;
            if visibility != Visibility::Draft {
                post.summary.publish_at = None;
            }
        }
        for (field, at) in DueField::ALL.iter().zip(self.times) {
            if let Some(at) = at {
                field.set(&mut post.summary, at);
            }
        }
        if let Some(owner) = &self.owner {
            post.summary.owner = Some(owner.clone());
        }
    }
}

impl ParsedBody {
    fn parse(source: String, max: usize) -> Result<Self, FieldError> {
        let refused = |fault, detail: &str| Err(FieldError::new("body", fault, detail));
        if source.trim().is_empty() {
            return refused(FieldFault::Blank, "more than white space");
        }
        if source.contains('\0') {
            return refused(FieldFault::Nul, "no character U+0000");
        }
        field::at_most("body", &source, max)?;
        match handbill_markdown::check(&source) {
            Ok(checked) => Ok(Self {
                source,
                heading: checked.heading,
                excerpt: checked.excerpt,
                picture: checked.picture,
            }),
            Err(handbill_markdown::TooComplex) => refused(
                FieldFault::TooComplex,
                "its HTML would be larger than 8 times its size plus 64 KiB, or than 1 MiB",
            ),
        }
    }
}

/// Parses a field if the draft has it.
fn valid<T, V>(
    field: Option<T>,
    errors: &mut Vec<FieldError>,
    parse: impl FnOnce(T) -> Result<V, FieldError>,
) -> Option<V> {
    let parsed = parse(field?);
    parsed.map_err(|error| errors.push(error)).ok()
}

fn parse_visibility(name: &str) -> Result<Visibility, FieldError> {
    name.parse().map_err(|_| {
        let detail = "public, unlisted or draft";
        FieldError::new("visibility", FieldFault::UnknownValue, detail)
    })
}

fn parse_tags(tags: DraftTags, limits: &Limits) -> Result<Vec<Tag>, FieldError> {
    let has_comma = match &tags {
        DraftTags::Text(_) => false,
        DraftTags::List(items) => items.iter().any(|item| item.contains(tag::is_comma)),
        // An earlier release took other commas for a part of the tag.
        DraftTags::Stored(tags) => tags.iter().any(|tag| tag.as_str().contains(',')),
    };
    if has_comma {
        let detail = "no commas in the tags of an array";
        return Err(FieldError::new("tags", FieldFault::Comma, detail));
    }
    let parse = |item: &str| Tag::parse(item, limits.tag);
    match tags {
        DraftTags::Text(text) => unique_tags(Tag::split(&text).map(parse), limits.tags),
        DraftTags::List(items) => unique_tags(items.iter().map(|item| parse(item)), limits.tags),
        DraftTags::Stored(tags) => {
            let tags = tags.into_iter().map(|tag| tag.check(limits.tag));
            unique_tags(tags, limits.tags)
        }
    }
}

/// The tags that are not empty, each once.
fn unique_tags(
    tags: impl Iterator<Item = Result<Option<Tag>, FieldError>>,
    max: usize,
) -> Result<Vec<Tag>, FieldError> {
    let mut unique: Vec<Tag> = Vec::new();
    for tag in tags {
        if let Some(tag) = tag?
            && !unique.contains(&tag)
        {
            unique.push(tag);
        }
        if unique.len() > max {
            let detail = format!("at most {max} tags");
            return Err(FieldError {
                max,
                ..FieldError::new("tags", FieldFault::TooMany, detail)
            });
        }
    }
    Ok(unique)
}
