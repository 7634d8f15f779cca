//! `/write`: the form for a new post.

use askama::Template;
use http::header;

use super::form::{self, Fields};
use super::{EditAddress, FormFault, FormPage, Preview, language_name};
use crate::api::{self, credentials};
use crate::context::Context;
use crate::host::key_requests::{KeyGrant, KeyRequests};
use crate::http::{Body, Head, Query, Response};
use crate::limits::queue::Permit;
use crate::operations::posts::{self, Created, Idempotency, IdempotencySender};
use crate::page::language::Message;
use crate::page::site::Site;
use crate::page::{self, article, asset, frame};
use crate::post::{
    Actor, ApiKey, EditToken, IdempotencyKey, KeyRecord, NewPost, Owner, PostId, Timestamp,
    Visibility,
};
use crate::problem::{Code, Problem};
use crate::route::Call;

/// A form for a new post, or a refused form of an edit page that cannot be shown (`refused`).
#[derive(Template)]
#[template(path = "editor/write.html", block = "main", blocks = ["title", "head"])]
pub(super) struct WritePage<'a> {
    pub(super) site: Site<'a>,
    pub(super) form_page: FormPage<'a>,
    /// The fields that people do not see.
    pub(super) hidden: Vec<(&'static str, String)>,
    pub(super) is_submitted: bool,
    /// Whether the form is that of an edit page, whose post cannot be read.
    pub(super) is_edit: bool,
    /// Whether sending the form makes a new post.
    pub(super) is_new: bool,
}

frame::page!(WritePage<'_>);

struct WriteForm {
    action: WriteAction,
    fields: Fields,
    api_key: Option<String>,
    opened: OpenedForm,
}

/// What a form remembers from when it was opened.
struct OpenedForm {
    /// Makes one post of a form that is sent twice, for example by a double click without scripts.
    idempotency_key: IdempotencyKey,
    /// Identifies the user who opened the form, if one was signed in.
    user: Option<String>,
}

enum WriteAction {
    Publish,
    Preview,
}

/// Why a visitor may publish.
enum Permission {
    /// The post belongs to the owner of this key.
    Key(ApiKey, KeyRecord),
    /// The visitor is signed in as this owner.
    SignedIn(Owner),
    /// Key requests are open to the visitor. The host may name the visitor's owner.
    Open(Option<Owner>),
}

/// Below the mount point.
const PATH: &str = "/write";

/// The length of a user's hash. Longer values are cut.
const HASH_LEN: usize = 64;

pub(crate) async fn show(call: Call<'_>) -> Result<Response, Problem> {
    let Call { context, head, .. } = call;
    // Without this the form could not be sent.
    super::user(context, head).await?;
    let request = WriteRequest::new(context, head);
    if let Some(login) = request.login().await {
        return Ok(super::to_login(login));
    }
    let mut form_page = FormPage::empty(context);
    let language = request.site.language.tag();
    form_page.fields.set("language", language);
    request.page(None, form_page, None).await
}

/// Handles a submitted form: publishes or previews.
pub(crate) async fn send(call: Call<'_>, body: Body) -> Result<Response, Problem> {
    let Call { context, head, .. } = call;
    page::check_own_form(context, head)?;
    let request = WriteRequest::new(context, head);
    // Which action it is, and whether there is an API key, is in the form. A key is valid whatever the client
    // has used up. So no client is refused before.
    let mut form = page::read_form(context, head, body, WriteForm::read).await?;
    if let Some(name) = super::author(context, head) {
        form.fields.set(form::AUTHOR, &name);
    }
    match form.action {
        WriteAction::Publish => request.publish(form).await,
        WriteAction::Preview => request.preview(form).await,
    }
}

impl WriteForm {
    fn read(form: &Query) -> Result<Self, Problem> {
        let action = match form.one("action")?.as_deref() {
            None | Some("publish") => WriteAction::Publish,
            Some("preview") => WriteAction::Preview,
            Some(_) => return Err(Query::invalid("action", "must be publish or preview")),
        };
        let api_key = form.one("api_key")?.map(|key| key.trim().to_owned());
        let parse = IdempotencyKey::parse_generated;
        let idempotency_key = form.parsed("idempotency_key", parse, "is not one of a form")?;
        let fields = Fields::of_new_post(form)?;
        let user = form.one("opened_by")?;
        Ok(Self {
            action,
            fields,
            api_key: api_key.filter(|key| !key.is_empty()),
            opened: OpenedForm {
                idempotency_key: idempotency_key.unwrap_or_else(IdempotencyKey::generate),
                user: user.map(|user| user.chars().take(HASH_LEN).collect()),
            },
        })
    }
}

struct WriteRequest<'a> {
    context: &'a Context,
    head: &'a Head,
    site: Site<'a>,
    /// When it came.
    at: Timestamp,
}

