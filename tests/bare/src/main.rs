//! Serves the recorded response in the file that the argument names, at an address that it prints.

#![expect(clippy::expect_used, reason = "a benchmark stops where it can't go on")]

use std::path::Path;

use tokio::net::TcpListener;

#[tokio::main]
async fn main() {
    let file = std::env::args().nth(1).expect("the file of a response");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("an address"));
    handbill_bare::serve(listener, handbill_bare::recorded(Path::new(&file))).await;
}
