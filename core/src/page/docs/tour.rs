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
    let step = |id, statuses, commands: &[String]| Step {
        id,
        commands: commands.join("\n"),
        statuses,
    };
    let key = if keys_are_open {
        let key = value_of("api_key");
        let ask = format!("KEY=$(curl -s -X POST {url}/api/keys | {key})");
        step("key", &[201], &[ask, r#"echo "$KEY""#.to_owned()])
    } else {
        step("key", &[], &["KEY='hb_…'".to_owned()])
    };
    let (id, token) = (value_of("id"), value_of("edit_token"));
    vec![
        key,
        step(
            "create",
            &[201],
            &[
                format!(
                    r#"CREATED=$(curl -s {url}/api/posts {WITH_KEY} {JSON} -d '{{"title": "Hello", "body": "Some *Markdown*.", "tags": "Docs, #Web"}}')"#
                ),
                r#"echo "$CREATED""#.to_owned(),
                format!(r#"ID=$(echo "$CREATED" | {id})"#),
                format!(r#"TOKEN=$(echo "$CREATED" | {token})"#),
            ],
        ),
        step(
            "read",
            &[200, 200],
            &[
                format!("curl -s {url}/api/posts/$ID"),
                format!("curl -s {url}/p/$ID.md"),
            ],
        ),
        step(
            "list",
            &[200],
            &[format!(
                "curl -si -G {url}/api/posts -d tag=docs -d per_page=5"
            )],
        ),
        step(
            "change",
            &[200],
            &[format!(
                r#"curl -s -X PATCH {url}/api/posts/$ID {WITH_TOKEN} {JSON} -d '{{"body": "Some *better* Markdown.", "tags": null}}'"#
            )],
        ),
        step(
            "seen",
            &[200, 304, 200, 412],
            &[
                format!(
                    r"ETAG=$(curl -sI {url}/api/posts/$ID | tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p')"
                ),
                format!(r#"curl -si {url}/api/posts/$ID -H "If-None-Match: $ETAG""#),
                format!(
                    r#"for time in 1 2; do curl -si -X PATCH {url}/api/posts/$ID {WITH_TOKEN} -H "If-Match: $ETAG" {JSON} -d '{{"title": "Hello again"}}'; done"#
                ),
            ],
        ),
        step(
            "once",
            &[201, 201],
            &[
                "ONCE=tour-$(date +%s)".to_owned(),
                format!(
                    r#"for time in 1 2; do curl -s {url}/api/posts {WITH_KEY} -H "Idempotency-Key: $ONCE" {JSON} -d '{{"body": "Only once."}}'; done"#
                ),
            ],
        ),
        step(
            "token",
            &[200],
            &[format!(
                "TOKEN=$(curl -s -X POST {url}/api/posts/$ID/edit_token {WITH_KEY} | {token})"
            )],
        ),
        step(
            "delete",
            &[204, 410],
            &[
                format!("curl -si -X DELETE {url}/api/posts/$ID {WITH_TOKEN}"),
                format!("curl -si {url}/api/posts/$ID"),
            ],
        ),
    ]
}

/// The command that extracts a string from JSON. `sed` exists on every system, `jq` does not.
fn value_of(name: &str) -> String {
    format!(r#"sed 's/.*"{name}":"\([^"]*\)".*/\1/'"#)
}
