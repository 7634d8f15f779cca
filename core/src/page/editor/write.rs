//! `/write`: the form for a new post.

use askama::Template;
use http::StatusCode;

use super::form::Fields;
use super::{Fault, FormPage, Preview};
use crate::api::credentials;
use crate::context::Context;
use crate::http::form::FormData;
use crate::http::request::{Body, Head};
use crate::http::response::Response;
use crate::id::PostId;
use crate::key::KeyRecord;
use crate::key_requests::KeyGrant;
use crate::operations::posts::{self, Idempotency};
use crate::owner::Owner;
use crate::page::site::Site;
use crate::page::{self, article, asset, frame};
use crate::post::{Draft, NewPost, TextField, Visibility};
use crate::problem::{Code, Problem};
use crate::secret::{ApiKey, EditToken, IdempotencyKey};

#[derive(Template)]
#[template(path = "editor/write.html", blocks = ["title", "head", "main"])]
struct WritePage<'a> {
    site: Site<'a>,
    form_page: FormPage<'a>,
    /// Whether the form was submitted.
    is_submitted: bool,
    idempotency_key: IdempotencyKey,
}

frame::page!(WritePage<'_>);

/// A submitted form.
struct Form {
    action: Action,
    fields: Fields,
    /// The API key, if the form has one.
    api_key: Option<String>,
    /// Makes one post of a form that is sent twice, for example by a double click without scripts.
    idempotency_key: IdempotencyKey,
}

/// The button that was pressed.
enum Action {
    Publish,
    Preview,
}

/// Why a visitor may publish.
enum Permission {
    /// The post belongs to the owner of this key.
    Key(ApiKey, KeyRecord),
    /// Key requests are open to the visitor. The host may name the visitor's owner.
    Open(Option<Owner>),
}

/// What is wrong with the API key in the form.
#[derive(Clone, Copy)]
enum KeyFault {
    Missing,
    Wrong,
}

/// Shows the empty form.
pub(crate) async fn show(context: &Context, head: &Head) -> Result<Response, Problem> {
    let request = WriteRequest::new(context, head);
    let form_page = FormPage::empty(context);
    request.page(StatusCode::OK, form_page, None).await
}

/// Handles a submitted form: publishes or previews.
pub(crate) async fn send(context: &Context, head: &Head, body: Body) -> Result<Response, Problem> {
    page::check_own_form(context, head)?;
    // Which action it is, and whether there is an API key, is in the form. A key is valid whatever the client
    // has used up. So no client is refused before.
    let form = page::read_form(context, body, Form::read).await?;
    let request = WriteRequest::new(context, head);
    match form.action {
        Action::Publish => request.publish(form).await,
        Action::Preview => {
            context.rate_limiter.count_preview(head.client)?;
            let mut form_page = request.form_page(form.fields).await;
            form_page.shows_preview = form_page.faults.is_empty();
            let submitted = Some(form.idempotency_key);
            request.page(StatusCode::OK, form_page, submitted).await
        }
    }
}

impl Form {
    fn read(form: &FormData<'_>) -> Result<Self, Problem> {
        let action = match form.one("action")?.as_deref() {
            None | Some("publish") => Action::Publish,
            Some("preview") => Action::Preview,
            Some(_) => return Err(FormData::invalid("action", "must be publish or preview")),
        };
        let api_key = form.one("api_key")?.map(|key| key.trim().to_owned());
        let idempotency_key = match form.one("idempotency_key")? {
            None => IdempotencyKey::generate(),
            Some(sent) => IdempotencyKey::parse_generated(&sent)
                .ok_or_else(|| FormData::invalid("idempotency_key", "is not one of a form"))?,
        };
        Ok(Self {
            action,
            fields: Fields::of_new_post(form)?,
            api_key: api_key.filter(|key| !key.is_empty()),
            idempotency_key,
        })
    }
}

/// A request for the page.
struct WriteRequest<'a> {
    context: &'a Context,
    head: &'a Head,
    site: Site<'a>,
}

impl<'a> WriteRequest<'a> {
    fn new(context: &'a Context, head: &'a Head) -> Self {
        let site = Site::of(context, head);
        Self {
            context,
            head,
            site,
        }
    }

