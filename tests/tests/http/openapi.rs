//! Compares the OpenAPI document with the service.

use std::collections::BTreeSet;

use handbill::Code;
use handbill_testing::http::{App, Created, TestResponse};
use serde_json::{Map, Value, json};

/// The headers that some responses of the API have.
const HEADERS: [&str; 6] = [
    "ETag",
    "Last-Modified",
    "Link",
    "Location",
    "Retry-After",
    "WWW-Authenticate",
];

/// The fields that some responses lack.
const OPTIONAL: [&str; 6] = [
    "body",
    "html",
    "errors",
    "incomplete",
    "replicas",
    "request_id",
];
/// Those that this host's responses lack: its lists are complete, it has no replicas, and names no requests.
const ABSENT: [&str; 3] = ["incomplete", "replicas", "request_id"];

/// The document, indexed by operation.
#[derive(Clone, Debug)]
pub(crate) struct Document(Value);

impl Document {
    pub(crate) async fn of(app: &App) -> Self {
        Self(app.get("/openapi.json").await.ok())
    }

    fn paths(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0["paths"].as_object().unwrap().iter()
    }

    /// The documentation of a path, if it is part of the API.
    fn path(&self, path: &str) -> Option<&Value> {
        let mut paths = self.paths();
        paths.find_map(|(template, item)| matches(template, path).then_some(item))
    }

    /// Whether the path is part of the API.
    pub(crate) fn describes(&self, path: &str) -> bool {
        self.path(path).is_some()
    }

    /// Checks that the document describes a response. A path or method without an operation may
    /// only return 404, 405 or the response to `OPTIONS`.
    #[track_caller]
    pub(crate) fn check(&self, method: &str, path: &str, response: &TestResponse) {
        let Some(item) = self.path(path) else {
            return;
        };
        let is_upper = method.bytes().all(|byte| byte.is_ascii_uppercase());
        let Some(operation) = item.get(method.to_lowercase()).filter(|_| is_upper) else {
            assert_eq!(response.status, 405, "{method} {path} is not documented");
            return;
        };
        let described = &operation["responses"][response.status.as_str()];
        assert!(
            described.is_object(),
            "{method} {path}: {} is not documented",
            response.status
        );
        let headers = described["headers"].as_object();
        let described_headers: BTreeSet<_> = headers.into_iter().flat_map(Map::keys).collect();
        for name in &described_headers {
            // An empty list has no links to other pages.
            let is_there = response.headers.contains_key(*name) || *name == "Link";
            assert!(is_there, "{method} {path} {}: no {name}", response.status);
        }
        for name in HEADERS
            .iter()
            .filter(|name| response.headers.contains_key(**name))
        {
            let is_described = described_headers.contains(&(*name).to_owned());
            assert!(is_described, "{method} {path} {}: {name}", response.status);
        }
        if response.status.is_client_error() && !response.body.is_empty() {
            let code = response.json()["code"].as_str().unwrap().to_owned();
            assert!(codes(described).contains(&*code), "{method} {path}: {code}");
        }
    }
}

fn matches(template: &str, path: &str) -> bool {
    let (known, sent) = (template.split('/'), path.split('/'));
    let is_id =
        |text: &str| text.len() == 10 && text.bytes().all(|b| b"bcdfghjklmnpqrstvwxz".contains(&b));
    known.clone().count() == sent.clone().count()
        && known
            .zip(sent)
            .all(|(known, sent)| known == sent || known == "{id}" && is_id(sent))
}

/// The codes in a response's description.
fn codes(described: &Value) -> BTreeSet<&str> {
    let description = described["description"].as_str().unwrap();
    let quoted = description.split('`').skip(1).step_by(2);
    quoted
        .filter(|quoted| Code::ALL.iter().any(|code| code.as_str() == *quoted))
        .collect()
}

fn with_id(template: &str, post: &Created) -> String {
    template.replace("{id}", &post.id)
}

#[tokio::test]
async fn the_document_and_the_service_have_the_same_operations() {
    let app = crate::app().await;
    let post = app.create_body("x").await;
    let document = Document::of(&app).await;
    for (template, item) in document.paths() {
        let mut documented: Vec<_> = item
            .as_object()
            .unwrap()
            .keys()
            .map(|method| method.to_uppercase())
            .collect();
        documented.sort();
        let response = app.call("OPTIONS", &with_id(template, &post)).await;
        let mut taken: Vec<_> = response.header("allow").unwrap().split(", ").collect();
        taken.sort();
        assert_eq!(documented, taken, "{template}");
    }
}

#[tokio::test]
async fn every_operation_has_a_unique_name() {
    let app = crate::app().await;
    let document = app.get("/openapi.json").await.ok();
    let mut ids = BTreeSet::new();
    for item in document["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            if let Some(id) = operation["operationId"].as_str() {
                assert!(ids.insert(id), "{id} appears twice");
            }
        }
    }
    assert!(ids.len() >= 14);
}

/// The texts are messages with the name of what they explain.
#[tokio::test]
async fn every_operation_parameter_field_and_credential_is_explained() {
    let app = crate::app().await;
    let document = app.get("/openapi.json").await.ok();
    let expect_text = |place: &Value, what: &str| {
        let text = place.as_str().unwrap_or_default();
        assert!(text.contains(' '), "{what}: {place}");
    };
    for item in document["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            let Some(id) = operation["operationId"].as_str() else {
                continue;
            };
            expect_text(&operation["summary"], id);
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                expect_text(&parameter["description"], id);
            }
        }
    }
    let components = &document["components"];
    for name in [
        "NewPost",
        "PostChange",
        "NewKey",
        "Post",
        "Health",
        "Replica",
    ] {
        let fields = components["schemas"][name]["properties"].as_object();
        for (field, described) in fields.unwrap() {
            expect_text(&described["description"], field);
        }
    }
    for (name, scheme) in components["securitySchemes"].as_object().unwrap() {
        expect_text(&scheme["description"], name);
    }
}

