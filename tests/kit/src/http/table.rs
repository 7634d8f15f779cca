//! The table of all addresses of the service, which checks go over. A new page needs one line here.

use std::sync::LazyLock;

use handbill::Handbill;

use super::{App, Created};

/// An address of the service.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Address {
    /// The path below the mount point. `{id}` stands for the identifier of a post, `{edit_token}` for its edit token,
    /// and `{name}` for the name of a file that pages load.
    pub path: &'static str,
    /// What is there.
    pub kind: Kind,
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

/// Every address of the service. Those of the API are in its own table of routes.
pub static ADDRESSES: LazyLock<Vec<Address>> = LazyLock::new(|| {
    let paths = Handbill::endpoints().map(|endpoint| endpoint.pattern);
    let mut all = Vec::new();
    for path in paths.filter(|path| path.starts_with("/api/")) {
        if all.iter().all(|known: &Address| known.path != path) {
            all.push(address(Api, path));
        }
    }
    all.extend(OTHERS);
    all
});

const OTHERS: [Address; 23] = [
    address(Api, "/openapi.json").without_store(),
    address(Api, "/livez").without_store(),
    address(Api, "/readyz"),
    address(Api, "/healthz"),
    address(List, "/"),
    address(List, "/tags"),
    address(Post, "/p/{id}"),
    address(Document, "/follow").without_store(),
    address(Document, "/docs").without_store(),
    address(Document, "/docs/reference").without_store(),
    address(Document, "/docs/errors").without_store(),
    address(Form, "/keys").without_store(),
    address(Editor, "/write").without_store(),
    address(Editor, "/e/{edit_token}"),
    address(Export, "/p/{id}.md"),
    address(Export, "/feed.atom"),
    address(Export, "/feed.json"),
    address(Export, "/sitemap.xml"),
    address(Export, "/llms.txt"),
    address(Export, "/opensearch.xml").without_store(),
    address(Card, "/p/{id}.png"),
    address(Asset, "/assets/{name}").without_store(),
    address(Asset, "/manifest.webmanifest").without_store(),
];

const fn address(kind: Kind, path: &'static str) -> Address {
    Address {
        path,
        kind,
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
        self.takes("GET")
    }

    /// Whether it takes a method other than `HEAD` and `OPTIONS`.
    fn takes(&self, method: &str) -> bool {
        Handbill::endpoints().any(|one| (one.method, one.pattern) == (method, self.path))
    }

    /// Its methods, as `Allow` lists them.
    pub fn methods(&self) -> Vec<&'static str> {
        let all = ["GET", "POST", "PUT", "PATCH", "DELETE"].into_iter();
        let taken = all.filter(|method| self.takes(method));
        let with_head = taken.flat_map(|method| match method {
            "GET" => vec!["GET", "HEAD"],
            other => vec![other],
        });
        with_head.chain(["OPTIONS"]).collect()
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
        if address.path.contains("{name}") {
            return self.style().await;
        }
        let path = address.path.replace("{id}", &post.id);
        path.replace("{edit_token}", &post.token)
    }
}
