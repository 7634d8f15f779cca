//! The order in which errors are reported: route, method, media type, credential, body, fields.

use serde_json::json;

use super::app::{NO_POST, NO_TOKEN};
use super::{App, Call, Mount};

/// A fault of a request, one for each stage of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Path,
    Method,
    MediaType,
    Credential,
    Json,
    Fields,
}

const ORDER: [Fault; 6] = [
    Fault::Path,
    Fault::Method,
    Fault::MediaType,
    Fault::Credential,
    Fault::Json,
    Fault::Fields,
];

/// A valid write, and the error that a wrong credential causes.
struct Write<'a> {
    path: &'a str,
    method: &'a str,
    other_method: &'a str,
    credential: (&'a str, &'a str),
    wrong: &'a str,
}

impl Write<'_> {
    /// The request with these faults and no others.
    fn with(&self, app: &App, faults: &[Fault]) -> Call {
        let either = |fault, faulty, right| {
            if faults.contains(&fault) {
                faulty
            } else {
                right
            }
        };
        let slash = either(Fault::Path, "/", "");
        let method = either(Fault::Method, self.other_method, self.method);
        let call = app.call(method, &format!("{}{slash}", self.path));
        let (name, secret) = self.credential;
        let call = call.header(name, either(Fault::Credential, NO_TOKEN, secret));
        let fields = either(
            Fault::Fields,
            r#"{"body": " ", "title": 1}"#,
            r#"{"body": "x"}"#,
        );
        let body = either(Fault::Json, r#"{"title": 1, "title": 2"#, fields);
        let media_type = either(Fault::MediaType, "text/plain", "application/json");
        call.body(media_type, body.to_owned())
    }
}

/// A write with several faults reports the earliest one in the order.
pub async fn the_first_of_several_errors_is_reported(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let path = post.path();
    let change = |method| Write {
        path: &path,
        method,
        other_method: "POST",
        credential: ("x-edit-token", &post.token),
        wrong: "invalid_edit_token",
    };
    let create = Write {
        path: "/api/posts",
        method: "POST",
        other_method: "PUT",
        credential: ("x-api-key", &app.key),
        wrong: "invalid_api_key",
    };
    for write in [create, change("PUT"), change("PATCH")] {
        for combination in 1_u32..1 << ORDER.len() {
            let faults: Vec<_> = (0..ORDER.len())
                .filter(|n| combination & 1 << n != 0)
                .map(|n| ORDER[n])
                .collect();
            let code = match faults[0] {
                Fault::Path => "not_found",
                Fault::Method => "method_not_allowed",
                Fault::MediaType => "unsupported_media_type",
                Fault::Credential => write.wrong,
                Fault::Json => "invalid_json",
                Fault::Fields => "invalid_post",
            };
            let response = write.with(&app, &faults).await;
            let found = response.problem(code);
            assert_eq!(found["code"], code, "{response}, faulty in {faults:?}");
        }
    }
    assert_eq!(app.read(&post).await["body"], "x", "the post's body");
    let list = app.get("/api/posts").await.ok();
    assert_eq!(list["total"], 1, "posts that there are");
}

/// A client without a valid credential learns nothing about the faults of its body.
pub async fn credentials_are_checked_before_the_body(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let unknown = format!("/api/posts/{NO_POST}");
    let faulty = json!({ "body": "", "mood": 1 });
    for (method, path, code) in [
        ("POST", "/api/posts", "missing_api_key"),
        ("PUT", &*post.path(), "missing_edit_token"),
        ("PATCH", &*post.path(), "missing_edit_token"),
        ("PUT", &*unknown, "missing_edit_token"),
    ] {
        let broken = app.call(method, path).body("application/json", "{");
        for call in [app.call(method, path).json(&faulty), broken] {
            call.await.problem(code);
        }
    }
    let wrong = app.call("PUT", &unknown).header("x-edit-token", NO_TOKEN);
    wrong.json(&faulty).await.problem("not_found");
}
