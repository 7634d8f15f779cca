//! The submitted form of the edit page, and the fields of both pages.

use std::iter;

use sha2::{Digest, Sha256};

use super::language_name;
use super::lines::{OpenedLines, with_line_feeds};
use crate::http::Query;
use crate::post::{
    Draft, DraftTags, DueField, Post, PostSummary, Revision, Tag, TextField, Visibility,
};
use crate::post::{FieldError, Limits, SecretHash, Timestamp, hex};
use crate::problem::Problem;

#[derive(Clone)]
pub(super) struct Form {
    pub(super) action: Action,
    pub(super) fields: Fields,
    /// The revision that the user opened, if the form contains it.
    pub(super) opened: Option<Revision>,
    /// The hashes of the fields when the user opened the form, if the form contains them.
    pub(super) opened_hashes: Option<String>,
    /// The lines of the body at that time, if the form contains them.
    pub(super) opened_lines: Option<OpenedLines>,
}

#[derive(Clone, Copy)]
pub(super) enum Action {
    Save,
    Preview,
    Delete {
        confirmed: bool,
    },
    /// A new private link, which ends the current one.
    Renew,
    /// Takes back a time of the post.
    Cancel(DueField),
}

/// The fields of the form with their values, in its order.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Fields(Vec<(&'static str, String)>);

/// The order of hashes in the forms of version 0.2. Those of later fields follow, so that a form which an earlier
/// release sent is understood.
const FIRST_HASHES: [&str; 7] = [
    "title",
    "body",
    "tags",
    "focus_keyword",
    "author",
    "language",
    "visibility",
];

/// The name of the field that the host may fill in.
pub(super) const AUTHOR: &str = TextField::Author.name();

/// The texts among the settings that few posts need. The search phrase is for even fewer.
pub(super) fn text_settings() -> impl Iterator<Item = TextField> {
    let others = TextField::ALL_BUT_TITLE.iter().copied();
    let others = others.filter(|field| *field != TextField::FocusKeyword);
    others.chain([TextField::FocusKeyword])
}

/// The names of all settings, in the order of the form.
pub(super) fn settings() -> impl Iterator<Item = &'static str> {
    let times = DueField::ALL.iter().map(|field| field.name());
    let texts = text_settings().map(TextField::name);
    iter::once("visibility").chain(times).chain(texts)
}

impl Form {
    /// Reads the form. A visitor whose name the host knows does not choose the author.
    pub(super) fn read(form: &Query, post: &Post, has_name: bool) -> Result<Self, Problem> {
        // A field that the form lacks has its current value.
        let mut fields = Fields::of(post).replaced_by(form)?;
        if has_name {
            fields.set(AUTHOR, post.summary.author.as_deref().unwrap_or_default());
        }
        let action = match form.one("action")?.as_deref() {
            None => {
                let fault = "must be publish_at or expires_at";
                let cancelled = form.parsed("cancel", DueField::named, fault)?;
                cancelled.map_or(Action::Save, Action::Cancel)
            }
            Some("save") => Action::Save,
            Some("preview") => Action::Preview,
            Some("delete") => Action::Delete {
                confirmed: form.one("confirm")?.is_some(),
            },
            Some("renew") => Action::Renew,
            Some(_) => {
                return Err(Query::invalid(
                    "action",
                    "must be save, preview, delete or renew",
                ));
            }
        };
        let revision = |text: &str| text.parse().ok().map(Revision::from_number);
        Ok(Self {
            action,
            fields,
            opened: form.parsed("revision", revision, "must be a whole number")?,
            opened_hashes: form.one("seen")?,
            opened_lines: form.parsed("lines", OpenedLines::parse, "are not those of a form")?,
        })
    }

    /// The bytes of what is compared.
    pub(super) fn len(&self) -> usize {
        let lines = self
            .opened_lines
            .as_ref()
            .map_or(&[][..], OpenedLines::hashes);
        self.fields.len() + size_of_val(lines)
    }

    /// Whether the post is unchanged since the user opened it, as far as the form can tell. If a backup was restored,
    /// the same revision may be another one, so the hashes of the fields count, too.
    pub(super) fn was_opened_as(&self, post: &Post) -> bool {
        let hashes = self.opened_hashes.as_deref();
        self.opened
            .is_none_or(|opened| opened == post.summary.revision)
            && hashes.is_none_or(|hashes| Fields::of(post).have_hashes(hashes))
    }
}

impl Fields {
    pub(super) fn of(post: &Post) -> Self {
        let tags: Vec<_> = post.summary.tags.iter().map(Tag::as_str).collect();
        let mut fields = Self::empty();
        fields.set("body", &post.body);
        fields.set("tags", &tags.join(", "));
        fields.set("visibility", post.summary.visibility.as_str());
        for &field in DueField::ALL {
            fields.set(field.name(), &shown_time(field, post));
        }
        for &field in TextField::ALL {
            fields.set(field.name(), post.summary.text(field).unwrap_or_default());
        }
        fields
    }

