//! The commands. Most work on the same database as the service, also while it runs.

mod archive;
mod backup;
mod check;
pub(crate) mod dates;
pub(crate) mod files;
mod keys;
pub(crate) mod manual;
mod markdown;
mod owners;
mod posts;
mod progress;
pub(crate) mod remote;
mod webhooks;
mod words;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use handbill::{
    Actor, Handbill, KeyId, Owner, ParseError, PostId, PostSelection, Tag, Timestamp, Visibility,
};

use crate::database::Database;
use crate::options::Options;
use manual::ManualCommand;
use remote::RemoteCommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Remote(RemoteCommand),
    #[command(flatten)]
    Database(DatabaseCommand),
    #[command(flatten)]
    Inspect(InspectCommand),
    #[command(flatten)]
    Manual(ManualCommand),
}

/// A command on the database.
#[derive(Debug, Subcommand)]
pub(crate) enum DatabaseCommand {
    /// Manage API keys, also while the service runs
    Keys {
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// List, unlist or delete posts, also while the service runs
    Posts {
        #[command(subcommand)]
        command: PostsCommand,
    },
    /// Ban an owner, or erase what one has, also while the service runs
    Owners {
        #[command(subcommand)]
        command: OwnersCommand,
    },
    /// See what webhooks wait for, test or end them, also while the service runs
    Webhooks {
        #[command(subcommand)]
        command: WebhooksCommand,
    },
    /// Write an archive of all posts and keys, or the public posts as Markdown files
    Export {
        /// The file to write the archive to; - is standard output
        #[arg(default_value = "-")]
        file: PathBuf,
        /// Write each public post as a Markdown file into this folder instead
        #[arg(long, value_name = "DIR", conflicts_with = "file")]
        markdown: Option<PathBuf>,
    },
    /// Add what an archive or a folder of Markdown files has
    Import(Import),
}

/// A command on a database whose tables may be of another version, and stay as they are.
#[derive(Debug, Subcommand)]
pub(crate) enum InspectCommand {
    /// Copy a SQLite database, also while the service runs
    Backup {
        /// The file to write; it is replaced when the copy is whole
        file: PathBuf,
    },
    /// Say whether the service would start with these settings and this database, and change nothing
    Check,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Import {
    /// An archive (- is standard input), or a folder of Markdown files with front matter
    #[arg(value_name = "FILE|DIR")]
    pub(crate) from: PathBuf,
    /// Check everything and say what would be done, but write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The owner of the posts of a folder; - is none
    #[arg(long, value_parser = owner)]
    pub(crate) owner: Option<OwnerName>,
    /// Who can read the posts of a folder [default: public]. What Hugo or Jekyll would not publish becomes a draft
    /// in any case
    #[arg(long, value_parser = visibility)]
    pub(crate) visibility: Option<Visibility>,
    /// Leave out the faulty files of a folder instead of creating nothing because of them
    #[arg(long)]
    pub(crate) skip_faulty: bool,
}

/// What `--owner` names: an owner, or none.
#[derive(Clone, Debug)]
pub(crate) struct OwnerName(pub(crate) Option<Owner>);

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Issue a key and print it, this once
    Issue {
        /// What the key is for
        #[arg(long)]
        label: Option<String>,
        /// The owner, whose posts the key may all change [default: the key itself]
        #[arg(long, value_parser = named_owner)]
        owner: Option<Owner>,
    },
    /// List the keys in force: id, issued, last used, owner, label
    List,
    /// Revoke a key
    Revoke {
        /// The key's id, as `keys list` shows it
        #[arg(value_parser = key_id)]
        id: KeyId,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PostsCommand {
    /// List posts, the latest first: id, created, visibility, owner, name
    List(Selected),
    /// Make public posts unlisted, and end the private links for editing of all posts that are named
    ///
    /// Unlisted posts leave all lists, and their addresses keep working. Without their private links, they can be made
    /// public again only with a key of their owner or a login as their owner. So ban the owner first. The command
    /// `posts edit-address` gives a post a new private link.
    Unlist {
        #[command(flatten)]
        selected: Selected,
        /// Leave the private links: those who have one can make the post public again
        #[arg(long)]
        keep_links: bool,
        /// Do it, instead of saying how many posts it would be
        #[arg(long)]
        yes: bool,
    },
    /// Give a post a new private link for editing and print it; the old one ends
    EditAddress {
        /// The post's id
        #[arg(value_parser = post_id)]
        id: PostId,
    },
    /// Delete posts; nothing restores them
    Delete {
        #[command(flatten)]
        selected: Selected,
        /// Do it, instead of saying how many posts it would be
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum OwnersCommand {
    /// Accept nothing from an owner any more, revoke the keys, and end the private links for editing of the posts
    ///
    /// It holds at once for everything that the owner sends or has sent, also by a login of the host. The posts stay as
    /// they are: take them away with `posts unlist` or `posts delete`. If it was interrupted, repeat it.
    Ban {
        /// The owner, as `keys list` and `posts list` show it
        #[arg(value_parser = named_owner)]
        owner: Owner,
        /// Do it, instead of saying what it would be
        #[arg(long)]
        yes: bool,
    },
    /// Take a ban back; revoked keys and ended links stay dead
    Unban {
        /// The owner
        #[arg(value_parser = named_owner)]
        owner: Owner,
    },
    /// Revoke the keys of an owner, delete the posts, and remove the owner from what is left of deleted posts
    ///
    /// Nothing restores them. Afterwards neither the database nor a new archive names the owner. If it was interrupted,
    /// repeat it. First end what else lets the user write, such as a login, or ban the owner, who then stays banned.
    /// Backups, archives and logs from before are not changed.
    Erase {
        /// The owner, as `keys list` and `posts list` show it
        #[arg(value_parser = named_owner)]
        owner: Owner,
        /// Do it, instead of saying what it would be
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum WebhooksCommand {
    /// List webhooks and the hub: name, whether an option names it, events that wait, since when, last failure
    ///
    /// The names of the columns are on standard error. What was delivered is in the service's metrics.
    List,
    /// Send an event of the type `test` to a webhook now, and print the status of the response
    Test {
        /// The webhook's URL, or its name, as `webhooks list` shows it
        #[arg(value_name = "URL|NAME")]
        webhook: String,
    },
    /// End a webhook, and drop the events that wait for it
    ///
    /// First remove it from the options: the next start of the service adds it again otherwise.
    Drop {
        /// The webhook's URL, or its name, as `webhooks list` shows it
        #[arg(value_name = "URL|NAME")]
        webhook: String,
    },
}

/// Which posts: those with these ids, or those that meet all conditions.
#[derive(Debug, Args)]
pub(crate) struct Selected {
    /// The posts with these ids
    #[arg(value_name = "ID", value_parser = post_id, conflicts_with_all = ["owner", "tag", "scheduled", "since", "until"])]
    pub(crate) ids: Vec<PostId>,
    /// The posts of this owner; - is none, as of posts that guests wrote in the browser
    #[arg(long, value_parser = owner)]
    owner: Option<OwnerName>,
    /// The posts with this tag
    #[arg(long)]
    tag: Option<Tag>,
    /// The drafts that are published later
    #[arg(long)]
    scheduled: bool,
    /// The posts created at this time or later: 2026-11-20, or with a time as in 2026-11-20T10:00:00Z
    #[arg(long, value_name = "TIME", value_parser = dates::parse)]
    since: Option<Timestamp>,
    /// The posts created before this time
    #[arg(long, value_name = "TIME", value_parser = dates::parse)]
    until: Option<Timestamp>,
}

/// What a command does with the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Changes it, and creates a missing file.
    Create,
    /// Changes it.
    Change,
    /// Changes nothing, and so upgrades no tables.
    Read,
    /// The same, and a missing file is an empty database.
    ReadOrEmpty,
}

impl DatabaseCommand {
    pub(crate) fn access(&self) -> Access {
        let changes = match self {
            Self::Keys { command } => match command {
                KeysCommand::Issue { .. } => return Access::Create,
                KeysCommand::List => false,
                KeysCommand::Revoke { .. } => true,
            },
            Self::Posts { command } => match command {
                PostsCommand::List(_) => false,
                PostsCommand::Unlist { yes, .. } | PostsCommand::Delete { yes, .. } => *yes,
                PostsCommand::EditAddress { .. } => true,
            },
            Self::Owners { command } => match command {
                OwnersCommand::Ban { yes, .. } | OwnersCommand::Erase { yes, .. } => *yes,
                OwnersCommand::Unban { .. } => true,
            },
            Self::Webhooks { command } => match command {
                WebhooksCommand::List => false,
                WebhooksCommand::Test { .. } => return Access::ReadOrEmpty,
                WebhooksCommand::Drop { .. } => true,
            },
            Self::Import(import) if import.dry_run => return Access::ReadOrEmpty,
            Self::Import(_) => return Access::Create,
            Self::Export { .. } => false,
        };
        if changes {
            Access::Change
        } else {
            Access::Read
        }
    }
}

impl Import {
    /// Refuses a name that nothing has, before a database is opened or created.
    pub(crate) fn check_source(&self) -> Result<(), String> {
        let from = &self.from;
        if from == Path::new("-") {
            return Ok(());
        }
        let found = from.metadata().map(drop);
        found.map_err(|error| format!("{}: {error}", from.display()))
    }
}

impl Selected {
    pub(crate) fn selection(&self) -> PostSelection {
        if !self.ids.is_empty() {
            return PostSelection::of_ids(self.ids.iter().copied());
        }
        let mut selection = PostSelection::all();
        selection = match &self.owner {
            None => selection,
            Some(OwnerName(None)) => selection.without_owner(),
            Some(OwnerName(Some(owner))) => selection.with_owner(owner.clone()),
        };
        if let Some(tag) = &self.tag {
            selection = selection.with_tag(tag.clone());
        }
        if self.scheduled {
            selection = selection.scheduled();
        }
        if let Some(since) = self.since {
            selection = selection.with_since(since);
        }
        if let Some(until) = self.until {
            selection = selection.with_until(until);
        }
        selection
    }
}

fn key_id(id: &str) -> Result<KeyId, &'static str> {
    id.parse()
        .map_err(|_| "expected an id, as `handbill keys list` shows it")
}

fn post_id(id: &str) -> Result<PostId, &'static str> {
    id.parse()
        .map_err(|_| "expected an id, as `handbill posts list` shows it")
}

fn owner(name: &str) -> Result<OwnerName, ParseError> {
    let owner = (name != "-").then(|| name.parse()).transpose()?;
    Ok(OwnerName(owner))
}

fn named_owner(name: &str) -> Result<Owner, String> {
    let named = owner(name).map_err(|error| error.to_string())?;
    named.0.ok_or_else(|| "- means no owner".to_owned())
}

fn visibility(name: &str) -> Result<Visibility, &'static str> {
    name.parse()
        .map_err(|_| "expected public, unlisted or draft")
}

/// Runs a command on a database that it does not open.
pub(crate) async fn inspect(
    command: &InspectCommand,
    options: &Options,
) -> Result<(), Box<dyn Error>> {
    match command {
        InspectCommand::Backup { file } => backup::run(file, &options.database).await,
        InspectCommand::Check => check::run(options).await,
    }
}

/// Runs a command on the database.
pub(crate) async fn run(
    command: &DatabaseCommand,
    options: &Options,
    database: &Database,
) -> Result<(), Box<dyn Error>> {
    let handbill = Handbill::new(&options.links_begin_with(), Arc::clone(&database.store))?
        .with_tasks(false)
        .by(Actor::Operator);
    match command {
        DatabaseCommand::Keys { command } => keys::run(command, &handbill).await,
        DatabaseCommand::Posts { command } => posts::run(command, &handbill).await,
        DatabaseCommand::Owners { command } => owners::run(command, &handbill).await,
        DatabaseCommand::Webhooks { command } => webhooks::run(command, options, &handbill).await,
        DatabaseCommand::Export {
            markdown: Some(folder),
            ..
        } => markdown::export(folder, &*database.store).await,
        DatabaseCommand::Export { file, .. } => archive::export(file, &handbill).await,
        DatabaseCommand::Import(import) if import.from.is_dir() => {
            markdown::import(import, options.base_url.as_deref(), &handbill).await
        }
        DatabaseCommand::Import(import) => archive::import(import, &handbill).await,
    }
}
