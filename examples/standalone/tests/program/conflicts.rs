//! What others did to a post since its file was published.

use handbill_tests::relay::Relay;

use crate::author::{Author, change, delete, outcome, read_post, total};
use crate::faulty_server::{Answer, FaultyServer};
use crate::place::{Place, stderr};

#[tokio::test]
async fn a_change_of_somebody_else_is_never_replaced_unless_one_insists() {
    let (author, program) = Author::started().await;
    author.write("a.md", "Mine.\n");
    author.write("b.md", "Another.\n");
    author.post(&["a.md", "b.md"]).await;
    let id = author.id("a.md");
    change(&program, &id, &author.key, r#"{"body":"Theirs."}"#).await;
    author.edit("a.md", "Mine", "Mine, changed");
    author.edit("b.md", "Another", "Changed");
    let before = author.read("a.md");

    for arguments in [&["post", "a.md", "--dry-run"][..], &["post", "a.md"]] {
        let output = author.run(arguments).await;
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert_eq!(outcome(&output), "conflict");
        for advice in [
            "a.md: another user changed the post",
            &format!("`handbill get {id}`"),
            "`handbill post --force a.md`",
        ] {
            assert!(stderr(&output).contains(advice), "{output:?}");
        }
    }
    let both = author.run(&["post", "a.md", "b.md"]).await;
    assert_eq!(
        both.status.code(),
        Some(3),
        "the other file is published: {both:?}"
    );
    assert_eq!(
        read_post(&program, &author.id("b.md")).await["body"],
        "Changed.\n"
    );
    assert_eq!(read_post(&program, &id).await["body"], "Theirs.");
    assert_eq!(author.read("a.md"), before);

    let forced = author.run(&["post", "a.md", "--force"]).await;
    assert_eq!(outcome(&forced), "updated", "{forced:?}");
    assert_eq!(read_post(&program, &id).await["body"], "Mine, changed.\n");
    assert_eq!(author.post(&["a.md"]).await[0].0, "unchanged");
}

#[tokio::test]
async fn a_file_can_be_replaced_by_what_others_wrote() {
    let (author, program) = Author::started().await;
    author.write("a.md", "Mine.\n");
    author.post(&["a.md"]).await;
    let id = author.id("a.md");
    change(
        &program,
        &id,
        &author.key,
        r#"{"body":"Theirs.","title":"New"}"#,
    )
    .await;
    let refused = author.run(&["get", &id, "a.md"]).await;
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("a.md exists"), "{refused:?}");
    assert!(
        author
            .run(&["get", &id, "a.md", "--force"])
            .await
            .status
            .success()
    );
    assert!(author.read("a.md").ends_with("\n\nTheirs."));
    assert_eq!(author.post(&["a.md"]).await[0].0, "unchanged");
}

#[tokio::test]
async fn a_change_to_what_the_file_says_is_no_conflict() {
    let (author, program) = Author::started().await;
    author.write("a.md", "---\ntags: [One, two]\n---\nMine.\n");
    author.post(&["a.md"]).await;
    author.edit("a.md", "Mine.", "Fixed.");
    change(
        &program,
        &author.id("a.md"),
        &author.key,
        r#"{"body":"Fixed.\n"}"#,
    )
    .await;
    assert_eq!(author.post(&["a.md"]).await[0].0, "unchanged");
    author.edit("a.md", "Fixed.", "Fixed again.");
    assert_eq!(author.post(&["a.md"]).await[0].0, "updated");
}

#[tokio::test]
async fn a_server_whose_entity_tags_are_others_after_an_upgrade_is_no_conflict() {
    let place = Place::new();
    let program = place.start(&["--base-url", "http://old.example"]).await;
    let relay = Relay::to(program.address.port()).await;
    let server = format!("http://127.0.0.1:{}", relay.port());
    let author = Author::at(&server, &program).await;
    author.write("a.md", "One.\n");
    author.write("b.md", "Two.\n");
    author.write("c.md", "Three.\n");
    let all = ["a.md", "b.md", "c.md"];
    author.post(&all).await;
    let etag = author.line("a.md", "handbill_etag");

    program.stop().await;
    let program = place.start(&["--base-url", "http://new.example"]).await;
    relay.turn_to(program.address.port());
    change(
        &program,
        &author.id("c.md"),
        &author.key,
        r#"{"body":"Theirs."}"#,
    )
    .await;
    author.edit("b.md", "Two", "Changed");
    let output = author.run(&[&["post"], &all[..]].concat()).await;
    let outcomes = crate::author::outcomes(&output);
    let outcomes: Vec<_> = outcomes
        .iter()
        .map(|(outcome, _)| outcome.as_str())
        .collect();
    assert_eq!(outcomes, ["unchanged", "updated", "conflict"], "{output:?}");
    assert_ne!(
        author.line("a.md", "handbill_etag"),
        etag,
        "the next run asks once"
    );
    assert_eq!(
        read_post(&program, &author.id("b.md")).await["body"],
        "Changed.\n"
    );
}

