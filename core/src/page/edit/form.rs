use sha2::{Digest, Sha256};

use crate::http::request::Query;
use crate::post::{Draft, DraftTags, Post, Revision};
use crate::problem::Problem;

/// What was sent.
pub(super) struct Form {
    pub(super) action: Action,
    pub(super) fields: Fields,
    /// The revision that the sender has seen, if the form says so.
    pub(super) opened: Option<Revision>,
    /// The marks of the fields as the sender saw them first, if the form says so.
    pub(super) seen: Option<String>,
}

/// The button that was pressed.
pub(super) enum Action {
    Save,
    Preview,
    Delete { confirmed: bool },
}

/// What stands in the fields.
#[derive(Clone, PartialEq)]
pub(super) struct Fields {
    pub(super) title: String,
    pub(super) body: String,
    pub(super) tags: String,
    pub(super) focus_keyword: String,
}

impl Form {
    pub(super) fn read(form: &Query, post: &Post) -> Result<Self, Problem> {
        let action = match form.one("action")?.as_deref() {
            None | Some("save") => Action::Save,
            Some("preview") => Action::Preview,
            Some("delete") => Action::Delete {
                confirmed: form.one("confirm")?.is_some(),
            },
            Some(_) => return Err(Query::invalid("action", "must be save, preview or delete")),
        };
        Ok(Self {
            action,
            fields: Fields::sent(form, post)?,
            opened: opened(form)?,
            seen: form.one("seen")?,
        })
    }
}

fn opened(form: &Query) -> Result<Option<Revision>, Problem> {
    let Some(text) = form.one("revision")? else {
        return Ok(None);
    };
    let number = text
        .parse()
        .map_err(|_| Query::invalid("revision", "must be a whole number"))?;
    Ok(Some(Revision::from_number(number)))
}

impl Fields {
    pub(super) fn of(post: &Post) -> Self {
        Self {
            title: post.summary.title.clone().unwrap_or_default(),
            body: post.body.clone(),
            tags: super::super::joined(&post.summary.tags),
            focus_keyword: post.summary.focus_keyword.clone().unwrap_or_default(),
        }
    }

    /// What the form says; a field that it does not have stays as it is.
    fn sent(form: &Query, post: &Post) -> Result<Self, Problem> {
        let now = Self::of(post);
        let field = |name, now| Ok::<_, Problem>(form.one(name)?.unwrap_or(now));
        Ok(Self {
            title: field("title", now.title)?,
            body: match form.one("body")? {
                Some(sent) => body(&sent, now.body),
                None => now.body,
            },
            tags: field("tags", now.tags)?,
            focus_keyword: field("focus_keyword", now.focus_keyword)?,
        })
    }

    /// A short mark of what stands in each field, whatever its line ends: where it is another one than
    /// before, the field was touched.
    pub(super) fn marks(&self) -> String {
        let marks = self.all().map(|text| {
            let hash = Sha256::digest(with_line_feeds(text));
            let digits = hash[..8].iter().map(|byte| format!("{byte:02x}"));
            digits.collect::<String>()
        });
        marks.join("-")
    }

    /// The same, but that the fields which were not touched since these marks were made are as they
    /// are `now`.
    pub(super) fn untouched_from(mut self, seen: &str, now: &Self) -> Self {
        let (marks, mut seen) = (self.marks(), seen.split('-'));
        let fields = [
            (&mut self.title, &now.title),
            (&mut self.body, &now.body),
            (&mut self.tags, &now.tags),
            (&mut self.focus_keyword, &now.focus_keyword),
        ];
        for ((field, now), mark) in fields.into_iter().zip(marks.split('-')) {
            if seen.next() == Some(mark) {
                field.clone_from(now);
            }
        }
        self
    }

    fn all(&self) -> [&str; 4] {
        [&self.title, &self.body, &self.tags, &self.focus_keyword]
    }

    pub(super) fn to_draft(&self) -> Draft {
        Draft {
            title: Some(self.title.clone()),
            body: Some(self.body.clone()),
            tags: Some(DraftTags::Text(self.tags.clone())),
            focus_keyword: Some(self.focus_keyword.clone()),
        }
    }
}

/// The body that a form means. A browser sends each line end of a text area as CRLF, whatever it was
/// before: where nothing else is different, the body is the one that it was.
fn body(sent: &str, now: String) -> String {
    let sent = with_line_feeds(sent);
    if sent == with_line_feeds(&now) {
        now
    } else {
        sent
    }
}

/// A text area's own value (HTML, "normalize newlines").
pub(super) fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_were_not_touched_are_as_they_are_now() {
        let fields = |title: &str, body: &str| Fields {
            title: title.to_owned(),
            body: body.to_owned(),
            tags: String::new(),
            focus_keyword: String::new(),
        };
        let seen = fields("Old", "a\r\nb").marks();
        let now = fields("Theirs", "theirs");
        let mine = fields("Mine", "a\nb").untouched_from(&seen, &now);
        assert_eq!((&*mine.title, &*mine.body), ("Mine", "theirs"));
        let unknown = fields("Mine", "mine").untouched_from("", &now);
        assert_eq!((&*unknown.title, &*unknown.body), ("Mine", "mine"));
    }

    #[test]
    fn line_ends_alone_are_no_change() {
        let mixed = "a\r\nb\nc\rd".to_owned();
        assert_eq!(body("a\r\nb\r\nc\r\nd", mixed.clone()), mixed);
        assert_eq!(body("a\r\nb\r\nc\r\ne", mixed), "a\nb\nc\ne");
    }
}
