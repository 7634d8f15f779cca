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

/// Where files are in a list. `None` where several have the same name.
type Places = HashMap<String, Option<usize>>;

/// The files that links may lead to. A generator has its own addresses for them: those that they state, their paths,
/// with or without the extension, the folder of an `index.md`, and a name without its date. So a link finds the file
/// that states its address, or else the one whose path ends as the link says.
#[derive(Default)]
pub(crate) struct Links {
    /// Files by each end of their names.
    ends: Places,
    /// Files by the addresses that they state.
    stated: Places,
    targets: Vec<Target>,
}

impl Links {
    pub(crate) fn new<'a>(
        files: impl IntoIterator<Item = (&'a Path, Vec<String>, Target)>,
    ) -> Self {
        let mut links = Self::default();
        for (file, addresses, target) in files {
            links.add(file, &addresses);
            links.targets.push(target);
        }
        links
    }

    fn add(&mut self, file: &Path, addresses: &[String]) {
        let place = self.targets.len();
        for name in names(file) {
            insert_ends(&mut self.ends, &name, place);
        }
        for address in addresses {
            insert(&mut self.stated, &key(Path::new(address))[1..], place);
            // The last part of the address that the page would have otherwise.
            if !address.contains('/')
                && let Ok(file) = std::path::absolute(file)
            {
                let name = folder::page(&file).with_file_name(address);
                insert_ends(&mut self.stated, &key(&name), place);
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
        self.place_of(&link, from)
            .or_else(|| self.place_of(without_query, from))
    }

    fn place_of(&self, path: &str, from: &Path) -> Option<usize> {
        // Zola begins at the root like this.
        let path = path.strip_prefix('@').unwrap_or(path);
        let get = |places: &Places, name: &str| {
            let name = name.trim_start_matches('/');
            places.get(name).copied().flatten()
        };
        if !path.starts_with('/') {
            let from = std::path::absolute(from).ok()?;
            // The address of a page may be that of a folder.
            for folder in [from.parent()?, &from.with_extension("")] {
                let path = key(&folder.join(path));
                let found = get(&self.ends, &path).or_else(|| get(&self.stated, &path));
                if found.is_some() {
                    return found;
                }
            }
        }
        let mut places = [&self.ends, &self.stated];
        if path.starts_with('/') {
            places.reverse();
        }
        let path = key(Path::new(path));
        let found = places.into_iter().find_map(|places| get(places, &path));
        found.or_else(|| get(&self.ends, dated(&path)?))
    }
}

fn insert(places: &mut Places, name: &str, place: usize) {
    let other = places.entry(name.to_owned()).or_insert(Some(place));
    if *other != Some(place) {
        *other = None;
    }
}

/// Inserts each end of a path.
fn insert_ends(places: &mut Places, path: &str, place: usize) {
    for (at, _) in path.match_indices('/') {
        insert(places, &path[at + 1..], place);
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
    let is_number = |part: &&str| part.parse::<u16>().is_ok();
    if let [year, month, day, name] = *name.splitn(4, '-').collect::<Vec<_>>()
        && [year, month, day].iter().all(is_number)
    {
        let dated = format!("{year}/{month:0>2}/{day:0>2}/{name}");
        names.extend([key(&folder.join(name)), key(&folder.join(dated))]);
    }
    names
}

/// A path in lowercase, without `.` and `..`, without what the addresses of pages end in, and without the `_` that the
/// folder of a collection of Jekyll begins with.
fn key(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => {
                let name = name.to_string_lossy().to_lowercase();
                parts.push(name.strip_prefix('_').unwrap_or(&name).to_owned());
            }
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
    let is_number = |part: &&str| part.parse::<u16>().is_ok();
    let is_date = |path: &&str| path.split('/').take(3).filter(is_number).count() == 3;
    let mut ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    ends.find(is_date)
}

/// The date in an address, with hyphens.
pub(super) fn date(address: &str) -> Option<String> {
    let address = key(Path::new(address));
    let date: Vec<_> = dated(&address)?.splitn(4, '/').take(3).collect();
    Some(date.join("-"))
}
