use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::join_all;
use handbill::{Handbill, PostId};
use handbill_example_shared::stop_signal;
use jiff::Timestamp;
use tokio::task::{JoinHandle, spawn_blocking};

use super::count::{Skipped, Summary};
use super::described::{DescribedPost, NoPost, Rules, describe};
use super::folder;
use super::links::{Links, Target};
use crate::STOPPED;
use crate::command::Import;
use crate::command::progress::ProgressLine;
use crate::terminal::printable;

/// Posts that are created at the same time, so that stores commit them together.
const AT_ONCE: usize = 64;

/// A file, and the post that it becomes. The identifiers are made beforehand, so that each post is created with links
/// that lead to the others.
struct Planned {
    file: PathBuf,
    /// Its addresses in the old site, once it has been read.
    addresses: Vec<String>,
    id: PostId,
}

/// A folder that is imported.
struct Folder<'a> {
    planned: Vec<Planned>,
    /// Markdown files that become no posts.
    skipped: Vec<(PathBuf, Skipped)>,
    links: Arc<Links>,
    rules: Rules,
    summary: Summary,
    /// How many posts were created.
    created: usize,
    handbill: &'a Handbill,
}

/// Creates a post for each Markdown file of the folder, if none of them is faulty or the faulty ones are to be skipped,
/// and prints a table of file, url and edit address. A signal stops it between two lots of posts, so that the table has
/// all that were created.
pub(crate) async fn import(
    import: &Import,
    base_url: Option<&str>,
    handbill: &Handbill,
) -> Result<(), Box<dyn Error>> {
    let mut signal = tokio::spawn(stop_signal()?);
    let checked = async {
        let mut folder = Folder::check(import, handbill).await?;
        if import.dry_run {
            folder.show().await?;
        }
        Ok::<_, Box<dyn Error>>(folder)
    };
    let mut folder = tokio::select! {
        folder = checked => folder?,
        _ = &mut signal => return Err(STOPPED.into()),
    };
    if import.dry_run {
        let rest = folder.summary.sentence("would become");
        eprintln!("{} posts would be created{rest}", folder.planned.len());
        return Ok(());
    }
    let outcome = folder.create(&signal).await;
    let (created, rest) = (folder.created, folder.summary.sentence("became"));
    outcome.map_err(|error| {
        let hint = "delete them before you import the folder again";
        format!("{error}; {created} posts were created{rest}; {hint}")
    })?;
    let links = folder.summary.links;
    if base_url.is_none() && links > 0 {
        eprintln!(
            "{links} links between posts begin with the address of this machine, since there is no --base-url"
        );
    }
    eprintln!("created {created} posts{rest}");
    Ok(())
}

impl<'a> Folder<'a> {
    /// Reads all files and checks them. Names those that are faulty.
    async fn check(import: &Import, handbill: &'a Handbill) -> Result<Self, Box<dyn Error>> {
        let from = import.from.clone();
        let found = spawn_blocking(move || folder::files(&from)).await??;
        let planned = found.files.into_iter().map(|file| Planned {
            file,
            addresses: Vec::new(),
            id: PostId::generate(),
        });
        let planned: Vec<_> = planned.collect();
        let mut folder = Self {
            links: links(&planned, handbill),
            planned: Vec::new(),
            skipped: Vec::new(),
            rules: Rules {
                visibility: import.visibility,
                owner: import.owner.clone().and_then(|owner| owner.0),
                publishes: None,
                expires: None,
                now: Timestamp::now(),
            },
            summary: Summary {
                skipped: found.skipped,
                ..Summary::default()
            },
            created: 0,
            handbill,
        };
        let progress = ProgressLine::new();
        let (total, mut faulty) = (planned.len(), Vec::new());
        for (number, mut planned) in planned.into_iter().enumerate() {
            let file = printable(planned.file.display());
            match folder.check_file(&mut planned).await {
                Ok(()) => folder.planned.push(planned),
                Err(NoPost::Skipped(reason)) => {
                    folder.summary.skipped.add(reason);
                    folder.skipped.push((planned.file, reason));
                }
                Err(NoPost::Faulty(fault)) => faulty.push(format!("{file}: {}", printable(fault))),
            }
            progress.show(|| format!("checked {} of {total} files", number + 1));
        }
        drop(progress);
        for fault in &faulty {
            eprintln!("{fault}");
        }
        let faulty = faulty.len();
        if faulty > 0 && !import.skip_faulty {
            return Err(format!("faulty files: {faulty}; nothing was created").into());
        }
        folder.summary.skipped.add_times(Skipped::Faulty, faulty);
        // Those that are left out have no posts that links could lead to.
        folder.links = links(&folder.planned, handbill);
        Ok(folder)
    }

