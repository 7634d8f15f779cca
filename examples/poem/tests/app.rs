//! Runs the example: the app's own pages, and Handbill.

#[tokio::test]
async fn the_app_and_handbill_work() {
    handbill_tests::example::works(env!("CARGO_BIN_EXE_handbill-example-poem")).await;
}

#[tokio::test]
async fn the_admin_writes_and_edits_with_the_apps_login() {
    let binary = env!("CARGO_BIN_EXE_handbill-example-poem");
    handbill_tests::example::signs_in(binary, "Authorization: Basic YWRtaW46bGV0bWVpbg==").await;
}
