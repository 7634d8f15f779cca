//! The tour on the docs page: calls for bash with curl, in steps that can be pasted one after the other.

use crate::page::text::shell_word;
use crate::post::TextField;

pub(super) struct TourStep {
    pub(super) id: &'static str,
    /// For bash. `BASE` stands for the address of the service.
    lines: &'static str,
    /// The expected statuses, in the order of the requests.
    pub(super) statuses: &'static [u16],
    /// The body of the response, if it shows anything new. `TEXTS` stands for the text fields of a post.
    sample: &'static str,
}

impl TourStep {
    /// The name of the message with the title.
    pub(super) fn title(&self) -> String {
        format!("tour-{}", self.id)
    }

    /// The name of the message with the explanation.
    pub(super) fn text(&self) -> String {
        format!("tour-{}-text", self.id)
    }

    /// The lines for the service at this address.
    pub(super) fn lines(&self, base_url: &str) -> String {
        self.lines.replace("BASE", &shell_word(base_url))
    }

    /// The body of the response of the service at this address, as an example.
    pub(super) fn sample(&self, base_url: &str) -> String {
        let texts = TextField::ALL_BUT_TITLE.iter();
        let texts: String = texts
            .map(|field| format!("  \"{}\": null,\n", field.name()))
            .collect();
        let sample = self.sample.replace("TEXTS", &texts);
        sample.replace("BASE", base_url)
    }
}

/// The tour. If clients cannot request keys freely, it begins with a key that the reader already has.
pub(super) fn steps(keys_are_open: bool) -> [TourStep; 9] {
    let mut steps = STEPS;
    if !keys_are_open {
        steps[0].lines = "URL=BASE\nKEY='hb_…'";
        steps[0].statuses = &[];
        steps[0].sample = "";
    }
    steps
}

// `sed` exists on every system, and `jq` does not.
const STEPS: [TourStep; 9] = [
    TourStep {
        id: "key",
        lines: r#"URL=BASE
KEY=$(curl -s -X POST "$URL/api/keys" |
  sed 's/.*"api_key":"\([^"]*\)".*/\1/')
echo "$KEY""#,
        statuses: &[201],
        sample: r#"{
  "id": "fnrtzkqwpb",
  "api_key": "hb_…",
  "label": null,
  "created_at": "2026-11-20T10:00:00.000Z"
}"#,
    },
    TourStep {
        id: "create",
        lines: r#"CREATED=$(curl -s "$URL/api/posts" \
  -H "X-Api-Key: $KEY" \
  -H 'Content-Type: application/json' \
  -d '{"title": "Hello",
       "body": "Some *Markdown*.",
       "tags": "Docs, #Web"}')
echo "$CREATED"
ID=$(echo "$CREATED" |
  sed 's/.*"id":"\([^"]*\)".*/\1/')
TOKEN=$(echo "$CREATED" |
  sed 's/.*"edit_token":"\([^"]*\)".*/\1/')"#,
        statuses: &[201],
        sample: r#"{
  "id": "kqzvbnmtrd",
  "url": "BASE/p/kqzvbnmtrd",
  "edit_url": "BASE/e/…",
  "edit_token": "…"
}"#,
    },
    TourStep {
        id: "read",
        lines: r#"curl -s "$URL/api/posts/$ID"
curl -s "$URL/p/$ID.md""#,
        statuses: &[200, 200],
        sample: r#"{
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
}"#,
    },
    TourStep {
        id: "list",
        lines: r#"curl -si -G "$URL/api/posts" \
  -d tag=docs -d per_page=5"#,
        statuses: &[200],
        sample: r#"{
  "posts": [{ "id": "kqzvbnmtrd", … }],
  "page": 1,
  "per_page": 5,
  "total": 1,
  "total_pages": 1
}"#,
    },
    TourStep {
        id: "change",
        lines: r#"curl -s -X PATCH "$URL/api/posts/$ID" \
  -H "X-Edit-Token: $TOKEN" \
  -H 'Content-Type: application/json' \
  -d '{"body": "Some *better* Markdown.",
       "tags": null}'"#,
        statuses: &[200],
        sample: "",
    },
    TourStep {
        id: "seen",
        lines: r#"ETAG=$(curl -sI "$URL/api/posts/$ID" |
  tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p')
curl -si "$URL/api/posts/$ID" \
  -H "If-None-Match: $ETAG"
for time in 1 2; do
  curl -si -X PATCH "$URL/api/posts/$ID" \
    -H "X-Edit-Token: $TOKEN" \
    -H "If-Match: $ETAG" \
    -H 'Content-Type: application/json' \
    -d '{"title": "Hello again"}'
done"#,
        statuses: &[200, 304, 200, 412],
        sample: "",
    },
    TourStep {
        id: "once",
        lines: r#"ONCE=tour-$(date +%s)
for time in 1 2; do
  curl -s "$URL/api/posts" \
    -H "X-Api-Key: $KEY" \
    -H "Idempotency-Key: $ONCE" \
    -H 'Content-Type: application/json' \
    -d '{"body": "Only once."}'
done"#,
        statuses: &[201, 201],
        sample: "",
    },
    TourStep {
        id: "token",
        lines: r#"TOKEN=$(curl -s -X POST \
  "$URL/api/posts/$ID/edit_token" \
  -H "X-Api-Key: $KEY" |
  sed 's/.*"edit_token":"\([^"]*\)".*/\1/')"#,
        statuses: &[200],
        sample: "",
    },
    TourStep {
        id: "delete",
        lines: r#"curl -si -X DELETE "$URL/api/posts/$ID" \
  -H "X-Edit-Token: $TOKEN"
curl -si "$URL/api/posts/$ID""#,
        statuses: &[204, 410],
        sample: "",
    },
];
