//! The stores of the core pass the contract of `Store`.

mod memory {
    handbill_testing::store_checks!(async { handbill::MemoryStore::new() });
}

/// A decorator that changes nothing.
mod decorated {
    use handbill::store::{Decorated, Decorator, Store};

    struct Plain(handbill::MemoryStore);

    impl Decorator for Plain {
        fn inner(&self) -> &dyn Store {
            &self.0
        }
    }

    handbill_testing::store_checks!(async { Decorated(Plain(handbill::MemoryStore::new())) });
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
