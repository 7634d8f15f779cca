//! Handbill in a Salvo app: what is special about Salvo. Other tests cover the HTTP contract.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod messages;
mod paths;

use handbill::{Draft, Handbill, MemoryStore};
use http::uri::Scheme;
use http::{HeaderMap, Method, StatusCode};
use http_body_util::BodyExt;
use salvo::catcher::Catcher;
use salvo::conn::SocketAddr;
use salvo::http::ReqBody;
use salvo::{ConnCtrl, FlowCtrl, Request, Response, Router, Service, handler};

/// A service with its own store, mounted at this path of `https://example.org`.
fn handbill(path: &str) -> Handbill {
    Handbill::new(&format!("https://example.org{path}"), MemoryStore::new()).unwrap()
}

#[handler]
async fn home() -> &'static str {
    "the app's own page"
}

/// An app with pages of its own and this service at `/blog`.
fn app_with(handbill: Handbill) -> Router {
    Router::new()
        .get(home)
        .push(Router::with_path("blog/about").get(home))
        .push(Router::with_path("blog").push(handbill_salvo::router(handbill)))
}

/// The app's own words for every error that it may catch.
#[handler]
async fn own_words(response: &mut Response, flow: &mut FlowCtrl) {
    response.body("the app's own words");
    flow.skip_rest();
}

fn with_catcher(app: Router) -> Service {
    Service::new(app).catcher(Catcher::default().hoop(own_words))
}

struct TestResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

impl TestResponse {
    async fn of(mut response: Response) -> Self {
        let body = response.take_body().collect().await.unwrap();
        Self {
            status: response.status_code.unwrap(),
            headers: response.headers,
            body: String::from_utf8(body.to_bytes().into()).unwrap(),
        }
    }

    /// The code of a problem that only Handbill returns.
    fn problem(&self) -> String {
        assert_eq!(self.headers["content-type"], "application/problem+json");
        self.json()["code"].as_str().unwrap().to_owned()
    }

    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

fn request(method: Method, path: &str) -> Request {
    let request = http::Request::builder().method(method).uri(path);
    let request = request.body(ReqBody::None).unwrap();
    Request::from_hyper(request, Scheme::HTTP)
}

/// Salvo's response to a request from this address.
async fn handle(app: impl Into<Service>, client: SocketAddr, request: Request) -> Response {
    let server = SocketAddr::Unknown;
    let connection = ConnCtrl::new();
    let app = app.into();
    let app = app.hyper_handler(server, client, Scheme::HTTP, None, connection, None);
    app.handle(request).await
}

async fn send(app: impl Into<Service>, request: Request) -> TestResponse {
    TestResponse::of(handle(app, SocketAddr::Unknown, request).await).await
}

async fn get(app: impl Into<Service>, path: &str) -> TestResponse {
    send(app, request(Method::GET, path)).await
}

/// Publishes a post and returns its id.
async fn publish(handbill: &Handbill) -> String {
    let posts = handbill.posts();
    let created = posts.create(Draft::new().body("Some *Markdown*."));
    created.await.unwrap().id.as_str().to_owned()
}
