//! The stores of the core pass the contract of `Store`.

mod memory {
    handbill_testing::store_checks!(async { handbill::MemoryStore::new() });
}

mod cached {
    handbill_testing::store_checks!(async {
        handbill::Cached::new(handbill::MemoryStore::new(), std::time::Duration::MAX)
    });
}

mod sqlite {
    handbill_testing::store_checks!(async {
        let folder = tempfile::tempdir().expect("a folder");
        let store = handbill::SqliteStore::open(folder.path().join("posts.db")).await;
        (store.expect("a store"), folder)
    });
}

mod cached_sqlite {
    handbill_testing::store_checks!(async {
        let folder = tempfile::tempdir().expect("a folder");
        let store = handbill::SqliteStore::open(folder.path().join("posts.db")).await;
        (store.expect("a store").cached(), folder)
    });
}

mod postgres {
    use handbill_tests::postgres::Postgres;

    handbill_testing::store_checks!(async {
        let server = Postgres::shared().await?;
        let store = handbill::PostgresStore::open(&server.create_database().await).await;
        Some((store.expect("a store"), server))
    });
}
