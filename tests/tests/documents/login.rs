//! Who may publish, and the login of the host.

use axum::Router;
use axum::extract::Request;
use handbill::host::KeyGrant;
use handbill::{Draft, Handbill, KeyRequests, Owner, PostSummary, SignedIn};
use http::HeaderMap;
use http::header::{AUTHORIZATION, CONTENT_TYPE};

use super::{Failure, handbill, send, send_to_axum};

/// A user of the app.
#[derive(Clone)]
struct YourUser {
    owner: Owner,
}

fn user(headers: &HeaderMap) -> Option<YourUser> {
    let name = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let owner = name.parse().ok()?;
    Some(YourUser { owner })
}

async fn your_logged_in_user(headers: &HeaderMap) -> Option<YourUser> {
    user(headers)
}

/// A post of alice that only she can see.
async fn draft_of_alice(handbill: &Handbill) -> Result<PostSummary, Failure> {
    let draft = Draft::new().body("Hers.").owner("alice".parse()?);
    let draft = draft.visibility(handbill::Visibility::Draft);
    let id = handbill.posts().create(draft).await?.id;
    Ok(handbill.posts().summary(id).await?)
}

#[tokio::test]
async fn the_host_decides_who_gets_a_key() -> Result<(), Failure> {
    let handbill = handbill();
    let handbill = handbill.with_key_requests(KeyRequests::decided_by(|request| async move {
        match request.extensions.get::<YourUser>() {
            Some(user) => KeyGrant::GrantedTo(user.owner.clone()),
            None => KeyGrant::Refused,
        }
    }));
    let request = || http::Request::post("/api/keys");
    let refused = send(&handbill, request().body(Default::default())?).await;
    assert_eq!(refused.status(), 403);
    let alice = YourUser {
        owner: "alice".parse()?,
    };
    let granted = request()
        .extension(alice.clone())
        .body(Default::default())?;
    assert_eq!(send(&handbill, granted).await.status(), 201);
    assert_eq!(handbill.keys().list_of(&alice.owner).await?.len(), 1);

    let handbill = handbill.with_key_requests(KeyRequests::SignedIn);
    let refused = send(&handbill, request().body(Default::default())?).await;
    assert_eq!(refused.status(), 403);
    Ok(())
}

/// Tells Handbill who is logged in.
async fn sign_in(mut request: Request) -> Request {
    let user = your_logged_in_user(request.headers()).await;
    if let Some(user) = user {
        request.extensions_mut().insert(SignedIn::new(user.owner));
    }
    request
}

#[tokio::test]
async fn a_user_of_an_axum_app_sees_drafts_and_edits_and_others_do_not() -> Result<(), Failure> {
    let handbill = handbill();
    let post = draft_of_alice(&handbill).await?;
    let app = Router::new().nest_service("/blog", handbill.clone());
    let app = app.layer(axum::middleware::map_request(sign_in));
    for (user, path, status) in [
        (Some("alice"), "", 200),
        (Some("bob"), "", 404),
        (None, "", 404),
        (Some("alice"), "/edit", 200),
        (Some("bob"), "/edit", 404),
        (None, "/edit", 404),
    ] {
        let mut request = http::Request::get(format!("/blog/p/{}{path}", post.id));
        if let Some(user) = user {
            request = request.header(AUTHORIZATION, user);
        }
        let response = send_to_axum(&app, request.body(Default::default())?).await;
        assert_eq!(response.status(), status, "{user:?} {path}");
    }

    let form = |site: &str| {
        http::Request::post(format!("/blog/p/{}/edit", post.id))
            .header(AUTHORIZATION, "alice")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header("sec-fetch-site", site)
            .body("action=delete&confirm=yes".into())
    };
    let foreign = send_to_axum(&app, form("cross-site")?).await;
    assert_eq!(foreign.status(), 403);
    assert!(
        foreign.body().contains("another site"),
        "{}",
        foreign.body()
    );
    assert!(handbill.posts().read(post.id).await.is_ok());
    let own = send_to_axum(&app, form("same-origin")?).await;
    assert!(own.status().is_success() || own.status().is_redirection());
    assert!(handbill.posts().read(post.id).await.is_err());
    Ok(())
}

