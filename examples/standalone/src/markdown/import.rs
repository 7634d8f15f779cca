use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use handbill::{Draft, Handbill, Visibility};
use handbill_example_shared::stop_signal;
use tokio::task::{JoinHandle, spawn_blocking};

use super::folder;
use super::front_matter;
use crate::STOPPED;
use crate::command::Import;
use crate::dates;
use crate::progress::ProgressLine;

/// Posts that are created at the same time, so that stores commit them together.
const AT_ONCE: usize = 64;

/// Creates a post for each Markdown file of the folder, if none of them is faulty, and prints a table of file, url
/// and edit address. A signal stops it between two lots of posts, so that the table has all that were created.
pub(crate) async fn import(import: &Import, handbill: &Handbill) -> Result<(), Box<dyn Error>> {
    let mut signal = tokio::spawn(stop_signal()?);
    let files = tokio::select! {
        files = faultless_files(import, handbill) => files?,
        _ = &mut signal => return Err(STOPPED.into()),
    };
    if import.dry_run {
        eprintln!("{} posts would be created", files.len());
        return Ok(());
    }
    let progress = ProgressLine::new();
    let mut created = 0;
    for lot in files.chunks(AT_ONCE) {
        let outcome = match signal.is_finished() {
            true => Err(STOPPED.into()),
            false => create_lot(lot, import, handbill, &mut created).await,
        };
        outcome.map_err(|error| format!("{error}; {created} posts were created"))?;
        progress.show(|| format!("created {created} of {} posts", files.len()));
    }
    drop(progress);
    eprintln!("created {created} posts");
    Ok(())
}

/// Creates a post for each of the files, prints and counts those that were created, and returns the first error.
async fn create_lot(
    files: &[PathBuf],
    import: &Import,
    handbill: &Handbill,
    created: &mut usize,
) -> Result<(), String> {
    let tasks: Vec<_> = files
        .iter()
        .map(|file| create(file, import, handbill))
        .collect();
    let mut outcome = Ok(());
    for (file, task) in files.iter().zip(tasks) {
        let this = match task.await {
            Ok(Ok(addresses)) => {
                *created += 1;
                let printed = writeln!(io::stdout(), "{}\t{addresses}", cell(file));
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
    import: &Import,
    handbill: &Handbill,
) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let folder = import.from.clone();
    let files = spawn_blocking(move || folder::files(&folder)).await??;
    check(&files, import, handbill).await?;
    Ok(files)
}

/// Names all faulty files.
async fn check(
    files: &[PathBuf],
    import: &Import,
    handbill: &Handbill,
) -> Result<(), Box<dyn Error>> {
    let progress = ProgressLine::new();
    let mut faulty = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let checked = match draft(file, import).await {
            Ok(draft) => {
                let checked = handbill.posts().check(draft).await;
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
        return Ok(());
    }
    for fault in &faulty {
        eprintln!("{fault}");
    }
    Err(format!("faulty files: {}; nothing was created", faulty.len()).into())
}

/// Starts to create the post of a file. Returns its addresses.
fn create(file: &Path, import: &Import, handbill: &Handbill) -> JoinHandle<Result<String, String>> {
    let (file, import, handbill) = (file.to_owned(), import.clone(), handbill.clone());
    tokio::spawn(async move {
        let draft = draft(&file, &import).await?;
        let created = handbill.posts().create(draft).await;
        let created = created.map_err(|problem| problem.to_string())?;
        Ok(format!("{}\t{}", created.url, created.edit.url.expose()))
    })
}

async fn draft(file: &Path, import: &Import) -> Result<Draft, String> {
    let (path, import) = (file.to_owned(), import.clone());
    let draft = spawn_blocking(move || parse(&path, &folder::read(&path)?, &import)).await;
    draft.map_err(|error| error.to_string())?
}

fn parse(file: &Path, text: &str, import: &Import) -> Result<Draft, String> {
    let (front_matter, body) = front_matter::split(text)?;
    let visibility = match front_matter.draft {
        true => Visibility::Draft,
        false => Visibility::Public,
    };
    let mut draft = Draft::new()
        .body(body)
        .tags(front_matter.tags)
        .visibility(import.visibility.unwrap_or(visibility));
    if let Some(title) = front_matter.title {
        draft = draft.title(title);
    }
    if let Some(author) = front_matter.author {
        draft = draft.author(author);
    }
    if let Some(language) = front_matter.language {
        draft = draft.language(language);
    }
    if let Some(owner) = &import.owner {
        draft = draft.owner(owner.clone());
    }
    if let Some(date) = front_matter.date.or_else(|| date_of_name(file)) {
        draft = draft.created_at(date);
    }
    if let Some(lastmod) = front_matter.lastmod {
        draft = draft.updated_at(lastmod);
    }
    Ok(draft)
}

/// The date of a file that Jekyll would name `2024-01-02-hello.md`.
fn date_of_name(file: &Path) -> Option<handbill::Timestamp> {
    let name = file.file_stem()?.to_str()?;
    let (date, rest) = name.split_at_checked(10)?;
    rest.starts_with('-').then(|| dates::parse(date).ok())?
}

/// A file's name in a table.
fn cell(file: &Path) -> String {
    let name = file.to_string_lossy();
    name.replace(|letter: char| letter.is_control(), "\u{FFFD}")
}
