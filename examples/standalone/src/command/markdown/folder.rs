//! The Markdown files below a folder.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::count::{Count, Skipped};

/// No post is as large. A larger file is not read to its end.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What Jekyll, Hugo, Zola, Eleventy, Astro, Obsidian and mdBook call Markdown.
const EXTENSIONS: [&str; 7] = ["md", "markdown", "mkd", "mkdn", "mkdown", "mdown", "mdx"];

/// Folders with what the site is made with: its templates, its packages, and what a generator wrote.
const PARTS: &str = "_data _includes _layouts _plugins _sass _site node_modules";

/// What is below a folder.
#[derive(Default)]
pub(crate) struct Found {
    /// The Markdown files, sorted.
    pub(crate) files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    pub(crate) skipped: Count<Skipped>,
}

/// All Markdown files below a folder. What has a name that begins with a dot is hidden, and ignored. Links are not
/// followed, so nothing outside of the folder is read.
pub(crate) fn files(folder: &Path) -> io::Result<Found> {
    let mut found = Found::default();
    read_folder(folder, &mut found)?;
    while let Some(folder) = found.folders.pop() {
        read_folder(&folder, &mut found)?;
    }
    found.files.sort();
    Ok(found)
}

/// The same of a folder itself, without those below it.
pub(crate) fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Found::default();
    read_folder(folder, &mut found)?;
    Ok(found.files)
}

/// Adds what is in a folder and not hidden.
fn read_folder(folder: &Path, found: &mut Found) -> io::Result<()> {
    // That of a file which was named without one has no name.
    let is_here = folder == Path::new("");
    let place = if is_here { Path::new(".") } else { folder };
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", place.display()));
    for entry in fs::read_dir(place).map_err(named)? {
        let entry = entry.map_err(named)?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let kind = entry.file_type().map_err(named)?;
        let path = folder.join(entry.file_name());
        if kind.is_dir() && PARTS.split(' ').any(|part| entry.file_name() == part) {
            found.skipped.add(Skipped::Part);
        } else if kind.is_dir() {
            found.folders.push(path);
        } else if kind.is_symlink() {
            found.skipped.add(Skipped::Link);
        } else if kind.is_file() && is_markdown(&path) {
            found.files.push(path);
        } else {
            found.skipped.add(Skipped::OtherFile);
        }
    }
    Ok(())
}

/// The path that a page has its name from: that of the file without its extension, or of the folder of an `index.md`.
pub(super) fn page(file: &Path) -> PathBuf {
    let page = match is_markdown(file) {
        true => file.with_extension(""),
        false => file.to_owned(),
    };
    let name = page.file_name().unwrap_or_default().to_ascii_lowercase();
    match page.parent() {
        Some(folder) if name == "index" || name == "readme" => folder.to_owned(),
        _ => page,
    }
}

/// Whether the name of a file ends as that of a Markdown file.
pub(super) fn is_markdown(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    EXTENSIONS
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
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
    String::from_utf8(text).map_err(|error| {
        let is = match error.as_bytes() {
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "in UTF-16, and not in UTF-8: save it in UTF-8",
            _ => "not in UTF-8",
        };
        format!("the file is {is}")
    })
}
