//! Folders of Markdown files with front matter, as Hugo and Jekyll have them.

mod described;
mod export;
pub(crate) mod folder;
pub(crate) mod front_matter;
mod hidden;
mod import;

pub(crate) use described::{Rules, describe};
pub(crate) use export::export;
pub(crate) use hidden::{Count, Hidden};
pub(crate) use import::import;
