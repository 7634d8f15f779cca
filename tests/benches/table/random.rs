//! Reads of any of a million posts.

use std::net::SocketAddr;
use std::sync::Arc;

use handbill_tests::load::get;
use handbill_tests::program::Program;
use rand::RngExt;

use crate::chart::{Chart, Group};
use crate::handwritten;
use crate::load::{Load, Requests, get_any};
use crate::million::{Filled, Million};
use crate::plan::Plan;
use crate::report::{Report, Wanted};
use crate::rounds::{Subject, rates};
use crate::servers::{
    self, BARE, POSTGRES, POSTGRES_BY_HAND, SQLITE, SQLITE_BY_HAND, bare_like, handbill,
};

const CLIENTS: usize = 32;

pub(crate) async fn measure(
    plan: &Plan,
    million: &Million,
    report: &mut Report,
    chart: &mut Chart,
) {
    let posts = plan.posts_in_words();
    report.table(
        "Reads of random posts",
        &format!(
            "32 clients read posts that they choose at random out of {posts}: \
             `GET /api/posts/{{id}}`. Most reads find nothing in a cache of Handbill. Its responses \
             have the post as HTML besides the Markdown; those of the hand-written service have the \
             Markdown alone."
        ),
    );
    let sqlite = handbill(&million.sqlite.database).await;
    let bare = bare_like(sqlite.address, &get(&path_of(&million.sqlite.ids[1]))).await;
    let sqlite_by_hand = servers::handwritten(&million.sqlite_by_hand).await;
    let reads = reads(&million.sqlite);
    let reads_by_hand = reads_by_hand(million);
    let mut subjects = vec![
        reading(BARE, bare.address, &reads),
        reading(SQLITE, sqlite.address, &reads),
        reading(SQLITE_BY_HAND, sqlite_by_hand.address, &reads_by_hand),
    ];
    let mut on_postgres: Option<(Program, servers::Server)> = None;
    if let (Some(filled), Some(by_hand)) = (&million.postgres, &million.postgres_by_hand) {
        let ours = handbill(&filled.database).await;
        let by_hand = servers::handwritten(by_hand).await;
        subjects.push(reading(POSTGRES, ours.address, &self::reads(filled)));
        subjects.push(reading(POSTGRES_BY_HAND, by_hand.address, &reads_by_hand));
        on_postgres = Some((ours, by_hand));
    }
    let figures = rates(plan, &subjects).await;
    drop(on_postgres);
    for (pair, wanted) in [
        ([SQLITE, SQLITE_BY_HAND], Wanted::AtLeast(1.0)),
        ([POSTGRES, POSTGRES_BY_HAND], Wanted::AtLeast(1.2)),
        ([SQLITE, BARE], Wanted::Nothing),
        ([POSTGRES, BARE], Wanted::Nothing),
    ] {
        report.compare("read a random post", &figures, pair, wanted);
    }
    chart.set(Group::RandomRead, &figures);
}

/// Reads of Handbill's posts.
pub(crate) fn reads(posts: &Filled) -> Requests {
    let ids = Arc::clone(&posts.ids);
    get_any(move |random| path_of(&ids[random.random_range(..ids.len())]))
}

/// Reads of the hand-written service's posts.
pub(crate) fn reads_by_hand(million: &Million) -> Requests {
    let posts = million.posts_by_hand;
    get_any(move |random| format!("/posts/{}", handwritten::id(random.random_range(..posts))))
}

fn path_of(id: &str) -> String {
    format!("/api/posts/{id}")
}

fn reading(name: &'static str, server: SocketAddr, requests: &Requests) -> Subject {
    Subject {
        name,
        load: Load {
            server,
            clients: CLIENTS,
            requests: Arc::clone(requests),
            status: 200,
        },
    }
}
