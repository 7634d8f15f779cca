//! How the commands on a server begin and end.

use std::io;

use handbill::ApiKey;

use super::ServerOptions;
use crate::client::{self, Client, Description, Failure, Operation, ServerUrl};
use crate::terminal::printable;

/// A server that described itself, and what authorises requests to it.
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) description: Description,
    pub(crate) api_key: Option<ApiKey>,
}

impl Session {
    /// Asks the server what it is, and says so if it is older or newer than this program. Refuses one that has not all
    /// of the operations.
    pub(crate) async fn open(
        server: ServerUrl,
        api_key: Option<ApiKey>,
        operations: &[Operation],
    ) -> Result<Self, Stop> {
        let sends_secrets = api_key.is_some() || operations.iter().any(Operation::is_change);
        if sends_secrets && server.is_readable_by_others() {
            eprintln!(
                "handbill: warning: {} has no TLS, so others on the way can read API keys and edit tokens; use https://",
                printable(&server)
            );
        }
        let mut client = Client::new(server);
        let description = client.describe().await?;
        if let Some(note) = description.version.note() {
            eprintln!("handbill: note: {note}");
        }
        description.check(operations)?;
        Ok(Self {
            client,
            description,
            api_key,
        })
    }
}

impl ServerOptions {
    /// The server that the user named.
    pub(crate) fn server(&self) -> Result<ServerUrl, Stop> {
        let missing = || Stop::usage("name the server with --server URL or in HANDBILL_SERVER");
        self.server.clone().ok_or_else(missing)
    }

    /// The API key, if there is one.
    pub(crate) fn api_key(&self) -> Result<Option<ApiKey>, Stop> {
        client::read_api_key(self.api_key_file.as_deref()).map_err(Stop::usage)
    }
}

/// An exit status. The help of the commands explains each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    Conflict = 3,
    Unavailable = 4,
}

/// Why a command stopped before it was done.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) exit: Exit,
    /// A sentence without its period.
    pub(crate) message: String,
}

impl Stop {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            message: message.into(),
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self {
            exit: match failure.may_succeed_later() {
                true => Exit::Unavailable,
                false => Exit::Failed,
            },
            message: failure.message(),
        }
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::new(error.to_string())
    }
}
