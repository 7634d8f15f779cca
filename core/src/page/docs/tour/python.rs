//! The tour for Python, with its standard library.

/// The lines of the first step.
pub(super) fn first(base_url: &str, keys_are_open: bool) -> String {
    let key = match keys_are_open {
        true => "_, key = call(\"POST\", \"/api/keys\")\napi_key = key[\"api_key\"]",
        false => "api_key = \"hb_…\"",
    };
    format!("{IMPORT}\n\nurl = \"{base_url}\"\n\n{CALL}\n\n{key}")
}

/// The lines of the others.
pub(super) const OTHERS: [&str; 8] = [CREATE, READ, LIST, CHANGE, SEEN, ONCE, TOKEN, DELETE];

const IMPORT: &str = "import json, time
from urllib.error import HTTPError
from urllib.request import Request, urlopen";

const CALL: &str = r#"def call(method, path, headers={}, fields=None):
    body = fields and json.dumps(fields).encode()
    headers = {**headers, "Content-Type": "application/json"}
    request = Request(url + path, body, headers, method=method)
    try:
        response = urlopen(request)
    except HTTPError as error:
        response = error
    text = response.read().decode()
    print(response.status, text)
    is_json = text.startswith("{")
    return response.headers, is_json and json.loads(text)"#;

const CREATE: &str = r#"_, created = call("POST", "/api/posts",
    {"X-Api-Key": api_key},
    {"title": "Hello", "body": "Some *Markdown*.",
     "tags": ["Docs", "Web"]})
post = "/api/posts/" + created["id"]
edit_token = created["edit_token"]"#;

const READ: &str = r#"call("GET", post)
call("GET", f"/p/{created['id']}.md")"#;

const LIST: &str = r#"headers, _ = call("GET",
    "/api/posts?tag=docs&per_page=5")
print(headers["Link"])"#;

const CHANGE: &str = r#"call("PATCH", post, {"X-Edit-Token": edit_token},
    {"body": "Some *better* Markdown.", "tags": None})"#;

const SEEN: &str = r#"headers, _ = call("GET", post)
etag = headers["ETag"]
call("GET", post, {"If-None-Match": etag})
for attempt in 1, 2:
    call("PATCH", post,
        {"X-Edit-Token": edit_token, "If-Match": etag},
        {"title": "Hello again"})"#;

const ONCE: &str = r#"once = f"tour-{time.time_ns()}"
for attempt in 1, 2:
    call("POST", "/api/posts",
        {"X-Api-Key": api_key, "Idempotency-Key": once},
        {"body": "Only once."})"#;

const TOKEN: &str = r#"_, replaced = call("POST", post + "/edit_token",
    {"X-Api-Key": api_key})"#;

const DELETE: &str = r#"call("DELETE", post,
    {"X-Edit-Token": replaced["edit_token"]})
call("GET", post)"#;
