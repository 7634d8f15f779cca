//! A million posts, in Handbill's databases and in those of the services by hand. Filling them
//! takes longer than measuring, so they stay below `target/` for the next run.
//!
//! A database's name tells how many posts it was filled with, and has a hash of its schema and of
//! the posts. Where one of them changes, the database of that name is missing and is filled, and the
//! one with the earlier hash is removed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use handbill::{Draft, Handbill, RateLimits, Store};
use handbill_sql::{PostgresStore, SqliteStore};
use sqlx::{Connection, PgConnection, SqliteConnection};
use tokio::task::JoinSet;

use crate::by_hand;
use crate::databases::{Databases, remove_sqlite, reused, sqlite_url};
use crate::plan::Plan;
use crate::post::{BODY, TAGS, body, title};

/// Posts that are created at the same time, so that a store can write them in batches.
const WRITERS: usize = 512;
const TRIES: usize = 10;
/// Of so many posts one is deleted, and another one loses its second tag.
const CHANGE_ONE_OF: u64 = 1_000;

pub(crate) struct Million {
    pub(crate) sqlite: Filled,
    pub(crate) postgres: Option<Filled>,
    /// URLs of the services by hand's databases.
    pub(crate) sqlite_by_hand: String,
    pub(crate) postgres_by_hand: Option<String>,
    /// The PostgreSQL names of `postgres` and `postgres_by_hand`.
    pub(crate) postgres_names: [String; 2],
    /// The posts of the services by hand, which deletes none.
    pub(crate) posts_by_hand: u64,
    pub(crate) lists: [List; 2],
}

/// A database that Handbill has filled.
#[derive(Clone)]
pub(crate) struct Filled {
    pub(crate) database: String,
    /// The identifiers of all posts that are not deleted.
    pub(crate) ids: Arc<[String]>,
}

/// A list of the posts.
pub(crate) struct List {
    pub(crate) name: &'static str,
    /// The part of an address that selects it.
    pub(crate) query: &'static str,
    pub(crate) total: u64,
}

impl Million {
    /// Finds the databases, or fills them.
    pub(crate) async fn open(plan: &Plan, databases: &Databases) -> Self {
        std::fs::create_dir_all(reused()).unwrap();
        let posts = plan.posts;
        let changed = posts / CHANGE_ONE_OF;
        let [name, name_by_hand] = postgres_names(posts, databases).await;
        let million = Self {
            sqlite: sqlite(posts).await,
            sqlite_by_hand: sqlite_by_hand(posts).await,
            postgres: postgres(posts, &name, databases).await,
            postgres_by_hand: postgres_by_hand(posts, &name_by_hand, databases).await,
            postgres_names: [name, name_by_hand],
            posts_by_hand: posts,
            lists: [
                List {
                    name: "all posts",
                    query: "",
                    total: posts - changed,
                },
                List {
                    name: "posts of a tag",
                    query: "&tag=harbour",
                    total: posts / 2 - 2 * changed,
                },
            ],
        };
        read_all(&reused());
        million
    }
}

async fn sqlite(posts: u64) -> Filled {
    let prefix = format!("handbill-{posts}-");
    let file = reused().join(format!("{prefix}{}.db", hash(&sqlite_schema().await)));
    if !file.exists() {
        remove_files(&prefix);
        let unfinished = unfinished();
        let fill = Progress::start("SQLite");
        let store = SqliteStore::open(&unfinished).await.unwrap();
        let ids = create_posts(store.clone(), posts).await;
        store.close().await;
        write_ids(&file, &ids);
        std::fs::rename(unfinished, &file).unwrap();
        fill.end();
    }
    Filled {
        database: sqlite_url(&file),
        ids: read_ids(&file),
    }
}

