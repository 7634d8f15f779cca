//! The program's memory, and the time from its start to its first response.

use std::sync::Arc;
use std::time::Instant;

use handbill_tests::load::get;
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;
use rand::RngExt;

use crate::creations;
use crate::databases::Databases;
use crate::figure::{Figure, Unit};
use crate::load::{Load, any_of, get_any};
use crate::million::{Filled, Million};
use crate::plan::Plan;
use crate::report::{Report, Wanted};
use crate::servers::{POSTGRES, Profile, SQLITE};

const READERS: usize = 24;
const WRITERS: usize = 8;
const PER_PAGE: u64 = 20;

pub(crate) async fn measure(
    plan: &Plan,
    databases: &Databases,
    million: &Million,
    report: &mut Report,
) {
    let posts = plan.posts_in_words();
    report.table(
        "Memory and start",
        &format!(
            "Of the program's process. *First response* is the time from the start of the process to \
             the response to `GET /api/posts`; *at rest* is `VmRSS` after it. *Under load*, 24 \
             clients read posts, their pages, and pages of lists, chosen at random out of {posts}, \
             and 8 clients create posts; the figure is the peak, `VmHWM`."
        ),
    );
    let with_posts = format!("{posts} posts");
    let empty = databases.sqlite("empty");
    starts(plan, SQLITE, "an empty database", &empty, report).await;
    starts(plan, SQLITE, &with_posts, &million.sqlite.database, report).await;
    if let (Some(empty), Some(filled)) = (databases.postgres("empty").await, &million.postgres) {
        starts(plan, POSTGRES, "an empty database", &empty, report).await;
        starts(plan, POSTGRES, &with_posts, &filled.database, report).await;
    }

    let measured = format!("memory under load, {with_posts}");
    let copy = databases.copy_of_sqlite("memory", &million.sqlite.database);
    let figure = under_load(plan, SQLITE, &copy, &million.sqlite, million).await;
    report.figure(
        &measured,
        &figure,
        Wanted::at_most(100.0).unless("caches are full, and the rest varies by some megabytes"),
    );
    databases.remove_sqlite(&copy);
    if let Some(filled) = &million.postgres
        && let Some(copy) = databases
            .copy_of_postgres("memory", &million.postgres_names[0])
            .await
    {
        let figure = under_load(plan, POSTGRES, &copy, filled, million).await;
        report.figure(
            &measured,
            &figure,
            Wanted::at_most(100.0).unless("caches are full, and the rest varies by some megabytes"),
        );
    }
}

async fn starts(plan: &Plan, name: &'static str, posts: &str, database: &str, report: &mut Report) {
    let mut first_response = Figure::empty(name, Unit::Millis);
    let mut at_rest = Figure::empty(name, Unit::Megabytes);
    for _ in 0..plan.starts {
        let started = Instant::now();
        let program = Profile::Release.handbill(database).await;
        let mut connection = Connection::open(program.address).await.unwrap();
        let status = connection.status_of(&get("/api/posts")).await.unwrap();
        assert_eq!(status, 200);
        let millis = started.elapsed().as_secs_f64() * 1e3;
        first_response.values.push(millis);
        at_rest.values.push(megabytes(&program, "VmRSS:"));
        assert!(program.stop().await.success());
    }
    let measured = format!("first response, {posts}");
    report.figure(
        &measured,
        &first_response,
        Wanted::at_most(50.0).unless("the connections to the server are opened first"),
    );
    let measured = format!("memory at rest, {posts}");
    report.figure(
        &measured,
        &at_rest,
        Wanted::at_most(18.0).unless("without link-time optimisation; as `dist` it is less"),
    );
}

async fn under_load(
    plan: &Plan,
    name: &'static str,
    copy: &str,
    filled: &Filled,
    million: &Million,
) -> Figure {
    let program = Profile::Release.handbill(copy).await;
    let ids = Arc::clone(&filled.ids);
    let lists = million
        .lists
        .each_ref()
        .map(|list| (list.query, list.total / PER_PAGE));
    let reads = get_any(move |random| {
        let id = &ids[random.random_range(..ids.len())];
        let (query, pages) = lists[random.random_range(..lists.len())];
        match random.random_range(..3_u32) {
            0 => format!("/api/posts/{id}"),
            1 => format!("/p/{id}"),
            _ => format!("/api/posts?page={}{query}", random.random_range(1..=pages)),
        }
    });
    let creations = any_of(creations::requests(program.address).await);
    let load = |clients, requests, status| Load {
        servers: vec![program.address],
        clients,
        requests,
        status,
    };
    let reading = load(READERS, reads, 200);
    let creating = load(WRITERS, creations, 201);
    tokio::join!(
        reading.rate(plan.memory_window),
        creating.rate(plan.memory_window),
    );
    let mut peak = Figure::empty(name, Unit::Megabytes);
    peak.values.push(megabytes(&program, "VmHWM:"));
    assert!(program.stop().await.success());
    peak
}

/// A line of the process's status, as the kernel reports it.
pub(crate) fn megabytes(program: &Program, field: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    let kilobytes: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes * 1024.0 / 1e6
}
