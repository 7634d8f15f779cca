//! `handbill export` and `import`: archives from the command line.

use std::error::Error;
use std::io;
use std::path::Path;

use handbill::Handbill;
use handbill::archive::{Progress, Step};
use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncWriteExt};

use crate::command::Import;
use crate::command::files::{self, Readers};
use crate::command::progress::ProgressLine;

pub(crate) async fn export(file: &Path, handbill: &Handbill) -> Result<(), Box<dyn Error>> {
    let progress = ProgressLine::new();
    let archive = handbill.archive().with_progress(show(&progress));
    let named = |error| format!("{}: {error}", file.display());
    // Pipes and devices have no place beside them.
    let is_special = file.metadata().is_ok_and(|file| !file.is_file());
    let exported = if file == Path::new("-") {
        archive.export(&mut tokio::io::stdout()).await?
    } else if is_special {
        let mut sink = File::create(file).await.map_err(named)?;
        archive.export(&mut sink).await?
    } else {
        // A link still leads to the file.
        let name = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let unfinished = files::beside(&name, &Readers::User).map_err(named)?;
        let mut sink = File::from_std(unfinished.reopen()?);
        let exported = archive.export(&mut sink).await?;
        sink.sync_all().await?;
        unfinished.persist(&name).map_err(io::Error::from)?;
        exported
    };
    drop(archive);
    drop(progress);
    let (posts, keys, bans) = (exported.posts, exported.keys, exported.bans);
    let tombstones = format!("{} tombstones of deleted posts", exported.tombstones);
    eprintln!("exported {posts} posts, {tombstones}, {keys} keys, {bans} bans");
    Ok(())
}

pub(crate) async fn import(import: &Import, handbill: &Handbill) -> Result<(), Box<dyn Error>> {
    if import.owner.is_some() || import.visibility.is_some() {
        return Err("--owner and --visibility are for folders; an archive has its own".into());
    }
    if import.skip_faulty {
        return Err(
            "--skip-faulty is for folders; an archive is imported whole or not at all".into(),
        );
    }
    let file = open(&import.from).await?.into_std().await;
    let progress = ProgressLine::new();
    let archive = handbill.archive().with_progress(show(&progress));
    let imported = match import.dry_run {
        true => archive.dry_run(file).await?,
        false => archive.import(file).await?,
    };
    drop(archive);
    drop(progress);
    let inserted = match import.dry_run {
        true => "would be inserted",
        false => "inserted",
    };
    let kinds = [
        ("posts", imported.posts),
        ("tombstones", imported.tombstones),
        ("keys", imported.keys),
        ("bans", imported.bans),
    ];
    let counts = kinds.map(|(kind, count)| {
        let (new, skipped) = (count.inserted, count.skipped);
        format!("{kind}: {new} {inserted}, {skipped} skipped as they exist")
    });
    eprintln!("{}", counts.join("\n"));
    Ok(())
}

/// The archive as a file that can be read twice. What comes through a pipe is stored in a temporary file, which
/// only its user can read and which disappears with the program.
async fn open(from: &Path) -> Result<File, Box<dyn Error>> {
    if from == Path::new("-") {
        return stored(tokio::io::stdin()).await;
    }
    let file = File::open(from).await;
    let file = file.map_err(|error| format!("{}: {error}", from.display()))?;
    match file.metadata().await?.is_file() {
        true => Ok(file),
        false => stored(file).await,
    }
}

async fn stored(mut archive: impl AsyncRead + Unpin) -> Result<File, Box<dyn Error>> {
    let mut file = File::from_std(tempfile::tempfile()?);
    tokio::io::copy(&mut archive, &mut file).await?;
    file.flush().await?;
    Ok(file)
}

fn show(line: &ProgressLine) -> impl Fn(Progress) + Send + Sync {
    |progress| {
        line.show(|| {
            let doing = match progress.step {
                Step::Export => "exported",
                Step::Check => "checked",
                Step::Import => "imported",
                _ => "done",
            };
            match progress.total {
                None => format!("{doing} {}", progress.done),
                Some(total) => format!("{doing} {} of {total}", progress.done),
            }
        });
    }
}
