//! The example as a program: an app of its own, and Handbill in it.

#[tokio::test]
async fn the_app_and_handbill_in_it_work() {
    handbill_tests::example::works(env!("CARGO_BIN_EXE_handbill-example-poem")).await;
}
