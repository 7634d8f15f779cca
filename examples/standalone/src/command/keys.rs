//! `handbill keys`: API keys from the command line.

use std::error::Error;
use std::io::{self, BufWriter, Write as _};

use handbill::{Code, Handbill};

use crate::command::KeysCommand;

pub(crate) async fn run(command: &KeysCommand, handbill: &Handbill) -> Result<(), Box<dyn Error>> {
    let keys = handbill.keys();
    match command {
        KeysCommand::Issue { label, owner } => {
            let issued = keys.issue(label.as_deref(), owner.clone()).await?;
            let id = issued.record.id;
            writeln!(io::stdout(), "{}", issued.key.expose())
                .map_err(|error| format!("{error}; revoke key {id}, which was not shown"))?;
            eprintln!("issued key {id}; it is shown this once");
        }
        KeysCommand::List => {
            let keys = keys.list().await?;
            let mut stdout = BufWriter::new(io::stdout().lock());
            for key in keys {
                let issued = key.created_at.to_rfc3339();
                let used = key.last_used_at.map(|at| at.to_rfc3339());
                let used = used.as_deref().unwrap_or("-");
                let label = key.label.unwrap_or_default();
                let (id, owner) = (key.id, key.owner);
                writeln!(stdout, "{id}\t{issued}\t{used}\t{owner}\t{label}")?;
            }
            stdout.flush()?;
        }
        KeysCommand::Revoke { id } => match keys.revoke(*id).await {
            Ok(()) => eprintln!("revoked key {id}"),
            Err(problem) if problem.code() == Code::NotFound => {
                return Err(format!("no key in force has the id {id}").into());
            }
            Err(problem) => return Err(problem.into()),
        },
    }
    Ok(())
}
