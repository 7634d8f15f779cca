//! Each framework by itself: a server with one handler, which returns a recorded response.

use std::io::Cursor;
use std::net::SocketAddr;

use bytes::Bytes;
use handbill_tests::mount::{
    actix_web_server, launch, listen, poem_server, quiet_rocket, salvo_server,
};
use http::Response;
use http_body_util::Full;
use rocket::http::Method;
use rocket::route::{Handler, Outcome};
use rocket::{Data, Request, Route};

pub(crate) async fn actix_web(response: Response<Bytes>) -> SocketAddr {
    use actix_web::{HttpResponse, web};

    actix_web_server(move |app| {
        let response = response.clone();
        let handler = move || {
            let mut own = HttpResponse::Ok();
            for (name, value) in response.headers() {
                own.append_header((name.as_str(), value.as_bytes()));
            }
            let own = own.body(response.body().clone());
            async { own }
        };
        app.route("/blog/api/posts/{id}", web::get().to(handler));
    })
    .await
}

pub(crate) async fn axum(response: Response<Bytes>) -> SocketAddr {
    let handler = axum::routing::get(move || async move { response.map(Full::new) });
    let app = axum::Router::new().route("/blog/api/posts/{id}", handler);
    let (listener, address) = listen().await;
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

pub(crate) async fn poem(response: Response<Bytes>) -> SocketAddr {
    let handler = poem::endpoint::make_sync(move |_| {
        let (head, body) = response.clone().into_parts();
        let mut own = poem::Response::from(body);
        *own.headers_mut() = head.headers;
        own
    });
    let app = poem::Route::new().at("/blog/api/posts/:id", handler);
    let (listener, address) = listen().await;
    tokio::spawn(poem_server(listener).run(app));
    address
}

pub(crate) async fn rocket(response: Response<Bytes>) -> SocketAddr {
    #[derive(Clone)]
    struct Recorded(Response<Bytes>);

    #[rocket::async_trait]
    impl Handler for Recorded {
        async fn handle<'r>(&self, _: &'r Request<'_>, _: Data<'r>) -> Outcome<'r> {
            let mut response = rocket::Response::new();
            for (name, value) in self.0.headers() {
                response
                    .set_raw_header(name.as_str().to_owned(), value.to_str().unwrap().to_owned());
            }
            let body = self.0.body().clone();
            response.set_sized_body(body.len(), Cursor::new(body));
            Outcome::Success(response)
        }
    }

    let route = Route::new(Method::Get, "/blog/api/posts/<_>", Recorded(response));
    launch(quiet_rocket().mount("/", vec![route])).await
}

pub(crate) async fn salvo(response: Response<Bytes>) -> SocketAddr {
    use salvo::{Router, handler};

    struct Recorded(Response<Bytes>);

    #[handler]
    impl Recorded {
        async fn handle(&self, response: &mut salvo::Response) {
            response.headers = self.0.headers().clone();
            response.body(self.0.body().clone());
        }
    }

    let posts = Router::with_path("blog/api/posts/{id}");
    salvo_server(posts.get(Recorded(response))).await
}