    async fn check_file(&self, planned: &mut Planned) -> Result<(), NoPost> {
        let post = describe(&planned.file, &self.rules, &self.links).await?;
        let checked = self.handbill.posts().check(post.draft).await;
        checked.map_err(|problem| problem.detail().to_owned())?;
        planned.addresses = post.front_matter.addresses;
        Ok(())
    }

    /// Prints what would become of each file.
    async fn show(&mut self) -> Result<(), Box<dyn Error>> {
        let mut stdout = BufWriter::new(io::stdout());
        for planned in &self.planned {
            let post = describe_post(&planned.file, &self.rules, &self.links).await?;
            let file = printable(planned.file.display());
            writeln!(stdout, "{file}\t{}", post.columns())?;
            self.summary.add(&post);
        }
        for (file, reason) in &self.skipped {
            writeln!(stdout, "{}\tleft out\t{reason}", printable(file.display()))?;
        }
        Ok(stdout.flush()?)
    }

    /// Creates the posts, and counts them, also if it fails.
    async fn create(&mut self, signal: &JoinHandle<()>) -> Result<(), String> {
        let (planned, progress) = (std::mem::take(&mut self.planned), ProgressLine::new());
        for lot in planned.chunks(AT_ONCE) {
            if signal.is_finished() {
                return Err(STOPPED.to_owned());
            }
            self.create_lot(lot).await?;
            progress.show(|| format!("created {} of {} posts", self.created, planned.len()));
        }
        Ok(())
    }

    /// Creates a post for each of the files, prints and counts those that were created, and returns the first error.
    async fn create_lot(&mut self, lot: &[Planned]) -> Result<(), String> {
        let created = join_all(lot.iter().map(|planned| self.create_one(planned))).await;
        let mut outcome = Ok(());
        for (planned, created) in lot.iter().zip(created) {
            let file = planned.file.display();
            let this = match created {
                Ok((addresses, post)) => {
                    self.created += 1;
                    self.summary.add(&post);
                    let printed = writeln!(io::stdout(), "{}\t{addresses}", printable(file));
                    printed.map_err(|error| format!("the table: {error}"))
                }
                Err(error) => Err(format!("{file}: {error}")),
            };
            outcome = outcome.and(this);
        }
        outcome
    }

    /// Creates the post of a file. Returns its addresses, and the post as it was described.
    async fn create_one(&self, planned: &Planned) -> Result<(String, DescribedPost), String> {
        let mut post = describe_post(&planned.file, &self.rules, &self.links).await?;
        let draft = std::mem::take(&mut post.draft).id(planned.id);
        let created = self.handbill.posts().create(draft).await;
        let created = created.map_err(|problem| problem.to_string())?;
        let addresses = format!("{}\t{}", created.url, created.edit.url.expose());
        Ok((addresses, post))
    }
}

/// The addresses that the posts of these files will have.
fn links(planned: &[Planned], handbill: &Handbill) -> Arc<Links> {
    let targets = planned.iter().map(|planned| {
        let target = Target::Post(handbill.posts().url(planned.id));
        (planned.file.as_path(), planned.addresses.clone(), target)
    });
    Arc::new(Links::new(targets))
}

/// Reads a file that was a post before.
async fn describe_post(
    file: &Path,
    rules: &Rules,
    links: &Arc<Links>,
) -> Result<DescribedPost, String> {
    let described = describe(file, rules, links).await;
    described.map_err(|reason| match reason {
        NoPost::Skipped(_) => "the file changed meanwhile".to_owned(),
        NoPost::Faulty(fault) => fault,
    })
}
