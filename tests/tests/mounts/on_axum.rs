//! Frameworks that are built on axum: loco, leptos and dioxus. Each hands over a router of axum in a state
//! of its own. The routers here are made in the same way, without the frameworks.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::{ConnectInfo, FromRef, Request, State};
use axum::http::StatusCode;
use axum::middleware::map_request;
use axum::routing::get;
use handbill::ClientAddr;
use handbill_tests::mount;

use crate::hosts::{Two, hold};

async fn own() -> &'static str {
    "the app's own"
}

async fn tell_client(
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    mut request: Request,
) -> Request {
    request.extensions_mut().insert(ClientAddr(client.ip()));
    request
}

async fn serve(app: Router) -> SocketAddr {
    let (listener, address) = mount::listen().await;
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

/// loco passes the finished router to `Hooks::after_routes`.
#[tokio::test]
async fn after_the_routes_of_loco() {
    let after_routes = |router: Router, two: &Two| {
        router
            .nest_service("/news", two.news.clone())
            .nest_service("/a/b/notes", two.notes.clone())
            .layer(map_request(tell_client))
    };
    let routes = Router::<&'static str>::new().route("/own", get(own));
    let by_loco = routes
        .layer(map_request(async |request: Request| request))
        .with_state("AppContext");
    let two = Two::new().await;
    hold(serve(after_routes(by_loco, &two)).await, two.ids).await;
}

/// leptos adds its routes and its fallback to a router whose state has `LeptosOptions`.
#[tokio::test]
async fn beside_the_routes_of_leptos() {
    #[derive(Clone)]
    struct LeptosOptions(StatusCode);

    #[derive(Clone)]
    struct App(LeptosOptions);

    impl FromRef<App> for LeptosOptions {
        fn from_ref(app: &App) -> Self {
            app.0.clone()
        }
    }

    async fn file_and_error_handler(State(options): State<LeptosOptions>) -> StatusCode {
        options.0
    }

    let two = Two::new().await;
    let app = Router::<App>::new()
        .route("/own", get(own))
        .nest_service("/news", two.news)
        .nest_service("/a/b/notes", two.notes)
        .fallback(file_and_error_handler)
        .layer(map_request(tell_client))
        .with_state(App(LeptosOptions(StatusCode::NOT_FOUND)));
    hold(serve(app).await, two.ids).await;
}

/// `dioxus::server::router` returns a router whose fallback renders the app.
#[tokio::test]
async fn on_the_router_of_dioxus() {
    let render = get(async |request: Request| match request.uri().path() {
        "/own" => Ok(own().await),
        _ => Err(StatusCode::NOT_FOUND),
    });
    let by_dioxus = Router::<()>::new().fallback(render);
    let two = Two::new().await;
    let app = by_dioxus
        .nest_service("/news", two.news)
        .nest_service("/a/b/notes", two.notes)
        .layer(map_request(tell_client));
    hold(serve(app).await, two.ids).await;
}
