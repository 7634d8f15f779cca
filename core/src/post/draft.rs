use super::{Creation, Post, PostSummary, Tag};
use crate::field::{self, FieldError, FieldFault};
use crate::id::{KeyId, PostId};
use crate::limit::Limits;
use crate::markdown;
use crate::secret::SecretHash;
use crate::time::Timestamp;

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
pub struct Draft {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) tags: Option<DraftTags>,
    pub(crate) focus_keyword: Option<String>,
}

impl Draft {
    /// A draft without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// The bytes of all fields.
    pub(crate) fn len(&self) -> usize {
        let texts = [&self.title, &self.body, &self.focus_keyword];
        let tags = match &self.tags {
            None => 0,
            Some(DraftTags::Text(text)) => text.len(),
            Some(DraftTags::List(items)) => items.iter().map(String::len).sum(),
        };
        let texts = texts.into_iter().flatten().map(String::len);
        texts.sum::<usize>() + tags
    }

    /// Sets the title: one line.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        let title = Some(title.into());
        Self { title, ..self }
    }

    /// Sets the body: Markdown. It cannot be cleared.
    #[must_use]
    pub fn body(self, body: impl Into<String>) -> Self {
        let body = Some(body.into());
        Self { body, ..self }
    }

    /// Sets the tags, one per item.
    #[must_use]
    pub fn tags<T: Into<String>>(self, tags: impl IntoIterator<Item = T>) -> Self {
        let tags = tags.into_iter().map(Into::into).collect();
        let tags = Some(DraftTags::List(tags));
        Self { tags, ..self }
    }

    /// Sets the focus keyword: the search term that the post is written for, one line.
    #[must_use]
    pub fn focus_keyword(self, focus_keyword: impl Into<String>) -> Self {
        let focus_keyword = Some(focus_keyword.into());
        Self {
            focus_keyword,
            ..self
        }
    }
}

/// Tags before validation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DraftTags {
    /// A text that separates tags by commas.
    Text(String),
    /// One tag per item.
    List(Vec<String>),
}

/// The valid content of a new post: a change to a post without content, which sets the body.
#[derive(Debug)]
pub(crate) struct NewPost(PostChange);

/// A valid change to a post. `None` leaves a field unchanged.
#[derive(Clone, Debug)]
pub(crate) struct PostChange {
    title: Option<Option<String>>,
    body: Option<Body>,
    tags: Option<Vec<Tag>>,
    focus_keyword: Option<Option<String>>,
}

/// A valid Markdown source, with its excerpt.
#[derive(Clone, Debug)]
struct Body {
    source: String,
    excerpt: String,
}

impl NewPost {
    /// Validates a draft.
    ///
    /// # Errors
    /// All invalid fields.
    pub(crate) fn parse(draft: Draft, limits: &Limits) -> Result<Self, Vec<FieldError>> {
        let is_missing = draft.body.is_none();
        let content = PostChange::parse(draft, limits);
        if !is_missing {
            return content.map(Self);
        }
        let detail = "a post must have a body";
        let mut errors = vec![FieldError::new("body", FieldFault::Required, detail)];
        errors.extend(content.err().into_iter().flatten());
        Err(errors)
    }

    /// The bytes of its texts.
    pub(crate) fn text_len(&self) -> usize {
        self.0.growth(None)
    }

    /// Makes a post of this content.
    pub(crate) fn to_post(
        &self,
        id: PostId,
        edit_token: SecretHash,
        created_by: Option<KeyId>,
        creation: Option<Creation>,
        created_at: Timestamp,
    ) -> Post {
        let summary = PostSummary::new(id, created_at);
        let mut post = Post::new(summary, String::new(), edit_token)
            .with_created_by(created_by)
            .with_creation(creation);
        self.0.set_fields(&mut post);
        post
    }
}

impl PostChange {
    /// Validates the fields that the draft has.
    ///
    /// # Errors
    /// All invalid fields.
    pub(crate) fn parse(draft: Draft, limits: &Limits) -> Result<Self, Vec<FieldError>> {
        let mut errors = Vec::new();
        let title = valid(draft.title, &mut errors, |title| {
            field::name("title", &title, limits.title)
        });
        let focus_keyword = valid(draft.focus_keyword, &mut errors, |keyword| {
            field::one_line("focus_keyword", &keyword, limits.focus_keyword)
        });
        let tags = valid(draft.tags, &mut errors, |tags| parse_tags(tags, limits));
        let body = valid(draft.body, &mut errors, |body| {
            Body::parse(body, limits.body)
        });
        if errors.is_empty() {
            Ok(Self {
                title,
                body,
                tags,
                focus_keyword,
            })
        } else {
            Err(errors)
        }
    }

    /// The post after this change, in its next revision. `None` if the change has no effect.
    ///
    /// Its time of change is `now`, but always visibly later than the previous one.
    pub(crate) fn apply(&self, post: &Post, now: Timestamp) -> Option<Post> {
        let mut changed = post.clone();
        self.set_fields(&mut changed);
        if changed == *post {
            return None;
        }
        changed.summary.revision = post.summary.revision.next();
        changed.summary.updated_at = post.summary.updated_at.visibly_later(now);
        Some(changed)
    }

