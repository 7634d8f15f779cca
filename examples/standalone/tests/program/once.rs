//! However a run ends, no post is created twice.

use std::fs;

use handbill_tests::load::post_json;

use crate::author::{Author, outcome, outcomes, read_post, total};
use crate::faulty_server::{Answer, FaultyServer, Heard};
use crate::place::{Place, send, stderr};

/// Does this to the first creation, or to the first change, and nothing to other requests.
fn first(method: &'static str, answer: fn() -> Answer) -> impl Fn(&Heard, usize) -> Answer {
    move |heard, before| match heard.is(method) && before == 0 {
        true => answer(),
        false => Answer::Pass,
    }
}

/// An author whose run is killed when the server has created the post, and before the response arrives.
async fn killed(server: &mut FaultyServer, author: &Author) {
    let mut run = author.spawn(&["post", "posts"]);
    server.until_held().await;
    run.kill().await.unwrap();
}

#[tokio::test]
async fn a_run_that_is_killed_before_the_response_arrives_is_repeated_without_a_second_post() {
    let (author, mut server, program) = Author::behind(first("POST", || Answer::Hold)).await;
    author.write("posts/a.md", "A post.\n");
    killed(&mut server, &author).await;
    assert_eq!(author.read("posts/a.md"), "A post.\n");
    assert_eq!(total(&program).await, 1);

    assert_eq!(author.post(&["posts"]).await[0].0, "created");
    assert_eq!(total(&program).await, 1);
    assert_eq!(author.post(&["posts"]).await[0].0, "unchanged");
    let keys = server.heard_of("POST");
    let keys: Vec<_> = keys
        .iter()
        .map(|heard| heard.header("idempotency-key").unwrap())
        .collect();
    assert_eq!(keys[0], keys[1]);
}

#[tokio::test]
async fn a_file_that_is_changed_after_the_run_was_killed_changes_the_same_post() {
    let (author, mut server, program) = Author::behind(first("POST", || Answer::Hold)).await;
    author.write("posts/a.md", "A post.\n");
    killed(&mut server, &author).await;
    author.edit(
        "posts/a.md",
        "A post",
        "---\ntitle: Titled\n---\nA better post",
    );

    assert_eq!(author.post(&["posts"]).await[0].0, "created");
    assert_eq!(total(&program).await, 1);
    let post = read_post(&program, &author.id("posts/a.md")).await;
    assert_eq!(
        (&post["title"], &post["body"]),
        (&"Titled".into(), &"A better post.\n".into())
    );
    assert_eq!(author.post(&["posts"]).await[0].0, "unchanged");
}

#[tokio::test]
async fn a_job_that_begins_in_a_new_copy_of_the_folder_finds_the_post_of_the_killed_one() {
    let (author, mut server, program) = Author::behind(first("POST", || Answer::Hold)).await;
    author.write("posts/a.md", "A post.\n");
    killed(&mut server, &author).await;

    fs::rename(author.path("posts"), author.path("gone")).unwrap();
    author.write("copy/posts/a.md", "A post.\n");
    // Named in another way, too.
    let mut job = author.command(&["post", "a.md"]);
    let job = job
        .current_dir(author.path("copy/posts"))
        .output()
        .await
        .unwrap();
    assert_eq!(outcome(&job), "created", "{job:?}");
    assert_eq!(total(&program).await, 1);
}

#[tokio::test]
async fn a_response_that_is_lost_is_requested_again_with_the_same_key() {
    let (author, server, program) = Author::behind(first("POST", || Answer::Swallow)).await;
    author.write("a.md", "A post.\n");
    assert_eq!(author.post(&["a.md"]).await[0].0, "created");
    assert_eq!(total(&program).await, 1);
    assert_eq!(server.heard_of("POST").len(), 2);
}

#[tokio::test]
async fn a_change_whose_response_is_lost_is_no_conflict() {
    let (author, _server, program) = Author::behind(first("PATCH", || Answer::Swallow)).await;
    author.write("a.md", "A post.\n");
    author.post(&["a.md"]).await;
    author.edit("a.md", "A post", "A better post");
    let etag = author.line("a.md", "handbill_etag");
    // The repetition finds that the post is as the file.
    assert_eq!(author.post(&["a.md"]).await[0].0, "unchanged");
    assert_ne!(author.line("a.md", "handbill_etag"), etag);
    assert_eq!(
        read_post(&program, &author.id("a.md")).await["body"],
        "A better post.\n"
    );
}

#[tokio::test]
async fn a_run_that_is_killed_during_a_change_is_repeated() {
    let (author, mut server, _program) = Author::behind(first("PATCH", || Answer::Hold)).await;
    author.write("posts/a.md", "A post.\n");
    author.post(&["posts"]).await;
    author.edit("posts/a.md", "A post", "A better post");
    killed(&mut server, &author).await;
    assert_eq!(author.post(&["posts"]).await[0].0, "unchanged");
    author.edit("posts/a.md", "better", "far better");
    assert_eq!(author.post(&["posts"]).await[0].0, "updated");
}

