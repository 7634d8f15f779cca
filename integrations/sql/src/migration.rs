//! Numbered migrations: files of SQL, each of which makes the tables of one schema from those of the one before.
//!
//! The first creates the tables of the earliest schema that can be upgraded. A store applies each file in a
//! transaction of its own, and the file writes the new number itself. So the number always says what the tables
//! are, also when a migration was interrupted, or applied by hand. The number is the name of the file.

use std::time::Duration;

use include_dir::{Dir, File};

/// The longest time to wait while another process may be upgrading the same tables.
pub(crate) const UPGRADE_TIMEOUT: Duration = Duration::from_secs(600);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Migration {
    /// The number of the schema that it makes.
    pub(crate) schema: i64,
    pub(crate) sql: &'static str,
}

impl Migration {
    fn of(file: &'static File<'static>) -> Option<Self> {
        let number = file.path().file_stem()?.to_str()?.parse();
        Some(Self {
            schema: number.ok()?,
            sql: file.contents_utf8()?,
        })
    }
}

/// Of the migrations in a folder, the one that tables of this schema need next, if they need one. Without a schema
/// there are no tables.
///
/// # Errors
/// Why the tables cannot be used, if their schema is too early or too late for these migrations.
pub(crate) fn next(
    folder: &'static Dir<'static>,
    schema: Option<i64>,
) -> Result<Option<Migration>, String> {
    let mut migrations: Vec<_> = folder.files().filter_map(Migration::of).collect();
    migrations.sort_by_key(|migration| migration.schema);
    let (Some(first), Some(last)) = (migrations.first(), migrations.last()) else {
        return Ok(None);
    };
    let Some(schema) = schema else {
        return Ok(Some(*first));
    };
    if schema < first.schema {
        return Err(format!(
            "its tables have schema {schema}, and this version of Handbill upgrades schema {} and later ones: \
             export an archive with the version that made the tables, and import it into an empty database",
            first.schema
        ));
    }
    if schema > last.schema {
        return Err(format!(
            "its tables have schema {schema}, which a later version of Handbill made, and this version needs \
             schema {}",
            last.schema
        ));
    }
    let mut migrations = migrations.into_iter();
    Ok(migrations.find(|next| next.schema > schema))
}
