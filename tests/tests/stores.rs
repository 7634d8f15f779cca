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

/// Each connection sets the character set, and the tables have their own.
mod mysql {
    use handbill_tests::mariadb::MariaDb;

    handbill_testing::store_checks!(async {
        let server = MariaDb::shared().await?;
        let address = server.create_database_in("latin1").await;
        let store = handbill_sql::MySqlStore::open(&address).await;
        Some((store.expect("a store"), server))
    });
}

/// A search finds the same posts on all stores, in the same order.
#[expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]
mod searches {
    use futures_util::future::join_all;
    use handbill::store::{
        List, MemoryStore, Outcome, PageRequest, PageStart, Post, Query, Search, Store, Visibility,
    };
    use handbill_sql::{MySqlStore, PostgresStore, SqliteStore};
    use handbill_testing::samples::{self, moment, owner, tag};
    use handbill_tests::calls::Calls;
    use handbill_tests::mariadb::MariaDb;
    use handbill_tests::postgres::Postgres;

    const POSTS: u32 = 3000;
    const TEXTS: [&str; 12] = [
        "The reader's café isn't open: 3.14 snake_case main.rs C++ AND or NEAR(x) * % \\ 'quoted' \"twice\"",
        "Die Straße führt über den Fluß, größer als zuvor, und Ärzte öffnen Türen",
        "İstanbul'da ılık bir gün, ıspanak ve şeker",
        "мой ёж и йод, а не еж и иод; всё хорошо",
        "Οδυσσεύς: άνθρωπος και θάλασσα",
        "東京都の天気は晴れです。京都は雨",
        "서울에서 가나다 한국어를 씁니다",
        "ภาษาไทยไม่มีช่องว่าง ม้าและมา",
        "हिन्दी में लिखा हुआ पाठ",
        "שלום עולם, זה טקסט",
        "مرحبا بالعالم، هذا نص",
        "🚀 launches 👩‍👩‍👧 🇫🇷 \u{1F469}\u{1F3FD} tear\u{AD}drop \u{202E}bidi Pneumonoultramicroscopicsilicovolcanoconiosispneumonoultramicroscopic",
    ];
    const QUERIES: [&str; 42] = [
        "common",
        "comm",
        "com",
        "co",
        "common reader",
        "reader's",
        "cafe",
        "3.14",
        "snake_case",
        "main.rs",
        "c++",
        "and or",
        "near(",
        "\"",
        "*",
        "%",
        "\\",
        "'quoted'",
        "strasse",
        "GRÖSS",
        "istanbul",
        "ılık",
        "йод",
        "иод",
        "еж",
        "ἄνθρωπος",
        "東京",
        "京都",
        "都",
        "서울",
        "가나",
        "ไทย",
        "ม้า",
        "हिन्",
        "שלום",
        "مرحبا",
        "🚀",
        "👩‍👩‍👧 🇫🇷",
        "teardrop bidi",
        "pneumonoultramicroscopicsilicovolcanoconiosispneumonoultramicroscopic",
        "rare",
        "spread",
    ];

    /// Most have a common word, and many have the same time. One word in many has a beginning in common.
    fn post(number: u32) -> Post {
        let mut post = samples::dated(number, moment(i64::from(number / 40 % 50)));
        let common = ["", "common "][usize::from(!number.is_multiple_of(5))];
        let rare = ["", "rare "][usize::from(number % 1000 == 7)];
        let text = TEXTS[number as usize % TEXTS.len()];
        post.body = format!("{common}{rare}{text} spread{}", number % 300);
        let summary = &mut post.summary;
        summary.created_at = moment(i64::from(number * 7 % 1000));
        summary.owner =
            [None, Some(owner("ann")), Some(owner("user:%\"B\""))][number as usize % 3].clone();
        summary.tags = [
            vec![],
            vec![tag("two words")],
            vec![tag("50%"), tag("東京")],
        ][number as usize / 3 % 3]
            .clone();
        if number.is_multiple_of(7) {
            summary.visibility = [Visibility::Unlisted, Visibility::Draft][number as usize % 2];
            summary.published_at = None;
        }
        post
    }

