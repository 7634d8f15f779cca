//! Mounting Handbill, addresses of clients, proxies and logs.

use std::env;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use handbill::{ClientAddr, Draft, TrustedProxies};
use handbill_testing::http::{SentBody, send_to};
use handbill_tests::mount;
use http::header::HOST;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::{Failure, handbill, send_to_axum};

async fn your_own_page() -> &'static str {
    "the app's own"
}

/// The app's own page and Handbill's posts.
async fn both_respond(address: SocketAddr) {
    for (path, text) in [("/", "the app's own"), ("/blog/api/posts", "\"posts\":[")] {
        let request = http::Request::get(path).header(HOST, "example.org");
        let response = send_to(address, request.body(SentBody::default()).unwrap()).await;
        assert_eq!(response.status(), 200, "{path}");
        assert!(str::from_utf8(response.body()).unwrap().contains(text));
    }
}

#[tokio::test]
async fn an_axum_app_has_posts_in_a_file() -> Result<(), Failure> {
    use std::error::Error;
    use std::net::SocketAddr;

    use axum::Router;
    use axum::extract::{ConnectInfo, Request};
    use axum::middleware::map_request;
    use axum::routing::get;
    use handbill::{ClientAddr, Handbill};
    use handbill_sql::SqliteStore;
    use tokio::net::TcpListener;

    async fn serve(listener: TcpListener) -> Result<(), Box<dyn Error + Send + Sync>> {
        let store = SqliteStore::open("posts.db").await?.cached();
        let handbill = Handbill::new("https://example.org/blog", store)?;
        let app = Router::new()
            .route("/", get(your_own_page))
            .nest_service("/blog", handbill)
            .layer(map_request(tell_client))
            .into_make_service_with_connect_info::<SocketAddr>();
        axum::serve(listener, app).await?;
        Ok(())
    }

    /// Tells Handbill the address of each client.
    async fn tell_client(
        ConnectInfo(client): ConnectInfo<SocketAddr>,
        mut request: Request,
    ) -> Request {
        request.extensions_mut().insert(ClientAddr(client.ip()));
        request
    }

    // The only test here that depends on it.
    let folder = tempfile::tempdir()?;
    env::set_current_dir(folder.path())?;
    let (listener, address) = mount::listen().await;
    let server = tokio::spawn(serve(listener));
    both_respond(address).await;
    assert!(folder.path().join("posts.db").exists());
    server.abort();

    let store = handbill_sql::SqliteStore::open("posts.db").await?.cached();
    let handbill = handbill::Handbill::new("https://example.org/blog", store)?;
    let app = axum::Router::new()
        .route("/", axum::routing::get(your_own_page))
        .nest_service("/blog", handbill);
    let posts = http::Request::get("/blog/api/posts").body(Default::default())?;
    assert_eq!(send_to_axum(&app, posts).await.status(), 200);
    env::set_current_dir(super::root())?;
    Ok(())
}

#[test]
fn an_actix_web_app() -> Result<(), Failure> {
    use actix_web::test::{TestRequest, call_service, init_service};
    use handbill::{Handbill, MemoryStore};

    let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
    let app = move || {
        let blog = handbill_actix_web::service(handbill.clone());
        actix_web::App::new()
            .route("/", actix_web::web::get().to(your_own_page))
            .service(actix_web::web::scope("/blog").service(blog))
    };

    actix_web::rt::System::new().block_on(async {
        let app = init_service(app()).await;
        for path in ["/", "/blog/api/posts"] {
            let request = TestRequest::with_uri(path).to_request();
            assert_eq!(call_service(&app, request).await.status(), 200, "{path}");
        }
    });
    Ok(())
}

#[tokio::test]
async fn a_poem_app() -> Result<(), Failure> {
    use handbill::{Handbill, MemoryStore};

    let your_own_page = poem::endpoint::make_sync(|_| "the app's own");

    let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
    let app = poem::Route::new()
        .at("/", poem::get(your_own_page))
        .nest("/blog", handbill_poem::endpoint(handbill));

    let (listener, address) = mount::listen().await;
    tokio::spawn(mount::poem_server(listener).run(app));
    both_respond(address).await;
    Ok(())
}

