//! What a site takes of each resource, and how long its requests wait.

use crate::site::Site;

/// Processor time in µs of each request over a connection, and of a thousand of its instructions. They follow from two
/// rates in BENCHMARKS.md, of one post on SQLite and of random ones, and from their instructions.
const OF_REQUEST: f64 = 13.7;
const OF_INSTRUCTIONS: f64 = 0.504;
/// Thousands of instructions over a connection, from tests/scale/figures.md.
pub(crate) const READ: f64 = 22.2;
pub(crate) const COLD_READ: f64 = 294.2;
pub(crate) const PAGE: f64 = 32.6;
pub(crate) const LIST: f64 = 45.6;
/// Requests of 32 clients in a second, from BENCHMARKS.md. Pairs are of SQLite and PostgreSQL.
pub(crate) const RANDOM_ON_POSTGRES: f64 = 3_943.0;
pub(crate) const CREATIONS: [f64; 2] = [3_996.0, 4_603.0];
/// Those of one client, which waits for each commit.
pub(crate) const CREATIONS_OF_ONE: [f64; 2] = [794.0, 406.0];
/// MB of the program at rest, from BENCHMARKS.md.
const AT_REST: f64 = 20.3;
/// Bytes of disk of a post besides its text, from docs/scaling.md.
const DISK_OF_POST: [f64; 2] = [1_100.0, 2_900.0];
/// How many pages, anywhere in the database, a read and a creation need.
const PAGES_READ: f64 = 2.0;
const PAGES_WRITTEN: f64 = 8.0;

pub(crate) fn micros(instructions: f64) -> f64 {
    OF_REQUEST + OF_INSTRUCTIONS * instructions
}

/// Requests of one kind: how many there are in a second, and the time of each in µs.
type Work = (f64, f64);

/// The processors that are busy with some work.
fn busy(work: &[Work]) -> f64 {
    work.iter().map(|(rate, time)| rate * time).sum::<f64>() / 1e6
}

/// How long requests wait for a processor, in µs: M/G/k, by Allen and Cunneen from Erlang's formula. The times of
/// requests of one kind vary as if they were exponential.
pub(crate) fn wait(processors: f64, work: &[Work]) -> f64 {
    let busy = busy(work);
    if busy >= processors {
        return f64::INFINITY;
    }
    let squares: f64 = work.iter().map(|(rate, time)| rate * time * time).sum();
    let numbers = (1_u32..).map(f64::from);
    let numbers = numbers.take_while(|number| *number <= processors);
    let blocked = numbers.fold(1.0, |blocked, n| busy * blocked / (n + busy * blocked));
    let waiting = blocked / (1.0 - busy / processors * (1.0 - blocked));
    waiting * squares / (busy * 1e6).max(1e-9) / (processors - busy)
}

/// The share of reads that are of the `first` most popular posts.
pub(crate) fn share_of_reads(first: f64, posts: f64, popularity: f64) -> f64 {
    // The sum of 1 / i^popularity up to n, nearly.
    let sum = |n: f64| match 1.0 - popularity {
        power if power.abs() < 1e-9 => n.ln() + 0.577,
        power => (n.powf(power) - 1.0) / power + (1.0 + n.powf(power - 1.0)) / 2.0,
    };
    sum(first.clamp(1.0, posts)) / sum(posts)
}

fn of_store(site: &Site, [sqlite, postgres]: [f64; 2]) -> f64 {
    if site["postgres"] == 0.0 {
        sqlite
    } else {
        postgres
    }
}

pub(crate) fn requests(site: &Site) -> f64 {
    site["readers-per-minute"] / 60.0 * site["requests-per-reader"]
}

pub(crate) fn creations(site: &Site) -> f64 {
    site["posts"] / (site["years"] * 31.6e6) * site["peak"]
}

/// The share of pages that are cached: each instance has the same ones.
pub(crate) fn cached(site: &Site) -> f64 {
    let pages = site["cache-mib"] * 1_048_576.0 / site["cached-bytes"];
    share_of_reads(pages, site["posts"], site["popularity"])
}

/// MB of an instance with a full cache.
pub(crate) fn memory(site: &Site) -> f64 {
    AT_REST + site["cache-mib"] * 1.048_576
}

fn bytes_of_post(site: &Site) -> f64 {
    site["post-bytes"] + of_store(site, DISK_OF_POST)
}

