//! The example as a program: an app of its own, and Handbill in it.

#[tokio::test]
async fn the_app_and_handbill_in_it_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("posts.redb");
    let file = file.to_str().expect("a path in UTF-8");
    let binary = env!("CARGO_BIN_EXE_handbill-custom-store");
    handbill_tests::example::works_with(binary, &["--database", file]).await;
}