#[tokio::test]
async fn a_rocket_app() -> Result<(), Failure> {
    use handbill::{Handbill, MemoryStore};

    #[rocket::get("/")]
    fn your_own_page() -> &'static str {
        "the app's own"
    }

    let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
    let app = rocket::build()
        .mount("/", rocket::routes![your_own_page])
        .mount("/blog", handbill_rocket::routes(handbill));

    let quiet = mount::quiet_rocket().figment().clone();
    both_respond(mount::launch(app.configure(quiet)).await).await;
    Ok(())
}

#[tokio::test]
async fn a_salvo_app() -> Result<(), Failure> {
    use handbill::{Handbill, MemoryStore};

    #[salvo::handler]
    async fn your_own_page() -> &'static str {
        "the app's own"
    }

    let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
    let app = salvo::Router::new()
        .get(your_own_page)
        .push(salvo::Router::with_path("blog").push(handbill_salvo::router(handbill)));

    both_respond(mount::salvo_server(app).await).await;
    Ok(())
}

#[tokio::test]
async fn an_app_has_tools_for_agents() -> Result<(), Failure> {
    use axum::Router;
    use handbill::{Handbill, MemoryStore};
    use handbill_mcp::McpService;

    let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
    let app: Router = Router::new()
        .nest_service("/blog", handbill.clone())
        .route_service("/mcp", McpService::new(handbill));

    let ping = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
    let request = http::Request::post("/mcp")
        .header(HOST, "example.org")
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json");
    let response = send_to_axum(&app, request.body(ping.into())?).await;
    assert_eq!(response.status(), 200);
    Ok(())
}

#[test]
fn the_client_behind_a_trusted_proxy_is_the_one_that_it_names() -> Result<(), Failure> {
    let handbill = handbill();
    let handbill = handbill.with_trusted_proxies("127.0.0.1, 10.0.0.0/8".parse()?);
    drop(handbill);
    let proxies: TrustedProxies = "127.0.0.1, 10.0.0.0/8".parse()?;
    let mut headers = http::HeaderMap::new();
    headers.insert("x-forwarded-for", "203.0.113.7, 10.1.2.3".parse()?);
    let seen = |peer: &str| Ok::<_, Failure>(proxies.client(ClientAddr(peer.parse()?), &headers));
    assert_eq!(seen("127.0.0.1")?.0.to_string(), "203.0.113.7");
    assert_eq!(seen("198.51.100.1")?.0.to_string(), "198.51.100.1");
    Ok(())
}

/// Collects the fields of spans and events, as a log would print them.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let mut log = self.0.lock().unwrap();
        log.push_str(&format!("{}={value:?} ", field.name()));
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut self.clone());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn a_log_has_routes_and_no_secrets() -> Result<(), Failure> {
    use std::time::Duration;

    use axum::{Router, extract::Request, response::Response};
    use handbill::RoutePattern;
    use tower_http::trace::TraceLayer;
    use tracing::{Span, field, info, info_span};

    fn with_log(app: Router) -> Router {
        let trace = TraceLayer::new_for_http()
            .make_span_with(|request: &Request| {
                info_span!("request", method = %request.method(), route = field::Empty)
            })
            .on_response(|response: &Response, latency: Duration, span: &Span| {
                if let Some(RoutePattern(route)) = response.extensions().get() {
                    span.record("route", route);
                }
                info!(status = response.status().as_u16(), ?latency, "response");
            });
        app.layer(trace)
    }

    let handbill = handbill();
    let created = handbill
        .posts()
        .create(Draft::new().body("A post."))
        .await?;
    let edit = created.edit.url.expose();
    let (_, path) = edit.split_once("example.org").unwrap();
    let app = with_log(Router::new().nest_service("/blog", handbill));
    let log = Log::default();
    let logged = tracing::subscriber::set_default(log.clone());
    let request = http::Request::get(path).body(Default::default())?;
    assert_eq!(send_to_axum(&app, request).await.status(), 200);
    drop(logged);
    let log = log.0.lock().unwrap();
    assert!(log.contains(r#"route="/e/{edit_token}""#), "{log}");
    assert!(log.contains("status=200"), "{log}");
    assert!(!log.contains(created.edit.token.expose()), "{log}");
    Ok(())
}
