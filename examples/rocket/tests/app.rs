//! Runs the example: the app's own pages, and Handbill.

#[rocket::async_test]
async fn the_app_and_handbill_work() {
    handbill_tests::example::works(env!("CARGO_BIN_EXE_handbill-example-rocket")).await;
}

#[rocket::async_test]
async fn the_admin_writes_and_edits_with_the_apps_login() {
    let binary = env!("CARGO_BIN_EXE_handbill-example-rocket");
    handbill_tests::example::signs_in(binary, "Authorization: Bearer open-sesame").await;
}
