//! What an edit page shows: the post's form, and that the post was deleted.

use std::sync::Arc;

use askama::Template;

use super::comparison::Difference;
use super::form::{Fields, Form};
use super::lines::OpenedLines;
use super::{FormPage, Preview};
use crate::page::language::Message;
use crate::page::site::Site;
use crate::page::{article, asset, frame};
use crate::post::{DueField, Post, PostId, PostSummary, Revision, Timestamp, Visibility};

#[derive(Template)]
#[template(path = "editor/edit.html", block = "main", blocks = ["title", "head"])]
pub(super) struct EditPage<'a> {
    pub(super) site: Site<'a>,
    pub(super) form_page: FormPage<'a>,
    pub(super) post: &'a PostSummary,
    pub(super) shown: ShownForm<'a>,
    pub(super) state: EditState,
    /// The public address of the post.
    pub(super) address: String,
    /// The private link, if it is the address of this page.
    pub(super) edit_address: Option<String>,
}

frame::page!(EditPage<'_>, post);

/// The content of the form on the page.
pub(super) struct ShownForm<'a> {
    pub(super) post: &'a Arc<Post>,
    /// The revision that saving expects.
    pub(super) expected: Revision,
    pub(super) fields: Fields,
    /// The hashes of the fields when the user opened the form, and the lines of the body.
    pub(super) opened_hashes: String,
    pub(super) opened_lines: Option<OpenedLines>,
    /// Whether the form was to publish the post, and the host's review holds it.
    pub(super) is_held: bool,
}

impl<'a> ShownForm<'a> {
    pub(super) fn of(post: &'a Arc<Post>) -> Self {
        let fields = Fields::of(post);
        Self {
            post,
            expected: post.summary.revision,
            opened_hashes: fields.hashes(),
            opened_lines: OpenedLines::of(fields.get("body")),
            fields,
            is_held: false,
        }
    }

    pub(super) fn submitted(post: &'a Arc<Post>, form: &Form) -> Self {
        let current = Self::of(post);
        let hashes = form.opened_hashes.clone();
        Self {
            expected: form.opened.unwrap_or(current.expected),
            opened_hashes: hashes.unwrap_or(current.opened_hashes),
            opened_lines: form.opened_lines.clone().or(current.opened_lines),
            fields: form.fields.clone(),
            ..current
        }
    }
}

/// The result of submitting the form.
pub(super) enum EditState {
    /// Nothing was submitted.
    Fresh,
    /// The form on `/write` was submitted, and there is a new post.
    Published,
    /// The post has a new private link: the address of this page.
    Renewed,
    Saved,
    /// The form shows a preview or errors, and is not saved.
    Unsaved,
    /// The form is saved together with changes that another user saved after the form was opened. These are the
    /// differences between the form and the saved post.
    Merged(Vec<Difference>),
    /// The form is not saved, since another user changed the same after the user opened it.
    Conflict(Vec<Difference>),
    /// The post is not deleted, since the user did not confirm it.
    Unconfirmed,
    /// The post is not deleted, since it was changed after the user opened it.
    Overtaken,
}

#[derive(Template)]
#[template(path = "editor/deleted.html", block = "main", blocks = ["title", "head"])]
pub(super) struct DeletedPage<'a> {
    pub(super) site: Site<'a>,
    pub(super) id: PostId,
}

frame::page!(DeletedPage<'_>);

impl EditPage<'_> {
    /// The page's title, which says what happened.
    fn title(&self) -> String {
        let language = self.site.language;
        let name = self.site.name_of(self.post);
        let page = format!("{} – {name}", self.heading());
        let message = match self.state {
            EditState::Conflict(_) => language.message("state-conflict"),
            EditState::Unconfirmed | EditState::Overtaken => language.message("state-fault"),
            _ if !self.form_page.faults.is_empty() || self.form_page.refusal.is_some() => {
                language.message("state-fault")
            }
            EditState::Published if !self.is_draft() => language.message("state-published"),
            EditState::Published | EditState::Renewed | EditState::Saved | EditState::Merged(_) => {
                language.message("state-saved")
            }
            EditState::Fresh | EditState::Unsaved => return page,
        };
        message.with("page", page).to_string()
    }

    fn heading(&self) -> Message<'_> {
        match self.is_draft() {
            true => self.site.language.message("edit-draft"),
            false => self.site.language.message("edit-title"),
        }
    }

    /// Whether only the writer can read the post.
    fn is_draft(&self) -> bool {
        self.post.visibility == Visibility::Draft
    }

    /// What happened to a new post.
    fn published(&self) -> String {
        let message = match self.post.visibility {
            Visibility::Public => self.site.language.message("published-public"),
            Visibility::Unlisted => self.site.language.message("published-unlisted"),
            Visibility::Draft => self.site.language.message("published-draft"),
        };
        let name = self.site.name_of(self.post).into_owned();
        message.with("name", name).to_string()
    }

    /// What the post does by itself, and when.
    fn due(&self) -> impl Iterator<Item = (DueField, Timestamp)> {
        let fields = DueField::ALL.iter();
        fields.filter_map(|field| Some((*field, field.of(self.post)?)))
    }

    /// The private link, if the page shows it.
    fn shown_link(&self) -> Option<&str> {
        self.edit_address.as_deref().filter(|_| self.is_new())
    }

    /// Whether the page has an address to copy that it did not have before.
    fn is_new(&self) -> bool {
        matches!(self.state, EditState::Published | EditState::Renewed)
    }

    /// Whether the post has a page that the visitor may read.
    fn has_page(&self) -> bool {
        !self.is_draft() || self.edit_address.is_none()
    }

    fn is_unconfirmed(&self) -> bool {
        matches!(self.state, EditState::Unconfirmed)
    }
}
