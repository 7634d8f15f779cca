//! Two services in one app, and the app's own routes beside them. A service that is not ready at once.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::net::SocketAddr;
use std::task::{Context, Poll};

use bytes::Bytes;
use handbill::{Draft, Handbill, MemoryStore, PostId};
use handbill_testing::http::{SentBody, send_to};
use handbill_tests::mount;
use http::{Request, Response};
use tower::Service;

/// Two services, each with a post of its own.
pub(crate) struct Two {
    pub(crate) news: Handbill,
    pub(crate) notes: Handbill,
    pub(crate) ids: [PostId; 2],
}

impl Two {
    pub(crate) async fn new() -> Self {
        let service = |path| {
            let base_url = format!("https://example.org{path}");
            Handbill::new(&base_url, MemoryStore::new()).expect("an address")
        };
        let (news, notes) = (service("/news"), service("/a/b/notes"));
        let mut ids = Vec::new();
        for (service, body) in [(&news, "News."), (&notes, "A note.")] {
            let created = service.posts().create(Draft::new().body(body)).await;
            ids.push(created.expect("a post").id);
        }
        let ids = [ids[0], ids[1]];
        Self { news, notes, ids }
    }
}

async fn get(app: SocketAddr, path: &str) -> Response<Bytes> {
    let request = Request::get(path).header("host", "example.org");
    let request = request.body(SentBody::default()).expect("a request");
    send_to(app, request).await
}

/// Each service has only its own post, and all other paths belong to the app.
pub(crate) async fn hold(app: SocketAddr, ids: [PostId; 2]) {
    let [news, note] = ids.map(|id| id.as_str().to_owned());
    for (path, id, status) in [
        ("/news", &news, 200),
        ("/a/b/notes", &note, 200),
        ("/news", &note, 404),
        ("/a/b/notes", &news, 404),
    ] {
        let read = get(app, &format!("{path}/api/posts/{id}")).await;
        assert_eq!(read.status(), status, "{path} {id}");
    }
    let own = get(app, "/own").await;
    assert_eq!(own.body(), "the app's own");
    let missing = get(app, "/missing").await;
    assert_eq!(missing.status(), 404);
    let media_type = missing.headers().get("content-type");
    assert!(media_type.is_none_or(|media_type| media_type != "application/problem+json"));
}

#[tokio::test]
async fn two_in_one_actix_web_app() {
    use actix_web::web;

    let two = Two::new().await;
    let address = mount::actix_web_server(move |app| {
        let [news, notes] = [&two.news, &two.notes].map(|service| service.clone());
        app.route("/own", web::get().to(async || "the app's own"))
            .service(web::scope("/news").service(handbill_actix_web::service(news)))
            .service(web::scope("/a/b/notes").service(handbill_actix_web::service(notes)));
    });
    hold(address.await, two.ids).await;
}

#[tokio::test]
async fn two_in_one_axum_app() {
    let two = Two::new().await;
    let app = axum::Router::new()
        .route("/own", axum::routing::get(async || "the app's own"))
        .nest_service("/news", two.news)
        .nest_service("/a/b/notes", two.notes);
    let (listener, address) = mount::listen().await;
    tokio::spawn(async move { axum::serve(listener, app).await });
    hold(address, two.ids).await;
}

#[tokio::test]
async fn two_in_one_poem_app() {
    let two = Two::new().await;
    let app = poem::Route::new()
        .at("/own", poem::endpoint::make_sync(|_| "the app's own"))
        .nest("/news", handbill_poem::endpoint(two.news))
        .nest("/a/b/notes", handbill_poem::endpoint(two.notes));
    let (listener, address) = mount::listen().await;
    tokio::spawn(mount::poem_server(listener).run(app));
    hold(address, two.ids).await;
}

#[tokio::test]
async fn two_in_one_rocket_app() {
    #[rocket::get("/own")]
    fn own() -> &'static str {
        "the app's own"
    }

    let two = Two::new().await;
    let app = mount::quiet_rocket()
        .mount("/", rocket::routes![own])
        .mount("/news", handbill_rocket::routes(two.news))
        .mount("/a/b/notes", handbill_rocket::routes(two.notes));
    hold(mount::launch(app).await, two.ids).await;
}

#[tokio::test]
async fn two_in_one_salvo_app() {
    use salvo::Router;

    #[salvo::handler]
    async fn own() -> &'static str {
        "the app's own"
    }

    let two = Two::new().await;
    let app = Router::new()
        .push(Router::with_path("own").get(own))
        .push(Router::with_path("news").push(handbill_salvo::router(two.news)))
        .push(Router::with_path("a/b/notes").push(handbill_salvo::router(two.notes)));
    hold(mount::salvo_server(app).await, two.ids).await;
}

/// Responds with how many times it was asked whether it is ready.
#[derive(Clone, Default)]
struct ReadyAtTheThirdTime {
    polls: usize,
}

impl<B> Service<Request<B>> for ReadyAtTheThirdTime {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.polls += 1;
        context.waker().wake_by_ref();
        if self.polls < 3 {
            Poll::Pending
        } else {
            Poll::Ready(Ok(()))
        }
    }

    fn call(&mut self, _: Request<B>) -> Self::Future {
        ready(Ok(Response::new(self.polls.to_string())))
    }
}

#[tokio::test]
async fn a_service_is_called_when_it_is_ready() {
    let service = ReadyAtTheThirdTime::default;
    let in_actix_web = mount::actix_web_server(move |app| {
        app.service(handbill_actix_web::service(service()));
    });
    let (listener, in_poem) = mount::listen().await;
    tokio::spawn(mount::poem_server(listener).run(handbill_poem::endpoint(service())));
    let in_rocket = mount::quiet_rocket().mount("/", handbill_rocket::routes(service()));
    let in_salvo = mount::salvo_server(handbill_salvo::router(service()));
    for (framework, app) in [
        ("actix-web", in_actix_web.await),
        ("poem", in_poem),
        ("rocket", mount::launch(in_rocket).await),
        ("salvo", in_salvo.await),
    ] {
        // The second request gets a service that has not been asked.
        for _ in 0..2 {
            assert_eq!(get(app, "/").await.body(), "3", "{framework}");
        }
    }
}
