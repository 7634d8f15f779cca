//! Numbered migrations: files of SQL, each of which makes the tables of one schema from those of the one before.
//!
//! The first creates the tables of the earliest schema that can be upgraded. A store applies each file in a
//! transaction of its own, and the file writes the new number itself. So the number always says what the tables
//! are, also when a migration was interrupted, or applied by hand. The number is the name of the file.

use include_dir::{Dir, File};

#[cfg(any(feature = "sqlite", feature = "postgres"))]
/// The longest time to wait while another process may be upgrading the same tables.
pub(crate) const UPGRADE_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(600);

/// Why a database was not opened, in one line.
#[cfg(any(feature = "postgres", feature = "mysql"))]
pub(crate) type OpenError = Box<dyn std::error::Error + Send + Sync>;

/// Whether the tables are created and upgraded.
#[cfg(any(feature = "postgres", feature = "mysql"))]
#[derive(Clone, Copy)]
pub(crate) enum Tables {
    Upgraded,
    AsTheyAre,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Migration {
    /// The number of the schema that it makes.
    pub(crate) schema: i64,
    pub(crate) sql: &'static str,
}

/// The number of a database's tables, and of those that this version needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Schema {
    /// `None` if there are no tables yet.
    pub found: Option<i64>,
    /// What opening the database makes of them.
    pub needed: i64,
}

impl Schema {
    /// # Errors
    /// Why the tables cannot be used, also after an upgrade.
    pub(crate) fn new(folder: &'static Dir<'static>, found: Option<i64>) -> Result<Self, String> {
        next(folder, found)?;
        let migrations = folder.files().filter_map(Migration::of);
        let needed = migrations.map(|migration| migration.schema).max();
        Ok(Self {
            found,
            needed: needed.unwrap_or_default(),
        })
    }

    /// # Errors
    /// That the tables need an upgrade, or that there are none.
    pub(crate) fn check_is_current(self) -> Result<(), String> {
        let Self { found, needed } = self;
        match found {
            Some(found) if found == needed => Ok(()),
            Some(found) => Err(format!(
                "its tables have schema {found}, and this version reads schema {needed}: to upgrade them, start \
                 Handbill on this database or a copy of it"
            )),
            None => Err("it has no tables of Handbill".to_owned()),
        }
    }
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
