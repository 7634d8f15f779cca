//! The example as a program: an app of its own, and Handbill in it.

use handbill_tests::program::Program;
use handbill_tests::wire::Connection;

#[tokio::test]
async fn the_app_and_handbill_in_it_work() {
    handbill_tests::example::works(env!("CARGO_BIN_EXE_handbill-example-axum")).await;
}

/// The shop's header, footer and style are around the blog's pages, those about errors too.
#[tokio::test]
async fn the_blog_stands_in_the_shop_s_frame() {
    let binary = env!("CARGO_BIN_EXE_handbill-example-axum");
    let program = Program::start_binary(binary, &["--rate-limits", "off"]).await;
    let mut connection = Connection::open(program.address).await.expect("it listens");
    for (path, status) in [
        ("/blog", 200),
        ("/blog/keys", 200),
        ("/blog/p/bbbbbbbbbb", 404),
    ] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n");
        let answer = connection.send(request.as_bytes()).await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, status, "{path}");
        let page = str::from_utf8(&answer.body).expect("text");
        for part in [
            " | The shop</title>",
            "/shop.css",
            "open from nine to five",
            "<h1",
        ] {
            assert!(page.contains(part), "{path}: {part} is not in {page}");
        }
    }
    drop(connection);
    assert!(program.stop().await.success());
}
