//! What the commands on a server begin with.

use super::ServerOptions;
use super::exit::Stop;
use crate::client::{self, Client, Description, Operation, ServerUrl, advice};
use crate::terminal::printable;
use handbill::{ApiKey, Code};

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

    /// The API key, without which the command can do nothing.
    pub(crate) fn required_api_key(&self) -> Result<ApiKey, Stop> {
        let missing = || Stop::usage(advice::says(Code::MissingApiKey));
        self.api_key()?.ok_or_else(missing)
    }
}
