//! Which file of a folder a link in another one leads to.

use std::collections::{BTreeSet, HashMap};
use std::path::{Component, Path};

use percent_encoding::percent_decode_str;

use super::folder;

/// What a link within a site leads to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    /// The post with this address.
    Post(String),
    /// A file whose post has no address yet.
    Later,
    Nowhere,
}

/// The files that links may lead to. A generator has its own addresses for them: their paths, with or without the
/// extension, the folder of an `index.md`, and a name without its date. So a link finds the one file whose path ends
/// as the link says.
pub(crate) struct Links {
    /// Files by each end of their names. `None` where several have the same.
    ends: HashMap<String, Option<usize>>,
    targets: Vec<Target>,
}

impl Links {
    pub(crate) fn new<'a>(files: impl IntoIterator<Item = (&'a Path, Target)>) -> Self {
        let mut links = Self {
            ends: HashMap::new(),
            targets: Vec::new(),
        };
        for (file, target) in files {
            links.add(file);
            links.targets.push(target);
        }
        links
    }

    fn add(&mut self, file: &Path) {
        let place = self.targets.len();
        for name in names(file) {
            let ends = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
            for end in ends {
                let other = self.ends.entry(end.to_owned()).or_insert(Some(place));
                if *other != Some(place) {
                    *other = None;
                }
            }
        }
    }

    /// The target of a link within the site, as it is written in a file, without its fragment.
    pub(crate) fn find(&self, link: &str, from: &Path) -> &Target {
        let place = self.place(link, from);
        place.map_or(&Target::Nowhere, |place| &self.targets[place])
    }

    fn place(&self, link: &str, from: &Path) -> Option<usize> {
        let link = percent_decode_str(link).decode_utf8_lossy();
        // The name of a note may have a question mark, and an address a query.
        let without_query = link.split('?').next().unwrap_or_default();
        let place = self.place_of(&link, from);
        place.or_else(|| self.place_of(without_query, from))
    }

    fn place_of(&self, path: &str, from: &Path) -> Option<usize> {
        // Zola begins at the root like this.
        let path = path.strip_prefix('@').unwrap_or(path);
        let get = |name: &str| {
            self.ends
                .get(name.trim_start_matches('/'))
                .copied()
                .flatten()
        };
        if !path.starts_with('/') {
            let from = std::path::absolute(from).ok()?;
            // The address of a page may be that of a folder.
            let below = [
                from.parent()?.join(path),
                from.with_extension("").join(path),
            ];
            let found = below.iter().find_map(|path| get(&key(path)));
            if found.is_some() {
                return found;
            }
        }
        let path = key(Path::new(path));
        get(&path).or_else(|| get(dated(&path)?))
    }
}

/// All names of a file: paths from the root on.
fn names(file: &Path) -> BTreeSet<String> {
    let Ok(file) = std::path::absolute(file) else {
        return BTreeSet::new();
    };
    let page = folder::page(&file);
    let mut names = BTreeSet::from([key(&file), key(&file.with_extension("")), key(&page)]);
    let folder = page.parent().unwrap_or(&page);
    let name = page.file_name().unwrap_or_default().to_string_lossy();
    // Jekyll's 2024-01-02-name is at …/2024/01/02/name.
    let mut parts = name.splitn(4, '-');
    let parts = [parts.next(), parts.next(), parts.next(), parts.next()];
    if let [Some(year), Some(month), Some(day), Some(name)] = parts
        && [year, month, day]
            .iter()
            .all(|part| part.parse::<u16>().is_ok())
    {
        names.insert(key(&folder.join(name)));
        names.insert(key(
            &folder.join(format!("{year}/{month:0>2}/{day:0>2}/{name}"))
        ));
    }
    names
}

/// A path in lowercase, without `.` and `..`, and without what the addresses of pages end in.
fn key(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_string_lossy().to_lowercase()),
            Component::ParentDir if parts.pop().is_none() => parts.push("..".to_owned()),
            _ => {}
        }
    }
    let name = format!("/{}", parts.join("/"));
    let name = name.strip_suffix("/index.html").unwrap_or(&name);
    name.strip_suffix(".html").unwrap_or(name).to_owned()
}

/// The part of an address from its date on. The categories of a post may stand before it.
fn dated(path: &str) -> Option<&str> {
    let is_date = |path: &&str| {
        let numbers = path.splitn(4, '/').take(3);
        numbers
            .filter(|number| number.parse::<u16>().is_ok())
            .count()
            == 3
    };
    let mut ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    ends.find(is_date)
}
