//! The submitted form of the edit page, and the fields of both pages.

use sha2::{Digest, Sha256};

use crate::hex;
use crate::http::form::FormData;
use crate::post::{Draft, DraftTags, Post, Precondition, Revision, Tag, Version, Visibility};
use crate::problem::Problem;
use crate::secret::SecretHash;

/// A submitted form.
pub(super) struct Form {
    pub(super) action: Action,
    pub(super) fields: Fields,
    /// The revision that the user opened, if the form contains it.
    pub(super) opened: Option<Revision>,
    /// The hashes of the fields when the user opened the form, if the form contains them.
    pub(super) opened_hashes: Option<String>,
}

/// The button that was pressed.
pub(super) enum Action {
    Save,
    Preview,
    Delete { confirmed: bool },
}

/// The values of the fields.
#[derive(Clone, PartialEq)]
pub(super) struct Fields {
    pub(super) title: String,
    pub(super) body: String,
    pub(super) tags: String,
    pub(super) focus_keyword: String,
    pub(super) author: String,
    pub(super) language: String,
    pub(super) visibility: String,
}

impl Form {
    pub(super) fn read(form: &FormData<'_>, post: &Post) -> Result<Self, Problem> {
        let action = match form.one("action")?.as_deref() {
            None | Some("save") => Action::Save,
            Some("preview") => Action::Preview,
            Some("delete") => Action::Delete {
                confirmed: form.one("confirm")?.is_some(),
            },
            Some(_) => {
                return Err(FormData::invalid(
                    "action",
                    "must be save, preview or delete",
                ));
            }
        };
        Ok(Self {
            action,
            fields: Fields::submitted(form, post)?,
            opened: opened(form)?,
            opened_hashes: form.one("seen")?,
        })
    }

    /// The post is still the one that the user opened. If a backup was restored, the same revision may be another
    /// one, so the hashes of the fields count, too.
    pub(super) fn precondition(&self, post: &Post) -> Precondition {
        if self.opened.is_none() && self.opened_hashes.is_none() {
            return Precondition::NONE;
        }
        let hashes = self.opened_hashes.as_deref();
        let is_opened = self
            .opened
            .is_none_or(|opened| opened == post.summary.revision)
            && hashes.is_none_or(|hashes| Fields::of(post).have_hashes(hashes));
        Precondition::one_of(is_opened.then(|| Version::of(&post.summary)))
    }
}

fn opened(form: &FormData<'_>) -> Result<Option<Revision>, Problem> {
    let Some(text) = form.one("revision")? else {
        return Ok(None);
    };
    let number = text
        .parse()
        .map_err(|_| FormData::invalid("revision", "must be a whole number"))?;
    Ok(Some(Revision::from_number(number)))
}

impl Fields {
    pub(super) fn of(post: &Post) -> Self {
        let tags = post.summary.tags.iter().map(Tag::as_str);
        Self {
            title: post.summary.title.clone().unwrap_or_default(),
            body: post.body.clone(),
            tags: tags.collect::<Vec<_>>().join(", "),
            focus_keyword: post.summary.focus_keyword.clone().unwrap_or_default(),
            author: post.summary.author.clone().unwrap_or_default(),
            language: post.summary.language.clone().unwrap_or_default(),
            visibility: post.summary.visibility.to_string(),
        }
    }

    /// The fields of a post that does not exist yet.
    pub(super) fn empty() -> Self {
        Self {
            title: String::new(),
            body: String::new(),
            tags: String::new(),
            focus_keyword: String::new(),
            author: String::new(),
            language: String::new(),
            visibility: Visibility::Public.to_string(),
        }
    }

    /// The submitted fields of a new post. A field that the form lacks is as in an empty form.
    pub(super) fn of_new_post(form: &FormData<'_>) -> Result<Self, Problem> {
        Self::or(form, Self::empty())
    }

    /// The submitted fields. A field that the form lacks has its current value.
    fn submitted(form: &FormData<'_>, post: &Post) -> Result<Self, Problem> {
        Self::or(form, Self::of(post))
    }

    /// The submitted fields, or else the given ones.
    fn or(form: &FormData<'_>, current: Self) -> Result<Self, Problem> {
        let field = |name, current| Ok::<_, Problem>(form.one(name)?.unwrap_or(current));
        Ok(Self {
            title: field("title", current.title)?,
            body: match form.one("body")? {
                Some(submitted) => body(&submitted, current.body),
                None => current.body,
            },
            tags: field("tags", current.tags)?,
            focus_keyword: field("focus_keyword", current.focus_keyword)?,
            author: field("author", current.author)?,
            language: field("language", current.language)?,
            visibility: field("visibility", current.visibility)?,
        })
    }

