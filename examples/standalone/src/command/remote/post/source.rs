//! The files to publish.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use handbill::PostId;

use super::origin::KnownPost;
use crate::client::ServerUrl;
use crate::command::markdown::front_matter::{self, FrontMatter};
use crate::command::markdown::{Count, Links, Skipped, Target, folder};
use crate::command::remote::session::Stop;

/// A file to publish.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) file: PathBuf,
    /// Whether it was named itself, and not a folder that it is in.
    pub(super) is_named: bool,
    /// Its path in the repository of git, or else its folder's name and its own: the same in every copy of the folder.
    pub(super) name: String,
}

/// All files that were named, and those below the folders that were named. Counts what else is below the folders.
pub(super) fn find(paths: &[PathBuf]) -> Result<(Vec<Source>, Count<Skipped>), Stop> {
    let (mut sources, mut known) = (Vec::new(), BTreeSet::new());
    let mut skipped = Count::default();
    for path in paths {
        let failed = |error: io::Error| Stop::new(format!("{}: {error}", path.display()));
        let is_folder = fs::metadata(path).map_err(failed)?.is_dir();
        let files = if is_folder {
            let found = folder::files(path)?;
            skipped.add_all(&found.skipped);
            found.files
        } else if path.is_symlink() {
            let file = path.display();
            return Err(Stop::new(format!(
                "{file} is a link; name the file that it leads to"
            )));
        } else {
            vec![path.clone()]
        };
        for file in files {
            let whole = file.canonicalize().map_err(failed)?;
            let name = name(&whole);
            if known.insert(whole) {
                sources.push(Source {
                    file,
                    is_named: !is_folder,
                    name,
                });
            }
        }
    }
    Ok((sources, skipped))
}

/// Where links among the files lead: to the posts that they are already.
pub(super) fn links(sources: &[Source], server: &ServerUrl) -> Arc<Links> {
    let targets = sources.iter().map(|source| {
        let front_matter = read(&source.file).unwrap_or_default();
        let post = post_of(&front_matter, server);
        let target = post.map_or(Target::Later, |id| Target::Post(format!("{server}/p/{id}")));
        (source.file.as_path(), front_matter.addresses, target)
    });
    Arc::new(Links::new(targets))
}

fn name(file: &Path) -> String {
    let mut folders = file.ancestors().skip(1);
    let repository = folders.find(|folder| folder.join(".git").exists());
    let folder = repository.or_else(|| file.parent()?.parent());
    let name = folder.and_then(|folder| file.strip_prefix(folder).ok());
    name.unwrap_or(file).to_string_lossy().into_owned()
}

/// Finds files that say that they are the same post, such as copies of a published file. To publish both would replace
/// one text by the other. Returns the place of each of them, with another one.
///
/// Files beside those that were named count as well.
pub(super) fn copies(
    sources: &[Source],
    posts: &BTreeMap<usize, PostId>,
    server: &ServerUrl,
) -> Vec<(usize, PathBuf)> {
    let mut files: BTreeMap<PostId, Vec<PathBuf>> = BTreeMap::new();
    for (at, id) in posts {
        files
            .entry(*id)
            .or_default()
            .push(sources[*at].file.clone());
    }
    for file in files_beside(sources) {
        if let Some(id) = read(&file).and_then(|front_matter| post_of(&front_matter, server)) {
            files.entry(id).or_default().push(file);
        }
    }
    let copies = posts.iter().filter_map(|(at, id)| {
        let other = files[id].iter().find(|other| **other != sources[*at].file);
        Some((*at, other?.clone()))
    });
    copies.collect()
}

/// The Markdown files in the same folders that are not published.
fn files_beside(sources: &[Source]) -> Vec<PathBuf> {
    let published: BTreeSet<_> = sources.iter().map(|source| &source.file).collect();
    let folders: BTreeSet<_> = published.iter().filter_map(|file| file.parent()).collect();
    let files = folders
        .into_iter()
        .filter_map(|folder| folder::files_in(folder).ok());
    let files = files.flatten().filter(|file| !published.contains(file));
    files.collect()
}

/// The front matter of a file, if it can be read.
pub(super) fn read(file: &Path) -> Option<FrontMatter> {
    let text = folder::read(file).ok()?;
    let (front_matter, _) = front_matter::split(&text).ok()?;
    Some(front_matter)
}

/// The post of this server that a file with this front matter is.
pub(super) fn post_of(front_matter: &FrontMatter, server: &ServerUrl) -> Option<PostId> {
    let post = KnownPost::find(&front_matter.origin, server);
    post.ok()?.map(|post| post.id)
}