    /// The fields of a post that does not exist yet.
    pub(super) fn empty() -> Self {
        let names = ["title", "body", "tags"].into_iter().chain(settings());
        let mut fields = Self(names.map(|name| (name, String::new())).collect());
        fields.set("visibility", Visibility::Public.as_str());
        fields
    }

    /// The submitted fields of a new post. A field that the form lacks is as in an empty form.
    pub(super) fn of_new_post(form: &Query) -> Result<Self, Problem> {
        Self::empty().replaced_by(form)
    }

    /// The submitted fields, or else these.
    fn replaced_by(mut self, form: &Query) -> Result<Self, Problem> {
        for (name, value) in &mut self.0 {
            if let Some(submitted) = form.one(name)? {
                *value = match *name {
                    "body" => body(&submitted, std::mem::take(value)),
                    // Without a script, a browser breaks its line where Enter is pressed.
                    "title" => submitted.replace("\r\n", " "),
                    "language" => language_name::tag_of(&submitted).to_owned(),
                    _ => submitted,
                };
            }
        }
        // The button that was pressed may decide on the visibility.
        match form.one("as")?.as_deref() {
            Some("draft") => self.set("visibility", Visibility::Draft.as_str()),
            Some("publish") if self.get("visibility") == Visibility::Draft.as_str() => {
                self.set("visibility", Visibility::Public.as_str());
            }
            None | Some("publish") => {}
            Some(_) => return Err(Query::invalid("as", "must be draft or publish")),
        }
        Ok(self)
    }

    /// Cuts what is longer than twice its limit, so that a form which comes back has a bounded size. What is too long
    /// stays too long, so it is not published in part.
    pub(super) fn shortened(mut self, limits: &Limits) -> Self {
        for (name, value) in &mut self.0 {
            let max = TextField::max_characters(name, limits);
            let max = max.unwrap_or(limits.tags * (limits.tag + 2));
            if let Some((end, _)) = value.char_indices().nth(2 * max) {
                value.truncate(end);
            }
        }
        self
    }

    /// The fields, as in an empty form where they are not valid.
    pub(super) fn without(&self, errors: &[FieldError]) -> Self {
        let (mut valid, empty) = (self.clone(), Self::empty());
        for error in errors {
            valid.set(&error.field, empty.get(&error.field));
        }
        valid
    }

    pub(super) fn get(&self, name: &str) -> &str {
        let mut fields = self.named();
        fields
            .find_map(|(field, value)| (field == name).then_some(value))
            .unwrap_or_default()
    }

    pub(super) fn set(&mut self, name: &str, text: &str) {
        if let Some((_, value)) = self.0.iter_mut().find(|(field, _)| *field == name) {
            text.clone_into(value);
        }
    }

    /// Whether a setting differs from what it is on a new form.
    pub(super) fn has_setting(&self, name: &str, default_language: &str) -> bool {
        match (name, self.get(name)) {
            (_, "") => false,
            ("visibility", value) => value != Visibility::Public.as_str(),
            ("language", value) => value != default_language,
            _ => true,
        }
    }

    /// Whether the form publishes the post, but the host's review keeps it a draft.
    pub(super) fn are_held_for_review(&self, post: &PostSummary) -> bool {
        let is_draft = |visibility| visibility == Visibility::Draft.as_str();
        let publish_at = DueField::PublishAt;
        let are_for_readers =
            !is_draft(self.get("visibility")) || !self.get(publish_at.name()).is_empty();
        are_for_readers && is_draft(post.visibility.as_str()) && publish_at.of(post).is_none()
    }

    /// Sets the body to this text, unless it differs from the published one in line breaks only.
    pub(super) fn set_body(&mut self, text: &str, published: &str) {
        self.set("body", &body(text, published.to_owned()));
    }