async fn sqlite_by_hand(posts: u64) -> String {
    let prefix = format!("by-hand-{posts}-");
    let file = reused().join(format!("{prefix}{}.db", hash(&by_hand::SCHEMAS[0])));
    if !file.exists() {
        remove_files(&prefix);
        let unfinished = unfinished();
        let fill = Progress::start("SQLite, by hand");
        by_hand::fill(&sqlite_url(&unfinished), posts).await;
        std::fs::rename(unfinished, &file).unwrap();
        fill.end();
    }
    sqlite_url(&file)
}

async fn postgres_names(posts: u64, databases: &Databases) -> [String; 2] {
    let schema = postgres_schema(databases).await;
    [
        format!("handbill_{posts}_{}", hash(&schema)),
        format!("by_hand_{posts}_{}", hash(&by_hand::SCHEMAS[1])),
    ]
}

async fn postgres(posts: u64, name: &str, databases: &Databases) -> Option<Filled> {
    let database = databases.postgres_url(name)?;
    let file = reused().join(name);
    if let Some(unfinished) = unfinished_postgres(name, databases).await {
        let fill = Progress::start("PostgreSQL");
        let store = PostgresStore::open(&unfinished).await.unwrap();
        let ids = create_posts(store.clone(), posts).await;
        store.close().await;
        write_ids(&file, &ids);
        finish_postgres(name, &unfinished, databases).await;
        fill.end();
    }
    Some(Filled {
        database,
        ids: read_ids(&file),
    })
}

async fn postgres_by_hand(posts: u64, name: &str, databases: &Databases) -> Option<String> {
    if let Some(unfinished) = unfinished_postgres(name, databases).await {
        let fill = Progress::start("PostgreSQL, by hand");
        by_hand::fill(&unfinished, posts).await;
        finish_postgres(name, &unfinished, databases).await;
        fill.end();
    }
    databases.postgres_url(name)
}

/// Reads all files below a folder, so that the system has them in its cache. Otherwise the first
/// server to be measured would wait for the disk.
fn read_all(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path);
        } else if let Ok(mut file) = std::fs::File::open(path) {
            let _ = std::io::copy(&mut file, &mut std::io::sink());
        }
    }
}

const UNFINISHED: &str = "unfinished";

/// A SQLite file that gets its name when it is filled, so that a run that was interrupted leaves
/// nothing that the next one would use.
fn unfinished() -> PathBuf {
    let file = reused().join(UNFINISHED);
    remove_sqlite(&file);
    file
}

/// The same for the PostgreSQL database of this name: the URL of an empty database to fill, or none
/// if the database exists.
async fn unfinished_postgres(name: &str, databases: &Databases) -> Option<String> {
    let (prefix, _) = name.rsplit_once('_').unwrap();
    let found = databases.postgres_named(prefix).await;
    if !databases.has_postgres() || found.iter().any(|found| found == name) {
        return None;
    }
    for outdated in &found {
        databases.drop_postgres(outdated).await;
    }
    remove_files(prefix);
    databases.drop_postgres(UNFINISHED).await;
    databases.create_postgres(UNFINISHED).await;
    databases.postgres_url(UNFINISHED)
}

/// Does what the server would otherwise do during a measurement, then names the database.
async fn finish_postgres(name: &str, url: &str, databases: &Databases) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    for command in ["VACUUM ANALYZE", "CHECKPOINT"] {
        sqlx::raw_sql(command)
            .execute(&mut connection)
            .await
            .unwrap();
    }
    connection.close().await.unwrap();
    databases.rename_postgres(UNFINISHED, name).await;
}

fn remove_files(prefix: &str) {
    for file in std::fs::read_dir(reused()).unwrap() {
        let file = file.unwrap();
        if file.file_name().to_string_lossy().starts_with(prefix) {
            std::fs::remove_file(file.path()).unwrap();
        }
    }
}

