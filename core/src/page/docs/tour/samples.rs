//! Examples of the responses in the tour.

use crate::post::TextField;

const KEY: &str = r#"{
  "id": "fnrtzkqwpb",
  "api_key": "hb_…",
  "label": null,
  "created_at": "2026-11-20T10:00:00.000Z"
}"#;

const CREATED: &str = r#"{
  "id": "kqzvbnmtrd",
  "url": "BASE/p/kqzvbnmtrd",
  "edit_url": "BASE/e/…",
  "edit_token": "…"
}"#;

const POST: &str = r#"{
  "id": "kqzvbnmtrd",
  "url": "BASE/p/kqzvbnmtrd",
  "title": "Hello",
  "body": "Some *Markdown*.",
  "html": "<p>Some <em>Markdown</em>.</p>\n",
  "excerpt": "Some Markdown.",
  "tags": ["docs", "web"],
TEXTS  "visibility": "public",
  "created_at": "2026-11-20T10:00:00.000Z",
  "published_at": "2026-11-20T10:00:00.000Z",
  "updated_at": "2026-11-20T10:00:00.000Z",
  "publish_at": null,
  "expires_at": null
}"#;

const LIST: &str = r#"{
  "posts": [{ "id": "kqzvbnmtrd", … }],
  "page": 1,
  "per_page": 5,
  "total": 1,
  "total_pages": 1
}"#;

/// The body of the response in this step. `None` if the step shows nothing new.
pub(super) fn of(step: &str, base_url: &str) -> Option<String> {
    let sample = match step {
        "key" => KEY,
        "create" => CREATED,
        "read" => POST,
        "list" => LIST,
        _ => return None,
    };
    let texts = TextField::ALL_BUT_TITLE.iter();
    let texts: String = texts
        .map(|field| format!("  \"{}\": null,\n", field.name()))
        .collect();
    Some(sample.replace("TEXTS", &texts).replace("BASE", base_url))
}