#[test]
fn a_user_of_an_actix_web_app_sees_drafts() -> Result<(), Failure> {
    use actix_web::body::MessageBody;
    use actix_web::dev::{ServiceRequest, ServiceResponse};
    use actix_web::middleware::{Next, from_fn};
    use actix_web::test::{TestRequest, call_service, init_service};
    use actix_web::{App, HttpMessage, web};

    async fn user_of(request: &ServiceRequest) -> Option<YourUser> {
        let name = request.headers().get("authorization")?.to_str().ok()?;
        let owner = name.parse().ok()?;
        Some(YourUser { owner })
    }

    async fn sign_in(
        request: ServiceRequest,
        next: Next<impl MessageBody>,
    ) -> actix_web::Result<ServiceResponse<impl MessageBody>> {
        if let Some(user) = user_of(&request).await {
            request.extensions_mut().insert(SignedIn::new(user.owner));
        }
        next.call(request).await
    }

    actix_web::rt::System::new().block_on(async {
        let handbill = handbill();
        let post = draft_of_alice(&handbill).await?;
        let blog = handbill_actix_web::service(handbill);
        let blog = web::scope("/blog").wrap(from_fn(sign_in)).service(blog);
        let app = init_service(App::new().service(blog)).await;
        for (user, status) in [("alice", 200), ("bob", 404)] {
            let request = TestRequest::with_uri(&format!("/blog/p/{}", post.id));
            let request = request.insert_header(("authorization", user)).to_request();
            assert_eq!(call_service(&app, request).await.status(), status);
        }
        Ok(())
    })
}

#[tokio::test]
async fn a_user_of_a_poem_app_sees_drafts() -> Result<(), Failure> {
    use poem::{Endpoint, EndpointExt};

    async fn sign_in(mut request: poem::Request) -> poem::Result<poem::Request> {
        if let Some(user) = your_logged_in_user(request.headers()).await {
            request.set_data(SignedIn::new(user.owner));
        }
        Ok(request)
    }

    let handbill = handbill();
    let post = draft_of_alice(&handbill).await?;
    let blog = handbill_poem::endpoint(handbill).before(sign_in);
    let app = poem::Route::new().nest("/blog", blog);
    for (user, status) in [("alice", 200), ("bob", 404)] {
        let request = poem::Request::builder().header(AUTHORIZATION, user);
        let request = request.uri_str(format!("/blog/p/{}", post.id)).finish();
        assert_eq!(app.get_response(request).await.status(), status);
    }
    Ok(())
}

#[tokio::test]
async fn a_user_of_a_rocket_app_sees_drafts() -> Result<(), Failure> {
    use handbill_tests::mount::quiet_rocket;
    use rocket::fairing::AdHoc;
    use rocket::local::asynchronous::Client;

    fn user_of(request: &rocket::Request<'_>) -> Option<YourUser> {
        let owner = request.headers().get_one("authorization")?.parse().ok()?;
        Some(YourUser { owner })
    }

    let handbill = handbill();
    let post = draft_of_alice(&handbill).await?;
    let sign_in = AdHoc::on_request("sign in", |request, _| {
        Box::pin(async move {
            let user = user_of(request);
            request.local_cache(|| user.map(|user| SignedIn::new(user.owner)));
        })
    });
    let blog = handbill_rocket::routes(handbill);
    let app = quiet_rocket().mount("/blog", blog).attach(sign_in);
    let client = Client::untracked(app).await?;
    for (user, status) in [("alice", 200), ("bob", 404)] {
        let request = client.get(format!("/blog/p/{}", post.id));
        let request = request.header(rocket::http::Header::new("authorization", user));
        assert_eq!(request.dispatch().await.status().code, status);
    }
    Ok(())
}

#[tokio::test]
async fn a_user_of_a_salvo_app_sees_drafts() -> Result<(), Failure> {
    use handbill_testing::http::{SentBody, send_to};
    use handbill_tests::mount::salvo_server;
    use salvo::Router;

    #[salvo::handler]
    async fn sign_in(request: &mut salvo::Request) {
        if let Some(user) = your_logged_in_user(request.headers()).await {
            request.extensions_mut().insert(SignedIn::new(user.owner));
        }
    }

    let handbill = handbill();
    let post = draft_of_alice(&handbill).await?;
    let blog = handbill_salvo::router(handbill);
    let app = Router::new().push(Router::with_path("blog").hoop(sign_in).push(blog));
    let address = salvo_server(app).await;
    for (user, status) in [("alice", 200), ("bob", 404)] {
        let request = http::Request::get(format!("/blog/p/{}", post.id));
        let request = request
            .header(AUTHORIZATION, user)
            .header("host", "localhost");
        let response = send_to(address, request.body(SentBody::default())?).await;
        assert_eq!(response.status(), status);
    }
    Ok(())
}