#[tokio::test]
async fn a_post_that_others_changed_after_the_run_was_killed_is_a_conflict() {
    let (author, mut server, program) = Author::behind(first("POST", || Answer::Hold)).await;
    author.write("posts/a.md", "A post.\n");
    killed(&mut server, &author).await;
    let list = send(&program, &handbill_tests::load::get("/api/posts"))
        .await
        .json();
    let id = list["posts"][0]["id"].as_str().unwrap();
    crate::author::change(&program, id, &author.key, r#"{"body":"Theirs."}"#).await;
    let again = author.run(&["post", "posts"]).await;
    assert_eq!(outcome(&again), "conflict", "{again:?}");
    assert_eq!(author.id("posts/a.md"), id);
    assert_eq!(total(&program).await, 1);
    assert_eq!(read_post(&program, id).await["body"], "Theirs.");
}

#[tokio::test]
async fn files_with_the_same_name_and_text_are_posts_of_their_own() {
    let (author, program) = Author::started().await;
    let files = [
        "posts/a/same/index.md",
        "posts/b/same/index.md",
        "posts/c/same/index.md",
    ];
    author.write(files[0], "To do.\n");
    author.post(&["posts"]).await;
    author.write(files[1], "To do.\n");
    author.write(files[2], "To do.\n");
    author.post(&["posts"]).await;
    // In a repository, also if they are published one by one.
    author.write("repository/.git/HEAD", "");
    author.write("repository/d/same/index.md", "To do.\n");
    author.write("repository/e/same/index.md", "To do.\n");
    author.post(&["repository/d/same/index.md"]).await;
    author.post(&["repository/e/same/index.md"]).await;
    assert_eq!(total(&program).await, 5);
    let again = author.post(&["posts", "repository"]).await;
    assert!(
        again.iter().all(|(outcome, _)| outcome == "unchanged"),
        "{again:?}"
    );
}

#[tokio::test]
async fn a_creation_that_began_with_another_key_or_server_is_not_repeated_here() {
    let (author, mut server, program) = Author::behind(first("POST", || Answer::Hold)).await;
    author.write("posts/a.md", "A post.\n");
    killed(&mut server, &author).await;

    let other = Author::new(&program).await;
    let mut command = author.command(&["post", "posts"]);
    let refused = command
        .env("HANDBILL_API_KEY", &other.key)
        .output()
        .await
        .unwrap();
    assert!(
        stderr(&refused).contains("with another API key"),
        "{refused:?}"
    );
    let mut command = author.command(&["post", "posts"]);
    let refused = command
        .env("HANDBILL_SERVER", &other.server)
        .output()
        .await
        .unwrap();
    assert!(
        stderr(&refused).contains("may have created its post on http://"),
        "{refused:?}"
    );
    assert_eq!(total(&program).await, 1);
    fs::remove_file(author.path("posts/.handbill/a.md.pending.json")).unwrap();
    assert_eq!(author.post(&["posts"]).await[0].0, "created");
}

#[tokio::test]
async fn a_creation_that_the_server_refused_does_not_stay() {
    let (_place, program) = Place::started().await;
    let server = FaultyServer::start(
        program.address,
        first("POST", || {
            let problem =
                r#"{"code":"invalid_post","errors":[{"field":"body","detail":"no such word"}]}"#;
            Answer::Respond(
                "422 Unprocessable Content",
                String::new(),
                problem.to_owned(),
            )
        }),
    )
    .await;
    let author = Author::at(&server.url, &program).await;
    author.write("a.md", "A word.\n");
    author.write("b.md", "Another post.\n");
    let refused = author.run(&["post", "a.md", "b.md"]).await;
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(
        stderr(&refused),
        "a.md: the server does not accept the post: body: no such word\n1 created, 1 failed\n"
    );
    assert_eq!(
        outcomes(&refused)[1].0,
        "created",
        "the others are published"
    );
    author.edit("a.md", "A word", "Another word");
    assert_eq!(author.post(&["a.md"]).await[0].0, "created");
    assert_eq!(total(&program).await, 2);
}

#[tokio::test]
async fn a_post_whose_edit_token_was_replaced_after_the_run_was_killed_is_not_created_again() {
    let (author, mut server, program) = Author::behind(first("POST", || Answer::Hold)).await;
    author.write("posts/a.md", "A post.\n");
    killed(&mut server, &author).await;
    let list = send(&program, &handbill_tests::load::get("/api/posts"))
        .await
        .json();
    let id = list["posts"][0]["id"].as_str().unwrap();
    let renew = post_json(
        &format!("/api/posts/{id}/edit_token"),
        &format!("X-Api-Key: {}\r\n", author.key),
        "",
    );
    assert_eq!(send(&program, &renew).await.status, 200);
    let again = author.run(&["post", "posts"]).await;
    assert!(
        stderr(&again).contains("find its id with `handbill list --mine`"),
        "{again:?}"
    );
    assert_eq!(total(&program).await, 1);
    // As it says.
    let lines = format!(
        "---\nhandbill_server: {}\nhandbill_id: {id}\n---\n",
        author.server
    );
    author.edit("posts/a.md", "A post", &format!("{lines}A post"));
    assert_eq!(author.post(&["posts"]).await[0].0, "unchanged");
    assert_eq!(total(&program).await, 1);
}
