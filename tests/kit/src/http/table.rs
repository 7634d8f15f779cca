//! The table of all addresses of the service, which checks go over. A new page needs one line here.

use super::{App, Created};

/// An address of the service.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Address {
    /// The path below the mount point. `{id}` stands for the identifier of a post, `{edit_token}` for its edit token,
    /// and `{file}` for the name of a file that pages load.
    pub path: &'static str,
    /// What is there.
    pub kind: Kind,
    /// The methods, as `Allow` lists them.
    pub methods: &'static str,
    /// Whether a `GET` reads from the store.
    pub reads_store: bool,
}

/// What is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// An operation of the API.
    Api,
    /// A page that lists something, for everyone.
    List,
    /// The page of a post, for everyone.
    Post,
    /// A page that is the same whatever is in the store, for everyone.
    Document,
    /// A page with a form, for one person.
    Form,
    /// A page with the form of a post, for one person.
    Editor,
    /// A feed, a source or another file that programs read.
    Export,
    /// The image of a post. Without the feature `cards` there is none.
    Card,
    /// A file that pages load.
    Asset,
}

use Kind::{Api, Asset, Card, Document, Editor, Export, Form, List, Post};

const READ: &str = "GET, HEAD, OPTIONS";
const SEND: &str = "POST, OPTIONS";
const READ_AND_SEND: &str = "GET, HEAD, POST, OPTIONS";
const CHANGE: &str = "GET, HEAD, PUT, PATCH, DELETE, OPTIONS";
const REVOKE: &str = "GET, HEAD, DELETE, OPTIONS";

/// Every address of the service.
pub const ADDRESSES: [Address; 28] = [
    address(Api, "/api/posts", READ_AND_SEND),
    address(Api, "/api/posts/{id}", CHANGE),
    address(Api, "/api/posts/{id}/edit_token", SEND),
    address(Api, "/api/keys", SEND),
    address(Api, "/api/keys/current", REVOKE),
    address(Api, "/api/keys/current/posts", READ),
    address(Api, "/openapi.json", READ).without_store(),
    address(Api, "/livez", READ).without_store(),
    address(Api, "/readyz", READ),
    address(Api, "/healthz", READ),
    address(List, "/", READ),
    address(List, "/tags", READ),
    address(Post, "/p/{id}", READ),
    address(Document, "/follow", READ).without_store(),
    address(Document, "/docs", READ).without_store(),
    address(Document, "/docs/reference", READ).without_store(),
    address(Document, "/docs/errors", READ).without_store(),
    address(Form, "/keys", READ_AND_SEND).without_store(),
    address(Editor, "/write", READ_AND_SEND).without_store(),
    address(Editor, "/e/{edit_token}", READ_AND_SEND),
    address(Export, "/p/{id}.md", READ),
    address(Export, "/feed.atom", READ),
    address(Export, "/feed.json", READ),
    address(Export, "/sitemap.xml", READ),
    address(Export, "/llms.txt", READ),
    address(Card, "/p/{id}.png", READ),
    address(Asset, "/assets/{file}", READ).without_store(),
    address(Asset, "/manifest.webmanifest", READ).without_store(),
];

const fn address(kind: Kind, path: &'static str, methods: &'static str) -> Address {
    Address {
        path,
        kind,
        methods,
        reads_store: true,
    }
}

impl Address {
    const fn without_store(self) -> Self {
        Self {
            reads_store: false,
            ..self
        }
    }

    /// Whether it takes `GET`.
    pub fn is_read(&self) -> bool {
        self.methods.starts_with("GET")
    }

    /// Whether an API key must come with a `GET`.
    pub(super) fn needs_key(&self) -> bool {
        self.path.starts_with("/api/keys")
    }
}

impl Kind {
    /// Whether it is a page of HTML.
    pub const fn is_page(self) -> bool {
        self.is_public_page() || self.is_private_page()
    }

    /// Whether it is a page that anyone may read, store in a cache and index.
    pub const fn is_public_page(self) -> bool {
        matches!(self, List | Post | Document)
    }

    /// Whether it is a page for one person.
    pub const fn is_private_page(self) -> bool {
        matches!(self, Form | Editor)
    }
}

impl App {
    /// The paths of the addresses that `is_wanted` selects, with this post's identifier and token.
    pub async fn paths(&self, post: &Created, is_wanted: impl Fn(&Address) -> bool) -> Vec<String> {
        let mut paths = Vec::new();
        for address in ADDRESSES.iter().filter(|address| is_wanted(address)) {
            paths.push(self.path(address, post).await);
        }
        paths
    }

    /// The path of an address, with this post's identifier and token.
    pub(super) async fn path(&self, address: &Address, post: &Created) -> String {
        if address.path.contains("{file}") {
            return self.style().await;
        }
        let path = address.path.replace("{id}", &post.id);
        path.replace("{edit_token}", &post.token)
    }
}
