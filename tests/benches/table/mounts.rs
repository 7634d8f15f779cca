//! A read through each framework that Handbill can be mounted in.

use handbill_tests::load::{get, key_header};
use handbill_tests::wire::Connection;

use crate::load::{Load, always};
use crate::plan::Plan;
use crate::post;
use crate::report::{Report, Wanted};
use crate::rounds::{Subject, rates};
use crate::servers::{self, MOUNT};

const CLIENTS: usize = 32;
/// Each with its name in the report.
const FRAMEWORKS: [(&str, &str); 5] = [
    ("actix-web", "actix-web by itself"),
    ("axum", "axum by itself"),
    ("poem", "poem by itself"),
    ("rocket", "rocket by itself"),
    ("salvo", "salvo by itself"),
];

pub(crate) async fn measure(plan: &Plan, report: &mut Report) {
    report.table(
        "Mounts",
        "`GET /blog/api/posts/{id}` of one post in memory, by 32 clients, with Handbill mounted in \
         each framework. *By itself* is the same framework with a handler that returns the same \
         bytes.",
    );
    for (framework, by_itself) in FRAMEWORKS {
        let ours = servers::mounted(framework).await;
        let mut connection = Connection::open(ours.address).await.unwrap();
        let key = key_header(&mut connection, MOUNT).await;
        let creation = post::create(MOUNT, &key, 1);
        let created = connection.send(&creation).await.unwrap().json();
        let id = created["id"].as_str().unwrap();
        let request = get(&format!("{MOUNT}/api/posts/{id}"));
        let own = servers::framework_like(framework, ours.address, &request).await;
        let reading = |name, server| Subject {
            name,
            load: Load {
                servers: vec![server],
                clients: CLIENTS,
                requests: always(request.clone()),
                status: 200,
            },
        };
        let subjects = [
            reading("memory", ours.address),
            reading(by_itself, own.address),
        ];
        let figures = rates(plan, &subjects).await;
        let measured = format!("read through {framework}");
        report.compare(&measured, &figures, ["memory", by_itself], Wanted::NOTHING);
    }
}
