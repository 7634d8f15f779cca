//! `handbill get`: a post of a server as Markdown.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use handbill::store::TextField;
use handbill::{PostId, Visibility};
use serde_json::Value;

use super::content::Content;
use super::post::origin;
use super::session::{Exit, Session, Stop};
use super::{GetOptions, PostName};
use crate::client::{Credentials, Failure, Operation, ReadPost, ServerUrl};
use crate::command::files::{self, Readers};
use crate::command::markdown::{front_matter, title_by_name};
use crate::terminal::{printable, printable_json};

pub(super) async fn run(options: &GetOptions) -> Result<Exit, Stop> {
    if let Some(file) = &options.file
        && !options.force
        && file.symlink_metadata().is_ok()
    {
        let file = file.display();
        return Err(Stop::new(format!("{file} exists; replace it with --force")));
    }
    let (server, api_key) = match (&options.post, &options.server.server) {
        // The address may come from a stranger, so the API key is not sent there.
        (PostName::Url(server, _), None) => (server.clone(), None),
        (PostName::Url(theirs, _), Some(server)) if theirs != server => {
            return Err(Stop::usage(format!(
                "this is a post of {theirs}, not of {server}"
            )));
        }
        _ => (options.server.server()?, options.server.api_key()?),
    };
    let (PostName::Id(id) | PostName::Url(_, id)) = options.post;
    let mut session = Session::open(server, api_key, &[Operation::ReadPost]).await?;
    let credentials = Credentials::new(session.api_key.as_ref(), None);
    let post = session.client.read(id, &credentials).await?;
    if options.json {
        writeln!(io::stdout(), "{}", printable_json(&post.json))?;
        return Ok(Exit::Done);
    }
    let unknown = printable(Content::unknown_names(&post.json).join(", "));
    if !unknown.is_empty() {
        eprintln!(
            "handbill: note: the file has no {unknown}, which this program does not know; it stays on the server"
        );
    }
    let text = text(&session.client.server, id, &post, options.file.as_deref())?;
    match &options.file {
        Some(file) => {
            let written = files::replace(file, &text, &Readers::Everyone);
            written.map_err(|error| Stop::new(format!("{}: {error}", file.display())))?;
            eprintln!("wrote {}", printable(file.display()));
        }
        None => print(&text)?,
    }
    Ok(Exit::Done)
}

/// Prints a file. On a terminal, characters are escaped that it could obey.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout();
    if !stdout.is_terminal() {
        stdout.write_all(text.as_bytes())?;
        return stdout.flush();
    }
    for line in text.lines() {
        writeln!(stdout, "{}", printable(line).replace("\\t", "\t"))?;
    }
    stdout.flush()
}

/// The file of a post, which `handbill post` accepts and then finds unchanged.
fn text(
    server: &ServerUrl,
    id: PostId,
    post: &ReadPost,
    file: Option<&Path>,
) -> Result<String, Failure> {
    let content = Content::of_read(post)?;
    let mut lines = Vec::new();
    // A text in JSON is the same text in YAML.
    let mut add = |name: &str, value: Value| lines.push(format!("{name}: {value}\n"));
    for field in TextField::ALL.iter().copied() {
        if let Some(text) = content.text(field.name()) {
            add(front_matter::name_of(field), text.into());
        }
    }
    let body = content.text("body").unwrap_or_default();
    let is_untitled = content.text(TextField::Title.name()).is_none();
    if is_untitled && file.is_some_and(|file| title_by_name(file, body).is_some()) {
        add(TextField::Title.name(), "".into());
    }
    let first = |names: [&str; 2]| names.into_iter().find_map(|name| post.json[name].as_str());
    if let Some(date) = first(["published_at", "created_at"]) {
        add("date", date.into());
    }
    if let Some(lastmod) = post.json["updated_at"].as_str() {
        add("lastmod", lastmod.into());
    }
    if content.tags().next().is_some() {
        add("tags", content.tags().collect());
    }
    if let Some(time) = content.text("expires_at") {
        add("expiryDate", time.into());
    }
    match (content.text("visibility"), content.text("publish_at")) {
        // A draft with this time becomes public by itself, and another one does not.
        (_, Some(time)) => add("publishDate", time.into()),
        (Some(name), None) if name == Visibility::Draft.as_str() => add("draft", true.into()),
        (Some(name), None) if name != Visibility::Public.as_str() => {
            add(front_matter::VISIBILITY, name.into())
        }
        _ => {}
    }
    let origin = origin::of_post(server, id, &post.etag, content.hash());
    for (name, value) in origin.lines() {
        add(name, value.into());
    }
    Ok(format!("---\n{}---\n\n{body}", lines.concat()))
}
