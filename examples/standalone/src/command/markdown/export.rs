use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

use handbill::store::{Entry, Post, TextField};
use handbill::{Store, Timestamp, Visibility};

use crate::command::files::{self, Readers};
use crate::command::progress::ProgressLine;

/// How many posts are in memory at a time.
const PIECE: u32 = 100;

/// Writes each public post into a file of the folder, `<date>-<id>.md`, that an import reads back.
pub(crate) async fn export(folder: &Path, store: &dyn Store) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let progress = ProgressLine::new();
    let (mut written, mut after) = (0, None);
    loop {
        let entries = store.walk_entries(after, PIECE).await?;
        let Some(last) = entries.last() else { break };
        after = Some(last.id());
        for entry in entries {
            if let Entry::Live(post) = entry
                && post.summary.visibility == Visibility::Public
            {
                write(folder, &post)?;
                written += 1;
            }
        }
        progress.show(|| format!("wrote {written} posts"));
    }
    drop(progress);
    eprintln!("wrote {written} posts to {}", folder.display());
    Ok(())
}

/// Writes a file that is whole when it has its name, and replaces an earlier one. Public posts are for everyone.
fn write(folder: &Path, post: &Post) -> Result<(), String> {
    let date = date(post).to_rfc3339();
    let day = date.split('T').next().unwrap_or_default();
    let name = folder.join(format!("{day}-{}.md", post.summary.id));
    let write = || {
        let mut file = files::beside(&name, &Readers::Everyone)?;
        file.write_all(text(post).as_bytes())?;
        file.persist(&name)?;
        io::Result::Ok(())
    };
    write().map_err(|error| format!("{}: {error}", name.display()))
}

fn text(post: &Post) -> String {
    let summary = &post.summary;
    let mut text = "---\n".to_owned();
    // A text in JSON is the same text in YAML.
    let mut add = |name: &str, value: serde_json::Value| {
        let _ = writeln!(text, "{name}: {value}");
    };
    let filled = |field: TextField| Some((field.name(), summary.text(field)?));
    if let Some((name, title)) = filled(TextField::Title) {
        add(name, title.into());
    }
    add("date", exact(date(post)).into());
    add("lastmod", exact(summary.updated_at).into());
    if let Some(expires_at) = summary.expires_at {
        add("expiryDate", exact(expires_at).into());
    }
    if !summary.tags.is_empty() {
        let tags = summary.tags.iter().map(|tag| tag.as_str());
        add("tags", tags.collect());
    }
    // Site generators know no focus keyword.
    let is_other = |field: &TextField| !matches!(field, TextField::Title | TextField::FocusKeyword);
    let others = TextField::ALL.iter().copied().filter(is_other);
    for (name, text) in others.filter_map(filled) {
        add(name, text.into());
    }
    text.push_str("---\n\n");
    text.push_str(&post.body);
    text
}

fn date(post: &Post) -> Timestamp {
    post.summary.published_at.unwrap_or(post.summary.created_at)
}

/// RFC 3339 with microseconds.
fn exact(timestamp: Timestamp) -> String {
    let instant = jiff::Timestamp::from_microsecond(timestamp.as_micros());
    instant.unwrap_or_default().to_string()
}
