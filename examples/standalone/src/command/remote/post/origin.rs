//! Which post a file is: the lines `handbill_…` of its front matter.

use std::fs::{self, Permissions};
use std::path::Path;

use handbill::PostId;

use crate::client::{ETag, ServerUrl};
use crate::command::files::{self, Readers};
use crate::command::markdown::folder;
use crate::command::markdown::front_matter::{self, Origin};

/// The post of this server that a file is, and in which state the file was published or read.
#[derive(Debug)]
pub(super) struct KnownPost {
    pub(super) id: PostId,
    pub(super) etag: Option<ETag>,
    pub(super) hash: Option<String>,
}

impl KnownPost {
    /// The post of a file, if it has one. Refuses a post of another server, or lines that are not complete: then
    /// nothing may be sent.
    pub(super) fn find(origin: &Origin, server: &ServerUrl) -> Result<Option<Self>, String> {
        let Some(theirs) = &origin.server else {
            return match origin.id {
                None => Ok(None),
                Some(_) => Err("it has handbill_id, but no handbill_server".to_owned()),
            };
        };
        let theirs = theirs.parse::<ServerUrl>();
        let theirs = theirs.map_err(|reason| format!("handbill_server: {reason}"))?;
        if theirs != *server {
            return Err(format!(
                "it is a post of {theirs}, not of {server}: name that server, or remove its lines handbill_… to publish it \
                 here as a new post (if the server has moved, write its new address into handbill_server)"
            ));
        }
        let Some(id) = &origin.id else {
            return Ok(None);
        };
        let id = id
            .parse()
            .map_err(|_| "handbill_id: expected the id of a post")?;
        let faulty = || "handbill_etag: expected an entity tag without its quotes";
        let etag = origin.etag.as_deref();
        let etag = etag.map(|etag| ETag::parse(etag).ok_or_else(faulty));
        Ok(Some(Self {
            id,
            etag: etag.transpose()?,
            hash: origin.hash.clone(),
        }))
    }
}

/// What the front matter of a file says that is in this state.
pub(in crate::command::remote) fn of_post(
    server: &ServerUrl,
    id: PostId,
    etag: &ETag,
    hash: String,
) -> Origin {
    Origin {
        server: Some(server.to_string()),
        id: Some(id.to_string()),
        etag: Some(etag.as_str().to_owned()),
        hash: Some(hash),
    }
}

/// Checks that a file can be given its lines later, before it is published.
pub(super) fn check_writable(file: &Path, origin: &Origin) -> Result<(), String> {
    check_permissions(file)?;
    front_matter::with_origin(&folder::read(file)?, origin).map(|_| ())
}

/// Writes into a file which post it is. The file is read again, so what was changed in it meanwhile stays.
pub(super) fn write(file: &Path, origin: &Origin) -> Result<(), String> {
    let text = folder::read(file)?;
    let edited = front_matter::with_origin(&text, origin)?;
    if edited == text {
        return Ok(());
    }
    let permissions = check_permissions(file)?;
    let written = files::replace(file, &edited, &Readers::Same(permissions));
    written.map_err(|error| error.to_string())
}

fn check_permissions(file: &Path) -> Result<Permissions, String> {
    let metadata = fs::symlink_metadata(file).map_err(|error| error.to_string())?;
    let permissions = metadata.permissions();
    if permissions.readonly() {
        return Err("the file is read-only, and which post it is must be written into it".into());
    }
    Ok(permissions)
}
