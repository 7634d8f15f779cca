//! Detecting commits by `PRAGMA data_version`, whose value on one connection changes whenever another
//! connection, of any process, has committed (<https://sqlite.org/pragma.html#pragma_data_version>).

use std::fmt;

use async_trait::async_trait;
use handbill::store::ChangeSource;
use tokio::sync::Mutex;

use super::connections::Source;
use crate::connections::Connections;

/// Watches the file by a connection of its own.
pub(super) struct CommitWatch {
    connection: Connections<Source>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// What the connection returned last. Values of different connections can't be compared.
    version: Option<i64>,
    generation: u64,
}

impl CommitWatch {
    pub(super) fn new(source: Source) -> Self {
        Self {
            connection: Connections::new(source, 1),
            seen: Mutex::default(),
        }
    }

    pub(super) async fn close(&self) {
        self.connection.close().await;
    }
}

impl fmt::Debug for CommitWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CommitWatch")
    }
}

#[async_trait]
impl ChangeSource for CommitWatch {
    async fn generation(&self) -> Option<u64> {
        let mut seen = self.seen.lock().await;
        // Taken, since after an error or a caller that went away there is another connection.
        let before = seen.version.take();
        let version = self.connection.with(async |connection| {
            sqlx::query_scalar("PRAGMA data_version")
                .fetch_one(connection)
                .await
        });
        seen.version = Some(version.await.ok()?);
        if seen.version != before {
            seen.generation += 1;
        }
        Some(seen.generation)
    }
}
