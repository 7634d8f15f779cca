//! Runs the example: the app's own pages, and Handbill.

#[tokio::test]
async fn the_app_and_handbill_work() {
    handbill_tests::example::works(env!("CARGO_BIN_EXE_handbill-example-actix-web")).await;
}
