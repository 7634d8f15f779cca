//! Reads of any of a million posts.

use std::sync::Arc;

use handbill_tests::program::Program;
use rand::RngExt;

use crate::by_hand::{self, ByHand};
use crate::chart::{Chart, Group};
use crate::load::{Load, Requests, get_any};
use crate::million::{Filled, Million};
use crate::plan::Plan;
use crate::report::{Report, Wanted};
use crate::rounds::{Subject, rates};
use crate::servers::{
    self, POSTGRES, POSTGRES_SAME_WORK, POSTGRES_SHORT, Profile, SAME_WORK, SHORT, SQLITE, Server,
};

const CLIENTS: usize = 32;
/// What a read adds that is not cached.
const OF_MISSES: &str =
    "the response is made on other threads, and cached for reads that do not come";

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
             `GET /api/posts/{{id}}`. Most reads find nothing in the cache of Handbill. Responses \
             have the post as HTML besides the Markdown; those of the short service have the \
             Markdown alone."
        ),
    );
    let mut servers = Vec::new();
    let mut subjects = Vec::new();
    let names = [SQLITE, SHORT, SAME_WORK];
    let on_sqlite = (&million.sqlite, &*million.sqlite_by_hand);
    servers.push(start(names, on_sqlite, million, &mut subjects).await);
    if let (Some(filled), Some(by_hand)) = (&million.postgres, &million.postgres_by_hand) {
        let names = [POSTGRES, POSTGRES_SHORT, POSTGRES_SAME_WORK];
        servers.push(start(names, (filled, by_hand), million, &mut subjects).await);
    }
    let figures = rates(plan, &subjects).await;
    for (pair, wanted) in [
        ([SQLITE, SHORT], Wanted::NOTHING),
        ([SQLITE, SAME_WORK], Wanted::at_least(2.3).unless(OF_MISSES)),
        ([POSTGRES, POSTGRES_SHORT], Wanted::NOTHING),
        ([POSTGRES, POSTGRES_SAME_WORK], Wanted::NOTHING),
    ] {
        report.compare("read a random post", &figures, pair, wanted);
    }
    chart.set(Group::RandomRead, &figures);
}

/// Starts Handbill and the services by hand on one kind of database, and adds them under these names.
async fn start(
    names: [&'static str; 3],
    (filled, by_hand): (&Filled, &str),
    million: &Million,
    subjects: &mut Vec<Subject>,
) -> (Program, Server) {
    let ours = Profile::Release.handbill(&filled.database).await;
    let by_hand = servers::by_hand(by_hand).await;
    let requests = [
        (ours.address, reads(filled)),
        (by_hand.address, reads_by_hand(ByHand::Short, million)),
        (by_hand.address, reads_by_hand(ByHand::SameWork, million)),
    ];
    for (name, (server, requests)) in names.into_iter().zip(requests) {
        let load = Load {
            servers: vec![server],
            clients: CLIENTS,
            requests,
            status: 200,
        };
        subjects.push(Subject { name, load });
    }
    (ours, by_hand)
}

/// Reads of Handbill's posts.
pub(crate) fn reads(posts: &Filled) -> Requests {
    let ids = Arc::clone(&posts.ids);
    get_any(move |random| format!("/api/posts/{}", ids[random.random_range(..ids.len())]))
}

/// Reads of the posts of a service by hand.
pub(crate) fn reads_by_hand(service: ByHand, million: &Million) -> Requests {
    let posts = million.posts_by_hand;
    get_any(move |random| service.post(&by_hand::id(random.random_range(..posts))))
}
