//! The stores of the core pass the contract of `Store`.

mod memory {
    handbill_testing::store_checks!(async { handbill::MemoryStore::new() });
}

/// A decorator that does as little as a store may: a call makes one tombstone forget its owner.
mod decorated {
    use handbill::store::{Decorated, Decorator, NewChange, Outcome, Store, StoreError, Write};

    struct Slow(handbill::MemoryStore);

    #[async_trait::async_trait]
    impl Decorator for Slow {
        fn inner(&self) -> &dyn Store {
            &self.0
        }

        async fn write(
            &self,
            mut write: Write,
            change: Option<NewChange>,
        ) -> Result<Outcome, StoreError> {
            if let Write::ForgetOwner { limit, .. } = &mut write {
                *limit = 1;
            }
            self.0.write(write, change).await
        }
    }

    handbill_testing::store_checks!(async { Decorated(Slow(handbill::MemoryStore::new())) });
}

mod sqlite {
    use std::path::Path;

    use handbill_sql::SqliteStore;
    use tempfile::TempDir;

    #[expect(clippy::expect_used, reason = "a test may stop at an error")]
    async fn open(folder: &Path) -> SqliteStore {
        let store = SqliteStore::open(folder.join("posts.db")).await;
        store.expect("a store")
    }

    handbill_testing::store_checks!(
        async {
            let folder = tempfile::tempdir().expect("a folder");
            (open(folder.path()).await, folder)
        },
        async |folder: &TempDir| open(folder.path()).await
    );
}

mod postgres {
    use handbill_tests::postgres::Postgres;

    handbill_testing::store_checks!(async {
        let server = Postgres::shared().await?;
        let store = handbill_sql::PostgresStore::open(&server.create_database().await).await;
        Some((store.expect("a store"), server))
    });
}
