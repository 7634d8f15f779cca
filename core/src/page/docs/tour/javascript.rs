//! The tour for JavaScript, in Node.js or in the console of a browser.

/// The lines of the first step.
pub(super) fn first(base_url: &str, keys_are_open: bool) -> String {
    let key = match keys_are_open {
        true => "const { api_key } = (await call(\"POST\", \"/api/keys\")).json;",
        false => "const api_key = \"hb_…\";",
    };
    // A URL has no quotation marks, so JSON writes it as JavaScript does.
    format!("const url = \"{base_url}\";\n{CALL}\n{key}")
}

/// The lines of the others.
pub(super) const OTHERS: [&str; 8] = [CREATE, READ, LIST, CHANGE, SEEN, ONCE, TOKEN, DELETE];

const CALL: &str = r#"async function call(method, path, headers = {}, fields) {
  const body = fields && JSON.stringify(fields);
  if (body) headers["Content-Type"] = "application/json";
  const response = await fetch(url + path,
    { method, headers, body });
  const text = await response.text();
  console.log(response.status, text);
  const json = text.startsWith("{") ? JSON.parse(text) : null;
  return { headers: response.headers, json };
}"#;

const CREATE: &str = r#"const created = await call("POST", "/api/posts",
  { "X-Api-Key": api_key },
  { title: "Hello", body: "Some *Markdown*.",
    tags: ["Docs", "Web"] });
const { id, edit_token } = created.json;"#;

const READ: &str = r#"await call("GET", `/api/posts/${id}`);
await call("GET", `/p/${id}.md`);"#;

const LIST: &str = r#"const list = await call("GET",
  "/api/posts?tag=docs&per_page=5");
console.log(list.headers.get("Link"));"#;

const CHANGE: &str = r#"await call("PATCH", `/api/posts/${id}`,
  { "X-Edit-Token": edit_token },
  { body: "Some *better* Markdown.", tags: null });"#;

const SEEN: &str = r#"const seen = await call("GET", `/api/posts/${id}`);
const etag = seen.headers.get("ETag");
await call("GET", `/api/posts/${id}`,
  { "If-None-Match": etag });
for (const time of [1, 2]) {
  await call("PATCH", `/api/posts/${id}`,
    { "X-Edit-Token": edit_token, "If-Match": etag },
    { title: "Hello again" });
}"#;

const ONCE: &str = r#"const once = `tour-${Date.now()}`;
for (const time of [1, 2]) {
  await call("POST", "/api/posts",
    { "X-Api-Key": api_key, "Idempotency-Key": once },
    { body: "Only once." });
}"#;

const TOKEN: &str = r#"const replaced = await call("POST",
  `/api/posts/${id}/edit_token`,
  { "X-Api-Key": api_key });"#;

const DELETE: &str = r#"await call("DELETE", `/api/posts/${id}`,
  { "X-Edit-Token": replaced.json.edit_token });
await call("GET", `/api/posts/${id}`);"#;
