//! The servers that are compared: each a process of its own on the first core.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;

use handbill::{Handbill, MemoryStore, RateLimits};
use handbill_tests::mount;
use handbill_tests::program::Program;
use handbill_tests::wire::{Answer, Connection};
use handbill_tests::{pinned, recorded};
use tokio::process::Child;

use crate::{alone, handwritten, million};

/// Where the mounted service and the frameworks by themselves have the posts.
pub(crate) const MOUNT: &str = "/blog";
/// The same for all, so that all give the same bytes.
pub(crate) const BASE_URL: &str = "https://example.org";

/// The program on this database, its log going to a file.
pub(crate) async fn handbill(database: &str) -> Program {
    handbill_on_cores("0", database).await
}

/// The same on these cores, as `taskset` lists them.
pub(crate) async fn handbill_on_cores(cores: &str, database: &str) -> Program {
    let arguments = [
        "--rate-limits",
        "off",
        "--base-url",
        BASE_URL,
        "--database",
        database,
    ];
    let log = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let under = ["taskset", "-c", cores];
    Program::start_under(&under, &arguments, Stdio::from(log)).await
}

/// A server that is a process of this program, killed when dropped.
pub(crate) struct Own {
    _process: Child,
    pub(crate) address: SocketAddr,
}

/// A framework (`hyper`, `axum`, `poem` or `rocket`) that gives this answer by itself.
pub(crate) async fn alone(framework: &str, answer: &Answer) -> Own {
    let file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    recorded::write(answer, file.path());
    own(&format!("{framework} {}", file.path().display())).await
}

/// Handbill in memory, mounted in a framework.
pub(crate) async fn mounted(framework: &str) -> Own {
    own(&format!("mounted {framework}")).await
}

/// The service that a user would write, on this database.
pub(crate) async fn handwritten(database: &str) -> Own {
    own(&format!("handwritten {database}")).await
}

/// Handbill in memory with a million posts, in axum.
pub(crate) async fn million_in_memory() -> Own {
    own("million in-memory").await
}

async fn own(what: &str) -> Own {
    let (_process, address) = pinned::start(what).await;
    Own { _process, address }
}

/// Serves in this process, as the functions above ask for.
pub(crate) async fn serve(what: &str) -> SocketAddr {
    let (kind, which) = what.split_once(' ').unwrap();
    match kind {
        "mounted" => {
            let handbill = in_memory(MOUNT, MemoryStore::new());
            match which {
                "axum" => mount::in_axum(MOUNT, handbill).await,
                "poem" => mount::in_poem(MOUNT, handbill).await,
                _ => mount::in_rocket(MOUNT, handbill).await,
            }
        }
        "handwritten" => {
            let (listener, address) = mount::listen().await;
            let app = handwritten::app(which).await;
            tokio::spawn(async move { axum::serve(listener, app).await });
            address
        }
        "million" => mount::in_axum("/", in_memory("", million::in_memory().await)).await,
        framework => {
            let answer = recorded::read(Path::new(which));
            match framework {
                "hyper" => alone::hyper(answer).await,
                "axum" => alone::axum(answer).await,
                "poem" => alone::poem(answer).await,
                _ => alone::rocket(answer).await,
            }
        }
    }
}

fn in_memory(mount: &str, store: MemoryStore) -> Handbill {
    let handbill = Handbill::new(&format!("{BASE_URL}{mount}"), store).unwrap();
    handbill.with_rate_limits(RateLimits::off())
}

/// The answer to one request.
pub(crate) async fn answer(address: SocketAddr, request: &[u8]) -> Answer {
    let mut connection = Connection::open(address).await.unwrap();
    connection.send(request).await.unwrap()
}

/// A bare hyper server that answers this request as the other one does: the same bytes, but for the
/// date.
pub(crate) async fn bare_like(address: SocketAddr, request: &[u8]) -> Own {
    let answer_of = async |address| {
        let mut answer = answer(address, request).await;
        answer.headers.remove(http::header::DATE);
        answer
    };
    let ours = answer_of(address).await;
    let bare = alone("hyper", &ours).await;
    let same = answer_of(bare.address).await;
    assert_eq!(
        (same.status, &same.headers, &same.body),
        (ours.status, &ours.headers, &ours.body)
    );
    bare
}
