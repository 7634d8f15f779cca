//! What passes a gateway. The events in `events/` have the fields that AWS documents; a test puts its request into one
//! of them as the gateway does.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

/// What sends the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gateway {
    FunctionUrl,
    HttpApi,
    RestApi,
    LoadBalancer,
}

pub(crate) const GATEWAYS: [Gateway; 4] = [
    Gateway::FunctionUrl,
    Gateway::HttpApi,
    Gateway::RestApi,
    Gateway::LoadBalancer,
];

/// A request of a client, with path and query as the client sends them.
#[derive(Clone, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) headers: Vec<(&'a str, &'a str)>,
    pub(crate) body: &'a [u8],
    pub(crate) client: &'a str,
}

/// What the client receives.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u64,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl<'a> Request<'a> {
    pub(crate) fn new(method: &'a str, path: &'a str) -> Self {
        Self {
            method,
            path,
            query: "",
            headers: Vec::new(),
            body: b"",
            client: "203.0.113.1",
        }
    }

    pub(crate) fn header(mut self, name: &'a str, value: &'a str) -> Self {
        self.headers.push((name, value));
        self
    }

    pub(crate) fn body(self, media_type: &'a str, body: &'a str) -> Self {
        let body = body.as_bytes();
        Self { body, ..self }.header("content-type", media_type)
    }
}

impl Gateway {
    /// The event of a request. The body is in Base64 if `in_base64`, as a gateway sends what it does not take for text.
    pub(crate) fn event(self, request: &Request<'_>, in_base64: bool) -> Value {
        let mut event = self.recorded();
        event["isBase64Encoded"] = in_base64.into();
        event["body"] = match in_base64 {
            true => STANDARD.encode(request.body).into(),
            false => str::from_utf8(request.body).expect("text").into(),
        };
        match self {
            Self::FunctionUrl | Self::HttpApi => self.version_2(&mut event, request),
            Self::RestApi | Self::LoadBalancer => self.version_1(&mut event, request),
        }
        event
    }

    fn recorded(self) -> Value {
        let recorded = match self {
            Self::FunctionUrl => include_str!("events/function_url.json"),
            Self::HttpApi => include_str!("events/http_api.json"),
            Self::RestApi => include_str!("events/rest_api.json"),
            Self::LoadBalancer => include_str!("events/load_balancer.json"),
        };
        serde_json::from_str(recorded).expect("JSON")
    }

    /// One line for each header, in which values are separated by commas, and the query as a whole.
    fn version_2(self, event: &mut Value, request: &Request<'_>) {
        let path = match self {
            Self::HttpApi => decoded(request.path),
            _ => request.path.to_owned(),
        };
        event["rawPath"] = path.clone().into();
        event["rawQueryString"] = request.query.into();
        let http = &mut event["requestContext"]["http"];
        http["method"] = request.method.into();
        http["path"] = path.into();
        http["sourceIp"] = request.client.into();
        for (name, values) in headers(request) {
            set(&mut event["headers"], name, values.join(",").into());
        }
    }

    /// All values of each header and parameter. A REST API has decoded the parameters, sends the path without the
    /// stage, and also has fields for the last value of each.
    fn version_1(self, event: &mut Value, request: &Request<'_>) {
        let is_rest = self == Self::RestApi;
        event["httpMethod"] = request.method.into();
        event["path"] = match request.path.strip_prefix("/prod") {
            Some("") if is_rest => "/",
            Some(path) if is_rest => path,
            _ => request.path,
        }
        .into();
        let mut all: Map<String, Value> = Map::new();
        for pair in request.query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let [name, value] = [name, value].map(|text| match is_rest {
                true => decoded(&text.replace('+', " ")),
                false => text.to_owned(),
            });
            let values = all.entry(name).or_insert_with(|| json!([]));
            values.as_array_mut().expect("values").push(value.into());
        }
        if is_rest {
            let last = |values: &Value| values.as_array().and_then(|all| all.last().cloned());
            let last = all
                .iter()
                .map(|(name, all)| (name.clone(), last(all).into()));
            event["queryStringParameters"] = last.collect::<Map<_, _>>().into();
            event["requestContext"]["identity"]["sourceIp"] = request.client.into();
            event["requestContext"]["httpMethod"] = request.method.into();
            event["requestContext"]["path"] = request.path.into();
        }
        event["multiValueQueryStringParameters"] = all.into();
        for (name, values) in headers(request) {
            if is_rest {
                set(&mut event["headers"], name, values.last().cloned().into());
            }
            set(&mut event["multiValueHeaders"], name, values.into());
        }
    }
}

impl Response {
    pub(crate) fn new(response: &Value) -> Self {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let headers = ["multiValueHeaders", "headers"].map(|name| &response[name]);
        let headers = headers.into_iter().filter_map(Value::as_object);
        let headers = headers.into_iter().find(|headers| !headers.is_empty());
        let mut all = Vec::new();
        for (name, values) in headers.into_iter().flatten() {
            let one = std::slice::from_ref(values);
            let values = values.as_array().map_or(one, Vec::as_slice);
            all.extend(values.iter().map(|value| (name.clone(), text(value))));
        }
        let body = response["body"].as_str().unwrap_or_default();
        Self {
            status: response["statusCode"].as_u64().expect("a status"),
            headers: all,
            body: match response["isBase64Encoded"].as_bool() {
                Some(true) => STANDARD.decode(body).expect("Base64"),
                _ => body.as_bytes().to_vec(),
            },
        }
    }

    /// The value of a header that the response has once.
    pub(crate) fn header(&self, name: &str) -> &str {
        let mut values = self.headers.iter().filter(|(other, _)| other == name);
        let (_, value) = values
            .next()
            .unwrap_or_else(|| panic!("no {name}: {self:?}"));
        assert_eq!(values.next(), None);
        value
    }

    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).expect("text")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

/// The values of each header. Each gateway adds the client's address to `X-Forwarded-For`.
fn headers<'a>(request: &Request<'a>) -> Vec<(&'a str, Vec<String>)> {
    const FORWARDED: &str = "X-Forwarded-For";
    let mut all: Vec<(&str, Vec<String>)> = vec![(FORWARDED, Vec::new())];
    for (name, value) in &request.headers {
        match all
            .iter_mut()
            .find(|(other, _)| other.eq_ignore_ascii_case(name))
        {
            Some((_, values)) => values.push((*value).to_owned()),
            None => all.push((name, vec![(*value).to_owned()])),
        }
    }
    let forwarded = [all[0].1.clone(), vec![request.client.to_owned()]].concat();
    all[0].1 = vec![forwarded.join(", ")];
    all
}

fn set(headers: &mut Value, name: &str, value: Value) {
    let headers = headers.as_object_mut().expect("headers");
    headers.retain(|other, _| !other.eq_ignore_ascii_case(name));
    headers.insert(name.to_owned(), value);
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
