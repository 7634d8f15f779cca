//! The servers that are compared. Each is a process of its own on the first core.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;

use handbill::{Handbill, MemoryStore, RateLimits};
use handbill_tests::program::{self, Program};
use handbill_tests::wire::{Connection, TestResponse};
use handbill_tests::{mount, pinned, recorded};
use tempfile::NamedTempFile;
use tokio::process::{Child, Command};

use crate::{by_hand, frameworks, hosts};

/// The names of the servers in the report.
pub(crate) const SQLITE: &str = "SQLite";
pub(crate) const POSTGRES: &str = "PostgreSQL";
pub(crate) const BARE: &str = "bare hyper";
pub(crate) const SHORT: &str = "short service";
pub(crate) const POSTGRES_SHORT: &str = "short service, PostgreSQL";
/// The lists of both services by hand are the same.
pub(crate) const BY_HAND: &str = "by hand";
pub(crate) const POSTGRES_BY_HAND: &str = "by hand, PostgreSQL";
pub(crate) const SAME_WORK: &str = "same work by hand";
pub(crate) const POSTGRES_SAME_WORK: &str = "same work by hand, PostgreSQL";

/// The path of the posts in mounted services and in the frameworks by themselves.
pub(crate) const MOUNT: &str = "/blog";
/// The same for all, so that all send the same bytes.
pub(crate) const BASE_URL: &str = "https://example.org";

/// How all servers of a comparison are built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// As `cargo run --release` builds the program.
    Release,
    /// As packages have it.
    Dist,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Dist => "dist",
        }
    }

    /// The program. Cargo builds it if it is missing or older than the code.
    pub(crate) fn program(self) -> &'static Path {
        static PATHS: [OnceLock<PathBuf>; 2] = [const { OnceLock::new() }; 2];
        PATHS[self as usize].get_or_init(|| {
            let arguments = ["--package", "handbill-standalone", "--bin", "handbill"];
            program::build("handbill", self.name(), &arguments)
        })
    }

    /// The bare hyper server.
    pub(crate) fn bare(self) -> &'static Path {
        static PATHS: [OnceLock<PathBuf>; 2] = [const { OnceLock::new() }; 2];
        PATHS[self as usize]
            .get_or_init(|| program::build("bare", self.name(), &["--package", "handbill-bare"]))
    }

    /// The program on this database, without rate limits.
    pub(crate) async fn handbill(self, database: &str) -> Program {
        self.start_program(database, &["--rate-limits", "off"])
            .await
    }

    /// The program on this database, with its default rate limits.
    pub(crate) async fn handbill_with_rate_limits(self, database: &str) -> Program {
        self.start_program(database, &[]).await
    }

    /// The program with these options. It logs as much as by default, to a file.
    pub(crate) async fn start_program(self, database: &str, options: &[&str]) -> Program {
        let log = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let mut command = Command::new("taskset");
        command.args(["-c", "0"]).arg(self.program());
        command.args(["--listen", "127.0.0.1:0"]).args(options);
        command.args(["--base-url", BASE_URL, "--database", database]);
        command.stderr(Stdio::from(log));
        Program::spawn(command).await
    }

    /// A bare hyper server that responds to this request as the server at the address does: with the
    /// same bytes, except for the date.
    pub(crate) async fn bare_like(self, address: SocketAddr, request: &[u8]) -> Server {
        let without_date = async |address| {
            let mut response = response(address, request).await;
            response.headers.remove(http::header::DATE);
            response
        };
        let ours = without_date(address).await;
        let file = recorded_file(&ours);
        let bare = pinned::start_other(self.bare(), file.path()).await;
        let bare = Server::from(bare);
        let same = without_date(bare.address).await;
        assert_eq!(
            (same.status, &same.headers, &same.body),
            (ours.status, &ours.headers, &ours.body)
        );
        bare
    }
}

/// A server in a process of its own, which is killed when this is dropped.
pub(crate) struct Server {
    _process: Child,
    pub(crate) address: SocketAddr,
}

impl From<(Child, SocketAddr)> for Server {
    fn from((process, address): (Child, SocketAddr)) -> Self {
        Self {
            _process: process,
            address,
        }
    }
}

/// Handbill in memory, mounted in a framework.
pub(crate) async fn mounted(framework: &str) -> Server {
    pinned::start(&format!("mounted {framework}")).await.into()
}

/// The services by hand on this database.
pub(crate) async fn by_hand(database: &str) -> Server {
    pinned::start(&format!("by-hand {database}")).await.into()
}

/// A host of this kind, on this database.
pub(crate) async fn host(kind: &str, database: &str) -> Server {
    pinned::start(&format!("host {database} {kind}"))
        .await
        .into()
}

/// A framework that responds to this request as the server at the address does, with one handler.
pub(crate) async fn framework_like(name: &str, address: SocketAddr, request: &[u8]) -> Server {
    let ours = response(address, request).await;
    let file = recorded_file(&ours);
    let server = pinned::start(&format!("{name} {}", file.path().display())).await;
    let server = Server::from(server);
    assert_eq!(response(server.address, request).await.body, ours.body);
    server
}

fn recorded_file(response: &TestResponse) -> NamedTempFile {
    let file = NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    recorded::write(response, file.path());
    file
}

/// Serves in this process, as the functions above ask for.
pub(crate) async fn serve(what: &str) -> SocketAddr {
    let (kind, argument) = what.split_once(' ').unwrap();
    match kind {
        "mounted" => {
            let base_url = format!("{BASE_URL}{MOUNT}");
            let handbill = Handbill::new(&base_url, MemoryStore::new()).unwrap();
            let handbill = handbill.with_rate_limits(RateLimits::off());
            match argument {
                "actix-web" => mount::in_actix_web(MOUNT, handbill).await,
                "axum" => mount::in_axum(MOUNT, handbill).await,
                "poem" => mount::in_poem(MOUNT, handbill).await,
                "salvo" => mount::in_salvo(MOUNT, handbill).await,
                _ => mount::in_rocket(MOUNT, handbill).await,
            }
        }
        "host" => {
            let (database, kind) = argument.split_once(' ').unwrap();
            hosts::serve(kind, database).await
        }
        "by-hand" => {
            let (listener, address) = mount::listen().await;
            let app = by_hand::app(argument).await;
            tokio::spawn(async move { axum::serve(listener, app).await });
            address
        }
        framework => {
            let response = handbill_bare::recorded(Path::new(argument));
            match framework {
                "actix-web" => frameworks::actix_web(response).await,
                "axum" => frameworks::axum(response).await,
                "poem" => frameworks::poem(response).await,
                "salvo" => frameworks::salvo(response).await,
                _ => frameworks::rocket(response).await,
            }
        }
    }
}

/// The response to one request.
pub(crate) async fn response(address: SocketAddr, request: &[u8]) -> TestResponse {
    let mut connection = Connection::open(address).await.unwrap();
    connection.send(request).await.unwrap()
}