    /// The fields with their names, in the order of the form.
    pub(super) fn named(&self) -> [(&'static str, &str); 7] {
        [
            ("title", &self.title),
            ("body", &self.body),
            ("tags", &self.tags),
            ("focus_keyword", &self.focus_keyword),
            ("author", &self.author),
            ("language", &self.language),
            ("visibility", &self.visibility),
        ]
    }

    /// The bytes of all fields.
    pub(super) fn len(&self) -> usize {
        self.named().iter().map(|(_, text)| text.len()).sum()
    }

    /// A short hash of each field, independent of its line breaks. A changed hash means that the user
    /// edited the field.
    pub(super) fn hashes(&self) -> String {
        let hashes = self.named().map(|(_, text)| {
            let hash = Sha256::digest(with_line_feeds(text));
            hex::encode(&hash[..8])
        });
        hashes.join("-")
    }

    /// Whether these are the hashes, as far as they go: a form of an earlier release may lack some.
    pub(super) fn have_hashes(&self, hashes: &str) -> bool {
        let own = self.hashes();
        own.split('-')
            .zip(hashes.split('-'))
            .all(|(own, given)| own == given)
    }

    /// A hash of all fields, independent of their line breaks.
    pub(super) fn hash(&self) -> SecretHash {
        SecretHash::of(self.hashes())
    }

    /// Replaces the fields that the user did not edit with their current values.
    pub(super) fn with_unedited_from(mut self, opened_hashes: &str, current: &Self) -> Self {
        let hashes = self.hashes();
        let fields = [
            (&mut self.title, &current.title),
            (&mut self.body, &current.body),
            (&mut self.tags, &current.tags),
            (&mut self.focus_keyword, &current.focus_keyword),
            (&mut self.author, &current.author),
            (&mut self.language, &current.language),
            (&mut self.visibility, &current.visibility),
        ];
        let hashes = opened_hashes.split('-').zip(hashes.split('-'));
        for ((field, current), (opened, submitted)) in fields.into_iter().zip(hashes) {
            if opened == submitted {
                field.clone_from(current);
            }
        }
        self
    }

    pub(super) fn to_draft(&self) -> Draft {
        Draft {
            title: Some(self.title.clone()),
            body: Some(self.body.clone()),
            tags: Some(DraftTags::Text(self.tags.clone())),
            focus_keyword: Some(self.focus_keyword.clone()),
            author: Some(self.author.clone()),
            language: Some(self.language.clone()),
            visibility: Some(self.visibility.clone()),
            ..Draft::default()
        }
    }
}

/// The submitted body. Browsers send all line breaks of a text area as CRLF, so a body that differs from
/// the current one only in its line breaks counts as unchanged.
fn body(submitted: &str, current: String) -> String {
    let submitted = with_line_feeds(submitted);
    if submitted == with_line_feeds(&current) {
        current
    } else {
        submitted
    }
}

/// Normalises line breaks to LF (HTML, "normalize newlines").
pub(super) fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_were_not_edited_have_their_current_value() {
        let fields = |title: &str, body: &str| Fields {
            title: title.to_owned(),
            body: body.to_owned(),
            tags: String::new(),
            focus_keyword: String::new(),
            author: String::new(),
            language: String::new(),
            visibility: String::new(),
        };
        let opened = fields("Old", "a\r\nb").hashes();
        let current = fields("Theirs", "theirs");
        let mine = fields("Mine", "a\nb").with_unedited_from(&opened, &current);
        assert_eq!((&*mine.title, &*mine.body), ("Mine", "theirs"));
        let unknown = fields("Mine", "mine").with_unedited_from("", &current);
        assert_eq!((&*unknown.title, &*unknown.body), ("Mine", "mine"));
    }

    #[test]
    fn other_line_breaks_are_not_a_change() {
        let mixed = "a\r\nb\nc\rd".to_owned();
        assert_eq!(body("a\r\nb\r\nc\r\nd", mixed.clone()), mixed);
        assert_eq!(body("a\r\nb\r\nc\r\ne", mixed), "a\nb\nc\ne");
    }
}
