//! Runs the example: the app's own pages, and Handbill.

use handbill_tests::program::Program;
use handbill_tests::wire::Connection;

#[tokio::test]
async fn the_app_and_handbill_work() {
    handbill_tests::example::works(env!("CARGO_BIN_EXE_handbill-example-axum")).await;
}

/// All pages of the blog, including error pages, have the shop's header, footer and style.
#[tokio::test]
async fn the_blog_has_the_shops_frame() {
    let binary = env!("CARGO_BIN_EXE_handbill-example-axum");
    let program = Program::start_binary(binary, &["--rate-limits", "off"]).await;
    let mut connection = Connection::open(program.address)
        .await
        .expect("the program listens");
    for (path, status) in [
        ("/blog", 200),
        ("/blog/keys", 200),
        ("/blog/p/bbbbbbbbbb", 404),
    ] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n");
        let response = connection.send(request.as_bytes()).await;
        let response = response.expect("a response");
        assert_eq!(response.status, status, "{path}");
        let page = str::from_utf8(&response.body).expect("text");
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

/// The shop's metrics have the routes and the problems of the blog, and its figures.
#[tokio::test]
async fn the_shops_metrics_count_the_blog() {
    let binary = env!("CARGO_BIN_EXE_handbill-example-axum");
    let program = Program::start_binary(binary, &["--rate-limits", "off"]).await;
    let connection = Connection::open(program.address).await;
    let mut connection = connection.expect("the program listens");
    let mut get = async |path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
        let response = connection.send(request.as_bytes()).await;
        String::from_utf8(response.expect("a response").body).expect("text")
    };
    get("/blog/api/posts").await;
    get("/blog/p/bbbbbbbbbb").await;
    get("/blog/nowhere").await;
    let metrics = get("/metrics").await;
    for line in [
        r#"shop_responses_total{problem="",route="/api/posts",status="200"} 1"#,
        r#"shop_responses_total{problem="not_found",route="/p/{id}",status="404"} 1"#,
        r#"shop_responses_total{problem="not_found",route="-",status="404"} 1"#,
        r#"shop_blog{figure="store up"} 1"#,
        r#"shop_blog{figure="posts created"} 0"#,
    ] {
        assert!(metrics.contains(line), "{line} is not in {metrics}");
    }
}
