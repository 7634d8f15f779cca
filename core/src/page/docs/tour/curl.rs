//! The tour for bash with curl.

use crate::page::text::shell_word;

/// The lines of the first step.
pub(super) fn first(base_url: &str, keys_are_open: bool) -> String {
    let key = match keys_are_open {
        true => REQUEST_KEY,
        false => OWN_KEY,
    };
    format!("URL={}\n{key}", shell_word(base_url))
}

/// The lines of the others.
pub(super) const OTHERS: [&str; 8] = [CREATE, READ, LIST, CHANGE, SEEN, ONCE, TOKEN, DELETE];

const OWN_KEY: &str = "KEY='hb_…'";

// `sed` exists on every system, and `jq` does not.
const REQUEST_KEY: &str = r#"KEY=$(curl -s -X POST "$URL/api/keys" |
  sed 's/.*"api_key":"\([^"]*\)".*/\1/')
echo "$KEY""#;

const CREATE: &str = r#"CREATED=$(curl -s "$URL/api/posts" \
  -H "X-Api-Key: $KEY" \
  -H 'Content-Type: application/json' \
  -d '{"title": "Hello",
       "body": "Some *Markdown*.",
       "tags": "Docs, #Web"}')
echo "$CREATED"
ID=$(echo "$CREATED" |
  sed 's/.*"id":"\([^"]*\)".*/\1/')
TOKEN=$(echo "$CREATED" |
  sed 's/.*"edit_token":"\([^"]*\)".*/\1/')"#;

const READ: &str = r#"curl -s "$URL/api/posts/$ID"
curl -s "$URL/p/$ID.md""#;

const LIST: &str = r#"curl -si -G "$URL/api/posts" \
  -d tag=docs -d per_page=5"#;

const CHANGE: &str = r#"curl -s -X PATCH "$URL/api/posts/$ID" \
  -H "X-Edit-Token: $TOKEN" \
  -H 'Content-Type: application/json' \
  -d '{"body": "Some *better* Markdown.",
       "tags": null}'"#;

const SEEN: &str = r#"ETAG=$(curl -sI "$URL/api/posts/$ID" |
  tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p')
curl -si "$URL/api/posts/$ID" \
  -H "If-None-Match: $ETAG"
for time in 1 2; do
  curl -si -X PATCH "$URL/api/posts/$ID" \
    -H "X-Edit-Token: $TOKEN" \
    -H "If-Match: $ETAG" \
    -H 'Content-Type: application/json' \
    -d '{"title": "Hello again"}'
done"#;

const ONCE: &str = r#"ONCE=tour-$(date +%s)
for time in 1 2; do
  curl -s "$URL/api/posts" \
    -H "X-Api-Key: $KEY" \
    -H "Idempotency-Key: $ONCE" \
    -H 'Content-Type: application/json' \
    -d '{"body": "Only once."}'
done"#;

const TOKEN: &str = r#"TOKEN=$(curl -s -X POST \
  "$URL/api/posts/$ID/edit_token" \
  -H "X-Api-Key: $KEY" |
  sed 's/.*"edit_token":"\([^"]*\)".*/\1/')"#;

const DELETE: &str = r#"curl -si -X DELETE "$URL/api/posts/$ID" \
  -H "X-Edit-Token: $TOKEN"
curl -si "$URL/api/posts/$ID""#;
