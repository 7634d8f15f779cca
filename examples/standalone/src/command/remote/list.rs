//! `handbill list`.

use std::io::{self, BufWriter, Write};

use handbill::{Code, PostId, PostSummary, Timestamp};
use serde_json::{Value, json};

use super::ListOptions;
use super::session::{Exit, Session, Stop};
use crate::client::{Failure, Operation, advice};
use crate::terminal::{printable, printable_json};

/// The most posts that a server puts on a page.
const MAX_PER_PAGE: usize = 50;
/// How many characters of a title or an excerpt the table shows.
const MAX_NAME: usize = 70;

pub(super) async fn run(options: &ListOptions) -> Result<Exit, Stop> {
    let server = options.server.server()?;
    // The public posts need no credentials, so none are sent.
    let (api_key, operation) = match options.mine {
        true => (options.server.api_key()?, Operation::ListOwnPosts),
        false => (None, Operation::ListPosts),
    };
    if options.mine && api_key.is_none() {
        return Err(Stop::usage(advice::says(Code::MissingApiKey)));
    }
    let mut session = Session::open(server, api_key, &[operation]).await?;
    if options.words.is_some() && !session.description.has_parameter(operation, "q") {
        return Err(Failure::other(advice::says(Code::SearchNotAvailable)).into());
    }
    let (mut posts, total) = read(options, &mut session, false).await?;
    let mut stdout = BufWriter::new(io::stdout());
    if options.json {
        let list = json!({"posts": posts, "total": total});
        writeln!(stdout, "{}", printable_json(&list))?;
    } else {
        if posts.iter().any(|post| post["title"].is_null()) {
            // What a post without a title is called is in its body.
            (posts, _) = read(options, &mut session, true).await?;
        }
        for post in &posts {
            writeln!(stdout, "{}", line(post))?;
        }
    }
    stdout.flush()?;
    if !options.json && total > posts.len() as u64 {
        eprintln!("{} of {total} posts; --limit N lists more", posts.len());
    }
    Ok(Exit::Done)
}

/// The posts, and how many there are in all.
async fn read(
    options: &ListOptions,
    session: &mut Session,
    with_bodies: bool,
) -> Result<(Vec<Value>, u64), Stop> {
    let (mut posts, mut total) = (Vec::new(), 0);
    let per_page = options.limit.clamp(1, MAX_PER_PAGE);
    for page in 1_u64.. {
        let parameters = [
            ("page", Some(&*page.to_string())),
            ("per_page", Some(&*per_page.to_string())),
            ("include", with_bodies.then_some("body")),
            ("tag", options.tag.as_ref().map(|tag| tag.as_str())),
            ("q", options.words.as_deref()),
        ];
        let owner = session.api_key.as_ref();
        let mut list = session.client.list(owner, &parameters).await?;
        let unreadable = || Failure::other("the server did not respond with a list of posts");
        total = list["total"].as_u64().ok_or_else(unreadable)?;
        let Value::Array(found) = list["posts"].take() else {
            return Err(unreadable().into());
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

/// A post as a line of a table.
fn line(post: &Value) -> String {
    let text = |name: &str| post[name].as_str().filter(|text| !text.is_empty());
    let dates = ["published_at", "created_at"];
    let name = match text("title") {
        Some(title) => title.to_owned(),
        None => name_of_untitled(post),
    };
    let name: String = name.chars().take(MAX_NAME).collect();
    let columns = [
        text("id").unwrap_or_default(),
        dates.into_iter().find_map(text).unwrap_or("-"),
        if name.is_empty() { "-" } else { name.as_str() },
        text("url").unwrap_or_default(),
    ];
    columns.map(printable).join("\t")
}

/// What pages and feeds call a post without a title, by its body. The bodies of a long list are left out by the server.
fn name_of_untitled(post: &Value) -> String {
    let Some(Ok(checked)) = post["body"].as_str().map(handbill_markdown::check) else {
        return post["excerpt"].as_str().unwrap_or_default().to_owned();
    };
    let summary = PostSummary::new(PostId::generate(), Timestamp::from_micros(0))
        .with_heading(checked.heading)
        .with_excerpt(checked.excerpt);
    summary.name().unwrap_or_default().into_owned()
}
