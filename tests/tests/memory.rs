//! How much memory many requests take that wait. This is a test of its own, since it measures its whole process.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::fs;
use std::net::Ipv4Addr;

use handbill_testing::http::App;
use handbill_tests::bare;
use serde_json::json;
use tokio::runtime::Builder;
use tokio::task::JoinSet;

const CLIENTS: u8 = 10;
/// Each client may wait for so many.
const CONFLICTS: usize = 4;
/// One conflict needs some 20 MB while it is worked on.
const MAX_MEGABYTES: u64 = 64;

/// The most memory that this process has had, in megabytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.unwrap().trim().strip_suffix(" kB").unwrap();
    kilobytes.parse::<u64>().unwrap() / 1024
}

/// A form that was opened before a post of many lines became what it is.
#[test]
fn conflicts_that_wait_hold_no_results() {
    let mut runtime = Builder::new_current_thread();
    // The clock stands still, so that no request waits for too long.
    let runtime = runtime.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let app = App::new(&bare::mount()).await;
        let post = app.create(&json!({ "body": "a\n".repeat(49_900) })).await;
        let typed = "y ".repeat(8_300);
        let fields = [
            ("revision", "7"),
            ("lines", "0123456789ab"),
            ("body", &typed),
        ];
        let mut sent = JoinSet::new();
        for client in 1..=CLIENTS {
            let mount = bare::mount_for(Ipv4Addr::new(192, 0, 2, client).into());
            let client = App::of(&mount, app.service.clone(), &app.key).await;
            for _ in 0..CONFLICTS {
                sent.spawn(client.submit(&post.edit_page(), &fields).into_future());
            }
        }
        let before = peak();
        while let Some(response) = sent.join_next().await {
            response.unwrap().expect_status(412);
        }
        let taken = peak() - before;
        assert!(taken <= MAX_MEGABYTES, "{taken} MB");
    });
}
