//! `handbill list`.

use std::io::{self, BufWriter, Write};

use serde_json::{Value, json};

use super::ListOptions;
use super::exit::{Exit, Stop};
use super::session::Session;
use crate::client::{Failure, ListRequest, Operation};
use crate::terminal::printable;

/// The most posts that a server puts on a page.
const MAX_PER_PAGE: usize = 50;
/// How many characters of a title or an excerpt the table shows.
const MAX_NAME: usize = 70;

pub(super) async fn run(options: &ListOptions) -> Result<Exit, Stop> {
    let server = options.server.server()?;
    let (api_key, operation) = match options.mine {
        true => (
            Some(options.server.required_api_key()?),
            Operation::ListOwnPosts,
        ),
        // The public posts need no credentials, so none are sent.
        false => (None, Operation::ListPosts),
    };
    let mut session = Session::open(server, api_key, &[operation]).await?;
    let (posts, total) = read(options, &mut session).await?;
    let mut stdout = BufWriter::new(io::stdout().lock());
    match options.json {
        true => writeln!(stdout, "{}", json!({"posts": posts, "total": total}))?,
        false => {
            for post in &posts {
                writeln!(stdout, "{}", line(post))?;
            }
        }
    }
    stdout.flush()?;
    if !options.json && total > posts.len() as u64 {
        eprintln!("{} of {total} posts; --limit N lists more", posts.len());
    }
    Ok(Exit::Done)
}

/// The posts, and how many there are in all.
async fn read(options: &ListOptions, session: &mut Session) -> Result<(Vec<Value>, u64), Stop> {
    let (mut posts, mut total) = (Vec::new(), 0);
    let per_page = options.limit.clamp(1, MAX_PER_PAGE);
    for page in 1.. {
        let request = ListRequest {
            owner: session.api_key.as_ref(),
            tag: options.tag.as_ref().map(|tag| tag.as_str()),
            page,
            per_page: u32::try_from(per_page).unwrap_or(1),
        };
        let list = session.client.list(&request).await;
        let mut list = list.map_err(|failure| session.stop(&failure))?;
        let unreadable = || {
            session.stop(&Failure::other(
                "the server did not respond with a list of posts",
            ))
        };
        total = list["total"].as_u64().ok_or_else(unreadable)?;
        let Value::Array(found) = list["posts"].take() else {
            return Err(unreadable());
        };
        let is_last = found.len() < per_page;
        posts.extend(found);
        if is_last || posts.len() >= options.limit {
            break;
        }
    }
    posts.truncate(options.limit);
    Ok((posts, total))
}

/// A post as a line of a table. A post without a title has the beginning of its text.
fn line(post: &Value) -> String {
    let text = |name: &str| post[name].as_str().unwrap_or_default();
    let first = |names: [&'static str; 2]| {
        let mut filled = names.into_iter().map(text).filter(|text| !text.is_empty());
        filled.next().unwrap_or("-")
    };
    let name: String = first(["title", "excerpt"]).chars().take(MAX_NAME).collect();
    format!(
        "{}\t{}\t{}\t{}",
        printable(text("id")),
        printable(first(["published_at", "created_at"])),
        printable(name),
        printable(text("url")),
    )
}
