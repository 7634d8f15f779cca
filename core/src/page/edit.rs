use super::site::Site;
use super::{asset, frame};
use askama::Template;
use http::StatusCode;
use http::header;

use crate::context::Context;
use crate::field::FieldError;
use crate::operations::posts;
use crate::post::{Draft, DraftTags, Post, PostChange, Revision};
use crate::problem::{Code, Problem};
use crate::request::{Body, Head, Query};
use crate::response::{self, Response};
use crate::secret::EditToken;

#[derive(Template)]
#[template(path = "edit.html", blocks = ["title", "head", "main"])]
struct EditPage<'a> {
    site: Site<'a>,
    id: &'a str,
    revision: u64,
    fields: Fields,
    state: State<'a>,
}

frame::page!(EditPage<'_>);

enum State<'a> {
    Fresh,
    Saved,
    Invalid(&'a [FieldError]),
    Conflict(Fields),
}

/// What stands in the form.
#[derive(Clone)]
struct Fields {
    title: String,
    body: String,
    tags: String,
    focus_keyword: String,
}

/// The form, with the post as it is.
pub(crate) async fn show(
    context: &Context,
    head: &Head,
    token: &EditToken,
) -> Result<Response, Problem> {
    let post = read(context, head, token).await?;
    let saved = head.query.one("saved")?.is_some();
    let state = if saved { State::Saved } else { State::Fresh };
    Ok(page(
        context,
        head,
        StatusCode::OK,
        &post,
        Fields::of(&post),
        state,
    ))
}

/// Saves what stands in the form, unless the post was changed since the form was opened.
pub(crate) async fn save(
    context: &Context,
    head: &Head,
    body: Body,
    token: &EditToken,
) -> Result<Response, Problem> {
    super::expect_own_form(context, head)?;
    let post = read(context, head, token).await?;
    let form = super::read_form(context, body).await?;
    let fields = Fields::sent(&form, &post)?;
    let opened = opened_revision(&form)?;

    let draft = fields.clone().into_draft();
    let change = match posts::check(context, draft, PostChange::parse).await {
        Ok(change) => change,
        Err(errors) => {
            let status = Code::InvalidPost.status();
            return Ok(page(
                context,
                head,
                status,
                &post,
                fields,
                State::Invalid(&errors),
            ));
        }
    };
    let allow = |post: &Post| {
        posts::allow_editor(post, token.hash())?;
        match opened {
            Some(revision) if revision != post.summary.revision => Err(Problem::new(
                Code::PreconditionFailed,
                "the post was changed since this page was opened",
            )),
            _ => Ok(()),
        }
    };
    match posts::update(context, post.summary.id, &change, allow).await {
        Ok(_) => Ok(saved(context, head, token)),
        Err(problem) if problem.code() == Code::PreconditionFailed => {
            let current = posts::read_by_edit_token(context, token.hash()).await?;
            let state = State::Conflict(Fields::of(&current));
            Ok(page(
                context,
                head,
                problem.code().status(),
                &current,
                fields,
                state,
            ))
        }
        Err(problem) => Err(problem),
    }
}

/// The post that the address leads to. A token that leads nowhere counts as a wrong credential.
async fn read(context: &Context, head: &Head, token: &EditToken) -> Result<Post, Problem> {
    posts::read_by_edit_token(context, token.hash())
        .await
        .map_err(|problem| match problem.code() {
            Code::NotFound => context.meter.count_wrong(head.client, problem),
            _ => problem,
        })
}

fn opened_revision(form: &Query) -> Result<Option<Revision>, Problem> {
    let Some(text) = form.one("revision")? else {
        return Ok(None);
    };
    let number = text
        .parse()
        .map_err(|_| Query::invalid("revision", "is not a whole number"))?;
    Ok(Some(Revision::from_number(number)))
}

fn page(
    context: &Context,
    head: &Head,
    status: StatusCode,
    post: &Post,
    fields: Fields,
    state: State<'_>,
) -> Response {
    let template = EditPage {
        site: Site::of_any(context, head),
        id: post.summary.id.as_str(),
        revision: post.summary.revision.number(),
        fields,
        state,
    };
    super::private(context, head, status, &template)
}

/// Back to the form by `GET`, so that reloading it does not save again.
fn saved(context: &Context, head: &Head, token: &EditToken) -> Response {
    let mut response = response::empty(StatusCode::SEE_OTHER);
    let location = format!("{}/e/{}?saved", context.base_url.path(), token.expose());
    response::set(&mut response, header::LOCATION, response::ascii(&location));
    super::keep_private(head, &mut response);
    response
}

impl Fields {
    fn of(post: &Post) -> Self {
        Self {
            title: post.summary.title.clone().unwrap_or_default(),
            body: post.body.clone(),
            tags: super::joined(&post.summary.tags),
            focus_keyword: post.summary.focus_keyword.clone().unwrap_or_default(),
        }
    }

    /// What the form says; a field that it does not have stays as it is.
    fn sent(form: &Query, post: &Post) -> Result<Self, Problem> {
        let now = Self::of(post);
        let field = |name, now| Ok::<_, Problem>(form.one(name)?.unwrap_or(now));
        Ok(Self {
            title: field("title", now.title)?,
            // A browser sends each line end of a text area as CRLF, whatever it was before.
            body: form
                .one("body")?
                .map_or(now.body, |body| body.replace("\r\n", "\n")),
            tags: field("tags", now.tags)?,
            focus_keyword: field("focus_keyword", now.focus_keyword)?,
        })
    }

    fn into_draft(self) -> Draft {
        Draft {
            title: Some(self.title),
            body: Some(self.body),
            tags: Some(DraftTags::Text(self.tags)),
            focus_keyword: Some(self.focus_keyword),
        }
    }
}
