//! Folders of Markdown files with front matter, as Hugo and Jekyll have them.

mod described;
mod export;
mod folder;
mod front_matter;
mod hidden;
mod import;

pub(crate) use export::export;
pub(crate) use import::import;
