//! The document of the API, held against the service that it describes.

use std::collections::BTreeSet;

use handbill::Code;
use handbill_testing::http::{Answer, App, Created};
use serde_json::Value;

/// The document, to look operations up in.
#[derive(Clone, Debug)]
pub(crate) struct Document(Value);

impl Document {
    pub(crate) async fn of(app: &App) -> Self {
        Self(app.get("/openapi.json").await.ok())
    }

    fn paths(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0["paths"].as_object().unwrap().iter()
    }

    /// What is documented at a path, if it is one of the API's.
    fn path(&self, path: &str) -> Option<&Value> {
        let mut paths = self.paths();
        paths.find_map(|(template, item)| matches(template, path).then_some(item))
    }

    /// Whether the path is one of the API's.
    pub(crate) fn describes(&self, path: &str) -> bool {
        self.path(path).is_some()
    }

    /// Holds an answer to what the document says of its operation. Paths and methods that are no
    /// operation's answer 404 and 405 alone, and `OPTIONS`.
    #[track_caller]
    pub(crate) fn check(&self, method: &str, path: &str, answer: &Answer) {
        let Some(item) = self.path(path) else {
            return;
        };
        let is_upper = method.bytes().all(|byte| byte.is_ascii_uppercase());
        let Some(operation) = item.get(method.to_lowercase()).filter(|_| is_upper) else {
            assert_eq!(answer.status, 405, "{method} {path} is not documented");
            return;
        };
        let described = &operation["responses"][answer.status.as_str()];
        assert!(
            described.is_object(),
            "{method} {path}: {} is not documented",
            answer.status
        );
        let headers = described["headers"].as_object();
        for name in headers.into_iter().flat_map(|headers| headers.keys()) {
            // A list that is empty has no other pages to lead to.
            let is_there = answer.headers.contains_key(name) || name == "Link";
            assert!(is_there, "{method} {path} {}: no {name}", answer.status);
        }
        if answer.status.is_client_error() && !answer.body.is_empty() {
            let code = answer.json()["code"].as_str().unwrap().to_owned();
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

/// The codes that a response's description names.
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
async fn what_is_documented_is_what_the_service_takes() {
    let app = crate::app().await;
    let post = app.create_body("x").await;
    let document = Document::of(&app).await;
    let mut templates = BTreeSet::new();
    for (template, item) in document.paths() {
        templates.insert(&**template);
        let mut documented: Vec<_> = item
            .as_object()
            .unwrap()
            .keys()
            .map(|method| method.to_uppercase())
            .collect();
        documented.sort();
        let answer = app.call("OPTIONS", &with_id(template, &post)).await;
        let mut taken: Vec<_> = answer.header("allow").unwrap().split(", ").collect();
        taken.sort();
        assert_eq!(documented, taken, "{template}");
    }
    let known = BTreeSet::from([
        "/api/posts",
        "/api/posts/{id}",
        "/api/posts/{id}/edit_token",
        "/api/keys",
        "/api/keys/current",
        "/openapi.json",
        "/healthz",
    ]);
    assert_eq!(templates, known);
}

#[tokio::test]
async fn every_operation_has_a_name_of_its_own() {
    let app = crate::app().await;
    let document = app.get("/openapi.json").await.ok();
    let mut ids = BTreeSet::new();
    for item in document["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            if let Some(id) = operation["operationId"].as_str() {
                assert!(ids.insert(id), "{id} stands twice");
            }
        }
    }
    assert!(ids.len() >= 12);
}

/// The words come from messages, each named after what it explains.
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
async fn every_reference_in_the_document_leads_somewhere() {
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
    // The first is said of all operations at once, the other is of pages alone.
    let elsewhere = ["method_not_allowed", "cross_origin_form"];
    let about = document.0["info"]["description"].as_str().unwrap();
    assert!(
        about.contains("405") && about.contains("method_not_allowed"),
        "{about}"
    );
    for code in Code::ALL.iter().map(|code| code.as_str()) {
        assert!(found.contains(code) || elsewhere.contains(&code), "{code}");
    }
    let schema = &document.0["components"]["schemas"];
    assert!(schema["Problem"].is_object());
}

#[tokio::test]
async fn answers_have_the_fields_that_the_document_requires() {
    let app = crate::app().await;
    let post = app.create_body("x").await;
    let document = Document::of(&app).await;
    let schemas = &document.0["components"]["schemas"];
    let read = app.read(&post).await;
    let list = app.get("/api/posts").await.ok();
    let problem = app.get("/api/posts?page=0").await.json();
    for (name, value) in [("Post", &read), ("PostList", &list), ("Problem", &problem)] {
        let properties = schemas[name]["properties"].as_object().unwrap();
        for field in value.as_object().unwrap().keys() {
            assert!(properties.contains_key(field), "{name}.{field}");
        }
        for required in schemas[name]["required"].as_array().unwrap() {
            assert!(
                value.get(required.as_str().unwrap()).is_some(),
                "{name}.{required}"
            );
        }
    }
}
