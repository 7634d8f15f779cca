//! The servers that are compared. Each is a process of its own on the first core.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;

use handbill::{Handbill, MemoryStore, RateLimits};
use handbill_tests::program::{self, Program};
use handbill_tests::wire::{Connection, TestResponse};
use handbill_tests::{mount, pinned, recorded};
use tokio::process::{Child, Command};

use crate::{frameworks, handwritten, hosts};

/// The names of the servers in the report.
pub(crate) const SQLITE: &str = "SQLite";
pub(crate) const SQLITE_DIST: &str = "SQLite, profile `dist`";
pub(crate) const POSTGRES: &str = "PostgreSQL";
pub(crate) const BARE: &str = "bare hyper";
pub(crate) const SQLITE_BY_HAND: &str = "hand-written";
pub(crate) const POSTGRES_BY_HAND: &str = "hand-written, PostgreSQL";

/// The path of the posts in mounted services and in the frameworks by themselves.
pub(crate) const MOUNT: &str = "/blog";
/// The same for all, so that all send the same bytes.
pub(crate) const BASE_URL: &str = "https://example.org";

/// The program as `cargo run --release` builds it. Cargo builds it if it is missing or older than the code.
pub(crate) fn program_path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| build("release"))
}

/// The program as packages have it.
pub(crate) fn dist_path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| build("dist"))
}

fn build(profile: &str) -> PathBuf {
    program::build(&["--package", "handbill-standalone", "--profile", profile])
}

/// The program on this database, without rate limits.
pub(crate) async fn handbill(database: &str) -> Program {
    program(program_path(), database, &["--rate-limits", "off"]).await
}

/// The same, as packages have it.
pub(crate) async fn handbill_dist(database: &str) -> Program {
    program(dist_path(), database, &["--rate-limits", "off"]).await
}

/// The program on this database, with its default rate limits.
pub(crate) async fn handbill_with_rate_limits(database: &str) -> Program {
    program(program_path(), database, &[]).await
}

/// The program logs as much as by default, to a file.
async fn program(path: &Path, database: &str, options: &[&str]) -> Program {
    let log = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(path);
    command.args(["--listen", "127.0.0.1:0"]).args(options);
    command.args(["--base-url", BASE_URL, "--database", database]);
    command.stderr(Stdio::from(log));
    Program::spawn(command).await
}

/// A server that this benchmark's own program runs as a second process, killed when dropped.
pub(crate) struct Server {
    _process: Child,
    pub(crate) address: SocketAddr,
}

/// A framework (one of those in `mounts.rs`, or `hyper`) with one handler that returns this response.
async fn framework(name: &str, response: &TestResponse) -> Server {
    let file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    recorded::write(response, file.path());
    start(&format!("{name} {}", file.path().display())).await
}

/// Handbill in memory, mounted in a framework.
pub(crate) async fn mounted(framework: &str) -> Server {
    start(&format!("mounted {framework}")).await
}

/// The hand-written service on this database.
pub(crate) async fn handwritten(database: &str) -> Server {
    start(&format!("handwritten {database}")).await
}

/// A host of this kind, on this database.
pub(crate) async fn host(kind: &str, database: &str) -> Server {
    start(&format!("host {database} {kind}")).await
}

async fn start(what: &str) -> Server {
    let (process, address) = pinned::start(what).await;
    Server {
        _process: process,
        address,
    }
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
        "handwritten" => {
            let (listener, address) = mount::listen().await;
            let app = handwritten::app(argument).await;
            tokio::spawn(async move { axum::serve(listener, app).await });
            address
        }
        framework => {
            let response = recorded::read(Path::new(argument));
            match framework {
                "hyper" => frameworks::hyper(response).await,
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

/// A framework that responds to this request as the server at the address does.
pub(crate) async fn framework_like(name: &str, address: SocketAddr, request: &[u8]) -> Server {
    let ours = response(address, request).await;
    let server = framework(name, &ours).await;
    assert_eq!(response(server.address, request).await.body, ours.body);
    server
}

/// A bare hyper server that responds to this request as the server at the address does: with the
/// same bytes, except for the date.
pub(crate) async fn bare_like(address: SocketAddr, request: &[u8]) -> Server {
    let without_date = async |address| {
        let mut response = response(address, request).await;
        response.headers.remove(http::header::DATE);
        response
    };
    let ours = without_date(address).await;
    let bare = framework("hyper", &ours).await;
    let same = without_date(bare.address).await;
    assert_eq!(
        (same.status, &same.headers, &same.body),
        (ours.status, &ours.headers, &ours.body)
    );
    bare
}
