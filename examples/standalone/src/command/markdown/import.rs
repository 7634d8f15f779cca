use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use handbill::Handbill;
use handbill_example_shared::stop_signal;
use jiff::Timestamp;
use tokio::task::{JoinHandle, spawn_blocking};

use super::described::{Rules, describe};
use super::folder;
use super::hidden::{Count, Hidden};
use crate::STOPPED;
use crate::command::Import;
use crate::command::progress::ProgressLine;
use crate::terminal::printable;

/// Posts that are created at the same time, so that stores commit them together.
const AT_ONCE: usize = 64;

/// How many posts were created.
#[derive(Default)]
struct Created {
    posts: usize,
    hidden: Count,
}

/// Creates a post for each Markdown file of the folder, if none of them is faulty, and prints a table of file, url
/// and edit address. A signal stops it between two lots of posts, so that the table has all that were created.
pub(crate) async fn import(import: &Import, handbill: &Handbill) -> Result<(), Box<dyn Error>> {
    let mut signal = tokio::spawn(stop_signal()?);
    let rules = Rules {
        visibility: import.visibility,
        owner: import.owner.clone(),
        now: Timestamp::now(),
    };
    let (files, hidden) = tokio::select! {
        checked = faultless_files(&import.from, &rules, handbill) => checked?,
        _ = &mut signal => return Err(STOPPED.into()),
    };
    if import.dry_run {
        let drafts = hidden.sentence("would become");
        eprintln!("{} posts would be created{drafts}", files.len());
        return Ok(());
    }
    let progress = ProgressLine::new();
    let mut created = Created::default();
    for lot in files.chunks(AT_ONCE) {
        let outcome = match signal.is_finished() {
            true => Err(STOPPED.into()),
            false => create_lot(lot, &rules, handbill, &mut created).await,
        };
        let drafts = created.hidden.sentence("became");
        let created = created.posts;
        outcome.map_err(|error| format!("{error}; {created} posts were created{drafts}"))?;
        progress.show(|| format!("created {created} of {} posts", files.len()));
    }
    drop(progress);
    let drafts = created.hidden.sentence("became");
    eprintln!("created {} posts{drafts}", created.posts);
    Ok(())
}

/// Creates a post for each of the files, prints and counts those that were created, and returns the first error.
async fn create_lot(
    files: &[PathBuf],
    rules: &Rules,
    handbill: &Handbill,
    created: &mut Created,
) -> Result<(), String> {
    let tasks: Vec<_> = files
        .iter()
        .map(|file| create(file, rules, handbill))
        .collect();
    let mut outcome = Ok(());
    for (file, task) in files.iter().zip(tasks) {
        let this = match task.await {
            Ok(Ok((addresses, hidden))) => {
                created.posts += 1;
                created.hidden.add(hidden);
                let printed = writeln!(io::stdout(), "{}\t{addresses}", printable(file.display()));
                printed.map_err(|error| format!("the table: {error}"))
            }
            Ok(Err(error)) => Err(format!("{}: {error}", file.display())),
            Err(panic) => Err(format!("{}: {panic}", file.display())),
        };
        outcome = outcome.and(this);
    }
    outcome
}

async fn faultless_files(
    folder: &Path,
    rules: &Rules,
    handbill: &Handbill,
) -> Result<(Vec<PathBuf>, Count), Box<dyn Error>> {
    let folder = folder.to_owned();
    let files = spawn_blocking(move || folder::files(&folder)).await??;
    let hidden = check(&files, rules, handbill).await?;
    Ok((files, hidden))
}

/// Names all faulty files, or counts those that would become drafts.
async fn check(
    files: &[PathBuf],
    rules: &Rules,
    handbill: &Handbill,
) -> Result<Count, Box<dyn Error>> {
    let progress = ProgressLine::new();
    let (mut faulty, mut hidden) = (Vec::new(), Count::default());
    for (number, file) in files.iter().enumerate() {
        let checked = match describe(file, rules).await {
            Ok(post) => {
                hidden.add(post.hidden);
                let checked = handbill.posts().check(post.draft).await;
                checked.map_err(|problem| problem.detail().to_owned())
            }
            Err(fault) => Err(fault),
        };
        if let Err(fault) = checked {
            faulty.push(format!("{}: {fault}", file.display()));
        }
        progress.show(|| format!("checked {} of {} files", number + 1, files.len()));
    }
    drop(progress);
    if faulty.is_empty() {
        return Ok(hidden);
    }
    for fault in &faulty {
        eprintln!("{}", printable(fault));
    }
    Err(format!("faulty files: {}; nothing was created", faulty.len()).into())
}

/// Starts to create the post of a file. Returns its addresses, and why it became a draft.
fn create(
    file: &Path,
    rules: &Rules,
    handbill: &Handbill,
) -> JoinHandle<Result<(String, Option<Hidden>), String>> {
    let (file, rules, handbill) = (file.to_owned(), rules.clone(), handbill.clone());
    tokio::spawn(async move {
        let post = describe(&file, &rules).await?;
        let created = handbill.posts().create(post.draft).await;
        let created = created.map_err(|problem| problem.to_string())?;
        let addresses = format!("{}\t{}", created.url, created.edit.url.expose());
        Ok((addresses, post.hidden))
    })
}
