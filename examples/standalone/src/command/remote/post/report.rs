//! What became of each file: a table or one JSON document on standard output, and messages on standard error.

use std::io::{self, Write};
use std::path::Path;

use handbill::PostId;
use serde_json::{Map, Value, json};

use crate::client::ServerUrl;
use crate::command::markdown::{Count, DescribedPost, Skipped, Summary};
use crate::command::remote::session::Exit;
use crate::command::words::words;
use crate::terminal::{printable, printable_json};

words! {
    /// What became of a file, or would become of it.
    Outcome {
        Created "created",
        Updated "updated",
        Unchanged "unchanged",
        WouldCreate "would create",
        WouldUpdate "would update",
        /// Another user changed the post.
        Conflict "conflict",
        Failed "failed",
        /// The file is not for a post, or is faulty where such files are to be skipped.
        Skipped "skipped",
        /// The file was not tried.
        NotSent "not sent",
    }
}

impl Outcome {
    /// Its name in JSON.
    fn name(self) -> String {
        self.to_string().replace(' ', "_")
    }
}

/// A file, and what became of it.
pub(super) struct Row {
    pub(super) outcome: Outcome,
    /// The post that the file is, and its public address.
    pub(super) post: Option<(PostId, String)>,
    /// Why it failed, and what to do.
    pub(super) message: Option<String>,
    /// The code of the server's problem.
    pub(super) code: Option<&'static str>,
    /// The file as it was read.
    pub(super) described: Option<DescribedPost>,
    /// Why it was skipped.
    pub(super) skipped: Option<Skipped>,
}

impl Row {
    pub(super) const fn new(outcome: Outcome) -> Self {
        Self {
            outcome,
            post: None,
            message: None,
            code: None,
            described: None,
            skipped: None,
        }
    }

    pub(super) fn with_post(mut self, id: PostId, url: String) -> Self {
        self.post = Some((id, url));
        self
    }

    pub(super) fn with_message(mut self, message: String) -> Self {
        self.message = Some(message);
        self
    }

    pub(super) fn skipped(reason: Skipped) -> Self {
        let mut row = Self::new(Outcome::Skipped);
        row.skipped = Some(reason);
        row
    }
}

/// Collects the rows. The table is printed as they come, so that it has all of them if the program is stopped.
#[derive(Default)]
pub(super) struct Report {
    pub(super) is_json: bool,
    pub(super) summary: Summary,
    /// Whether a failure may be none later.
    pub(super) is_unavailable: bool,
    pub(super) files: Vec<Value>,
    pub(super) counts: Count<Outcome>,
}

impl Report {
    pub(super) fn add(&mut self, file: &Path, row: &Row) -> io::Result<()> {
        self.counts.add(row.outcome);
        if let Some(described) = &row.described {
            self.summary.add(described);
        }
        if let Some(reason) = row.skipped {
            self.summary.skipped.add(reason);
        }
        let file = file.to_string_lossy();
        if let Some(message) = &row.message {
            eprintln!("{}: {}", printable(&file), printable(message));
        }
        if self.is_json {
            self.files.push(json_row(&file, row));
            return Ok(());
        }
        let url = row.post.as_ref().map_or("-", |(_, url)| url);
        let mut stdout = io::stdout();
        let (outcome, file, url) = (row.outcome, printable(file), printable(url));
        writeln!(stdout, "{outcome}\t{file}\t{url}").and_then(|()| stdout.flush())
    }

    /// Prints what is left to print.
    pub(super) fn end(self, server: &ServerUrl) -> io::Result<Exit> {
        let words = match self.counts.total() {
            0 => "no Markdown files".to_owned(),
            _ => self.counts.to_string(),
        };
        eprintln!("{words}{}", self.summary.sentence("are"));
        if self.is_json {
            let counts = self.counts.0.iter();
            let counts = counts.map(|(outcome, count)| (outcome.name(), (*count).into()));
            let counts: Map<_, _> = counts.collect();
            let server = server.to_string();
            let report = json!({"server": server, "files": self.files, "counts": counts});
            let (report, mut stdout) = (printable_json(&report), io::stdout());
            writeln!(stdout, "{report}").and_then(|()| stdout.flush())?;
        }
        let has = |outcome| self.counts.0.contains_key(&outcome);
        Ok(if self.is_unavailable {
            Exit::Unavailable
        } else if has(Outcome::Failed) || has(Outcome::NotSent) {
            Exit::Failed
        } else if has(Outcome::Conflict) {
            Exit::Conflict
        } else {
            Exit::Done
        })
    }
}

/// A file as JSON, with the members that have a value.
fn json_row(file: &str, row: &Row) -> Value {
    let post = row.post.as_ref();
    let (id, url) = post.map(|(id, url)| (id.as_str(), url)).unzip();
    let described = row.described.as_ref();
    let mut json = json!({
        "file": file, "outcome": row.outcome.name(), "id": id, "url": url, "message": row.message, "code": row.code,
        "draft_because": described.and_then(|described| Some(described.hidden?.to_string())),
        "left_out": described.and_then(|described| described.body.left_out.shown()),
        "skipped_because": row.skipped.map(|reason| reason.to_string()),
    });
    if let Some(members) = json.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    json
}