#[tokio::test]
async fn every_reference_in_the_document_resolves() {
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(object) => {
                found.extend(object.get("$ref").and_then(Value::as_str));
                object.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let app = crate::app().await;
    let document = app.get("/openapi.json").await.ok();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 20);
    for reference in found {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    let mut names = Vec::new();
    for item in document["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            for requirement in operation["security"].as_array().into_iter().flatten() {
                names.extend(requirement.as_object().unwrap().keys());
            }
        }
    }
    assert!(!names.is_empty());
    for name in names {
        assert!(
            document["components"]["securitySchemes"][name].is_object(),
            "{name}"
        );
    }
}

/// An empty list says that an operation needs no credential; without any, tools would have to guess.
#[tokio::test]
async fn every_operation_has_an_id_and_says_which_credentials_it_accepts() {
    let app = crate::app().await;
    let document = app.get("/openapi.json").await.ok();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            assert!(operation["operationId"].is_string(), "{method} {path}");
            assert!(operation["security"].is_array(), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn the_links_of_a_creation_lead_to_operations_on_the_created_post() {
    let app = crate::app().await;
    let document = app.get("/openapi.json").await.ok();
    let links = &document["paths"]["/api/posts"]["post"]["responses"]["201"]["links"];
    let mut linked: Vec<_> = links
        .as_object()
        .unwrap()
        .values()
        .map(|link| {
            assert_eq!(link["parameters"]["id"], "$response.body#/id");
            link["operationId"].as_str().unwrap()
        })
        .collect();
    linked.sort_unstable();
    let on_a_post = [
        "deletePost",
        "patchPost",
        "readPost",
        "replaceEditToken",
        "updatePost",
    ];
    assert_eq!(linked, on_a_post);
}

#[tokio::test]
async fn every_code_of_the_api_is_documented_with_its_status() {
    let app = crate::app().await;
    let document = Document::of(&app).await;
    let mut found = BTreeSet::new();
    for (template, item) in document.paths() {
        for operation in item.as_object().unwrap().values() {
            for (status, described) in operation["responses"].as_object().unwrap() {
                let listed = described["x-problem-codes"].as_array();
                let listed = listed.into_iter().flatten().filter_map(Value::as_str);
                assert_eq!(
                    listed.collect::<BTreeSet<_>>(),
                    codes(described),
                    "{template}"
                );
                for code in codes(described) {
                    let known = Code::ALL
                        .iter()
                        .find(|known| known.as_str() == code)
                        .unwrap();
                    assert_eq!(known.status().as_str(), status, "{template} {code}");
                    found.insert(code);
                }
            }
        }
    }
    // Documented for all operations at once.
    let elsewhere = "method_not_allowed";
    let about = document.0["info"]["description"].as_str().unwrap();
    assert!(
        about.contains("405") && about.contains("method_not_allowed"),
        "{about}"
    );
    for code in Code::ALL.iter().map(|code| code.as_str()) {
        assert!(found.contains(code) || code == elsewhere, "{code}");
    }
    let schema = &document.0["components"]["schemas"];
    assert!(schema["Problem"].is_object());
}

#[tokio::test]
async fn responses_have_the_fields_of_the_document_and_no_others() {
    let app = crate::app().await;
    let document = Document::of(&app).await;
    let schemas = &document.0["components"]["schemas"];
    let post = app.create_body("x").await;
    let created = app.post(&json!({ "body": "x" })).await.json();
    let replace = app.call("POST", &format!("{}/edit_token", post.path()));
    let replaced = replace.header("x-edit-token", &*post.token).await.json();
    let key = app.get("/api/keys/current").header("x-api-key", &*app.key);
    let list = app.get("/api/posts?include=body").await.ok();
    let problem = app.post(&json!({ "body": 1 })).await.json();
    for (name, value) in [
        ("CreatedPost", &created),
        ("ReplacedEditToken", &replaced),
        ("Post", &app.read(&post).await),
        ("Post", &list["posts"][0]),
        ("PostList", &list),
        ("IssuedKey", &app.call("POST", "/api/keys").await.json()),
        ("Key", &key.await.ok()),
        ("Health", &app.get("/healthz").await.ok()),
        ("Problem", &problem),
        ("FieldError", &problem["errors"][0]),
    ] {
        let schema = &schemas[name];
        let found: BTreeSet<_> = value.as_object().unwrap().keys().collect();
        let properties = schema["properties"].as_object().unwrap().keys().collect();
        let others: Vec<_> = found.difference(&properties).collect();
        assert!(others.is_empty(), "{name}: {others:?}");
        let required = schema["required"].as_array().unwrap();
        for property in properties {
            let is_required = required.contains(&property.as_str().into());
            let is_optional = OPTIONAL.contains(&&**property);
            assert_ne!(is_required, is_optional, "{name}.{property}");
            assert!(
                found.contains(property) || ABSENT.contains(&&**property),
                "{name}.{property}"
            );
        }
    }
}
