//! `handbill keys`: API keys from the command line.

use std::error::Error;

use handbill::{Handbill, KeyId, Store};

use crate::options::KeysCommand;

pub(crate) async fn run(command: &KeysCommand, store: impl Store) -> Result<(), Box<dyn Error>> {
    // No address is printed here: this one stands for the one that the service has.
    let handbill = Handbill::new("http://localhost", store)?;
    let keys = handbill.keys();
    match command {
        KeysCommand::Issue { label } => {
            let issued = keys.issue(label.as_deref()).await?;
            println!("{}", issued.key.expose());
            eprintln!("issued key {}; it is shown this once", issued.record.id);
        }
        KeysCommand::List => {
            for key in keys.list().await? {
                let used = key
                    .last_used_at
                    .map_or("-".to_owned(), |at| at.to_rfc3339());
                let label = key.label.unwrap_or_default();
                println!(
                    "{}\t{}\t{used}\t{label}",
                    key.id,
                    key.created_at.to_rfc3339()
                );
            }
        }
        KeysCommand::Revoke { id } => {
            let id = id
                .parse::<KeyId>()
                .ok()
                .ok_or_else(|| format!("{id:?} is not the id of a key"))?;
            keys.revoke(id).await?;
            eprintln!("revoked key {id}");
        }
    }
    Ok(())
}
