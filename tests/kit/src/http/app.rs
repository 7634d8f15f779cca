//! A mounted service, and helpers to create and read posts.

use handbill::{Handbill, MemoryStore, RateLimits, Store};
use std::sync::Arc;

use form_urlencoded::Serializer;
use serde_json::{Value, json};

use super::Call;
use super::markup::{Tag, tags};
use super::mount::{Client, Mount};
use crate::check::setup;

/// A well-formed edit token that no post has.
pub(super) const NO_TOKEN: &str = "0000000000000000000000000000000000000000000";
/// A well-formed post identifier that no post has.
pub(super) const NO_POST: &str = "bbbbbbbbbb";
/// The media type of forms.
pub(super) const FORM: &str = "application/x-www-form-urlencoded";
/// The media type of pages.
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// A mounted service and one API key for it.
#[derive(Clone, Debug)]
pub struct App {
    /// The service without its mount.
    pub service: Handbill,
    /// An API key that the service issued.
    pub key: Arc<str>,
    pub(super) mount: Mount,
    pub(super) client: Client,
}

/// A post that a check created.
#[derive(Clone, Debug)]
pub struct Created {
    /// Its identifier.
    pub id: String,
    /// Its edit token.
    pub token: String,
    /// Its entity tag at creation.
    pub etag: String,
}

impl App {
    /// A service on an empty store, without rate limits.
    pub async fn new(mount: &Mount) -> Self {
        Self::over(mount, MemoryStore::new()).await
    }

    /// The same, and a post.
    pub async fn and_post(mount: &Mount) -> (Self, Created) {
        let app = Self::new(mount).await;
        let post = app.create_body("x").await;
        (app, post)
    }

    /// A service on this store, without rate limits.
    pub async fn over(mount: &Mount, store: impl Store) -> Self {
        let service = Self::service(mount, store);
        let issued = setup(service.keys().issue(None, None)).await.unwrap();
        Self::of(mount, service, issued.key.expose()).await
    }

    /// A service with the settings of the checks, not yet mounted.
    pub fn service(mount: &Mount, store: impl Store) -> Handbill {
        let service = Handbill::new(&mount.base_url(), store).unwrap();
        service.with_rate_limits(RateLimits::off())
    }

    /// Mounts this service. `key` is an API key that its host issued.
    pub async fn of(mount: &Mount, service: Handbill, key: &str) -> Self {
        Self {
            client: setup(mount.mount(service.clone())).await,
            mount: mount.clone(),
            key: key.into(),
            service,
        }
    }

    /// The same service with other settings, mounted again on the same store.
    pub async fn set(&self, set: impl FnOnce(Handbill) -> Handbill) -> Self {
        Self::of(&self.mount, set(self.service.clone()), &self.key).await
    }

    /// The same service with another API key.
    pub async fn with_another_key(&self) -> Self {
        let issued = self.service.keys().issue(None, None).await.unwrap();
        self.with_key(issued.key.expose())
    }

    /// The same service with this API key.
    pub fn with_key(&self, key: &str) -> Self {
        Self {
            key: key.into(),
            ..self.clone()
        }
    }

    /// The public address of the mount point, without a trailing slash.
    pub fn base(&self) -> String {
        self.mount.base_url()
    }

    /// A request to a path below the mount point, with an optional query. The empty path is the
    /// mount point without a slash.
    pub fn call(&self, method: &str, path: &str) -> Call {
        Call::new(self.clone(), method, path)
    }

    /// A `GET`.
    pub fn get(&self, path: &str) -> Call {
        self.call("GET", path)
    }

    /// A `GET` of an address from a response, absolute or starting with a slash. Panics if the
    /// address is outside the mount.
    #[track_caller]
    pub fn follow(&self, address: &str) -> Call {
        self.get(&self.path_of(address))
    }

    /// The path and query of an address, relative to the mount point. Panics if the address is
    /// outside the mount.
    #[track_caller]
    pub(super) fn path_of(&self, address: &str) -> String {
        let start = if address.starts_with('/') {
            self.mount.prefix().to_owned()
        } else {
            self.base()
        };
        let without_fragment = address.split('#').next().unwrap_or_default();
        let path = without_fragment.strip_prefix(&start);
        let path = path.filter(|path| path.is_empty() || path.starts_with(['/', '?']));
        path.unwrap_or_else(|| panic!("{address} does not lead into {}", self.base()))
            .to_owned()
    }

    /// `POST /api/posts` with the app's key.
    pub fn post(&self, fields: &Value) -> Call {
        self.post_as().json(fields)
    }

    /// `POST /api/posts` with the app's key, without a body.
    pub fn post_as(&self) -> Call {
        let call = self.call("POST", "/api/posts");
        call.header("x-api-key", &*self.key)
    }

    /// Creates a post.
    pub async fn create(&self, fields: &Value) -> Created {
        setup(async { self.post(fields).await.created() }).await
    }

    /// Creates a post that has only a body.
    pub async fn create_body(&self, body: &str) -> Created {
        self.create(&json!({ "body": body })).await
    }

    /// Checks the body of a post.
    pub(super) async fn expect_body(&self, post: &Created, body: &str) {
        assert_eq!(self.read(post).await["body"], body, "the post's body");
    }

    /// `PUT /api/posts/{id}` with the post's token.
    pub fn put(&self, post: &Created, fields: &Value) -> Call {
        self.edit("PUT", post).json(fields)
    }

    /// A request to `/api/posts/{id}` with the post's token.
    pub fn edit(&self, method: &str, post: &Created) -> Call {
        let call = self.call(method, &post.path());
        call.header("x-edit-token", &post.token)
    }

    /// Updates a post and returns its new state.
    pub async fn update(&self, post: &Created, fields: &Value) -> Value {
        setup(async { self.put(post, fields).await.ok() }).await
    }

    /// Reads a post.
    pub async fn read(&self, post: &Created) -> Value {
        self.get(&post.path()).await.ok()
    }

    /// `DELETE /api/posts/{id}` with the post's token.
    pub fn delete(&self, post: &Created) -> Call {
        self.edit("DELETE", post)
    }

    /// The path of the first style sheet that the service's pages load.
    pub(super) async fn style(&self) -> String {
        setup(async {
            let page = self.get("/docs").unmounted().await;
            let is_style = |tag: &Tag| tag.attribute("rel") == Some("stylesheet");
            let style = tags(&page).into_iter().find(is_style);
            let address = style.as_ref().and_then(|style| style.attribute("href"));
            self.path_of(address.expect("a page loads a style sheet"))
        })
        .await
    }

    /// Sends a form of a page as a browser would.
    pub fn submit(&self, page: &str, fields: &[(&str, &str)]) -> Call {
        let form = Serializer::new(String::new()).extend_pairs(fields).finish();
        let call = self.call("POST", page);
        call.header("sec-fetch-site", "same-origin")
            .body(FORM, form)
    }
}

impl Created {
    /// The path of the post in the API.
    pub fn path(&self) -> String {
        format!("/api/posts/{}", self.id)
    }

    /// The path of its page.
    pub fn page(&self) -> String {
        format!("/p/{}", self.id)
    }

    /// The path of its edit page.
    pub fn edit_page(&self) -> String {
        format!("/e/{}", self.token)
    }
}
