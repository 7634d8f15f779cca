//! What the dumps of databases on servers have in common.

/// Tests of a module with `FIRST_SCHEMA` and `dump`, and what others need of its dumps.
macro_rules! dumps {
    ($Server:ident, $Store:ident, $Connection:ident, $name:literal) => {
        pub(crate) async fn connect(address: &str) -> $Connection {
            $Connection::connect(address).await.unwrap()
        }

        /// A database with what was stored with this schema.
        pub(crate) async fn restore(server: &$Server, schema: i64) -> String {
            let address = server.create_database().await;
            let dump = format!("{}-{schema}.sql", $name);
            let dump = String::from_utf8(crate::read(&dump)).unwrap();
            let dump = sqlx::raw_sql(sqlx::AssertSqlSafe(dump));
            dump.execute(&mut connect(&address).await).await.unwrap();
            address
        }

        async fn schema_of(address: &str) -> i64 {
            let schema = "SELECT value FROM handbill_meta WHERE name = 'schema'";
            let schema = connect(address).await.fetch_one(schema).await.unwrap();
            schema.get(0)
        }

        /// The schema of this version.
        pub(crate) async fn latest_schema(server: &$Server) -> i64 {
            let address = server.create_database().await;
            $Store::open(&address).await.unwrap().close().await;
            schema_of(&address).await
        }

        /// Expects that the database does what it did.
        async fn check(address: &str, recorded: i64) {
            let store = $Store::open(address).await.unwrap();
            let service = crate::service(store.clone());
            for exchange in crate::exchanges(&format!("{}-{recorded}.json", $name)) {
                exchange.check(&service).await;
            }
            store.close().await;
        }

        #[tokio::test]
        async fn a_database_of_each_schema_does_what_it_did() {
            let Some(server) = $Server::shared().await else {
                return;
            };
            let latest = latest_schema(&server).await;
            for schema in FIRST_SCHEMA..=latest {
                let address = restore(&server, schema).await;
                check(&address, schema).await;
                assert_eq!(schema_of(&address).await, latest);
            }
        }

        /// Its statements were prepared before.
        #[tokio::test]
        async fn an_instance_goes_on_when_a_later_version_adds_a_column() {
            let Some(server) = $Server::shared().await else {
                return;
            };
            let address = server.create_database().await;
            let store = $Store::open(&address).await.unwrap();
            crate::write_and_read(&store, 1).await;
            let add = "ALTER TABLE handbill_posts ADD COLUMN added_later TEXT;
                ALTER TABLE handbill_keys ADD COLUMN added_later TEXT";
            connect(&address).await.execute(add).await.unwrap();
            crate::write_and_read(&store, 2).await;
            store.close().await;
        }

        #[tokio::test]
        #[ignore = "writes the files of a new schema"]
        async fn record() {
            let Some(server) = $Server::shared().await else {
                return;
            };
            let address = server.create_database().await;
            let store = $Store::open(&address).await.unwrap();
            let schema = schema_of(&address).await;
            let file = crate::stored(&format!("{}-{schema}.sql", $name));
            if file.exists() {
                return;
            }
            let exchanges = crate::site::record(&crate::service(store.clone())).await;
            store.close().await;
            let dump = dump(&server, &address).output().await.unwrap();
            assert!(dump.status.success(), "{dump:?}");
            let dump = String::from_utf8(dump.stdout).unwrap();
            // Commands of psql are no SQL.
            let lines = dump.split_inclusive('\n');
            let sql: String = lines.filter(|line| !line.starts_with('\\')).collect();
            std::fs::write(file, sql).unwrap();
            let name = format!("{}-{schema}.json", $name);
            crate::write_exchanges(&name, &exchanges);
        }
    };
}
pub(crate) use dumps;
