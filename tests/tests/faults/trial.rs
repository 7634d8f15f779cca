//! A fault on trial: instances on one database or on the nodes of a cluster, a fleet of clients, and finally a row of
//! counts.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use handbill_tests::load::post_json;
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::check::check;
use super::client::Client;
use super::form::form;
use super::instances::{Addresses, INSTANCES};
use super::tally::Tally;

/// The maximum time for everything that a trial waits for.
const TIMEOUT: Duration = Duration::from_secs(180);

pub(crate) struct Trial {
    fault: &'static str,
    /// The program that runs the instances, if any.
    under: &'static [&'static str],
    /// For each instance.
    databases: Vec<String>,
    logs: Logs,
    programs: Vec<Option<Program>>,
    /// Whether an instance was killed: nothing else may cut its connections.
    killed: bool,
    addresses: Addresses,
    tally: watch::Sender<Tally>,
    stop: watch::Sender<bool>,
    resting: Vec<Client>,
    running: Vec<JoinHandle<Client>>,
    /// The longest time from the end of a fault until all instances acknowledged changes.
    recovery: Duration,
}

/// The log of each instance. If the trial fails, their ends are printed.
struct Logs(TempDir);

impl Logs {
    fn path(&self, instance: usize) -> PathBuf {
        self.0.path().join(instance.to_string())
    }
}

impl Drop for Logs {
    fn drop(&mut self) {
        let paths = (0..).map(|instance| self.path(instance));
        for path in paths.take_while(|path| std::thread::panicking() && path.exists()) {
            let log = std::fs::read_to_string(path).unwrap_or_default();
            let lines: Vec<_> = log.lines().rev().take(20).collect();
            for line in lines.iter().rev() {
                eprintln!("{line}");
            }
        }
    }
}

impl Trial {
    /// Starts two instances on this database and the fleet, and returns when the fleet is at work.
    pub(crate) async fn begin(fault: &'static str, database: &str) -> Self {
        Self::begin_under(&[], fault, database).await
    }