#[tokio::test]
async fn a_change_between_two_requests_of_a_run_is_not_replaced() {
    let (author, program) = Author::started().await;
    author.write("a.md", "Mine.\n");
    author.post(&["a.md"]).await;
    // The tag is of no version, as after an upgrade. Then the first condition fails, and so does the second.
    let etag = author.line("a.md", "handbill_etag");
    author.edit("a.md", &etag, "0-other");
    author.edit("a.md", "Mine", "Changed");
    let server = FaultyServer::start(program.address, |heard, _| match heard.is("PATCH") {
        true => {
            let problem = r#"{"code":"precondition_failed","detail":""}"#;
            Answer::Respond("412 Precondition Failed", String::new(), problem.to_owned())
        }
        false => Answer::Pass,
    })
    .await;
    let old = author.server.clone();
    author.edit("a.md", &old, &server.url);
    let mut command = author.command(&["post", "a.md"]);
    let output = command
        .env("HANDBILL_SERVER", &server.url)
        .output()
        .await
        .unwrap();
    assert_eq!(outcome(&output), "conflict", "{output:?}");
    let conditions = server.heard_of("PATCH");
    let conditions: Vec<_> = conditions
        .iter()
        .map(|heard| heard.header("if-match").unwrap())
        .collect();
    assert_eq!(conditions, ["\"0-other\"", &format!("\"{etag}\"")]);
}

#[tokio::test]
async fn a_deleted_post_is_published_again_only_as_a_new_one() {
    let (author, program) = Author::started().await;
    let text = "---\ntitle: Again\n---\nThe same text.\n";
    author.write("a.md", text);
    author.post(&["a.md"]).await;
    let mut ids = vec![author.id("a.md")];
    for _ in 0..2 {
        delete(&program, ids.last().unwrap(), &author.key).await;
        let refused = author.run(&["post", "a.md"]).await;
        assert_eq!(refused.status.code(), Some(1));
        let message = "a.md: the post was deleted on the server";
        assert!(stderr(&refused).contains(message), "{refused:?}");
        assert!(
            stderr(&refused).contains("remove its lines handbill_"),
            "{refused:?}"
        );
        // The server still knows the creation of the deleted post.
        author.write("a.md", text);
        assert_eq!(author.post(&["a.md"]).await[0].0, "created");
        ids.push(author.id("a.md"));
        assert_eq!(total(&program).await, 1);
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

#[tokio::test]
async fn a_post_of_another_owner_is_refused_with_advice() {
    let (_place, program) = Place::started().await;
    let (ada, bob) = (Author::new(&program).await, Author::new(&program).await);
    ada.write("a.md", "Of Ada.\n");
    ada.post(&["a.md"]).await;
    bob.write("a.md", &ada.read("a.md").replace("Of Ada", "Of Bob"));
    let refused = bob.run(&["post", "a.md"]).await;
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stderr(&refused).contains("belongs to another owner"),
        "{refused:?}"
    );
    assert_eq!(
        read_post(&program, &ada.id("a.md")).await["body"],
        "Of Ada.\n"
    );
}

#[tokio::test]
async fn a_post_that_a_file_knows_without_its_state_is_not_replaced() {
    let (author, _program) = Author::started().await;
    author.write("a.md", "A post.\n");
    author.post(&["a.md"]).await;
    let lines = format!(
        "---\nhandbill_server: {}\nhandbill_id: {}\n---\n",
        author.server,
        author.id("a.md")
    );
    author.write("a.md", &format!("{lines}Other text.\n"));
    assert_eq!(outcome(&author.run(&["post", "a.md"]).await), "conflict");
    author.write("a.md", &format!("{lines}A post.\n"));
    assert_eq!(author.post(&["a.md"]).await[0].0, "unchanged");
    author.edit("a.md", "A post", "A better post");
    assert_eq!(author.post(&["a.md"]).await[0].0, "updated");
}
