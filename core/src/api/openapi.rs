//! `GET /openapi.json`: a description of the API in OpenAPI 3.1.
//!
//! `openapi.json`, in this folder, is the document. Names in angle brackets stand for what the host sets. Three tools
//! check in CI (`.ci/openapi`) that it is valid and that the service does what it says.

use crate::cache::Representation;
use crate::context::Context;
use crate::host::base_url::BaseUrl;
use crate::http::response::JSON;
use crate::post::{COMMAS, Limits, TextField};

const TEMPLATE: &str = include_str!("openapi.json");
/// The parameter of searches, where the store has an index.
const SEARCH: &str = r#"{"name":"q","in":"query","description":"Only posts with all of these words: at most 16, in 200 characters. Three letters also find what begins with them.","required":false,"schema":{"type":"string","maxLength":200}},"#;

/// The parameter for the posts of an author, where the host names authors.
const AUTHORS: &str = r#"{"name":"by","in":"query","description":"Only posts of the author with this slug: the end of the address of the author's page.","required":false,"schema":{"type":"string","maxLength":100}},"#;

pub(super) fn show(context: &Context) -> Representation {
    let search = if context.has_search() { SEARCH } else { "" };
    let authors = context.find_author.as_ref().map_or("", |_| AUTHORS);
    let document = document(&context.limits, &context.base_url, search, authors);
    Representation::new(JSON).with_body(document)
}

fn document(limits: &Limits, base_url: &BaseUrl, search: &str, authors: &str) -> String {
    let names = TextField::ALL.iter().map(|field| field.name());
    let texts = names.chain(["body", "label"]);
    let texts = texts.filter_map(|name| Some((name, TextField::max_characters(name, limits)?)));
    let tags = [
        ("tags", limits.tags),
        ("other_tags", limits.tags.saturating_sub(1)),
        ("tag", limits.tag),
    ];
    let filled = texts
        .chain(tags)
        .fold(compact(TEMPLATE), |document, (name, limit)| {
            let limit = limit.to_string();
            // As a value of its own, it is a number.
            let document = document.replace(&format!("\"<{name}>\""), &limit);
            document.replace(&format!("<{name}>"), &limit)
        });
    filled
        .replace("\"<search>\",", search)
        .replace("\"<authors>\",", authors)
        .replace("<commas>", COMMAS)
        .replace("<version>", env!("CARGO_PKG_VERSION"))
        .replace("<address>", base_url.as_str())
}

/// JSON without the white space between its parts.
fn compact(json: &str) -> String {
    let (mut is_text, mut is_escaped) = (false, false);
    let mut is_content = |c: char| {
        if c == '"' && !is_escaped {
            is_text = !is_text;
        }
        is_escaped = c == '\\' && !is_escaped;
        is_text || !c.is_ascii_whitespace()
    };
    json.chars().filter(|c| is_content(*c)).collect()
}