impl<'a> WriteRequest<'a> {
    fn new(context: &'a Context, head: &'a Head) -> Self {
        let site = Site::of(context, head);
        Self {
            context,
            head,
            site,
            at: context.clock.now(),
        }
    }

    async fn publish(self, form: WriteForm) -> Result<Response, Problem> {
        match self.create(&form).await {
            Ok(created) if page::prefers_json(self.head) => {
                Ok(api::posts::created_response(self.context, &created))
            }
            Ok(created) => {
                let is_held = self.is_held(&form, &created).await;
                let address = match self.head.signed_in {
                    Some(_) => EditAddress::OfPost(created.id),
                    None => EditAddress::Link(created.edit_token),
                };
                let outcome = "published";
                Ok(super::redirect(
                    self.head, &self.site, &address, outcome, is_held,
                ))
            }
            Err(problem) => self.refuse(form, problem).await,
        }
    }

    /// Whether the host's review holds the post that was created.
    async fn is_held(&self, form: &WriteForm, created: &Created) -> bool {
        if self.context.review.is_none() {
            return false;
        }
        let post = posts::read_by_edit_token(self.context, created.edit_token.hash()).await;
        post.is_ok_and(|post| form.fields.are_held_for_review(&post.summary))
    }

    async fn preview(self, form: WriteForm) -> Result<Response, Problem> {
        let (rate_limiter, reads) = (&self.context.rate_limiter, &self.context.queues.reads);
        let permit = match rate_limiter.pages.previews.count(self.head.requester()) {
            Ok(()) => reads.permit(self.head.client, form.fields.len()).await,
            Err(problem) => Err(problem),
        };
        let permit = match permit {
            Ok(permit) => permit,
            Err(problem) => return self.refuse(form, problem).await,
        };
        let mut form_page = self.form_page(&permit, form.fields).await;
        form_page.shows_preview = form_page.faults.is_empty();
        self.page(None, form_page, Some(form.opened)).await
    }

    async fn create(&self, form: &WriteForm) -> Result<Created, Problem> {
        let (context, requester) = (self.context, self.head.requester());
        let rate_limiter = &context.rate_limiter;
        let permission = self.permission(form).await?;
        let mut draft = form.fields.to_draft(None);
        match &permission {
            Permission::Key(..) => {}
            Permission::SignedIn(owner) => draft.owner = Some(owner.clone()),
            Permission::Open(owner) => {
                rate_limiter.key_requests.ask(requester)?;
                draft.owner.clone_from(owner);
            }
        }
        let parse = language_name::registered(None, NewPost::parse);
        let writes = &context.queues.writes;
        let permit = writes.permit(self.head.client, draft.len()).await?;
        let content = posts::validate(context, &permit, draft, parse).await;
        let content = content.map_err(Problem::invalid_fields)?;
        drop(permit);
        let (actor, api_key, creator) = match &permission {
            Permission::Key(api_key, key) => {
                let stored = &rate_limiter.stored_bytes;
                stored.count_bytes(&key.id, content.text_len())?;
                (Actor::Key(key.id), Some(api_key), Some(key))
            }
            Permission::SignedIn(owner) => {
                let stored = &rate_limiter.stored_by_owner;
                stored.count_bytes(owner, content.text_len())?;
                (Actor::SignedIn(owner.clone()), None, None)
            }
            Permission::Open(owner) => {
                rate_limiter.key_requests.count(requester)?;
                (Actor::of_visitor(owner.as_ref()), None, None)
            }
        };
        // A form that was changed since makes another post.
        let request = form.fields.hash();
        let idempotency = Idempotency {
            sender: IdempotencySender::Client(api_key),
            key: form.opened.idempotency_key.with_content(request),
            request,
        };
        let idempotency = Some(&idempotency);
        posts::create(context, &content, creator, idempotency, &actor, self.at).await
    }

