//! An app with its own pages, login and middleware, and Handbill mounted at /blog.

use std::error::Error;
use std::net::TcpListener;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use actix_web::middleware::{DefaultHeaders, Next, from_fn};
use actix_web::web::Html;
use actix_web::{App, HttpResponse, HttpServer, web};
use handbill_example_shared::{Options, listening, stop_signal};

async fn home() -> Html {
    Html::new(r#"<!doctype html><title>An app</title><p>An app, and <a href="/blog">its blog</a>."#)
}

async fn admin() -> &'static str {
    "Only users with the app's password can read this.\n"
}

/// `admin` and `letmein`, as browsers send them.
const CREDENTIALS: &str = "Basic YWRtaW46bGV0bWVpbg==";

/// The app's own login. It is independent of the blog's credentials.
async fn login(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> actix_web::Result<ServiceResponse<impl MessageBody>> {
    let given = request.headers().get(AUTHORIZATION);
    if given.is_some_and(|given| given == CREDENTIALS) {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    let refused = HttpResponse::Unauthorized()
        .insert_header((WWW_AUTHENTICATE, "Basic realm=\"app\""))
        .finish();
    Ok(request.into_response(refused))
}

async fn not_found() -> HttpResponse {
    HttpResponse::NotFound().body("The app has no such page.\n")
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let options = Options::read();
    let listener = TcpListener::bind(options.listen)?;
    let address = listener.local_addr()?;

    let handbill = options.handbill(&format!("http://{address}/blog")).await?;
    // actix-web makes an app for each of its threads.
    let app = move || {
        let admin = web::resource("/admin").wrap(from_fn(login));
        let blog = handbill_actix_web::service(handbill.clone());
        App::new()
            .wrap(DefaultHeaders::new().add(("x-served-by", "an app")))
            .route("/", web::get().to(home))
            .service(admin.route(web::get().to(self::admin)))
            .service(web::scope("/blog").service(blog))
            .default_service(web::to(not_found))
    };

    let server = HttpServer::new(app)
        .shutdown_signal(stop_signal()?)
        .shutdown_timeout(30)
        .listen(listener)?;
    listening(address);
    server.run().await?;
    Ok(())
}
