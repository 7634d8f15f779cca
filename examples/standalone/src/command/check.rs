//! `handbill check`: whether the service would start.

use std::error::Error;

use handbill::MemoryStore;
use handbill_sql::{MySqlStore, PostgresStore, Schema, SqliteStore};

use crate::database_url::DatabaseUrl;
use crate::options::Options;
use crate::serve;
use crate::webhooks::Webhooks;

/// Checks the settings and the database, as far as that is possible while the service may run: it listens nowhere.
pub(crate) async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let own_url = options.listen.url();
    let base_url = options.base_url.as_ref().unwrap_or(&own_url);
    let _service = serve::service(options, base_url, MemoryStore::new())?;
    let webhooks = Webhooks::check(options)?;
    println!("settings: valid; links begin with {base_url}");
    webhooks.iter().for_each(|webhook| println!("{webhook}"));
    let schema = match &options.database {
        DatabaseUrl::Memory => {
            println!("database: in memory; posts are lost when the service stops");
            return Ok(());
        }
        DatabaseUrl::Sqlite(path) if !path.try_exists()? => {
            let folder = std::path::absolute(path)?;
            let folder = folder.parent().filter(|folder| folder.is_dir());
            let folder =
                folder.ok_or_else(|| format!("{}: there is no such folder", path.display()))?;
            println!(
                "database: the start would make {} in {}",
                path.display(),
                folder.display()
            );
            return Ok(());
        }
        DatabaseUrl::Sqlite(path) => SqliteStore::schema(path).await?,
        DatabaseUrl::MySql(address) => MySqlStore::schema(address.expose()).await?,
        DatabaseUrl::Postgres(address) => PostgresStore::schema(address.expose()).await?,
    };
    let Schema { found, needed, .. } = schema;
    match found {
        None => println!("database: empty; the start would make its tables"),
        Some(found) if found == needed => println!("database: schema {found}, as needed"),
        Some(found) => {
            println!(
                "database: schema {found}; the start would upgrade it to schema {needed}, so make a backup first"
            );
        }
    }
    Ok(())
}