    /// The same with instances that another program runs.
    pub(crate) async fn begin_under(
        under: &'static [&'static str],
        fault: &'static str,
        database: &str,
    ) -> Self {
        Self::begin_on(vec![database.to_owned(); INSTANCES], under, fault).await
    }

    /// The same with an instance for each of these addresses of one database.
    pub(crate) async fn begin_on(
        databases: Vec<String>,
        under: &'static [&'static str],
        fault: &'static str,
    ) -> Self {
        let instances = databases.len();
        let mut trial = Self {
            fault,
            under,
            databases,
            logs: Logs(tempfile::tempdir().unwrap()),
            programs: (0..instances).map(|_| None).collect(),
            killed: false,
            addresses: Addresses::new(instances),
            tally: watch::Sender::new(Tally::new(instances)),
            stop: watch::Sender::new(false),
            resting: Vec::new(),
            running: Vec::new(),
            recovery: Duration::ZERO,
        };
        for instance in 0..instances {
            trial.start(instance).await;
        }
        let issued = trial
            .connect(0)
            .await
            .send(&post_json("/api/keys", "", "{}"))
            .await;
        let api_key: Arc<str> = issued.unwrap().json()["api_key"].as_str().unwrap().into();
        let clients = form().clients;
        trial.resting = (0..clients)
            .map(|number| Client::new(number, clients, Arc::clone(&api_key)))
            .collect();
        trial.go();
        trial.load(form().load).await;
        trial
    }

    /// Starts an instance, also after it was killed.
    pub(crate) async fn start(&mut self, instance: usize) {
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.logs.path(instance));
        let arguments = [
            "--rate-limits",
            "off",
            "--database",
            &self.databases[instance],
        ];
        let program = Program::start_under(self.under, &arguments, log.unwrap().into()).await;
        self.addresses.set(instance, Some(program.address));
        self.programs[instance] = Some(program);
    }

    /// Kills an instance (`kill -9`).
    pub(crate) async fn kill(&mut self, instance: usize) {
        self.killed = true;
        self.programs[instance].take().unwrap().kill().await;
        self.addresses.set(instance, None);
    }

    /// Pauses an instance, until it is killed.
    pub(crate) fn pause(&self, instance: usize) {
        let program = self.programs[instance].as_ref();
        program.expect("it runs").pause();
    }

    async fn connect(&self, instance: usize) -> Connection {
        let address = self.addresses.of(instance).expect("it runs");
        Connection::open(address)
            .await
            .expect("the program listens")
    }

    fn go(&mut self) {
        self.stop.send_replace(false);
        self.tally.send_modify(Tally::begin);
        self.running = self
            .resting
            .drain(..)
            .map(|client| {
                let (addresses, tally) = (self.addresses.clone(), self.tally.clone());
                tokio::spawn(client.run(addresses, tally, self.stop.subscribe()))
            })
            .collect();
    }

    /// Waits until this many more changes were acknowledged.
    pub(crate) async fn load(&self, changes: u64) {
        let before: u64 = self.now().acknowledged.iter().sum();
        let enough = before + changes;
        self.until("changes are acknowledged", |tally| {
            tally.acknowledged.iter().sum::<u64>() >= enough
        })
        .await;
    }

    /// Waits until all instances have returned 503 since the call, for as long as the form says.
    pub(crate) async fn refusals(&self) {
        self.refusals_of(0..self.databases.len()).await;
    }

    /// Waits until these instances have.
    pub(crate) async fn refusals_of(&self, instances: Range<usize>) {
        let (before, since) = (self.now().refused, Instant::now());
        self.until("instances refuse", |tally| {
            grown(
                &before[instances.clone()],
                &tally.refused[instances.clone()],
            ) && since.elapsed() >= form().lasting
        })
        .await;
    }

    /// Waits until all instances have returned successful reads since the call.
    pub(crate) async fn reads(&self) {
        let before = self.now().read;
        self.until("all instances are read", |tally| {
            grown(&before, &tally.read)
        })
        .await;
    }

    /// Call this when a fault ends. It waits until all instances acknowledge changes.
    pub(crate) async fn recover(&mut self) {
        let ended = Instant::now();
        let before = self.now().acknowledged;
        self.until("all instances acknowledge changes", |tally| {
            grown(&before, &tally.acknowledged)
        })
        .await;
        self.recovery = self.recovery.max(ended.elapsed());
    }

    fn now(&self) -> Tally {
        self.tally.borrow().clone()
    }

    async fn until(&self, what: &str, reached: impl FnMut(&Tally) -> bool) {
        let mut tally = self.tally.subscribe();
        let waited = timeout(TIMEOUT, tally.wait_for(reached)).await.is_ok();
        assert!(
            waited,
            "{}: {what}: not in {TIMEOUT:?}\n{}",
            self.fault,
            self.account()
        );
    }

    /// Pauses the fleet and checks that all instances have what is in the ledger.
    pub(crate) async fn check(&mut self) {
        let tally = self.compare().await;
        assert!(
            tally.is_faultless(),
            "{}\n{}",
            tally.words.join("\n"),
            self.account()
        );
    }

    /// Pauses the fleet and compares all instances with the ledger.
    pub(crate) async fn compare(&mut self) -> Tally {
        self.stop.send_replace(true);
        for client in self.running.drain(..) {
            let client = timeout(TIMEOUT, client).await;
            let client = client.expect("a client completes its request");
            self.resting.push(client.expect("a client completes"));
        }
        let mut tally = self.now();
        if tally.cut > 0 && !self.killed {
            tally.go_wrong(format!("{} requests got no response", tally.cut));
        }
        for instance in 0..self.databases.len() {
            let mut connection = self.connect(instance).await;
            check(&mut connection, &self.resting, &mut tally).await;
        }
        for client in &mut self.resting {
            client.gone.clear();
            client.keyed.clear();
        }
        tally
    }

    /// Checks, and lets the fleet continue.
    pub(crate) async fn check_and_go_on(&mut self) {
        self.check().await;
        self.go();
    }

    /// Call this when a fault ends and another one follows: the instances recover, have all that they acknowledged, and
    /// go on under load.
    pub(crate) async fn survive(&mut self) {
        self.recover().await;
        self.check_and_go_on().await;
        self.load(form().load).await;
    }

    /// Lets the fleet work, checks, prints the row of the fault, and stops the instances normally.
    pub(crate) async fn end(mut self) {
        self.load(form().load).await;
        self.check().await;
        // On its own line, where `tests/faults.sh` looks for it.
        println!("\n{}", self.row());
        for program in self.programs.into_iter().flatten() {
            assert!(program.stop().await.success());
        }
    }

    fn row(&self) -> String {
        let tally = self.now();
        format!(
            "| {} | {} | {} | {} | {} | {} | {:.1} | {:.1} | {:.1} |",
            self.fault,
            tally.acknowledged.iter().sum::<u64>(),
            tally.lost,
            tally.doubled,
            tally.refused.iter().sum::<u64>(),
            tally.cut,
            tally.longest_silence.as_secs_f64(),
            self.recovery.as_secs_f64(),
            tally.slowest.as_secs_f64(),
        )
    }

    /// The counts, and the last log lines of the instances.
    fn account(&self) -> String {
        let mut account = format!("{:#?}\n", self.now());
        for instance in 0..self.databases.len() {
            let log = std::fs::read_to_string(self.logs.path(instance));
            let log = log.unwrap_or_default();
            let mut troubles: Vec<_> = log
                .lines()
                .filter(|line| line.contains("ERROR") || line.contains("WARN"))
                .collect();
            let latest = troubles.split_off(troubles.len().saturating_sub(10));
            account += &format!("instance {instance}:\n{}\n", latest.join("\n"));
        }
        account
    }
}

fn grown(before: &[u64], now: &[u64]) -> bool {
    before.iter().zip(now).all(|(before, now)| now > before)
}