/// The share of pages whose posts are neither cached nor in the memory of the database.
fn on_disk(site: &Site) -> f64 {
    let in_memory = site["memory-gib"] * 1.074e9 / bytes_of_post(site);
    let known = share_of_reads(in_memory, site["posts"], site["popularity"]);
    1.0 - known.max(cached(site))
}

/// The work of each instance of the program, and of the primary.
fn work(site: &Site) -> [[Work; 8]; 2] {
    let (requests, creations) = (requests(site), creations(site));
    let [lists, feeds, searches] = ["lists", "feeds", "searches"].map(|k| requests * site[k]);
    let pages = (requests - lists - feeds - searches).max(0.0);
    let cold = pages * (1.0 - cached(site));
    // Each instance makes a list or feed again that is read after a change.
    let remade = |rate: f64| rate.min(creations * site["instances"]);
    let (new_lists, new_feeds) = (remade(lists), remade(feeds));
    let (read, list, page) = (micros(COLD_READ), micros(LIST), micros(PAGE));
    let cold_page = read + page - micros(READ);
    // A read on PostgreSQL takes this much longer than on SQLite. Of creations, both processors were busy.
    let of_read = 1e6 / RANDOM_ON_POSTGRES - read;
    let of_creation = 2e6 / CREATIONS[1] - read;
    // The times are of the program with SQLite, of the program with PostgreSQL, and of PostgreSQL.
    let work = [
        (pages - cold, page, page, 0.0),
        (cold, cold_page, cold_page, of_read),
        // BENCHMARKS.md, a page of a list that is read once. SECURITY.md, `/` on PostgreSQL, warm.
        (lists - new_lists, list, list, 1_400.0),
        (new_lists, 1_100.0, 1_100.0, 1_400.0),
        // SECURITY.md, `/feed.atom`, warm and cold.
        (feeds - new_feeds, 200.0, 200.0, 2_400.0),
        (new_feeds, 13_000.0, 10_600.0, 2_400.0),
        // docs/scaling.md, a search for a common word.
        (searches, 2_500.0, 200.0, 13_000.0),
        // With PostgreSQL, the program renders a post as for a read.
        (creations, 1e6 / CREATIONS[0], read, of_creation),
    ];
    let of_program = |(rate, sqlite, postgres, _)| {
        (rate / site["instances"], of_store(site, [sqlite, postgres]))
    };
    let servers = 1.0 + site["standbys"];
    let of_primary = |(rate, _, _, time)| (rate / servers, of_store(site, [0.0, time]));
    let mut primary = work.map(of_primary);
    primary[7].0 = creations; // Standbys take no writes.
    [work.map(of_program), primary]
}

/// How much of each resource is used. Above 1 is more than there is.
pub(crate) fn utilisation(site: &Site) -> [(&'static str, f64); 6] {
    let [program, database] = work(site).map(|work| busy(&work));
    let pages = requests(site) * (1.0 - site["lists"] - site["feeds"] - site["searches"]);
    let reads = pages.max(0.0) * PAGES_READ / (1.0 + site["standbys"]);
    let disk_reads = (reads + creations(site) * PAGES_WRITTEN) * on_disk(site);
    let space = site["posts"] * bytes_of_post(site) / 1e9;
    let megabits = requests(site) * site["sent-bytes"] * 8.0 / 1e6 / site["instances"];
    let writes = creations(site) / of_store(site, CREATIONS);
    [
        ("processors of the program", program / site["cores"]),
        (
            "processors of the database",
            database / site["database-cores"],
        ),
        ("creations on one primary", writes),
        ("disk reads", disk_reads / site["disk-reads"]),
        ("disk space", space / site["disk-gb"]),
        ("network of the program", megabits / site["network-mbit"]),
    ]
}

/// The mean times of a page and of a creation, in ms.
pub(crate) fn times(site: &Site) -> [f64; 2] {
    let [program, database] = work(site);
    let waiting = wait(site["cores"], &program) + wait(site["database-cores"], &database);
    let cold = 1.0 - cached(site);
    let page = cached(site) * program[0].1 + cold * (program[1].1 + database[1].1);
    let disk = on_disk(site) * PAGES_READ * site["disk-read-us"];
    let creation = 1e6 / of_store(site, CREATIONS_OF_ONE);
    [page + disk, creation].map(|time| (time + waiting) / 1e3)
}
