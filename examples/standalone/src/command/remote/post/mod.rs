//! `handbill post`: publishes Markdown files.

mod beside;
pub(super) mod origin;
mod prepared;
mod publish;
mod report;
mod source;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use handbill::{Code, Handbill, MemoryStore, PostId};
use handbill_example_shared::stop_signal;
use jiff::{SignedDuration, Timestamp};

use super::PostOptions;
use super::session::{Exit, Session, Stop};
use crate::STOPPED;
use crate::client::{Client, Failure, Operation, advice};
use crate::command::markdown::{Links, NoPost, Rules, Skipped};
use crate::command::progress::ProgressLine;
use beside::Beside;
use report::{Outcome, Report, Row};
use source::Source;

/// What the files of a run are checked and published with.
struct Run<'a> {
    session: Session,
    options: &'a PostOptions,
    rules: Rules,
    links: Arc<Links>,
    /// A service in memory with the limits of the server.
    checker: Handbill,
    /// The posts that files of this run are.
    posts: BTreeSet<PostId>,
}

/// Checks all files, and if none is faulty, publishes one after the other.
pub(super) async fn run(options: &PostOptions) -> Result<Exit, Stop> {
    let server = options.server.server()?;
    let api_key = options.server.api_key()?;
    let (sources, skipped) = source::find(&options.paths)?;
    // Only posts that have edit tokens can be published without a key. Jobs whose secret is missing end here.
    let may_have_token = |source: &Source| {
        let read = source::read(&source.file);
        let post = read.and_then(|front_matter| source::post_of(&front_matter, &server));
        post.is_some() && Beside::of(&source.file).exists()
    };
    if api_key.is_none() && !sources.iter().any(may_have_token) {
        return Err(Stop::usage(advice::says(Code::MissingApiKey)));
    }
    let needed = [
        Operation::CreatePost,
        Operation::UpdatePost,
        Operation::ReadPost,
    ];
    let session = Session::open(server, api_key, &needed).await?;
    let checker = Handbill::new("http://localhost", MemoryStore::new());
    let checker = checker.map_err(|error| Stop::new(error.to_string()))?;
    let mut run = Run {
        options,
        rules: Rules {
            visibility: options.visibility,
            owner: None,
            publishes: options.publish_at,
            expires: options.expires_at,
            now: now(&session.client),
        },
        links: source::links(&sources, &session.client.server),
        checker: checker.with_limits(session.description.limits.clone()),
        posts: BTreeSet::new(),
        session,
    };
    let mut report = Report {
        is_json: options.json,
        ..Report::default()
    };
    report.summary.skipped = skipped;
    let rows = run.check(&sources).await;
    let has_faults = rows.iter().flatten().any(|row| row.message.is_some());
    let is_refused = has_faults && !options.skip_faulty;
    let mut sent = Vec::new();
    for (source, row) in sources.into_iter().zip(rows) {
        let row = match row {
            None if is_refused => Row::new(Outcome::NotSent),
            None => {
                sent.push(source);
                continue;
            }
            Some(Row {
                message: Some(fault),
                ..
            }) if is_refused => Row::new(Outcome::Failed).with_message(fault),
            Some(row) => row,
        };
        report.add(&source.file, &row)?;
    }
    if is_refused {
        eprintln!("handbill: nothing was sent, because of the faulty files");
    } else {
        // Links to files that are left out lead nowhere.
        run.links = source::links(&sent, &run.session.client.server);
        run.publish_all(&sent, &mut report).await?;
    }
    Ok(report.end(&run.session.client.server)?)
}

/// The present, for dates in the future. If the clock of the server is ahead, a post that was just read from it is not
/// taken for one of the future. Its clock is known to the second.
fn now(client: &Client) -> Timestamp {
    let second = SignedDuration::from_secs(1);
    let theirs = client.server_time.map(|time| time.saturating_add(second));
    let theirs = theirs.and_then(Result::ok).unwrap_or_default();
    theirs.max(Timestamp::now())
}

impl Run<'_> {
    /// Checks the files, and finds the posts that they are already. Returns what becomes of each that is not sent, if
    /// all others are.
    async fn check(&mut self, sources: &[Source]) -> Vec<Option<Row>> {
        let progress = ProgressLine::new();
        let (mut rows, mut posts) = (Vec::new(), BTreeMap::new());
        for (at, source) in sources.iter().enumerate() {
            rows.push(match self.prepare(source).await {
                Ok(file) => {
                    posts.extend(file.post.map(|post| (at, post.id)));
                    None
                }
                Err(NoPost::Skipped(reason)) => Some(Row::skipped(reason)),
                Err(NoPost::Faulty(fault)) => {
                    Some(Row::skipped(Skipped::Faulty).with_message(fault))
                }
            });
            progress.show(|| format!("checked {} of {} files", rows.len(), sources.len()));
        }
        for (at, other) in source::copies(sources, &posts, &self.session.client.server) {
            let fault = format!(
                "{} is the same post: remove the lines handbill_… from the copy to publish it as a post of its own",
                other.display()
            );
            rows[at].get_or_insert(Row::skipped(Skipped::Faulty).with_message(fault));
        }
        self.posts = posts.into_values().collect();
        rows
    }

    /// Publishes the files until a failure that holds for all of them, or a signal. Then those again that link to
    /// others whose posts had no address before.
    async fn publish_all(&mut self, sources: &[Source], report: &mut Report) -> Result<(), Stop> {
        let signal = stop_signal()?;
        tokio::pin!(signal);
        let progress = ProgressLine::new();
        let (mut goes_on, mut again) = (true, Vec::new());
        let mut number = 0;
        let mut queue: VecDeque<_> = sources.iter().collect();
        while let Some(source) = queue.pop_front() {
            let is_again = number >= sources.len();
            number += 1;
            if !goes_on {
                if !is_again {
                    report.add(&source.file, &Row::new(Outcome::NotSent))?;
                }
                continue;
            }
            let (row, is_stopped) = tokio::select! {
                row = self.publish_one(source) => (row, false),
                () = &mut signal => (Err(Failure::other(STOPPED)), true),
            };
            let row = row.unwrap_or_else(|failure| {
                goes_on = !is_stopped && !failure.holds_for_all();
                report.is_unavailable |= failure.may_succeed_later();
                Row {
                    code: failure.code().map(Code::as_str),
                    ..Row::new(Outcome::Failed).with_message(failure.message())
                }
            });
            // The table has each file once, unless its links could not be set.
            if !is_again || row.message.is_some() {
                report.add(&source.file, &row)?;
            }
            if row.described.is_some_and(|file| file.body.awaits_others) {
                again.push(source);
            }
            if number == sources.len() && !self.options.dry_run && !again.is_empty() {
                self.links = source::links(sources, &self.session.client.server);
                queue.extend(again.drain(..));
            }
            if self.options.json {
                progress.show(|| format!("{number} of {} files", sources.len()));
            }
        }
        Ok(())
    }

    async fn publish_one(&mut self, source: &Source) -> Result<Row, Failure> {
        // It may have changed since it was checked.
        let file = match self.prepare(source).await {
            Ok(file) => file,
            Err(NoPost::Skipped(reason)) => return Ok(Row::skipped(reason)),
            Err(NoPost::Faulty(fault)) => return Err(fault.into()),
        };
        let row = match self.options.dry_run {
            true => self.rehearse(source, &file).await?,
            false => self.publish(source, &file).await?,
        };
        Ok(Row {
            described: Some(file.described),
            ..row
        })
    }
}
