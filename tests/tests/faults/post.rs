//! The contents of the fleet's posts. Everything follows from one number, so a partial change is
//! detected, and each creation and each change differs from all others.

use handbill_tests::load::prose;
use serde_json::{Value, json};

pub(crate) type State = u64;

pub(crate) const TAGS: u64 = 7;

pub(crate) fn content(state: State) -> String {
    json!({ "title": title(state), "body": body(state), "tags": [tag(state)] }).to_string()
}

/// The state of a post as an instance returns it, or a description of the contradiction in it.
pub(crate) fn state_of(post: &Value) -> Result<State, String> {
    let state = post["title"]
        .as_str()
        .and_then(|title| title.strip_prefix("State ")?.parse().ok())
        .ok_or_else(|| format!("a title that no client sent: {}", post["title"]))?;
    if post["body"] != body(state) || post["tags"] != json!([tag(state)]) {
        return Err(format!("body or tags are not those of state {state}"));
    }
    Ok(state)
}

fn title(state: State) -> String {
    format!("State {state}")
}

fn body(state: State) -> String {
    // From one database page to several.
    prose(state as usize, 100 + (state as usize * 977) % 3_000)
}

fn tag(state: State) -> String {
    format!("tag {}", state % TAGS)
}
