//! Handbill's checks over HTTP, in an app of warp on a socket.

use std::net::SocketAddr;

use handbill::{Draft, Handbill, MemoryStore, SignedIn, Visibility};
use handbill_testing::http::{SentBody, send_to};
use http::{Extensions, HeaderMap, Request};
use tokio::net::TcpListener;
use warp::reply::Response;
use warp::{Filter, Rejection};

use crate::filter;

/// Starts an app with Handbill at this path, and returns its address.
async fn start(path: &'static str, handbill: Handbill) -> SocketAddr {
    let mounted = filter(handbill, warp::any().map(Extensions::new));
    match path.strip_prefix('/') {
        None | Some("") => serve(mounted).await,
        Some(segment) => serve(warp::path(segment).and(mounted)).await,
    }
}

async fn serve(
    app: impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(warp::serve(app).incoming(listener).run());
    address
}

mod at_the_root {
    handbill_testing::http_checks!("/", |handbill| async {
        let server = super::start("/", handbill).await;
        move |request| super::send_to(server, request)
    });
}

mod below {
    handbill_testing::http_checks!("/blog", |handbill| async {
        let server = super::start("/blog", handbill).await;
        move |request| super::send_to(server, request)
    });
}

/// What the app says in extensions reaches the service: here, who is logged in.
#[tokio::test]
async fn a_user_of_the_app_sees_a_draft() {
    let handbill = Handbill::new("https://example.org", MemoryStore::new()).expect("a service");
    let owner = "user:42".parse().expect("an owner");
    let draft = Draft::new().body("x").owner(owner);
    let draft = draft.visibility(Visibility::Draft);
    let created = handbill.posts().create(draft).await.expect("a post");

    let login = warp::header::headers_cloned().map(|headers: HeaderMap| {
        let mut extensions = Extensions::new();
        let user = headers
            .get("x-test-user")
            .and_then(|user| user.to_str().ok());
        if let Some(owner) = user.and_then(|user| user.parse().ok()) {
            extensions.insert(SignedIn::new(owner));
        }
        extensions
    });
    let server = serve(filter(handbill, login)).await;
    for (user, status) in [("user:42", 200), ("user:43", 404)] {
        let request = Request::get(format!("/p/{}", created.id)).header("x-test-user", user);
        let request = request.header("host", "example.org");
        let response = send_to(
            server,
            request.body(SentBody::default()).expect("a request"),
        );
        assert_eq!(response.await.status(), status, "{user}");
    }
}
