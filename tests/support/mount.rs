//! Handbill in an app of each framework, on a free port of the loopback address for as long as the runtime lives.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};

use handbill::{ClientAddr, Handbill};
use http::Request;
use http::uri::{PathAndQuery, Uri};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use poem::listener::TcpAcceptor;
use tokio::net::TcpListener;
use tower::ServiceBuilder;

/// With axum.
pub async fn in_axum(path: &str, handbill: Handbill) -> SocketAddr {
    use axum::extract::{ConnectInfo, Request};
    use axum::middleware::map_request;

    async fn tell_client(
        ConnectInfo(client): ConnectInfo<SocketAddr>,
        request: Request,
    ) -> Request {
        with_client(request, client)
    }

    let app = match path {
        // axum does not nest services at the root.
        "/" => axum::Router::new().fallback_service(handbill),
        path => axum::Router::new().nest_service(path, handbill),
    };
    let app = app.layer(map_request(tell_client));
    let (listener, address) = listen().await;
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

/// With hyper, which has no routes, so the path of the mount is removed here.
pub async fn in_hyper(path: &'static str, handbill: Handbill) -> SocketAddr {
    let (listener, address) = listen().await;
    tokio::spawn(async move {
        loop {
            let (stream, client) = listener.accept().await.expect("a connection");
            let service = ServiceBuilder::new()
                .map_request(move |request| with_client(below(path, request), client))
                .service(handbill.clone());
            let connection = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
            tokio::spawn(connection);
        }
    });
    address
}

/// With poem.
pub async fn in_poem(path: &str, handbill: Handbill) -> SocketAddr {
    let (listener, address) = listen().await;
    let app = poem::Route::new().nest(path, handbill_poem::endpoint(handbill));
    tokio::spawn(poem_server(listener).run(app));
    address
}

/// A server for poem apps.
pub fn poem_server(listener: TcpListener) -> poem::Server<Infallible, TcpAcceptor> {
    let acceptor = TcpAcceptor::from_tokio(listener);
    poem::Server::new_with_acceptor(acceptor.expect("a listener"))
}

/// With actix-web.
pub async fn in_actix_web(path: &'static str, handbill: Handbill) -> SocketAddr {
    actix_web_server(move |app| {
        app.service(
            actix_web::web::scope(path.trim_end_matches('/'))
                .service(handbill_actix_web::service(handbill.clone())),
        );
    })
    .await
}

/// Serves an actix-web app with these services on one thread, and returns its address.
pub async fn actix_web_server(
    services: impl Fn(&mut actix_web::web::ServiceConfig) + Clone + Send + 'static,
) -> SocketAddr {
    let (listener, address) = listen().await;
    let listener = listener.into_std().expect("a listener");
    let app = move || actix_web::App::new().configure(services.clone());
    let server = actix_web::HttpServer::new(app).workers(1).disable_signals();
    tokio::spawn(server.listen(listener).expect("a listener").run());
    address
}

/// With Rocket.
pub async fn in_rocket(path: &str, handbill: Handbill) -> SocketAddr {
    launch(quiet_rocket().mount(path, handbill_rocket::routes(handbill))).await
}

/// A Rocket app on a free port, without a log.
pub fn quiet_rocket() -> rocket::Rocket<rocket::Build> {
    rocket::custom(rocket::Config {
        address: Ipv4Addr::LOCALHOST.into(),
        port: 0,
        log_level: rocket::config::LogLevel::Off,
        ..rocket::Config::debug_default()
    })
}

/// Starts a Rocket app and returns its address.
pub async fn launch(app: rocket::Rocket<rocket::Build>) -> SocketAddr {
    let (lift, mut lifted) = tokio::sync::mpsc::channel(1);
    let reported = rocket::fairing::AdHoc::on_liftoff("address", move |rocket| {
        let address = SocketAddr::new(rocket.config().address, rocket.config().port);
        Box::pin(async move {
            let _ = lift.send(address).await;
        })
    });
    tokio::spawn(app.attach(reported).launch());
    lifted.recv().await.expect("the app starts")
}

/// With Salvo.
pub async fn in_salvo(path: &str, handbill: Handbill) -> SocketAddr {
    let mounted = handbill_salvo::router(handbill);
    let app = match path.trim_matches('/') {
        "" => salvo::Router::new().push(mounted),
        path => salvo::Router::with_path(path).push(mounted),
    };
    salvo_server(app).await
}

/// Serves a Salvo app and returns its address.
pub async fn salvo_server(app: salvo::Router) -> SocketAddr {
    let (listener, address) = listen().await;
    let acceptor = salvo::conn::tcp::TcpAcceptor::try_from(listener);
    let server = salvo::Server::new(acceptor.expect("a listener"));
    tokio::spawn(server.serve(app));
    address
}

/// A listener on a free port of the loopback address.
pub async fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    (listener, address)
}

fn with_client<B>(mut request: Request<B>, client: SocketAddr) -> Request<B> {
    request.extensions_mut().insert(ClientAddr(client.ip()));
    request
}

/// The request as a service that is mounted at this path receives it. In a real app, other paths
/// would go to other services; here there are none.
pub fn below<B>(mount: &str, mut request: Request<B>) -> Request<B> {
    let whole = request
        .uri()
        .path_and_query()
        .map_or("/", PathAndQuery::as_str);
    let inner = whole
        .strip_prefix(mount.trim_end_matches('/'))
        .unwrap_or(whole);
    let inner = match inner.as_bytes().first() {
        Some(b'/') => inner.to_owned(),
        _ => format!("/{inner}"),
    };
    *request.uri_mut() = inner.parse::<Uri>().expect("a part of a valid one");
    request
}