    /// The fields with their names, in the order of the form.
    pub(super) fn named(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str()))
    }

    pub(super) fn len(&self) -> usize {
        self.named().map(|(_, value)| value.len()).sum()
    }

    /// A short hash of each field, independent of its line breaks. A changed hash means that the user
    /// edited the field.
    pub(super) fn hashes(&self) -> String {
        let hashes: Vec<_> = self.hashed().into_iter().map(|(_, hash)| hash).collect();
        hashes.join("-")
    }

    /// The fields with their hashes, in the order of these.
    fn hashed(&self) -> Vec<(&'static str, String)> {
        let hashed = self.named().map(|(name, value)| {
            let hash = Sha256::digest(with_line_feeds(value));
            (name, hex::encode(&hash[..8]))
        });
        let mut hashed: Vec<_> = hashed.collect();
        hashed.sort_by_key(|(name, _)| {
            let place = FIRST_HASHES.iter().position(|first| first == name);
            place.unwrap_or(FIRST_HASHES.len())
        });
        hashed
    }

    /// Whether these are the hashes, as far as they go: a form of an earlier release may lack some.
    pub(super) fn have_hashes(&self, hashes: &str) -> bool {
        let own = self.hashed();
        own.iter()
            .zip(hashes.split('-'))
            .all(|((_, own), given)| own == given)
    }

    /// A hash of all fields, independent of their line breaks.
    pub(super) fn hash(&self) -> SecretHash {
        SecretHash::of(self.hashes())
    }

    /// The names of the fields that are as they were when they had these hashes.
    pub(super) fn unchanged_since(&self, hashes: &str) -> Vec<&'static str> {
        let own = self.hashed().into_iter().zip(hashes.split('-'));
        let unchanged = own.filter(|((_, own), given)| own == given);
        unchanged.map(|((name, _), _)| name).collect()
    }

    /// Replaces the fields that the user did not edit with their current values.
    pub(super) fn with_unedited_from(mut self, opened_hashes: &str, current: &Self) -> Self {
        let unedited = self.unchanged_since(opened_hashes);
        for (name, value) in &mut self.0 {
            if unedited.contains(name) {
                current.get(name).clone_into(value);
            }
        }
        self
    }

    /// A new post with these fields, or a change of a post. A draft that is to be public at a later time stays a draft
    /// until then.
    pub(super) fn to_draft(&self, before: Option<&Post>) -> Draft {
        let value = |name| Some(self.get(name).to_owned());
        let mut draft = Draft {
            tags: value("tags").map(DraftTags::Text),
            visibility: value("visibility"),
            ..Draft::new().body(self.get("body"))
        };
        for &field in DueField::ALL {
            let text = self.get(field.name());
            // The form shows minutes, and the post may have seconds.
            if before.is_none_or(|post| shown_time(field, post) != text) {
                draft.times[field as usize] = Some(in_utc(text));
            }
        }
        let was_draft = before.is_none_or(|post| post.summary.visibility == Visibility::Draft);
        let is_later = |at: &Option<String>| at.as_deref().is_some_and(|at| !at.is_empty());
        if was_draft
            && is_later(&draft.times[DueField::PublishAt as usize])
            && draft.visibility.as_deref() == Some(Visibility::Public.as_str())
        {
            draft.visibility = Some(Visibility::Draft.to_string());
        }
        TextField::ALL.iter().fold(draft, |draft, field| {
            draft.text(*field, self.get(field.name()))
        })
    }
}

/// A time as browsers write it in a field, in UTC.
fn shown_time(field: DueField, post: &Post) -> String {
    let at = field.of(&post.summary).map(Timestamp::to_rfc3339);
    at.map_or_else(String::new, |at| at[..MINUTES.len()].to_owned())
}

/// How browsers write a time.
const MINUTES: &str = "2026-11-20T10:00";

/// A submitted time as RFC 3339, or what else was submitted.
fn in_utc(text: &str) -> String {
    let text = text.trim();
    match text.len() {
        len if len == MINUTES.len() => format!("{text}:00Z"),
        len if len == MINUTES.len() + 3 => format!("{text}Z"),
        _ => text.to_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_were_not_edited_have_their_current_value() {
        let fields = |title: &str, body: &str| {
            let mut fields = Fields::empty();
            fields.set("title", title);
            fields.set("body", body);
            fields
        };
        let opened = fields("Old", "a\r\nb").hashes();
        let current = fields("Theirs", "theirs");
        let mine = fields("Mine", "a\nb").with_unedited_from(&opened, &current);
        assert_eq!((mine.get("title"), mine.get("body")), ("Mine", "theirs"));
        let unknown = fields("Mine", "mine").with_unedited_from("", &current);
        assert_eq!(
            (unknown.get("title"), unknown.get("body")),
            ("Mine", "mine")
        );
    }

    #[test]
    fn the_hashes_of_version_0_2_come_first_and_in_its_order() {
        let names: Vec<_> = Fields::empty()
            .hashed()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names[..FIRST_HASHES.len()], FIRST_HASHES);
        let later = TextField::ALL.iter().map(|field| field.name());
        let times = DueField::ALL.iter().map(|field| field.name());
        let later: Vec<_> = times
            .chain(later)
            .filter(|name| !FIRST_HASHES.contains(name))
            .collect();
        assert_eq!(names[FIRST_HASHES.len()..], later);
    }

    #[test]
    fn other_line_breaks_are_not_a_change() {
        let mixed = "a\r\nb\nc\rd".to_owned();
        assert_eq!(body("a\r\nb\r\nc\r\nd", mixed.clone()), mixed);
        assert_eq!(body("a\r\nb\r\nc\r\ne", mixed), "a\nb\nc\ne");
    }
}