/// The SQL of all tables and indexes that the store creates.
async fn sqlite_schema() -> Vec<String> {
    let file = unfinished();
    SqliteStore::open(&file).await.unwrap().close().await;
    let mut connection = SqliteConnection::connect(&sqlite_url(&file)).await.unwrap();
    let tables = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
    let mut schema: Vec<String> = sqlx::query_scalar(tables)
        .fetch_all(&mut connection)
        .await
        .unwrap();
    let version: i64 = sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    schema.push(version.to_string());
    connection.close().await.unwrap();
    remove_sqlite(&file);
    schema
}

/// The columns and indexes that the store creates.
async fn postgres_schema(databases: &Databases) -> Vec<String> {
    let Some(url) = databases.postgres("empty_schema").await else {
        return Vec::new();
    };
    PostgresStore::open(&url).await.unwrap().close().await;
    let mut connection = PgConnection::connect(&url).await.unwrap();
    let schema = "
        SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable)
        FROM information_schema.columns
        WHERE table_schema NOT IN ('information_schema', 'pg_catalog')
        UNION ALL
        SELECT indexdef FROM pg_indexes WHERE schemaname <> 'pg_catalog'
        ORDER BY 1";
    let schema = sqlx::query_scalar(schema);
    let schema = schema.fetch_all(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    schema
}

/// A hash of a schema and of the posts.
fn hash(schema: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    (schema, BODY, TAGS, CHANGE_ONE_OF).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn ids_file(database: &Path) -> PathBuf {
    database.with_extension("ids")
}

fn write_ids(database: &Path, ids: &[String]) {
    std::fs::write(ids_file(database), ids.join("\n")).unwrap();
}

fn read_ids(database: &Path) -> Arc<[String]> {
    let ids = std::fs::read_to_string(ids_file(database)).unwrap();
    ids.lines().map(str::to_owned).collect()
}

/// Creates the posts, deletes some of them and takes the second tag from others, all by the
/// interface for hosts. Returns the identifiers of those that are left.
async fn create_posts(store: impl Store, posts: u64) -> Vec<String> {
    let handbill = Handbill::new("https://example.org", store).unwrap();
    let handbill = handbill.with_rate_limits(RateLimits::off());
    let next = Arc::new(AtomicU64::new(0));
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let (handbill, next) = (handbill.clone(), Arc::clone(&next));
        writers.spawn(async move {
            let mut created = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= posts {
                    return created;
                }
                created.push((number, create(&handbill, number).await));
            }
        });
    }
    let mut created = writers.join_all().await.concat();
    created.sort_unstable_by_key(|(number, _)| *number);

    let mut ids = Vec::new();
    for (number, id) in created {
        match number % CHANGE_ONE_OF {
            0 => {
                handbill.posts().delete(id).await.unwrap();
                continue;
            }
            2 => {
                let change = Draft::new().tags([TAGS[0]]);
                handbill.posts().update(id, change).await.unwrap();
            }
            _ => {}
        }
        ids.push(id.to_string());
    }
    ids
}

/// Creates a post. Retries where the store is too busy, as it may be at times under such a load.
async fn create(handbill: &Handbill, number: u64) -> handbill::PostId {
    let tags = match number.is_multiple_of(2) {
        true => &TAGS[..],
        false => &TAGS[..1],
    };
    let draft = Draft::new().title(title(number)).body(body(number));
    let draft = draft.tags(tags.iter().copied());
    for _ in 1..TRIES {
        if let Ok(created) = handbill.posts().create(draft.clone()).await {
            return created.id;
        }
    }
    handbill.posts().create(draft).await.unwrap().id
}

/// Tells how long filling a database took.
struct Progress {
    database: &'static str,
    started: Instant,
}

impl Progress {
    fn start(database: &'static str) -> Self {
        eprintln!("Filling {database} …");
        Self {
            database,
            started: Instant::now(),
        }
    }

    fn end(self) {
        let seconds = self.started.elapsed().as_secs_f64();
        eprintln!("Filled {} in {seconds:.0} s", self.database);
    }
}
