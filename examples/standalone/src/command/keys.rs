//! `handbill keys`: API keys from the command line.

use std::error::Error;

use handbill::{Code, Handbill};

use crate::command::KeysCommand;

pub(crate) async fn run(command: &KeysCommand, handbill: &Handbill) -> Result<(), Box<dyn Error>> {
    let keys = handbill.keys();
    match command {
        KeysCommand::Issue { label, owner } => {
            let issued = keys.issue(label.as_deref(), owner.clone()).await?;
            println!("{}", issued.key.expose());
            eprintln!("issued key {}; it is shown this once", issued.record.id);
        }
        KeysCommand::List => {
            for key in keys.list().await? {
                let issued = key.created_at.to_rfc3339();
                let used = key.last_used_at.map(|at| at.to_rfc3339());
                let used = used.as_deref().unwrap_or("-");
                let label = key.label.unwrap_or_default();
                println!("{}\t{issued}\t{used}\t{}\t{label}", key.id, key.owner);
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
