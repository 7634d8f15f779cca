//! MariaDB, and a Galera cluster of three nodes, of which one, two or three have an instance.

use handbill_tests::galera::Galera;
use handbill_tests::load::get;
use handbill_tests::mariadb::MariaDb;
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;

use crate::by_hand::ByHand;
use crate::creations::{requests, requests_by_hand};
use crate::load::{Load, any_of};
use crate::plan::Plan;
use crate::report::{Report, Wanted};
use crate::rounds::{Subject, rates};
use crate::servers::{self, Profile};

const MARIADB: &str = "MariaDB";
const SAME_WORK: &str = "same work by hand, MariaDB";
/// By the number of nodes with an instance.
const GALERA: [&str; 3] = [
    "Galera, 1 node writes",
    "Galera, 2 nodes write",
    "Galera, 3 nodes write",
];
const CLIENTS: usize = 32;

pub(crate) async fn measure(plan: &Plan, report: &mut Report) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mariadb = MariaDb::start(folder.path(), &[]).await;
    let galera = Galera::start_in(folder.path(), GALERA.len() as u8, &[]).await;
    let (Some(mariadb), Some(galera)) = (mariadb, galera) else {
        return;
    };
    report.table(
        "MariaDB and Galera",
        "Creations, into databases that are new for each number of clients; reads of one post; and reads of 512 posts at \
         random with `--post-cache off`, so that each asks the database. The cluster has three nodes, and those that \
         write have an instance each, among which the clients are divided. All share this machine and its disk: the \
         figures show what a cluster costs, and not what more machines add.",
    );
    for (clients, measured, wanted) in [
        (1, "creations, 1 client", 1.0),
        (CLIENTS, "creations, 32 clients", 1.8),
    ] {
        let [ours, cluster] = start(&mariadb, &galera, &[]).await;
        let by_hand = servers::by_hand(&mariadb.create_database().await).await;
        let mut subjects = ours.subjects(&[MARIADB], clients, &ours.creations, 201);
        let load = Load {
            servers: vec![by_hand.address],
            clients,
            requests: any_of(requests_by_hand(ByHand::SameWork)),
            status: 201,
        };
        subjects.push(Subject {
            name: SAME_WORK,
            load,
        });
        let writing = &GALERA[..clients.min(GALERA.len())];
        subjects.extend(cluster.subjects(writing, clients, &cluster.creations, 201));
        let wanted = [
            Wanted::at_least(wanted).unless("each word of a post is a row"),
            Wanted::at_least(0.5)
                .unless("all nodes share this machine, and each writes everything"),
        ];
        compare(measured, plan, &subjects, wanted, report).await;
    }
    for (measured, posts, options) in [
        ("read one post", 1, &[][..]),
        ("read a random post", usize::MAX, &["--post-cache", "off"]),
    ] {
        let [ours, cluster] = start(&mariadb, &galera, options).await;
        let mut subjects = ours.subjects(&[MARIADB], CLIENTS, &ours.reads(posts).await, 200);
        let reads = cluster.reads(posts).await;
        subjects.extend(cluster.subjects(&GALERA, CLIENTS, &reads, 200));
        let wanted = [Wanted::NOTHING; 2];
        compare(measured, plan, &subjects, wanted, report).await;
    }
}

/// What is wanted of MariaDB, and of the cluster.
async fn compare(
    measured: &str,
    plan: &Plan,
    subjects: &[Subject],
    [wanted, of_cluster]: [Wanted; 2],
    report: &mut Report,
) {
    let figures = rates(plan, subjects).await;
    report.compare(measured, &figures, [MARIADB, SAME_WORK], wanted);
    for galera in GALERA {
        report.compare(measured, &figures, [galera, MARIADB], of_cluster);
    }
}

/// Instances of Handbill on one database.
struct Site {
    programs: Vec<Program>,
    /// A creation of each post.
    creations: Vec<Vec<u8>>,
}

/// A site on a new database of each.
async fn start(mariadb: &MariaDb, galera: &Galera, options: &[&str]) -> [Site; 2] {
    let options = [&["--rate-limits", "off"], options].concat();
    let site = async |databases: Vec<String>| {
        let mut programs = Vec::new();
        for database in &databases {
            programs.push(Profile::Release.start_program(database, &options).await);
        }
        let creations = requests(programs[0].address).await;
        Site {
            programs,
            creations,
        }
    };
    let ours = site(vec![mariadb.create_database().await]).await;
    [ours, site(galera.create_database().await).await]
}

impl Site {
    /// Creates up to this many posts. Returns a read of each.
    async fn reads(&self, posts: usize) -> Vec<Vec<u8>> {
        let mut connection = Connection::open(self.programs[0].address).await.unwrap();
        let mut reads = Vec::new();
        for creation in self.creations.iter().take(posts) {
            let created = connection.send(creation).await.unwrap().json();
            let id = created["id"].as_str().unwrap();
            reads.push(get(&format!("/api/posts/{id}")));
        }
        reads
    }

    /// Subjects with these names, of which the first one has one instance, the next one two, and so on.
    fn subjects(
        &self,
        names: &[&'static str],
        clients: usize,
        requests: &[Vec<u8>],
        status: u16,
    ) -> Vec<Subject> {
        let subject = |(others, &name): (usize, &&'static str)| {
            let programs = self.programs[..=others].iter();
            let load = Load {
                servers: programs.map(|program| program.address).collect(),
                clients,
                requests: any_of(requests.to_vec()),
                status,
            };
            Subject { name, load }
        };
        names.iter().enumerate().map(subject).collect()
    }
}
