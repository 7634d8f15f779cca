//! The folder `.handbill` beside a Markdown file, with what must not be in the file itself: edit tokens, and creations
//! that have begun.
//!
//! Its files are for their user alone (mode 0600). It has a `.gitignore` that ignores all of it, and commands that walk
//! folders skip it, since its name begins with a dot.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use handbill::{EditToken, PostId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::client::{Created, ServerUrl};
use crate::command::files::{self, Readers};

const FOLDER: &str = ".handbill";

/// The folder beside a file. It may not exist yet.
pub(super) struct Beside {
    folder: PathBuf,
    /// The file with the creation that has begun.
    pub(super) pending: PathBuf,
}

/// The edit token of a post, which is a secret.
#[derive(Serialize, Deserialize)]
struct Token {
    server: String,
    edit_token: String,
}

/// A creation, stored before it is sent. A retry after a crash or another failure gets the same post.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Pending {
    pub(super) server: String,
    /// The hash of the API key. With another key, the server would create another post.
    pub(super) api_key: String,
    /// The name of the file below the folder that is published.
    pub(super) name: String,
    /// How many posts that this file was before were deleted.
    pub(super) attempt: u32,
    /// The body of the request. It may differ from the file by now.
    pub(super) post: String,
}

impl Beside {
    pub(super) fn of(file: &Path) -> Self {
        let folder = file.with_file_name(FOLDER);
        let mut name = OsString::from(file.file_name().unwrap_or_default());
        name.push(".pending.json");
        Self {
            pending: folder.join(name),
            folder,
        }
    }

    pub(super) fn exists(&self) -> bool {
        self.folder.symlink_metadata().is_ok()
    }

    /// Checks that a creation can be stored here, and the file be replaced. This leaves nothing behind.
    pub(super) fn check_writable(&self) -> Result<(), String> {
        let in_folder = self.exists().then_some(&self.pending);
        for name in [Some(&self.folder), in_folder].into_iter().flatten() {
            // The error itself names a file that the user does not know.
            files::beside(name, &Readers::User).map_err(|error| {
                let folder = files::folder_of(name).display();
                format!("could not write into {folder}: {}", error.kind())
            })?;
        }
        match self.check_ignored() {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(named(&self.folder, &error)),
            _ => Ok(()),
        }
    }

    /// The edit token of a post of this server, if it is here.
    pub(super) fn edit_token(
        &self,
        server: &ServerUrl,
        id: PostId,
    ) -> Result<Option<EditToken>, String> {
        let found: Option<Token> = read(&self.token_file(id))?;
        // One of another server is not sent to this one.
        let found = found.filter(|found| found.server == server.to_string());
        Ok(found.and_then(|found| found.edit_token.parse().ok()))
    }

    pub(super) fn store_edit_token(&self, server: &ServerUrl, new: &Created) -> Result<(), String> {
        let token = Token {
            server: server.to_string(),
            edit_token: new.edit_token.expose().to_owned(),
        };
        self.write(&self.token_file(new.id), &token)
    }

    pub(super) fn pending(&self) -> Result<Option<Pending>, String> {
        read(&self.pending)
    }

    pub(super) fn store_pending(&self, pending: &Pending) -> Result<(), String> {
        self.write(&self.pending, pending)
    }

    pub(super) fn remove_pending(&self) -> Result<(), String> {
        match fs::remove_file(&self.pending) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(named(&self.pending, &error)),
            _ => Ok(()),
        }
    }

    fn token_file(&self, id: PostId) -> PathBuf {
        self.folder.join(format!("{id}.token.json"))
    }

    fn write(&self, file: &Path, contents: &impl Serialize) -> Result<(), String> {
        let created = self.create_folder();
        created.map_err(|error| named(&self.folder, &error))?;
        let text = serde_json::to_string(contents).map_err(|error| error.to_string())?;
        let written = files::replace(file, &(text + "\n"), &Readers::User);
        written.map_err(|error| named(file, &error))
    }

    fn create_folder(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&self.folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            created => created?,
        }
        // A link could lead secrets to a folder that others read.
        if !self.folder.symlink_metadata()?.is_dir() {
            return Err(io::Error::other("it is not a folder"));
        }
        match self.check_ignored() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                files::replace(&self.folder.join(".gitignore"), "*\n", &Readers::User)
            }
            checked => checked,
        }
    }

    /// Refuses a folder whose `.gitignore` does not ignore all of it: the edit tokens would be committed.
    fn check_ignored(&self) -> io::Result<()> {
        let rules = fs::read_to_string(self.folder.join(".gitignore"))?;
        let mut rules = rules.lines().map(str::trim);
        let ignores_all = rules.clone().any(|rule| rule == "*");
        if ignores_all && !rules.any(|rule| rule.starts_with('!')) {
            return Ok(());
        }
        let expected = "its .gitignore must be one line *, so that no edit token is committed";
        Err(io::Error::other(expected))
    }
}

impl Pending {
    /// Another creation, when the post of this one was deleted.
    pub(super) fn next(self) -> Self {
        let attempt = self.attempt + 1;
        Self { attempt, ..self }
    }

    /// The `Idempotency-Key`. It is derived from what is published: so also a job that begins in a new copy of the
    /// folder, because the one before was killed, gets the post that this one created.
    pub(super) fn idempotency_key(&self) -> String {
        let parts = (&self.server, &self.name, self.attempt, &self.post);
        let parts = serde_json::to_string(&parts).unwrap_or_default();
        format!("handbill-post-{}", hex::encode(Sha256::digest(parts)))
    }
}

/// Reads a file, if it exists.
fn read<T: for<'de> Deserialize<'de>>(file: &Path) -> Result<Option<T>, String> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| named(file, &error))?,
    };
    let contents = serde_json::from_str(&text);
    contents.map(Some).map_err(|_| damaged(file))
}

fn named(file: &Path, error: &io::Error) -> String {
    format!("{}: {error}", file.display())
}

pub(super) fn damaged(file: &Path) -> String {
    format!("{} is damaged; remove it", file.display())
}
