//! Histories of requests to several instances stay linearizable while an instance, the database or a node is killed,
//! and while a standby replaces the primary.

use bytes::Bytes;
use handbill_tests::histories::{CLIENTS, Reads, Recorded, Target, check_round};
use handbill_tests::load::post_json;
use handbill_tests::postgres::Postgres;
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;
use http::{Request, Response, StatusCode};
use rand::RngExt;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::cluster::Cluster;
use super::form::form;
use super::instances::{Addresses, INSTANCES, Way};

/// Instances on one database, and clients whose requests are recorded.
pub(crate) struct Recording {
    /// For each instance.
    databases: Vec<String>,
    programs: Vec<Option<Program>>,
    addresses: Addresses,
    /// The number of requests so far.
    sent: watch::Sender<u64>,
    stop: watch::Sender<bool>,
    checked: Option<JoinHandle<Result<Recorded, String>>>,
}

impl Recording {
    /// With two instances.
    async fn begin(database: &str) -> Self {
        Self::begin_on(vec![database.to_owned(); INSTANCES]).await
    }

    pub(crate) async fn begin_on(databases: Vec<String>) -> Self {
        let instances = databases.len();
        let mut recording = Self {
            databases,
            programs: (0..instances).map(|_| None).collect(),
            addresses: Addresses::new(instances),
            sent: watch::Sender::new(0),
            stop: watch::Sender::new(false),
            checked: None,
        };
        for instance in 0..instances {
            recording.start(instance).await;
        }
        let address = recording.addresses.of(0).unwrap();
        let mut connection = Connection::open(address).await.unwrap();
        let issued = connection.send(&post_json("/api/keys", "", "{}")).await;
        let api_key = issued.unwrap().json()["api_key"]
            .as_str()
            .unwrap()
            .to_owned();
        recording.checked = Some(tokio::spawn(record(
            recording.addresses.clone(),
            api_key,
            recording.sent.clone(),
            recording.stop.subscribe(),
        )));
        recording
    }

    /// Starts an instance, also after it was killed. It has no cache, so that all reads are current.
    async fn start(&mut self, instance: usize) {
        let (database, off) = (&*self.databases[instance], "off");
        let settings = ["--rate-limits", off, "--post-cache", off];
        // Entity tags depend on the public address.
        let shared = ["--base-url", "http://localhost", "--database", database];
        let program = Program::start(&[settings, shared].concat()).await;
        self.addresses.set(instance, Some(program.address));
        self.programs[instance] = Some(program);
    }

    /// Kills an instance (`kill -9`) and starts it again.
    async fn kill(&mut self, instance: usize) {
        self.programs[instance].take().unwrap().kill().await;
        self.addresses.set(instance, None);
        self.start(instance).await;
    }

    /// Waits until the clients are amid their requests: at a random point in this round or the next.
    pub(crate) async fn some_requests(&self) {
        let more = rand::rng().random_range(50..400);
        let enough = *self.sent.borrow() + more;
        let mut sent = self.sent.subscribe();
        sent.wait_for(|sent| *sent >= enough).await.unwrap();
    }

    pub(crate) async fn end(mut self) {
        self.some_requests().await;
        self.stop.send_replace(true);
        match self.checked.take().unwrap().await.unwrap() {
            Ok(recorded) => println!("{recorded:?}"),
            Err(history) => panic!("{history}"),
        }
        for program in self.programs.into_iter().flatten() {
            assert!(program.stop().await.success());
        }
    }
}

/// Checks round after round.
async fn record(
    addresses: Addresses,
    api_key: String,
    sent: watch::Sender<u64>,
    stop: watch::Receiver<bool>,
) -> Result<Recorded, String> {
    let mut recorded = Recorded::default();
    while !*stop.borrow() {
        let clients = std::iter::repeat_with(|| Client {
            way: Way::new(addresses.clone()),
            sent: sent.clone(),
        });
        recorded.add(check_round(clients.take(CLIENTS), &api_key, Reads::All).await?);
    }
    Ok(recorded)
}

struct Client {
    way: Way,
    sent: watch::Sender<u64>,
}

impl Target for Client {
    async fn send(&mut self, request: Request<String>) -> Option<Response<Bytes>> {
        let outcome = self.way.send(&bytes_of(&request)).await;
        self.sent.send_modify(|sent| *sent += 1);
        let received = outcome.response?;
        if received.status == StatusCode::SERVICE_UNAVAILABLE {
            // Otherwise a client would use up its requests while the database is away.
            sleep(super::client::PAUSE).await;
            return None;
        }
        let mut response = Response::new(Bytes::from(received.body));
        *response.status_mut() = received.status;
        *response.headers_mut() = received.headers;
        Some(response)
    }
}

fn bytes_of(request: &Request<String>) -> Vec<u8> {
    let mut text = format!(
        "{} {} HTTP/1.1\r\nHost: localhost\r\n",
        request.method(),
        request.uri()
    );
    for (name, value) in request.headers() {
        text += &format!("{name}: {}\r\n", value.to_str().unwrap());
    }
    format!("{text}\r\n{}", request.body()).into_bytes()
}

#[tokio::test(flavor = "multi_thread")]
async fn histories_on_sqlite_are_linearizable_while_instances_are_killed() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("posts.db");
    let recording = Recording::begin(&format!("sqlite://{}", file.display())).await;
    kill_instances(recording).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn histories_on_postgres_are_linearizable_while_instances_are_killed() {
    let Some(postgres) = Postgres::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    kill_instances(Recording::begin(&postgres.create_database().await).await).await;
}

async fn kill_instances(mut recording: Recording) {
    for kill in 0..form().kills as usize {
        recording.some_requests().await;
        recording.kill(kill % INSTANCES).await;
    }
    recording.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn histories_are_linearizable_while_postgres_is_killed() {
    let Some(postgres) = Postgres::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let recording = Recording::begin(&postgres.create_database().await).await;
    for _ in 0..form().rounds {
        recording.some_requests().await;
        postgres.kill().await;
        postgres.run().await;
    }
    recording.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn histories_are_linearizable_while_a_standby_is_promoted() {
    let Some(mut cluster) = Cluster::start().await else {
        return;
    };
    let recording = Recording::begin(&cluster.url()).await;
    recording.some_requests().await;
    cluster.kill_primary().await;
    recording.end().await;
}
