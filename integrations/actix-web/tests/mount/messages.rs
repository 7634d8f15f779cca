//! Which parts of a request reach the service, and which parts of a response reach the app.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::test::{TestRequest, call_service, init_service};
use actix_web::web::{self, ServiceConfig};
use actix_web::{App, HttpMessage};
use handbill::host::CspNonce;
use handbill::{ClientAddr, Code, RoutePattern, SignedIn};
use handbill_actix_web::RequestBody;
use http::HeaderValue;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use tower::{ServiceBuilder, service_fn};
use tower_http::map_response_body::MapResponseBodyLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::{TestResponse, get, handbill, publish, send};

const FROM_PROXY: &str = "192.0.2.7";

#[derive(Clone)]
struct OfTheApp(&'static str);

/// A service that returns which extensions it received.
fn extensions(app: &mut ServiceConfig) {
    let service = service_fn(|request: http::Request<RequestBody>| async move {
        let extensions = request.extensions();
        let client = extensions.get::<ClientAddr>();
        let nonce = extensions.get::<CspNonce>().map(CspNonce::as_str);
        let own = extensions.get::<OfTheApp>().map(|own| own.0);
        let user = extensions
            .get()
            .map(|user: &SignedIn| user.owner().as_str());
        let seen = format!("{client:?} {nonce:?} {user:?} {own:?}");
        Ok::<_, Infallible>(http::Response::new(seen))
    });
    app.service(handbill_actix_web::service(service).with_extension::<OfTheApp>());
}

#[actix_web::test]
async fn the_client_is_the_peer_of_the_connection_unless_the_app_says_otherwise() {
    let peer: SocketAddr = "[2001:db8::1]:4711".parse().unwrap();
    let request = || {
        TestRequest::default()
            .peer_addr(peer)
            .insert_header(("x-forwarded-for", FROM_PROXY))
            .insert_header(("forwarded", format!("for={FROM_PROXY}")))
    };
    let seen = send(extensions, request()).await;
    assert_eq!(seen.body, "Some(ClientAddr(2001:db8::1)) None None None");

    let request = request().to_request();
    let address: IpAddr = FROM_PROXY.parse().unwrap();
    request.extensions_mut().insert(ClientAddr(address));
    let app = init_service(App::new().configure(extensions)).await;
    let seen = TestResponse::of(call_service(&app, request).await).await;
    assert_eq!(seen.body, "Some(ClientAddr(192.0.2.7)) None None None");

    let without_a_socket = get(extensions, "/").await;
    assert_eq!(without_a_socket.body, "None None None None");
}

#[actix_web::test]
async fn extensions_that_the_app_inserted_arrive() {
    let request = TestRequest::default().to_request();
    let nonce: CspNonce = "bm9uY2U".parse().unwrap();
    request.extensions_mut().insert(nonce);
    request
        .extensions_mut()
        .insert(SignedIn::new("ann".parse().unwrap()));
    request.extensions_mut().insert(OfTheApp("app"));
    let app = init_service(App::new().configure(extensions)).await;
    let seen = TestResponse::of(call_service(&app, request).await).await;
    assert_eq!(seen.body, r#"None Some("bm9uY2U") Some("ann") Some("app")"#);
}

#[actix_web::test]
async fn the_parts_of_a_request_arrive_unchanged() {
    let service = service_fn(|request: http::Request<RequestBody>| async move {
        let (head, body) = request.into_parts();
        assert_eq!(head.method.as_str(), "BREW");
        assert_eq!(head.uri, "/pot?milk");
        assert_eq!(head.version, http::Version::HTTP_2);
        let repeated: Vec<_> = head.headers.get_all("x-twice").iter().collect();
        assert_eq!(repeated, ["one", "two"]);
        assert_eq!(head.headers["x-bytes"].as_bytes(), b"\xFF\xE9");
        assert_eq!(http_body::Body::size_hint(&body).exact(), Some(3));
        assert_eq!(body.collect().await.unwrap().to_bytes(), "abc");
        Ok::<_, Infallible>(http::Response::new(String::new()))
    });
    let request = TestRequest::with_uri("/pot?milk")
        .method(Method::from_bytes(b"BREW").unwrap())
        .version(actix_web::http::Version::HTTP_2)
        .append_header(("x-twice", "one"))
        .append_header(("x-twice", "two"))
        .append_header(("x-bytes", &b"\xFF\xE9"[..]))
        .set_payload("abc");
    let app = |app: &mut ServiceConfig| {
        app.service(handbill_actix_web::service(service));
    };
    assert_eq!(send(app, request).await.status, 200);
}

#[actix_web::test]
async fn the_parts_of_a_response_are_sent_unchanged() {
    let service = service_fn(|_: http::Request<RequestBody>| async {
        let response = http::Response::builder()
            .status(299)
            .header("link", "</1>; rel=first")
            .header("link", "</9>; rel=last")
            .header("x-bytes", HeaderValue::from_bytes(b"\xFF\xE9").unwrap())
            .extension(RoutePattern("/preserved"));
        Ok::<_, Infallible>(response.body(Full::from("abc")).unwrap())
    });
    let service = handbill_actix_web::service(service);
    let app = init_service(App::new().service(service)).await;
    let response = call_service(&app, TestRequest::default().to_request()).await;
    let route = response.response().extensions().get().copied();
    assert_eq!(route, Some(RoutePattern("/preserved")));
    let response = TestResponse::of(response).await;
    assert_eq!(response.status, 299);
    let repeated: Vec<_> = response.headers.get_all("link").collect();
    assert_eq!(repeated, ["</1>; rel=first", "</9>; rel=last"]);
    let bytes = response.headers.get("x-bytes").unwrap();
    assert_eq!(bytes.as_bytes(), b"\xFF\xE9");
    assert_eq!(response.body, "abc");
}

#[actix_web::test]
async fn an_app_can_log_the_route_without_secrets_and_the_problem() {
    let blog = handbill_actix_web::service(handbill("/blog"));
    let logged = std::rc::Rc::new(std::cell::Cell::new((None, None)));
    let log = std::rc::Rc::clone(&logged);
    let scope = web::scope("/blog").wrap_fn(move |request: ServiceRequest, next| {
        let log = std::rc::Rc::clone(&log);
        let response = actix_web::dev::Service::call(next, request);
        async move {
            let response = response.await?;
            let extensions = response.response().extensions();
            log.set((extensions.get().copied(), extensions.get().copied()));
            drop(extensions);
            Ok(response)
        }
    });
    let edit_page = format!("/blog/e/{}", "x".repeat(43));
    let app = |app: &mut ServiceConfig| {
        app.service(scope.service(blog));
    };
    get(app, &edit_page).await;
    let route = RoutePattern("/e/{edit_token}");
    assert_eq!(logged.take(), (Some(route), Some(Code::NotFound)));
}

#[actix_web::test]
async fn a_service_in_tower_layers_can_be_mounted() {
    // The boxed body is not Sync, like the bodies of many layers.
    let layers = ServiceBuilder::new()
        .layer(SetResponseHeaderLayer::overriding(
            http::HeaderName::from_static("x-layer"),
            HeaderValue::from_static("passed"),
        ))
        .layer(MapResponseBodyLayer::new(UnsyncBoxBody::new))
        .layer(RequestBodyTimeoutLayer::new(Duration::from_secs(30)))
        .map_request(|request: http::Request<_>| request);
    let handbill = handbill("/blog");
    publish(&handbill).await;
    let blog = handbill_actix_web::service(layers.service(handbill));
    let app = |app: &mut ServiceConfig| {
        app.service(web::scope("/blog").service(blog));
    };
    let list = get(app, "/blog/api/posts").await;
    assert_eq!(list.headers.get("x-layer").unwrap(), "passed");
    assert_eq!(list.json()["total"], 1);
}
