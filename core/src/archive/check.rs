//! Which posts and keys of an archive a service accepts: those that it could have stored itself.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::thread::available_parallelism;

use serde_json::Value;
use tokio::task::{JoinHandle, spawn_blocking};

use super::ArchiveError;
use super::line::Record;
use crate::post::{Draft, FieldError, KeyRecord, Limits, Post, PostChange, field};

/// The most bytes of lines that are checked at a time, unless a single piece has more.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Pieces of an archive that are being checked, the earliest first. Rendering takes most of the time of a check, so
/// half of the cores do it while the next pieces are read.
pub(super) struct Checks {
    limits: Arc<Limits>,
    max_tasks: usize,
    /// With the bytes of their lines.
    tasks: VecDeque<(usize, JoinHandle<Result<(), ArchiveError>>)>,
    bytes: usize,
}

impl Checks {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            limits: Arc::new(limits.clone()),
            max_tasks: available_parallelism().map_or(1, |cores| cores.get().div_ceil(2)),
            tasks: VecDeque::new(),
            bytes: 0,
        }
    }

    /// Starts to check records with the numbers of their lines, and ends checks before it if there is no room.
    pub(super) async fn start(
        &mut self,
        records: Vec<(u64, Record)>,
        bytes: usize,
    ) -> Result<(), ArchiveError> {
        while self.tasks.len() >= self.max_tasks
            || (!self.tasks.is_empty() && self.bytes + bytes > MAX_BYTES)
        {
            self.end_first().await?;
        }
        let limits = Arc::clone(&self.limits);
        let task = spawn_blocking(move || {
            records.iter().try_for_each(|(line, record)| {
                let checked = check(record, &limits);
                checked.map_err(|fault| ArchiveError::not_accepted(*line, record, fault))
            })
        });
        self.bytes += bytes;
        self.tasks.push_back((bytes, task));
        Ok(())
    }

    /// Ends all checks. The error is that of the earliest faulty line.
    pub(super) async fn finish(mut self) -> Result<(), ArchiveError> {
        while !self.tasks.is_empty() {
            self.end_first().await?;
        }
        Ok(())
    }

    async fn end_first(&mut self) -> Result<(), ArchiveError> {
        let Some((bytes, task)) = self.tasks.pop_front() else {
            return Ok(());
        };
        self.bytes -= bytes;
        task.await.map_err(io::Error::other)?
    }
}

type Fault = String;

/// Refuses what a service with these limits does not store.
fn check(record: &Record, limits: &Limits) -> Result<(), Fault> {
    match record {
        Record::Post(post) => check_post(post, limits),
        Record::Tombstone(_) | Record::Bar(_) => Ok(()),
        Record::Key(key) => check_key(key, limits),
    }
}

/// Validates the fields as if they were written again, which must change nothing.
fn check_post(post: &Post, limits: &Limits) -> Result<(), Fault> {
    let change = PostChange::parse(Draft::of(post), limits).map_err(|errors| {
        let faults: Vec<_> = errors.iter().map(FieldError::sentence).collect();
        faults.join("; ")
    })?;
    let mut written = post.clone();
    change.set_fields(&mut written);
    // Rendering the body made them, perhaps in an earlier release. So they are not compared.
    let summary = &post.summary;
    written.summary.heading = parse_line(
        "heading",
        summary.heading.as_deref(),
        handbill_markdown::NAME_LEN,
    )?;
    check_text("excerpt", &summary.excerpt, handbill_markdown::EXCERPT_LEN)?;
    let mut picture = summary.picture.iter();
    if !picture.all(|address| handbill_markdown::is_picture(address)) {
        return Err(no_service_stores("picture"));
    }
    if written == *post {
        return Ok(());
    }
    let name = first_difference(post, &written).unwrap_or_default();
    Err(no_service_stores(&name))
}

fn check_key(key: &KeyRecord, limits: &Limits) -> Result<(), Fault> {
    match parse_line("label", key.label.as_deref(), limits.label)? == key.label {
        true => Ok(()),
        false => Err(no_service_stores("label")),
    }
}

fn parse_line(name: &str, line: Option<&str>, max: usize) -> Result<Option<String>, Fault> {
    let line = field::one_line(name, line.unwrap_or_default(), max);
    line.map_err(|error| error.sentence())
}

fn check_text(name: &str, text: &str, max: usize) -> Result<(), Fault> {
    if text.contains('\0') {
        return Err(no_service_stores(name));
    }
    field::at_most(name, text, max).map_err(|error| error.sentence())
}

/// Such as a title with space around it, or a tag that is there twice.
fn no_service_stores(name: &str) -> Fault {
    format!("{name} has a value that no service stores")
}

/// The name of a field that two posts do not share.
fn first_difference(one: &Post, other: &Post) -> Option<String> {
    let fields = |post: &Post| match serde_json::to_value(post) {
        Ok(Value::Object(fields)) => fields,
        _ => unreachable!("a post is an object in JSON"),
    };
    let other = fields(other);
    let mut one = fields(one).into_iter();
    let difference = one.find(|(name, value)| other.get(name) != Some(value));
    difference.map(|(name, _)| name)
}
