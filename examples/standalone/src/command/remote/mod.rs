//! Commands that talk to a server over HTTP. They need no database and open none.

mod content;
mod get;
mod list;
mod post;
mod session;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use handbill::{PostId, Tag, Visibility};
use handbill_example_shared::stop_signal;
use jiff::Timestamp;
use tokio::runtime::Runtime;

use crate::STOPPED;
use crate::client::ServerUrl;
use crate::command::dates;
use crate::terminal::printable;
use session::{Exit, Stop};

/// What the help of each of these commands ends with.
const EXIT_STATUSES: &str = "\
Exit status:
  0  done
  1  failed: the messages say what is wrong
  2  an option or the API key is missing or not valid
  3  nothing failed but conflicts: another user changed a post
  4  the server could not be reached or was too busy: try again later";

const ABOUT_POST: &str = "\
Publish Markdown files on a server: create their posts, or update them

A new file gets the lines handbill_server, handbill_id, handbill_etag and handbill_hash in its front matter, which say \
which post it is and in which state it was published. Keep them: commit them together with the file. All other bytes of \
the file stay. The next time, the post is changed, unless another user has changed it. A post has what its file says: a field \
that the file does not name is cleared.

Front matter and folders are read as by `handbill import`: title, tags, author, language, draft, dates, and what Hugo and \
Jekyll would not publish becomes a draft. handbill_visibility (public, unlisted or draft) and handbill_focus_keyword are \
read as well. Links among the files lead to their posts. The server sets the dates of posts.

All files are checked before anything is sent. Then each is published, also if others fail. A run that was stopped at \
any point is repeated: no post is created twice.

The edit token of a new post goes into the folder .handbill beside its file, for your user alone (mode 0600), and is never \
printed. This folder has a .gitignore of its own, so git ignores it. A user with the API key of the post's owner does not \
need the token.";

const POST_EXAMPLES: &str = "\
Examples:
  export HANDBILL_SERVER=https://example.org HANDBILL_API_KEY=hb_…
  handbill post hello.md
  handbill post posts --dry-run
  handbill post posts --json | jq -r '.files[].url'";

const ABOUT_GET: &str = "\
Write a post of a server as a Markdown file, which `handbill post` accepts

Prints the file, or writes it to FILE. Drafts need the API key of their owner. Without --server, the address of a post \
says where it is; the API key is not sent then, because the address may come from a stranger.";

const LIST_EXAMPLES: &str = "\
Examples:
  handbill list --server https://example.org --tag rust
  HANDBILL_API_KEY=hb_… handbill list --server https://example.org --mine --json";

/// A command on a server.
#[derive(Debug, Subcommand)]
pub(crate) enum RemoteCommand {
    /// Publish Markdown files on a server: create their posts, or update them
    #[command(long_about = ABOUT_POST, after_help = EXIT_STATUSES,
        after_long_help = format!("{POST_EXAMPLES}\n\n{EXIT_STATUSES}"))]
    Post(PostOptions),
    /// Write a post of a server as a Markdown file, which `handbill post` accepts
    #[command(long_about = ABOUT_GET, after_help = EXIT_STATUSES)]
    Get(GetOptions),
    /// List posts of a server, the latest first: id, date, title, address
    #[command(after_help = EXIT_STATUSES, after_long_help = format!("{LIST_EXAMPLES}\n\n{EXIT_STATUSES}"))]
    List(ListOptions),
}

/// Which server, and what authorises requests.
#[derive(Debug, Args)]
pub(crate) struct ServerOptions {
    /// The address of the server: https:// and its host, with the path if it has one
    #[arg(long, value_name = "URL")]
    #[arg(env = "HANDBILL_SERVER", hide_env_values = true)]
    pub(crate) server: Option<ServerUrl>,
    /// A file with the API key. Without it, the key is in the environment variable HANDBILL_API_KEY. There is no option
    /// for the key itself: other users of the machine can see options
    #[arg(long, value_name = "FILE")]
    pub(crate) api_key_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct PostOptions {
    /// Markdown files, and folders of them
    #[arg(value_name = "FILE|DIR", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
    /// Who can read posts whose files do not say it [default: public]. What Hugo or Jekyll would not publish becomes a
    /// draft in any case
    #[arg(long, value_parser = super::visibility)]
    pub(crate) visibility: Option<Visibility>,
    /// When posts become public whose files have no publishDate: 2026-11-20, or with a time as in 2026-11-20T10:00:00Z
    #[arg(long, value_name = "TIME", value_parser = dates::instant)]
    pub(crate) publish_at: Option<Timestamp>,
    /// When posts are deleted whose files have no expiryDate
    #[arg(long, value_name = "TIME", value_parser = dates::instant)]
    pub(crate) expires_at: Option<Timestamp>,
    /// Replace what others have changed since the file was published
    #[arg(long)]
    pub(crate) force: bool,
    /// Check all files and ask the server for their posts, but change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Leave out faulty files instead of sending nothing because of them
    #[arg(long)]
    pub(crate) skip_faulty: bool,
    /// Print one JSON document: what became of each file
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GetOptions {
    /// The id of the post, or its address
    #[arg(value_name = "ID|URL", value_parser = post_name)]
    pub(crate) post: PostName,
    /// The file to write [default: standard output]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
    /// Replace a file that exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the post as JSON, as in the API
    #[arg(long, conflicts_with = "file")]
    pub(crate) json: bool,
}

/// What a post is named by.
#[derive(Clone, Debug)]
pub(crate) enum PostName {
    Id(PostId),
    Url(ServerUrl, PostId),
}

#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    pub(crate) server: ServerOptions,
    /// Only posts with this tag
    #[arg(long)]
    pub(crate) tag: Option<Tag>,
    /// Only posts that have all of these words
    #[arg(long, value_name = "WORDS")]
    pub(crate) words: Option<String>,
    /// All posts of the owner of the API key, drafts and unlisted ones too
    #[arg(long)]
    pub(crate) mine: bool,
    /// How many posts to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Print one JSON document: posts as in the API, and how many there are
    #[arg(long)]
    pub(crate) json: bool,
}

fn post_name(name: &str) -> Result<PostName, &'static str> {
    if let Ok(id) = name.parse() {
        return Ok(PostName::Id(id));
    }
    let of_url = ServerUrl::of_post(name).map(|(server, id)| PostName::Url(server, id));
    of_url
        .ok_or("expected the id of a post, as `handbill list` shows it, or the address of its page")
}

/// Runs a command. Errors are one line on standard error.
pub(crate) fn main(command: &RemoteCommand) -> ExitCode {
    let outcome = Runtime::new().map_err(Stop::from).and_then(|runtime| {
        let outcome = runtime.block_on(run(command));
        runtime.shutdown_background();
        outcome
    });
    let exit = outcome.unwrap_or_else(|stop| {
        eprintln!("handbill: {}", printable(stop.message));
        stop.exit
    });
    ExitCode::from(exit as u8)
}

async fn run(command: &RemoteCommand) -> Result<Exit, Stop> {
    let work = async {
        match command {
            RemoteCommand::Post(options) => post::run(options).await,
            RemoteCommand::Get(options) => get::run(options).await,
            RemoteCommand::List(options) => list::run(options).await,
        }
    };
    // Publishing stops by itself, when it has said what became of each file.
    if matches!(command, RemoteCommand::Post(_)) {
        return work.await;
    }
    let signal = stop_signal()?;
    tokio::select! {
        outcome = work => outcome,
        () = signal => Err(Stop::new(STOPPED)),
    }
}
