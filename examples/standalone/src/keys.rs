//! `handbill keys`: API keys from the command line.

use std::error::Error;
use std::sync::Arc;

use handbill::{Code, Handbill};

use crate::database::Database;
use crate::options::KeysCommand;

pub(crate) async fn run(command: &KeysCommand, database: &Database) -> Result<(), Box<dyn Error>> {
    // A base URL is required, but these commands print no links.
    let handbill = Handbill::new("http://localhost", Arc::clone(&database.store))?;
    let keys = handbill.keys();
    match command {
        KeysCommand::Issue { label } => {
            let issued = keys.issue(label.as_deref()).await?;
            println!("{}", issued.key.expose());
            eprintln!("issued key {}; it is shown this once", issued.record.id);
        }
        KeysCommand::List => {
            for key in keys.list().await? {
                let issued = key.created_at.to_rfc3339();
                let used = key.last_used_at.map(|at| at.to_rfc3339());
                let used = used.as_deref().unwrap_or("-");
                let label = key.label.unwrap_or_default();
                println!("{}\t{issued}\t{used}\t{label}", key.id);
            }
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
