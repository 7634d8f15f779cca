//! A read through each framework that Handbill is mounted in.

use std::sync::Arc;

use handbill_tests::load::{get, publish};

use crate::report::{Report, Wanted};
use crate::rounds::{Subject, Work, rates};
use crate::servers::{MOUNT, alone, answer, bare_like, mounted};

const CLIENTS: usize = 32;
const BODY_BYTES: usize = 1000;
/// With what each is called when it answers by itself.
const FRAMEWORKS: [(&str, &str); 3] = [
    ("axum", "axum by itself"),
    ("poem", "poem by itself"),
    ("rocket", "rocket by itself"),
];

pub(crate) async fn measure(report: &mut Report) {
    report.table(
        "Mounts",
        "`GET /blog/api/posts/{id}` of about 1 KB, in memory, through each framework: 32 clients. \
         *By itself* is the same framework with a handler that has the same bytes at hand.",
    );
    for (framework, by_itself) in FRAMEWORKS {
        let ours = mounted(framework).await;
        let id = publish(ours.address, MOUNT, 1, BODY_BYTES).await;
        let request = get(&format!("{MOUNT}/api/posts/{id}"));
        let recorded = answer(ours.address, &request).await;
        let bare = bare_like(ours.address, &request).await;
        let own = alone(framework, &recorded).await;
        assert_eq!(answer(own.address, &request).await.body, recorded.body);

        let requests = Arc::new(vec![request]);
        let reading = |name, address| Subject {
            name,
            work: Work::Requests {
                servers: vec![address],
                clients: CLIENTS,
                requests: Arc::clone(&requests),
                status: 200,
            },
        };
        let mut subjects = [
            reading("bare hyper", bare.address),
            reading(by_itself, own.address),
            reading("memory", ours.address),
        ];
        let figures = rates(&mut subjects).await;
        let [bare, own, ours] = figures.as_slice() else {
            unreachable!("a figure each")
        };
        let what = format!("read through {framework}");
        report.ratio(&what, ours, own, Wanted::Nothing);
        report.ratio(&what, ours, bare, Wanted::Nothing);
    }
}