#[cfg(feature = "pages")]
#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Map, Value, json};

    use super::super::ROWS;
    use super::super::draft::READ_ONLY;
    use super::*;
    use crate::http::paging::MAX_PER_PAGE;
    use crate::post::{FieldFault, Visibility};
    use crate::problem::Code;
    use crate::route::operation::Operation;

    fn parsed() -> Value {
        let base_url = BaseUrl::parse("https://example.org/blog").unwrap();
        let document = document(&Limits::default(), &base_url, SEARCH, AUTHORS);
        assert!(!document.contains(['<', '>']), "{document}");
        serde_json::from_str(&document).unwrap()
    }

    fn object(value: &Value) -> &Map<String, Value> {
        value.as_object().unwrap()
    }

    fn set<'a>(names: impl IntoIterator<Item = &'a &'a str>) -> BTreeSet<&'a str> {
        names.into_iter().copied().collect()
    }

    /// The fields of a body, except for those that are ignored.
    fn fields<'a>(document: &'a Value, body: &Value) -> BTreeSet<&'a str> {
        let mut contents = body["content"].as_object().into_iter().flatten();
        let schema = contents.find_map(|(_, content)| content["schema"]["$ref"].as_str());
        let Some(schema) = schema else {
            return BTreeSet::new();
        };
        let properties = object(&document.pointer(&schema[1..]).unwrap()["properties"]).iter();
        let sent = properties.filter(|(_, field)| field["readOnly"] != true);
        sent.map(|(name, _)| &**name).collect()
    }

    /// Compares what a row says of an operation with the document.
    fn compare(document: &Value, known: &Operation, described: &Value) {
        let id = known.id;
        assert_eq!(described["operationId"], id);
        let schemes = object(&document["components"]["securitySchemes"]);
        let required = described["security"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(object);
        let required = required.filter_map(|(scheme, _)| schemes[scheme]["name"].as_str());
        assert_eq!(
            required.collect::<BTreeSet<_>>(),
            set(known.credentials),
            "{id}"
        );
        let optional: Vec<_> = schemes.values().map(|scheme| &scheme["name"]).collect();
        let parameters = described["parameters"].as_array().into_iter().flatten();
        let parameters = parameters.map(|parameter| &parameter["name"]);
        let parameters = parameters.filter(|name| !optional.contains(name));
        let parameters: BTreeSet<_> = parameters.map(|name| name.as_str().unwrap()).collect();
        assert_eq!(parameters, set(&known.parameters.list()), "{id}");
        let taken = fields(document, &described["requestBody"]);
        assert_eq!(taken, set(&known.takes.list()), "{id}");

        let mut responses = object(&described["responses"]).clone();
        for output in known.returns {
            let response = responses.remove(&output.status.to_string()).unwrap();
            assert_eq!(
                fields(document, &response),
                set(&output.fields.list()),
                "{id}"
            );
            let headers = response["headers"].as_object().into_iter().flatten();
            let headers = headers.map(|(name, _)| &**name);
            let headers: BTreeSet<_> = headers.filter(|name| *name != "Cache-Control").collect();
            assert_eq!(headers, set(output.headers), "{id} {}", output.status);
        }
        for (status, response) in &responses {
            let mut codes = known.codes().collect::<Vec<_>>();
            codes.retain(|code| code.status().as_str() == status);
            let listed = response["x-problem-codes"].as_array().unwrap();
            assert_eq!(listed.len(), codes.len(), "{id} {status}");
            let texts = listed.iter().map(|name| {
                let code = codes.iter().find(|code| *name == code.as_str()).unwrap();
                format!("`{}`: {}.", code.as_str(), code.title())
            });
            let texts: Vec<_> = texts.collect();
            assert_eq!(response["description"], texts.join(" "), "{id} {status}");
        }
        let statuses: BTreeSet<_> = known.codes().map(|code| code.status()).collect();
        assert_eq!(responses.len(), statuses.len(), "{id}");
    }

    #[test]
    fn the_document_has_each_row_and_nothing_else() {
        let document = parsed();
        let mut paths = document["paths"].clone();
        for row in ROWS {
            let path = paths[row.pattern].as_object_mut().unwrap();
            let described = path.remove(&row.method.to_lowercase()).unwrap();
            compare(&document, &row.operation.unwrap(), &described);
        }
        for (path, others) in object(&paths) {
            assert!(object(others).contains_key("options"), "{path}");
            for (method, _) in object(others) {
                assert!(["head", "options"].contains(&&**method), "{method} {path}");
            }
        }
    }

    #[test]
    fn head_has_the_statuses_and_headers_of_get_without_contents() {
        for (path, item) in object(&parsed()["paths"]) {
            let mut get = item["get"].clone();
            let Some(id) = get["operationId"].as_str() else {
                assert_eq!(item["head"], Value::Null, "{path}");
                continue;
            };
            get["operationId"] = format!("{id}Head").into();
            for response in get["responses"].as_object_mut().unwrap().values_mut() {
                response.as_object_mut().unwrap().remove("content");
            }
            assert_eq!(item["head"], get, "{path}");
        }
    }

    #[test]
    fn the_schemas_have_the_values_that_the_service_knows() {
        let document = parsed();
        let schemas = &document["components"]["schemas"];
        let codes = Code::ALL.iter().map(|code| code.as_str());
        assert_eq!(schemas["Code"]["enum"], json!(codes.collect::<Vec<_>>()));
        let faults = FieldFault::ALL.iter().map(|fault| fault.as_str());
        assert_eq!(
            schemas["FieldFault"]["enum"],
            json!(faults.collect::<Vec<_>>())
        );
        let visibilities = json!(Visibility::ALL.map(Visibility::as_str));
        for schema in ["NewPost", "PostChange", "Post"] {
            assert_eq!(
                schemas[schema]["properties"]["visibility"]["enum"],
                visibilities
            );
        }
        assert_eq!(
            schemas["PostList"]["properties"]["per_page"]["maximum"],
            MAX_PER_PAGE.get()
        );
        let change = object(&schemas["PostChange"]["properties"]).iter();
        let ignored = change.filter(|(_, field)| field["readOnly"] == true);
        let ignored: BTreeSet<_> = ignored.map(|(name, _)| &**name).collect();
        assert_eq!(ignored, set(&READ_ONLY));
    }

    /// A text of an operation is its summary and its description.
    #[test]
    fn the_reference_explains_all_in_the_same_words() {
        let words = include_str!("../page/docs/reference.ftl").lines();
        let words: BTreeSet<_> = words.filter(|line| !line.starts_with([' ', '#'])).collect();
        let document = parsed();
        let explains = |name: String, texts: &[&Value]| {
            let texts: Vec<_> = texts.iter().filter_map(|text| text.as_str()).collect();
            let line = format!("{name} = {}", texts.join(" "));
            assert!(words.contains(&*line), "{line}");
        };
        for row in ROWS {
            let described = &document["paths"][row.pattern][row.method.to_lowercase()];
            let id = described["operationId"].as_str().unwrap();
            let (summary, description) = (&described["summary"], &described["description"]);
            explains(format!("op-{id}"), &[summary, description]);
            for parameter in described["parameters"].as_array().into_iter().flatten() {
                let name = parameter["name"].as_str().unwrap();
                explains(format!("param-{name}"), &[&parameter["description"]]);
            }
        }
        for schema in ["NewPost", "NewKey"] {
            for (name, field) in object(&document["components"]["schemas"][schema]["properties"]) {
                explains(format!("field-{name}"), &[&field["description"]]);
            }
        }
    }
}