    /// Why the visitor may publish. A key that is sent is used also where none is needed, so that
    /// the post belongs to its owner. A wrong key counts as a wrong credential. The creation counts before
    /// the host is asked.
    async fn permission(&self, form: &WriteForm) -> Result<Permission, Problem> {
        let (rate_limiter, requester) = (&self.context.rate_limiter, self.head.requester());
        let Some(sent) = form.api_key.as_deref() else {
            self.check_user(form).await?;
            rate_limiter.pages.creations.count(requester)?;
            if let Some(visitor) = &self.head.signed_in {
                return Ok(Permission::SignedIn(visitor.owner().clone()));
            }
            return match self.grant().await? {
                KeyGrant::Refused => Err(credentials::missing_api_key()),
                KeyGrant::Granted => Ok(Permission::Open(None)),
                KeyGrant::GrantedTo(owner) => Ok(Permission::Open(Some(owner))),
            };
        };
        match credentials::authenticate(self.context, self.head, sent).await {
            Ok((api_key, key)) => {
                rate_limiter.creations.count(&key.id)?;
                Ok(Permission::Key(api_key, key))
            }
            Err(problem) => {
                if problem.code() == Code::InvalidApiKey {
                    rate_limiter.pages.creations.count(requester)?;
                }
                Err(problem)
            }
        }
    }

    /// Refuses the form of a user who is not signed in any more, so that the post does not become another user's.
    async fn check_user(&self, form: &WriteForm) -> Result<(), Problem> {
        let user = &form.opened.user;
        if user.is_none() || *user == super::user(self.context, self.head).await? {
            return Ok(());
        }
        let detail = "Another user opened this form. Open it again.";
        Err(Problem::new(Code::NotTheOwner, detail))
    }

    /// The host's login, if the visitor may publish by signing in only.
    async fn login(&self) -> Option<String> {
        let login = super::login(self.context, self.head, PATH)?;
        self.is_refused().await.then_some(login)
    }

    /// Whether the visitor gets a key on request.
    async fn grant(&self) -> Result<KeyGrant, Problem> {
        self.context.key_requests.grant(self.head).await
    }

    /// Whether the host decides that the visitor gets none.
    async fn is_refused(&self) -> bool {
        matches!(self.grant().await, Ok(KeyGrant::Refused))
    }

    /// Shows what is wrong. The form is filled in, except for the key. Without permission to publish, nothing in it is
    /// checked or rendered.
    async fn refuse(self, form: WriteForm, problem: Problem) -> Result<Response, Problem> {
        if !super::returns_form(self.head, &problem) {
            return Err(problem);
        }
        let login = self.login().await;
        let form_page = match problem.code() {
            Code::MissingApiKey if login.is_some() => FormPage {
                refusal: Some(super::refusal(&self.site, Code::NotTheOwner, None)),
                login,
                ..FormPage::unchecked(self.context, form.fields)
            },
            Code::MissingApiKey => self.with_key_fault(form.fields, "fault-key_missing"),
            Code::InvalidApiKey => self.with_key_fault(form.fields, "fault-key_wrong"),
            _ => FormPage::refused(self.context, &self.site, form.fields, &problem),
        };
        let has_key_fault = form_page.fault("api_key").is_some();
        let mut response = self
            .page(Some(&problem), form_page, Some(form.opened))
            .await?;
        if has_key_fault {
            // The form is what a browser has to correct: a challenge would not help it.
            *response.status_mut() = Code::InvalidPost.status();
            response.headers_mut().remove(header::WWW_AUTHENTICATE);
        }
        Ok(response)
    }

