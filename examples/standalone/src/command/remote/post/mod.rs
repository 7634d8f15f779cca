//! `handbill post`: publishes Markdown files.

mod beside;
mod checker;
pub(super) mod origin;
mod prepared;
mod publish;
mod report;
mod source;

use std::collections::BTreeSet;

use handbill::{Code, PostId};
use handbill_example_shared::stop_signal;
use jiff::{SignedDuration, Timestamp};

use super::PostOptions;
use super::exit::{Exit, Stop};
use super::session::Session;
use crate::STOPPED;
use crate::client::{Client, Operation, advice};
use crate::command::markdown::Rules;
use crate::command::progress::ProgressLine;
use beside::Beside;
use checker::Checker;
use prepared::Preparation;
use publish::{Publisher, Trouble};
use report::{Outcome, Report, Row};
use source::Source;

/// Checks all files, and if none is faulty, publishes one after the other.
pub(super) async fn run(options: &PostOptions) -> Result<Exit, Stop> {
    let server = options.server.server()?;
    let api_key = options.server.api_key()?;
    let sources = source::find(&options.paths)?;
    // Without edit tokens, nothing can be published. Jobs whose secret is missing end here.
    let has_secrets = |source: &Source| Beside::of(&source.file).exists();
    if api_key.is_none() && !sources.iter().any(has_secrets) {
        return Err(Stop::usage(advice::says(Code::MissingApiKey)));
    }
    let needed = [
        Operation::CreatePost,
        Operation::UpdatePost,
        Operation::ReadPost,
    ];
    let mut session = Session::open(server, api_key, &needed).await?;
    let preparation = Preparation {
        server: session.client.server().clone(),
        fields: session.description.fields.clone(),
        rules: Rules {
            visibility: options.visibility,
            owner: None,
            now: now(&session.client),
        },
        checker: Checker::new(session.description.limits.clone())?,
        has_api_key: session.api_key.is_some(),
    };
    let mut report = Report::new(options.json);
    let Checked { faults, posts } = check(&sources, &preparation).await;
    match faults.iter().any(Option::is_some) {
        true => {
            for (source, fault) in sources.iter().zip(faults) {
                let not_sent = Row::without_post(Outcome::NotSent);
                report.add(&source.file, &fault.map_or(not_sent, Row::failed))?;
            }
            eprintln!("handbill: nothing was sent, because of the faulty files");
        }
        false => {
            let mut publisher = Publisher {
                session: &mut session,
                force: options.force,
                posts,
            };
            publish_all(&sources, options, &preparation, &mut publisher, &mut report).await?;
        }
    }
    Ok(report.end(session.client.server())?)
}

/// The present, for dates in the future. If the clock of the server is ahead, a post that was just read from it is not
/// taken for one of the future. Its clock is known to the second.
fn now(client: &Client) -> Timestamp {
    let second = SignedDuration::from_secs(1);
    let theirs = client.server_time.map(|time| time.saturating_add(second));
    let theirs = theirs.and_then(Result::ok).unwrap_or_default();
    theirs.max(Timestamp::now())
}

struct Checked {
    /// What is wrong with each file.
    faults: Vec<Option<String>>,
    /// The posts that files are already.
    posts: BTreeSet<PostId>,
}

async fn check(sources: &[Source], preparation: &Preparation) -> Checked {
    let progress = ProgressLine::new();
    let (mut faults, mut posts) = (Vec::new(), Vec::new());
    for source in sources {
        faults.push(match preparation.prepare(source).await {
            Ok(file) => {
                posts.extend(file.post.map(|post| (source.file.clone(), post.id)));
                None
            }
            Err(fault) => Some(fault),
        });
        progress.show(|| format!("checked {} of {} files", faults.len(), sources.len()));
    }
    for (file, other) in source::copies(sources, &posts, &preparation.server) {
        let at = sources.iter().position(|source| source.file == file);
        let fault = format!(
            "{} is the same post: remove the lines handbill_… from the copy to publish it as a post of its own",
            other.display()
        );
        if let Some(known) = at.and_then(|at| faults.get_mut(at)) {
            known.get_or_insert(fault);
        }
    }
    Checked {
        faults,
        posts: posts.into_iter().map(|(_, id)| id).collect(),
    }
}

/// Publishes the files until a failure that holds for all of them, or a signal.
async fn publish_all(
    sources: &[Source],
    options: &PostOptions,
    preparation: &Preparation,
    publisher: &mut Publisher<'_>,
    report: &mut Report,
) -> Result<(), Stop> {
    let signal = stop_signal()?;
    tokio::pin!(signal);
    let progress = ProgressLine::new();
    let version = publisher.session.description.version;
    let mut goes_on = true;
    for (number, source) in sources.iter().enumerate() {
        if !goes_on {
            report.add(&source.file, &Row::without_post(Outcome::NotSent))?;
            continue;
        }
        let work = async {
            // It may have changed since it was checked.
            let file = preparation.prepare(source).await?;
            let row = match options.dry_run {
                true => publisher.rehearse(source, &file).await?,
                false => publisher.publish(source, &file).await?,
            };
            Ok(Row {
                hidden: file.hidden,
                ..row
            })
        };
        let row = tokio::select! {
            row = work => row,
            () = &mut signal => Err(Trouble::File(STOPPED.to_owned())),
        };
        let row = row.unwrap_or_else(|trouble| match trouble {
            Trouble::File(sentence) => {
                goes_on = sentence != STOPPED;
                Row::failed(sentence)
            }
            Trouble::Server(failure) => {
                goes_on = !failure.holds_for_all();
                if failure.may_succeed_later() {
                    report.server_is_unavailable();
                }
                Row {
                    code: failure.code().map(handbill::Code::as_str),
                    ..Row::failed(failure.message(&version))
                }
            }
        });
        report.add(&source.file, &row)?;
        if options.json {
            progress.show(|| format!("{} of {} files", number + 1, sources.len()));
        }
    }
    Ok(())
}
