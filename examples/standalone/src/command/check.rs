//! `handbill check`: whether the service would start.

use std::error::Error;
use std::io::{self, Write as _};

use handbill::MemoryStore;
use handbill_sql::{MySqlStore, PostgresStore, Schema, SqliteStore};

use crate::database_url::DatabaseUrl;
use crate::options::Options;
use crate::serve;
use crate::webhooks::Webhooks;

/// Checks the settings and the database, as far as that is possible while the service may run: it listens nowhere.
pub(crate) async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let base_url = options.links_begin_with();
    let _service = serve::service(options, &base_url, MemoryStore::new())?;
    let webhooks = Webhooks::check(options)?;
    let mut stdout = io::stdout();
    writeln!(stdout, "settings: valid; links begin with {base_url}")?;
    for webhook in &webhooks {
        writeln!(stdout, "{webhook}")?;
    }
    Ok(writeln!(stdout, "database: {}", database(options).await?)?)
}

/// What a start would do with the database.
async fn database(options: &Options) -> Result<String, Box<dyn Error>> {
    let schema = match &options.database {
        DatabaseUrl::Memory => {
            return Ok("in memory; posts are lost when the service stops".to_owned());
        }
        DatabaseUrl::Sqlite(path) if !path.try_exists()? => {
            let folder = std::path::absolute(path)?;
            let (folder, file) = (
                folder.parent().filter(|folder| folder.is_dir()),
                path.display(),
            );
            let folder = folder.ok_or_else(|| format!("{file}: there is no such folder"))?;
            return Ok(format!(
                "the start would make {file} in {}",
                folder.display()
            ));
        }
        DatabaseUrl::Sqlite(path) => SqliteStore::schema(path).await?,
        DatabaseUrl::MySql(address) => MySqlStore::schema(address.expose()).await?,
        DatabaseUrl::Postgres(address) => PostgresStore::schema(address.expose()).await?,
    };
    let Schema { found, needed, .. } = schema;
    Ok(match found {
        None => "empty; the start would make its tables".to_owned(),
        Some(found) if found == needed => format!("schema {found}, as needed"),
        Some(found) => format!(
            "schema {found}; the start would upgrade it to schema {needed}, so make a backup first"
        ),
    })
}