    /// The form with what is wrong with its API key.
    fn with_key_fault(&self, fields: Fields, message: &'static str) -> FormPage<'a> {
        let mut form_page = FormPage::unchecked(self.context, fields);
        form_page.faults.push(FormFault {
            field: "api_key".to_owned(),
            text: self.site.language.message(message).to_string(),
        });
        form_page
    }

    /// The form with these fields, and the post that they would make.
    async fn form_page(&self, permit: &Permit, fields: Fields) -> FormPage<'a> {
        let (id, now) = (PostId::generate(), self.context.clock.now());
        let to_post = move |fields: &Fields, limits: &_| {
            let parse = language_name::registered(None, NewPost::parse);
            let content = parse(fields.to_draft(None), limits)?;
            content.to_post(id, EditToken::generate().hash(), None, None, now)
        };
        FormPage::of(permit, self.context, &self.site, fields, id, to_post).await
    }

    /// The page with a new form, or with one that was opened before.
    async fn page(
        self,
        problem: Option<&Problem>,
        mut form_page: FormPage<'_>,
        opened: Option<OpenedForm>,
    ) -> Result<Response, Problem> {
        // The field is also there to correct a key that the visitor did not need to send.
        let has_key_fault = form_page.fault("api_key").is_some();
        let is_signed_in = self.head.signed_in.is_some();
        let needs_key = !is_signed_in && form_page.login.is_none();
        if has_key_fault || needs_key && self.is_refused().await {
            let language = self.site.language;
            let hint = match matches!(self.context.key_requests, KeyRequests::SignedIn) {
                true => language.message("hint-api_key-signed_out"),
                false => language.message("hint-api_key"),
            };
            form_page.key_hint = Some(hint.to_string());
        }
        form_page.user = super::user_of_page(self.context, self.head).await;
        form_page.knows_author = super::author(self.context, self.head).is_some();
        let is_submitted = opened.is_some();
        let opened = opened.unwrap_or_else(|| OpenedForm {
            idempotency_key: IdempotencyKey::generate(),
            user: form_page.user.clone(),
        });
        let mut hidden = vec![(
            "idempotency_key",
            opened.idempotency_key.as_str().to_owned(),
        )];
        hidden.extend(opened.user.map(|user| ("opened_by", user)));
        let page = WritePage {
            site: self.site,
            form_page,
            hidden,
            is_submitted,
            is_edit: false,
            is_new: true,
        };
        super::page(self.context, self.head, problem, &page)
    }
}

impl WritePage<'_> {
    /// The page's title, which says what happened.
    fn title(&self) -> String {
        let language = self.site.language;
        let page = format!("{} – {}", self.heading(), self.site.name);
        if self.form_page.faults.is_empty() && self.form_page.refusal.is_none() {
            return page;
        }
        language
            .message("state-fault")
            .with("page", page)
            .to_string()
    }

    fn heading(&self) -> Message<'_> {
        match self.is_edit {
            true => self.site.language.message("edit-title"),
            false => self.site.language.message("write-title"),
        }
    }

    /// Where the form is sent: to this page, or to that for new posts.
    fn address(&self) -> String {
        match self.is_edit && self.is_new {
            true => self.site.link_to(PATH),
            false => self.site.current_path(),
        }
    }
}
