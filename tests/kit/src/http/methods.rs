//! The methods of each address. Checks send only methods that every framework supports.

use serde_json::json;

use super::app::{FORM, NO_POST};
use super::{ADDRESSES, Address, App, Mount};

/// `OPTIONS` returns 204 with `Allow` (RFC 9110, section 9.3.7).
pub async fn options_names_the_methods_of_each_address(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for address in ADDRESSES.iter() {
        let path = app.path(address, &post).await;
        let response = app.call("OPTIONS", &path).await;
        response
            .expect_status(204)
            .expect_header("allow", &address.methods().join(", "));
    }
}

/// An unsupported method returns 405 with `Allow`, as problem details (RFC 9110, section 15.5.6).
pub async fn a_method_that_an_address_does_not_take_is_405_with_allow(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for address in ADDRESSES.iter() {
        let (path, taken) = (app.path(address, &post).await, address.methods());
        let methods = taken.join(", ");
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            if !taken.contains(&method) {
                let response = app.call(method, &path).await;
                response.problem("method_not_allowed");
                response.expect_header("allow", &methods);
            }
        }
        if !taken.contains(&"HEAD") {
            let response = app.call("HEAD", &path).await;
            response.expect_status(405).expect_header("allow", &methods);
        }
    }
    assert_eq!(app.read(&post).await["body"], "x", "the post's body");
}

/// `PUT`, `PATCH` and `DELETE` reach the service with their bodies.
pub async fn put_patch_and_delete_reach_the_service(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for method in ["PUT", "PATCH"] {
        let call = app.edit(method, &post).json(&json!({ "title": method }));
        let response = call.await;
        assert_eq!(response.ok()["title"], method, "{response}");
    }
    app.delete(&post).await.expect_status(204);
    app.get(&post.path()).await.problem("gone");
}

/// `HEAD` works wherever `GET` does, with the same status and headers including `Content-Length`,
/// and no body (RFC 9110, section 9.3.2).
pub async fn head_is_get_without_the_body(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let others = ["/api/posts?page=0".to_owned(), "/nothing".to_owned()];
    let others = others
        .into_iter()
        .chain([format!("/api/posts/{NO_POST}"), String::new()]);
    let read = app.paths(&post, Address::is_read).await;
    for path in read.into_iter().chain(others) {
        let get = app.get(&path).await;
        let head = app.call("HEAD", &path).await;
        assert_eq!(head.status, get.status, "{head}; {get}");
        let given = app.get(&path).unmounted().await;
        let [expected, found] = [&get, &head].map(|response| response.headers_named_as(&given));
        assert_eq!(found, expected, "{head}: its headers, against those of GET");
        assert!(!get.body.is_empty(), "{get}: the body of GET");
    }
}

/// A form post remains a `POST`, even if it has fields or headers that some frameworks use to
/// override the method.
pub async fn no_field_or_header_changes_the_method_of_a_request(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for method in ["PUT", "DELETE", "GET", "put", "delete"] {
        let call = app.call("POST", &post.edit_page());
        let call = call.header("x-http-method-override", method);
        let saved = call.body(FORM, format!("body={method}&_method={method}"));
        saved.await.expect_status(303);
        let body = app.read(&post).await["body"].clone();
        assert_eq!(body, method, "the body after _method={method}");
        let issued = app.call("POST", "/keys");
        let issued = issued.body(FORM, format!("label=x&_method={method}")).await;
        issued.expect_status(200).expect_text("hb_");
    }
}
