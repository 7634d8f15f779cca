//! An app with two pages of its own, and Handbill at `/blog`.

use std::error::Error;
use std::net::{SocketAddr, TcpListener};

use handbill::SignedIn;
use handbill_example_shared::{Options, listening};
use rocket::config::{Config, LogLevel};
use rocket::fairing::AdHoc;
use rocket::http::Status;
use rocket::request::{FromRequest, Outcome, Request};
use rocket::response::content::RawHtml;
use rocket::{catch, catchers, get, routes};

/// Represents the app's own login.
struct Admin;

#[rocket::async_trait]
impl<'r> FromRequest<'r> for Admin {
    type Error = ();

    async fn from_request(request: &'r Request<'_>) -> Outcome<Self, ()> {
        match request.headers().get_one("Authorization") {
            Some("Bearer open-sesame") => Outcome::Success(Self),
            _ => Outcome::Error((Status::Unauthorized, ())),
        }
    }
}

/// Tells the blog who is logged in, so that the admin writes and edits without its keys and private links.
fn sign_in() -> AdHoc {
    AdHoc::on_request("sign in", |request, _| {
        Box::pin(async move {
            if let Outcome::Success(Admin) = request.guard::<Admin>().await {
                request.local_cache(|| Some(SignedIn::new("admin".parse().ok()?)));
            }
        })
    })
}

#[get("/")]
fn home() -> RawHtml<&'static str> {
    RawHtml("<!doctype html><title>Home</title><p>Our app. <a href=\"/blog\">Our blog</a>.")
}

#[get("/admin")]
fn admin(_admin: Admin) -> &'static str {
    "Only users with the token can read this.\n"
}

#[catch(404)]
fn missing() -> RawHtml<&'static str> {
    RawHtml("<!doctype html><title>Not found</title><p>Our app has no such page.")
}

#[rocket::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let options = Options::read();
    let address = resolve(options.listen)?;
    let app = rocket::custom(Config {
        address: address.ip(),
        port: address.port(),
        // Rocket would log addresses, and some of Handbill's contain secrets.
        log_level: LogLevel::Off,
        ..Config::default()
    });

    // Handbill uses this address for links. Behind a proxy, use the public https address.
    let handbill = options.handbill(&format!("http://{address}/blog")).await?;
    app.mount("/blog", handbill_rocket::routes(handbill))
        .mount("/", routes![home, admin])
        .register("/", catchers![missing])
        .attach(sign_in())
        .attach(AdHoc::on_liftoff("ready", move |_| {
            listening(address);
            Box::pin(async {})
        }))
        .launch()
        .await?;
    Ok(())
}

/// Replaces port 0 with a free port. Handbill needs its address before Rocket listens, and Rocket does
/// not accept an existing listener.
fn resolve(address: SocketAddr) -> std::io::Result<SocketAddr> {
    match address.port() {
        0 => TcpListener::bind(address)?.local_addr(),
        _ => Ok(address),
    }
}
