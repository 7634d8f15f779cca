//! The Markdown files below a folder.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// No post is as large. A larger file is not read to its end.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// All files below a folder whose names end in `.md`, sorted. What has a name that begins with a dot is hidden, and
/// ignored. Links are not followed, so nothing outside of the folder is read.
pub(crate) fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        let found = read_folder(&folder)?;
        files.extend(found.files);
        folders.extend(found.folders);
    }
    files.sort();
    Ok(files)
}

/// The same of a folder itself, without those below it.
pub(crate) fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    // The folder of a file that was named without one.
    let is_here = folder == Path::new("");
    let files = read_folder(if is_here { Path::new(".") } else { folder })?.files;
    let files = files.into_iter().map(|file| match file.strip_prefix(".") {
        Ok(name) if is_here => name.to_owned(),
        _ => file,
    });
    Ok(files.collect())
}

/// What is in a folder and not hidden.
#[derive(Default)]
struct Found {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

fn read_folder(folder: &Path) -> io::Result<Found> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
    let mut found = Found::default();
    for entry in fs::read_dir(folder).map_err(named)? {
        let entry = entry.map_err(named)?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let kind = entry.file_type().map_err(named)?;
        let path = entry.path();
        if kind.is_dir() {
            found.folders.push(path);
        } else if kind.is_file() && is_markdown(&path) {
            found.files.push(path);
        }
    }
    Ok(found)
}

/// Whether a file is below a folder `_drafts`, wherever the import begins.
pub(super) fn is_below_drafts(file: &Path) -> io::Result<bool> {
    let file = file.canonicalize()?;
    let names = file.ancestors().skip(1).filter_map(Path::file_name);
    Ok(names
        .into_iter()
        .any(|name| name.eq_ignore_ascii_case("_drafts")))
}

fn is_markdown(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// The text of a file.
pub(crate) fn read(file: &Path) -> Result<String, String> {
    let mut text = Vec::new();
    File::open(file)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut text))
        .map_err(|error| error.to_string())?;
    if text.len() as u64 > MAX_BYTES {
        return Err("the file is too large for a post".to_owned());
    }
    String::from_utf8(text).map_err(|_| "the file is not in UTF-8".to_owned())
}