    async fn publish(self, form: Form) -> Result<Response, Problem> {
        let (context, client) = (self.context, self.head.client);
        let permission = match self.permission(form.api_key.as_deref()).await? {
            Ok(permission) => permission,
            Err(fault) => return self.refuse_key(form, fault).await,
        };
        let mut draft = form.fields.to_draft();
        if let Permission::Open(owner) = &permission {
            context.rate_limiter.allow_key_request(client)?;
            draft.owner.clone_from(owner);
        }
        let Ok(content) = posts::validate(context, draft, NewPost::parse).await else {
            return self.refuse_content(form).await;
        };
        let (api_key, creator) = match &permission {
            Permission::Key(api_key, key) => {
                context
                    .rate_limiter
                    .count_stored(key.id, content.text_len())?;
                (Some(api_key), Some(key))
            }
            Permission::Open(_) => {
                context.rate_limiter.count_key_request(client)?;
                (None, None)
            }
        };
        // A form that was changed since makes another post.
        let request = form.fields.hash();
        let idempotency = Idempotency {
            api_key,
            key: form.idempotency_key.with_content(request),
            request,
        };
        let created = posts::create_once(context, &content, creator, &idempotency).await?;
        let token = &created.edit_token;
        Ok(super::redirect(self.head, &self.site, token, "published"))
    }

    /// Why the visitor may publish. A key that is sent is used also where none is needed, so that
    /// the post belongs to its owner. A wrong key counts as a wrong credential. The creation counts before
    /// the host is asked.
    async fn permission(
        &self,
        api_key: Option<&str>,
    ) -> Result<Result<Permission, KeyFault>, Problem> {
        let (rate_limiter, client) = (&self.context.rate_limiter, self.head.client);
        let Some(sent) = api_key else {
            rate_limiter.count_creation_without_key(client)?;
            return Ok(match self.grant().await {
                KeyGrant::Refused => Err(KeyFault::Missing),
                KeyGrant::Granted => Ok(Permission::Open(None)),
                KeyGrant::GrantedTo(owner) => Ok(Permission::Open(Some(owner))),
            });
        };
        match credentials::authenticate(self.context, self.head, sent).await {
            Ok((api_key, key)) => {
                rate_limiter.count_creation(key.id)?;
                Ok(Ok(Permission::Key(api_key, key)))
            }
            Err(problem) if problem.code() == Code::InvalidApiKey => {
                rate_limiter.count_creation_without_key(client)?;
                Ok(Err(KeyFault::Wrong))
            }
            Err(problem) => Err(problem),
        }
    }

    /// Whether the visitor gets a key on request.
    async fn grant(&self) -> KeyGrant {
        self.context.key_requests.grant(self.head).await
    }

    /// Shows what is wrong with the key. The form is filled in, except for the key. Without permission to
    /// publish, nothing else in it is checked or rendered.
    async fn refuse_key(self, form: Form, fault: KeyFault) -> Result<Response, Problem> {
        let words = self.site.words;
        let text = match fault {
            KeyFault::Missing => words.message("fault-key_missing").to_string(),
            KeyFault::Wrong => words.message("fault-key_wrong").to_string(),
        };
        let mut form_page = FormPage::unchecked(self.context, form.fields);
        form_page.faults.push(Fault {
            field: "api_key".to_owned(),
            text,
        });
        self.refuse(form_page, form.idempotency_key).await
    }

    /// Shows what is wrong with the content. The form is filled in, except for the key.
    async fn refuse_content(self, form: Form) -> Result<Response, Problem> {
        let form_page = self.form_page(form.fields).await;
        self.refuse(form_page, form.idempotency_key).await
    }

    async fn refuse(
        self,
        form_page: FormPage<'_>,
        submitted: IdempotencyKey,
    ) -> Result<Response, Problem> {
        let status = Code::InvalidPost.status();
        self.page(status, form_page, Some(submitted)).await
    }

    /// The form with these fields, and the post that they would make.
    async fn form_page(&self, fields: Fields) -> FormPage<'a> {
        let (id, now) = (PostId::generate(), self.context.clock.now());
        let make = move |draft: Draft, limits: &_| {
            let content = NewPost::parse(draft, limits)?;
            Ok(content.to_post(id, EditToken::generate().hash(), None, None, now))
        };
        FormPage::of(self.context, &self.site, fields, id, make).await
    }

    /// The page with an empty form, or with the form that was submitted with this key.
    async fn page(
        self,
        status: StatusCode,
        mut form_page: FormPage<'_>,
        submitted: Option<IdempotencyKey>,
    ) -> Result<Response, Problem> {
        // The field is also there to correct a key that the visitor did not need to send.
        let has_key_fault = form_page.fault("api_key").is_some();
        form_page.needs_key = has_key_fault || self.grant().await == KeyGrant::Refused;
        let page = WritePage {
            site: self.site,
            form_page,
            is_submitted: submitted.is_some(),
            idempotency_key: submitted.unwrap_or_else(IdempotencyKey::generate),
        };
        super::page(self.context, self.head, status, &page)
    }
}

impl WritePage<'_> {
    /// The page's title, which says what happened.
    fn title(&self) -> String {
        let words = self.site.words;
        let page = format!("{} – {}", words.message("write-title"), self.site.name);
        if self.form_page.faults.is_empty() {
            return page;
        }
        words.message("state-fault").with("page", page).to_string()
    }
}
