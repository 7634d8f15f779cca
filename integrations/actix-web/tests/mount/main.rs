//! Handbill in an actix-web app: what is special about actix-web. Other tests cover the HTTP contract.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod bodies;
mod messages;
mod paths;
mod wire;

use actix_web::body::MessageBody;
use actix_web::dev::ServiceResponse;
use actix_web::http::header::HeaderMap;
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::web::ServiceConfig;
use actix_web::{App, HttpResponse, web};
use handbill::{Draft, Handbill, MemoryStore};

/// A service with its own store, mounted at this path of `https://example.org`.
fn handbill(path: &str) -> Handbill {
    Handbill::new(&format!("https://example.org{path}"), MemoryStore::new()).unwrap()
}

struct TestResponse {
    status: u16,
    headers: HeaderMap,
    body: String,
}

impl TestResponse {
    async fn of(response: ServiceResponse<impl MessageBody>) -> Self {
        Self {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: String::from_utf8(read_body(response).await.into()).unwrap(),
        }
    }

    /// The code of a problem that only Handbill returns.
    fn problem(&self) -> String {
        let media_type = self.headers.get("content-type").unwrap();
        assert_eq!(media_type, "application/problem+json");
        self.json()["code"].as_str().unwrap().to_owned()
    }

    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// The response of an app with these services.
async fn send(services: impl FnOnce(&mut ServiceConfig), request: TestRequest) -> TestResponse {
    let app = init_service(App::new().configure(services)).await;
    TestResponse::of(call_service(&app, request.to_request()).await).await
}

async fn get(services: impl FnOnce(&mut ServiceConfig), path: &str) -> TestResponse {
    send(services, TestRequest::with_uri(path)).await
}

/// An app with pages of its own and this service at `/blog`.
fn app_with(handbill: &Handbill) -> impl Fn(&mut ServiceConfig) + Clone + use<> {
    let handbill = handbill.clone();
    move |app| {
        let blog = handbill_actix_web::service(handbill.clone());
        app.route("/", web::get().to(async || "the app's own page"))
            .route("/blog/about", web::get().to(async || "the app's own page"))
            .service(web::scope("/blog").service(blog))
            .default_service(web::to(async || {
                HttpResponse::NotFound().body("the app's own 404")
            }));
    }
}

/// Publishes a post and returns its id.
async fn publish(handbill: &Handbill) -> String {
    let posts = handbill.posts();
    let created = posts.create(Draft::new().body("Some *Markdown*."));
    created.await.unwrap().id.as_str().to_owned()
}