    async fn fill(store: &impl Store) {
        for first in (0..POSTS).step_by(500) {
            let inserts = (first..first + 500).map(|number| store.insert_post(post(number)));
            for inserted in join_all(inserts).await {
                assert_eq!(inserted.unwrap(), Outcome::Applied);
            }
        }
        for number in (0..POSTS).step_by(11) {
            let old = post(number);
            let mut new = samples::revised(&old);
            new.body = "changed common".to_owned();
            new.summary.visibility = Visibility::Public;
            new.summary.published_at = Some(old.summary.created_at);
            let updated = store.update_post(old.summary.revision, new).await;
            assert_eq!(updated.unwrap(), Outcome::Applied);
        }
        for number in (1..POSTS).step_by(11) {
            let old = post(number).summary;
            let deleted = store.delete_post(old.id, old.revision).await;
            assert_eq!(deleted.unwrap(), Outcome::Applied);
        }
    }

    /// Pages of each list, of each query.
    fn pages() -> Vec<PageRequest> {
        let lists = ["ann", "user:%\"B\""].map(owner);
        let lists = lists.into_iter().flat_map(|owner| {
            let all = List::AllOf(owner.clone());
            [List::PublicOf(owner), all]
        });
        let lists: Vec<_> = lists.chain([List::Public]).collect();
        let mut pages = Vec::new();
        for (number, query) in QUERIES.iter().enumerate() {
            let mut search = Search::new(&Query::parse(query).unwrap());
            search.from = (number % 3 == 1).then(|| moment(17));
            search.before = (number % 4 > 1).then(|| moment(33));
            for (place, list) in lists.iter().enumerate() {
                let text = [None, Some("two words"), Some("東京")][(number + place) % 3];
                let first = PageRequest::new(1, 30).unwrap();
                let first = first.with_list(list.clone()).with_tag(text.map(tag));
                let first = first.with_search(Some(search.clone()));
                let middle = list.place_of(&post(number as u32 * 50).summary);
                let starts = [
                    PageStart::Skip(0),
                    PageStart::Skip(990),
                    PageStart::After(middle),
                    PageStart::Before(middle),
                ];
                pages.extend(starts.map(|start| first.clone().with_start(start)));
            }
        }
        pages
    }

    async fn finds_the_same(store: &impl Store, memory: &MemoryStore) {
        fill(store).await;
        for page in pages() {
            let expected = memory.list_posts(page.clone()).await.unwrap();
            let found = store.list_posts(page.clone()).await.unwrap();
            assert!(
                found == expected,
                "{page:?}: {} and {}",
                found.total,
                expected.total
            );
        }
    }

    #[tokio::test]
    async fn in_ten_languages() {
        let memory = MemoryStore::new();
        fill(&memory).await;
        let page = PageRequest::new(1, 1).unwrap();
        let search = Search::new(&Query::parse("common").unwrap());
        let common = page.with_search(Some(search));
        let found = memory.list_posts(common).await.unwrap();
        assert_eq!(found.total, 1000, "more than are found");

        let folder = tempfile::tempdir().unwrap();
        let sqlite = SqliteStore::open(folder.path().join("posts.db")).await;
        finds_the_same(&sqlite.unwrap(), &memory).await;
        if let Some(server) = Postgres::shared().await {
            let postgres = PostgresStore::open(&server.create_database().await).await;
            finds_the_same(&postgres.unwrap(), &memory).await;
        }
        if let Some(server) = MariaDb::shared().await {
            let mysql = MySqlStore::open(&server.create_database().await).await;
            finds_the_same(&mysql.unwrap(), &memory).await;
        }
    }
}
