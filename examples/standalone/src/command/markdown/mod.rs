//! Folders of Markdown files with front matter, as Hugo and Jekyll have them.

mod body;
mod count;
mod described;
mod export;
pub(crate) mod folder;
pub(crate) mod front_matter;
mod hidden;
mod import;
mod links;
mod marks;

pub(crate) use count::{Count, Skipped, Summary};
pub(crate) use described::{DescribedPost, NoPost, Rules, describe, title_by_name};
pub(crate) use export::export;
pub(crate) use import::import;
pub(crate) use links::{Links, Target};