    /// By how many bytes it makes the texts of a post longer. A new post has no texts before.
    pub(crate) fn growth(&self, post: Option<&Post>) -> usize {
        let line = |line: &Option<String>| line.as_ref().map_or(0, String::len);
        let tags = |tags: &Vec<Tag>| tags.iter().map(|tag| tag.as_str().len()).sum();
        let before = post.map(|post| &post.summary);
        let lengths: [(Option<usize>, Option<usize>); 4] = [
            (
                self.title.as_ref().map(line),
                before.map(|post| line(&post.title)),
            ),
            (
                self.focus_keyword.as_ref().map(line),
                before.map(|post| line(&post.focus_keyword)),
            ),
            (
                self.tags.as_ref().map(tags),
                before.map(|post| tags(&post.tags)),
            ),
            (
                self.body.as_ref().map(|body| body.source.len()),
                post.map(|post| post.body.len()),
            ),
        ];
        let (mut new, mut old) = (0, 0);
        for (length, length_before) in lengths {
            if let Some(length) = length {
                new += length;
                old += length_before.unwrap_or(0);
            }
        }
        new.saturating_sub(old)
    }

    fn set_fields(&self, post: &mut Post) {
        if let Some(title) = &self.title {
            post.summary.title.clone_from(title);
        }
        if let Some(body) = &self.body
            && body.source != post.body
        {
            post.body.clone_from(&body.source);
            post.summary.excerpt.clone_from(&body.excerpt);
        }
        if let Some(tags) = &self.tags {
            post.summary.tags.clone_from(tags);
        }
        if let Some(focus_keyword) = &self.focus_keyword {
            post.summary.focus_keyword.clone_from(focus_keyword);
        }
    }
}

impl Body {
    fn parse(source: String, max: usize) -> Result<Self, FieldError> {
        let refused = |fault, detail: &str| Err(FieldError::new("body", fault, detail));
        if source.trim().is_empty() {
            return refused(FieldFault::Blank, "more than white space");
        }
        if source.contains('\0') {
            return refused(FieldFault::Nul, "no character U+0000");
        }
        field::at_most("body", &source, max)?;
        match markdown::check(&source) {
            Ok(rendered) => Ok(Self {
                source,
                excerpt: rendered.excerpt,
            }),
            Err(markdown::TooComplex) => refused(
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

fn parse_tags(tags: DraftTags, limits: &Limits) -> Result<Vec<Tag>, FieldError> {
    let items: Vec<&str> = match &tags {
        DraftTags::Text(text) => text.split(',').collect(),
        DraftTags::List(items) => items.iter().map(String::as_str).collect(),
    };
    if matches!(tags, DraftTags::List(_)) && items.iter().any(|item| item.contains(',')) {
        let detail = "no commas in the tags of an array";
        return Err(FieldError::new("tags", FieldFault::Comma, detail));
    }
    let mut unique: Vec<Tag> = Vec::new();
    for item in items {
        if let Some(tag) = Tag::parse(item, limits.tag)?
            && !unique.contains(&tag)
        {
            unique.push(tag);
        }
        if unique.len() > limits.tags {
            let detail = format!("at most {} tags", limits.tags);
            let error = FieldError::new("tags", FieldFault::TooMany, detail);
            return Err(error.with_max(limits.tags));
        }
    }
    Ok(unique)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(draft: Draft) -> Vec<(String, FieldFault)> {
        let errors = NewPost::parse(draft, &Limits::default()).unwrap_err();
        errors
            .into_iter()
            .map(|error| (error.field, error.code))
            .collect()
    }

    fn draft(body: &str) -> Draft {
        Draft {
            body: Some(body.to_owned()),
            ..Draft::default()
        }
    }

    #[test]
    fn all_invalid_fields_are_reported_together() {
        let faulty = Draft {
            title: Some("x".repeat(201)),
            body: Some(" \n".to_owned()),
            tags: Some(DraftTags::List(vec!["a,b".to_owned()])),
            focus_keyword: Some("a\u{202E}b".to_owned()),
        };
        let expected = [
            ("title", FieldFault::TooLong),
            ("focus_keyword", FieldFault::BidiOverride),
            ("tags", FieldFault::Comma),
            ("body", FieldFault::Blank),
        ];
        assert_eq!(
            codes(faulty),
            expected.map(|(field, code)| (field.to_owned(), code))
        );
        assert_eq!(
            codes(Draft::default()),
            [("body".to_owned(), FieldFault::Required)]
        );
        assert_eq!(codes(draft("a\0b")), [("body".to_owned(), FieldFault::Nul)]);
        assert_eq!(
            codes(draft(&"é".repeat(100_001))),
            [("body".to_owned(), FieldFault::TooLong)]
        );
    }

    #[test]
    fn limits_are_inclusive_and_count_characters() {
        let largest = Draft {
            title: Some(format!(" {} ", "é".repeat(200))),
            body: Some("é".repeat(100_000)),
            tags: Some(DraftTags::List(
                (0..20).map(|n| format!("{n:é>50}")).collect(),
            )),
            focus_keyword: Some("é".repeat(100)),
        };
        assert!(NewPost::parse(largest, &Limits::default()).is_ok());
    }

    #[test]
    fn a_text_of_only_commas_has_no_tags() {
        let draft = Draft {
            tags: Some(DraftTags::Text(",, ,#,".to_owned())),
            ..draft("x")
        };
        let NewPost(content) = NewPost::parse(draft, &Limits::default()).unwrap();
        assert_eq!(content.tags, Some(Vec::new()));
    }
}
