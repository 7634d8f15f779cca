use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use handbill::{Draft, Handbill, Visibility};
use handbill_example_shared::stop_signal;
use jiff::Timestamp;
use tokio::task::{JoinHandle, spawn_blocking};

use super::folder;
use super::front_matter::{self, FrontMatter};
use super::hidden::{Count, Hidden};
use crate::STOPPED;
use crate::command::Import;
use crate::command::dates;
use crate::command::progress::ProgressLine;
use crate::terminal::printable;

/// Posts that are created at the same time, so that stores commit them together.
const AT_ONCE: usize = 64;

/// What all posts of an import share.
#[derive(Clone)]
struct Source {
    import: Import,
    /// When the import began. What is later is in the future.
    now: Timestamp,
}

/// A post as a file describes it.
struct Described {
    draft: Draft,
    /// Why it is a draft, if neither the command nor the service says so.
    hidden: Option<Hidden>,
}

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
    let source = Source {
        import: import.clone(),
        now: Timestamp::now(),
    };
    let (files, hidden) = tokio::select! {
        checked = faultless_files(&source, handbill) => checked?,
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
            false => create_lot(lot, &source, handbill, &mut created).await,
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
    source: &Source,
    handbill: &Handbill,
    created: &mut Created,
) -> Result<(), String> {
    let tasks: Vec<_> = files
        .iter()
        .map(|file| create(file, source, handbill))
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
    source: &Source,
    handbill: &Handbill,
) -> Result<(Vec<PathBuf>, Count), Box<dyn Error>> {
    let folder = source.import.from.clone();
    let files = spawn_blocking(move || folder::files(&folder)).await??;
    let hidden = check(&files, source, handbill).await?;
    Ok((files, hidden))
}

/// Names all faulty files, or counts those that would become drafts.
async fn check(
    files: &[PathBuf],
    source: &Source,
    handbill: &Handbill,
) -> Result<Count, Box<dyn Error>> {
    let progress = ProgressLine::new();
    let (mut faulty, mut hidden) = (Vec::new(), Count::default());
    for (number, file) in files.iter().enumerate() {
        let checked = match describe(file, source).await {
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
    source: &Source,
    handbill: &Handbill,
) -> JoinHandle<Result<(String, Option<Hidden>), String>> {
    let (file, source, handbill) = (file.to_owned(), source.clone(), handbill.clone());
    tokio::spawn(async move {
        let post = describe(&file, &source).await?;
        let created = handbill.posts().create(post.draft).await;
        let created = created.map_err(|problem| problem.to_string())?;
        let addresses = format!("{}\t{}", created.url, created.edit.url.expose());
        Ok((addresses, post.hidden))
    })
}

async fn describe(file: &Path, source: &Source) -> Result<Described, String> {
    let (path, source) = (file.to_owned(), source.clone());
    let described = spawn_blocking(move || {
        let text = folder::read(&path)?;
        let is_below_drafts = folder::is_below_drafts(&path).map_err(|error| error.to_string())?;
        let (front_matter, body) = front_matter::split(&text)?;
        let date = front_matter.date.or_else(|| date_of_name(&path));
        let hidden = Hidden::find(&front_matter, date, is_below_drafts, source.now);
        Ok(Described {
            draft: draft(front_matter, body, date, hidden, &source)?,
            // The command says that all posts are drafts.
            hidden: hidden.filter(|_| source.import.visibility != Some(Visibility::Draft)),
        })
    });
    described.await.map_err(|error| error.to_string())?
}

/// What a site generator hides becomes a draft, whatever the command says. Times in the future are left out, so
/// that no post is above later ones.
fn draft(
    front_matter: FrontMatter,
    body: &str,
    date: Option<Timestamp>,
    hidden: Option<Hidden>,
    source: &Source,
) -> Result<Draft, String> {
    let visibility = match hidden {
        Some(_) => Visibility::Draft,
        None => source.import.visibility.unwrap_or(Visibility::Public),
    };
    let mut draft = Draft::new()
        .body(body)
        .tags(front_matter.tags)
        .visibility(visibility);
    for (field, text) in front_matter.texts {
        draft = draft.text(field, text);
    }
    if let Some(owner) = &source.import.owner {
        draft = draft.owner(owner.clone());
    }
    let past = |name: &str, time: Option<Timestamp>| {
        let time = time.filter(|time| *time <= source.now);
        let time = time.map(dates::timestamp).transpose();
        time.map_err(|error| format!("{name}: {error}"))
    };
    if let Some(date) = past("date", date)? {
        draft = draft.created_at(date);
    }
    if let Some(lastmod) = past("lastmod", front_matter.lastmod)? {
        draft = draft.updated_at(lastmod);
    }
    Ok(draft)
}

/// The date of a file that Jekyll would name `2024-01-02-hello.md`.
fn date_of_name(file: &Path) -> Option<Timestamp> {
    let name = file.file_stem()?.to_str()?;
    let (date, rest) = name.split_at_checked(10)?;
    rest.starts_with('-').then(|| dates::instant(date).ok())?
}
