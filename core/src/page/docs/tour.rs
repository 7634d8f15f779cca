//! The tour on the docs page: steps of commands that can be pasted into bash one after the other.

use crate::page::text::shell_word;

/// A step of the tour.
pub(super) struct Step {
    pub(super) id: &'static str,
    /// The lines to paste.
    pub(super) commands: String,
    /// The expected statuses, in the order of the requests.
    pub(super) statuses: &'static [u16],
}

impl Step {
    /// The name of the message with the title.
    pub(super) fn title(&self) -> String {
        format!("tour-{}", self.id)
    }

    /// The expected statuses as the page shows them.
    pub(super) fn expected(&self) -> String {
        let statuses: Vec<_> = self.statuses.iter().map(u16::to_string).collect();
        format!("→ {}", statuses.join(" "))
    }

    /// The name of the message with the explanation.
    pub(super) fn text(&self) -> String {
        format!("tour-{}-text", self.id)
    }
}

const JSON: &str = "-H 'Content-Type: application/json'";
const WITH_KEY: &str = r#"-H "X-Api-Key: $KEY""#;
const WITH_TOKEN: &str = r#"-H "X-Edit-Token: $TOKEN""#;

/// The tour for the service at this address. If clients cannot request keys freely, it begins with a key
/// that the reader already has.
pub(super) fn steps(base_url: &str, keys_are_open: bool) -> Vec<Step> {
    let url = &shell_word(base_url);
    let step = |id, statuses, commands| Step {
        id,
        commands,
        statuses,
    };
    let (id, key, token) = (value_of("id"), value_of("api_key"), value_of("edit_token"));
    let key = if keys_are_open {
        let request = format!("KEY=$(curl -s -X POST {url}/api/keys | {key})");
        step("key", &[201], request + "\necho \"$KEY\"")
    } else {
        step("key", &[], "KEY='hb_…'".to_owned())
    };
    let create = format!(
        r#"CREATED=$(curl -s {url}/api/posts {WITH_KEY} {JSON} -d '{{"title": "Hello", "body": "Some *Markdown*.", "tags": "Docs, #Web"}}')
echo "$CREATED"
ID=$(echo "$CREATED" | {id})
TOKEN=$(echo "$CREATED" | {token})"#
    );
    let read = format!("curl -s {url}/api/posts/$ID\ncurl -s {url}/p/$ID.md");
    let list = format!("curl -si -G {url}/api/posts -d tag=docs -d per_page=5");
    let change = format!(
        r#"curl -s -X PATCH {url}/api/posts/$ID {WITH_TOKEN} {JSON} -d '{{"body": "Some *better* Markdown.", "tags": null}}'"#
    );
    let seen = format!(
        r#"ETAG=$(curl -sI {url}/api/posts/$ID | tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p')
curl -si {url}/api/posts/$ID -H "If-None-Match: $ETAG"
for time in 1 2; do curl -si -X PATCH {url}/api/posts/$ID {WITH_TOKEN} -H "If-Match: $ETAG" {JSON} -d '{{"title": "Hello again"}}'; done"#
    );
    let once = format!(
        r#"ONCE=tour-$(date +%s)
for time in 1 2; do curl -s {url}/api/posts {WITH_KEY} -H "Idempotency-Key: $ONCE" {JSON} -d '{{"body": "Only once."}}'; done"#
    );
    let replace_token =
        format!("TOKEN=$(curl -s -X POST {url}/api/posts/$ID/edit_token {WITH_KEY} | {token})");
    let delete = format!(
        "curl -si -X DELETE {url}/api/posts/$ID {WITH_TOKEN}\ncurl -si {url}/api/posts/$ID"
    );
    vec![
        key,
        step("create", &[201], create),
        step("read", &[200, 200], read),
        step("list", &[200], list),
        step("change", &[200], change),
        step("seen", &[200, 304, 200, 412], seen),
        step("once", &[201, 201], once),
        step("token", &[200], replace_token),
        step("delete", &[204, 410], delete),
    ]
}

/// The command that extracts a string from JSON. `sed` exists on every system, `jq` does not.
fn value_of(name: &str) -> String {
    format!(r#"sed 's/.*"{name}":"\([^"]*\)".*/\1/'"#)
}
