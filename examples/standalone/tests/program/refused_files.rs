//! Files that are not published, and why.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::author::{Author, outcomes, total};
use crate::faulty_server::{Answer, FaultyServer};
use crate::place::{Place, raw_in, stderr};

#[tokio::test]
async fn a_file_that_is_a_post_of_another_server_is_not_sent_to_this_one() {
    let (place, other) = (Place::new(), Place::new());
    let (program, other) = (place.start(&[]).await, other.start(&[]).await);
    let server = FaultyServer::start(other.address, |_, _| Answer::Pass).await;
    let author = Author::new(&program).await;
    author.write("a.md", "A post.\n");
    author.post(&["a.md"]).await;
    author.write("b.md", "Another post.\n");
    let before = author.read("a.md");

    let arguments = ["post", "a.md", "b.md", "--server", &server.url];
    for extra in [&[][..], &["--force"], &["--dry-run"]] {
        let refused = author.run(&[&arguments[..], extra].concat()).await;
        assert_eq!(refused.status.code(), Some(1));
        let message = format!(
            "a.md: it is a post of {}, not of {}",
            author.server, server.url
        );
        assert!(stderr(&refused).contains(&message), "{refused:?}");
        let all: Vec<_> = outcomes(&refused)
            .into_iter()
            .map(|(outcome, _)| outcome)
            .collect();
        assert_eq!(all, ["failed", "not sent"]);
    }
    server.expect_all(|heard| heard.is("GET /openapi.json"));
    server.expect_all(|heard| heard.header("x-api-key").is_none());
    assert_eq!((total(&other).await, author.read("a.md")), (0, before));
}

#[tokio::test]
async fn all_faulty_files_are_named_before_anything_is_sent() {
    let (author, server, _program) = Author::behind(|_, _| Answer::Pass).await;
    let long = "x".repeat(201);
    author.write("posts/a.md", "A good post.\n");
    author.write(
        "posts/etag.md",
        &format!(
            "---\nhandbill_server: {}\nhandbill_id: bcdfghjklm\nhandbill_etag: a b\n---\nx",
            server.url
        ),
    );
    author.write("posts/flow.md", "---\n{title: x}\n---\nx");
    author.write("posts/huge.md", &"x".repeat(17 * 1024 * 1024));
    author.write(
        "posts/id.md",
        &format!(
            "---\nhandbill_server: {}\nhandbill_id: '../x'\n---\nx",
            server.url
        ),
    );
    author.write("posts/idless.md", "---\nhandbill_id: bcdfghjklm\n---\nx");
    author.write("posts/long.md", &"x".repeat(100_001));
    author.write("posts/server.md", "---\nhandbill_server: nowhere\n---\nx");
    author.write(
        "posts/tags.md",
        &format!("---\ntitle: {long}\nlanguage: 12345678901\n---\nx"),
    );
    author.write(
        "posts/visibility.md",
        "---\nhandbill_visibility: everybody\n---\nx",
    );
    author.write("posts/yaml.md", "---\ntitle: [\n---\nx");
    fs::write(author.path("posts/latin.md"), b"caf\xE9").unwrap();

    let refused = author.run(&["post", "posts"]).await;
    assert_eq!(refused.status.code(), Some(1));
    let messages = stderr(&refused);
    for message in [
        "posts/etag.md: handbill_etag: expected an entity tag",
        "posts/flow.md: its front matter can't take the lines handbill_",
        "posts/huge.md: the file is too large for a post",
        "posts/id.md: handbill_id: expected the id of a post",
        "posts/idless.md: it has handbill_id, but no handbill_server",
        "posts/long.md: body is longer than 100000 characters",
        "posts/server.md: handbill_server: expected http:// or https://",
        "posts/tags.md: title is longer than 200 characters; language is not a language tag",
        "posts/visibility.md: handbill_visibility: public, unlisted or draft is expected, at line 2",
        "posts/yaml.md: its YAML: ",
        "posts/latin.md: the file is not in UTF-8",
        "nothing was sent",
    ] {
        assert!(messages.contains(message), "{message} in {messages}");
    }
    let not_sent: Vec<_> = outcomes(&refused);
    assert_eq!(
        not_sent[0],
        ("not sent".to_owned(), "posts/a.md".to_owned())
    );
    server.expect_all(|heard| heard.is("GET /openapi.json"));
    assert_eq!(author.read("posts/a.md"), "A good post.\n");
}

#[tokio::test]
async fn a_copy_of_a_published_file_does_not_replace_its_post() {
    let (author, _program) = Author::started().await;
    author.write("posts/a.md", "The first post.\n");
    author.post(&["posts"]).await;
    author.write(
        "posts/b.md",
        &author.read("posts/a.md").replace("first", "second"),
    );
    for arguments in [&["post", "posts/b.md"][..], &["post", "posts"]] {
        let refused = author.run(arguments).await;
        assert_eq!(refused.status.code(), Some(1));
        let message = "posts/b.md: posts/a.md is the same post: remove the lines handbill_";
        assert!(stderr(&refused).contains(message), "{refused:?}");
    }
    let mut inside = author.command(&["post", "b.md"]);
    let inside = inside
        .current_dir(author.path("posts"))
        .output()
        .await
        .unwrap();
    assert!(
        stderr(&inside).contains("b.md: a.md is the same post"),
        "{inside:?}"
    );
    fs::remove_file(author.path("posts/a.md")).unwrap();
    assert_eq!(
        author.post(&["posts/b.md"]).await[0].0,
        "updated",
        "a file may be renamed"
    );
}

#[tokio::test]
async fn files_that_cannot_be_written_are_refused_before_their_posts_are_created() {
    let (author, program) = Author::started().await;
    author.write("read-only.md", "A post.\n");
    fs::set_permissions(
        author.path("read-only.md"),
        fs::Permissions::from_mode(0o444),
    )
    .unwrap();
    author.write("linked/.handbill", "Not a folder.\n");
    author.write("linked/a.md", "A post.\n");
    symlink("linked/a.md", author.path("link.md")).unwrap();
    for (arguments, message) in [
        (
            ["post", "read-only.md"],
            "read-only.md: the file is read-only",
        ),
        (
            ["post", "linked"],
            "linked/a.md: could not write into linked/.handbill",
        ),
        (
            ["post", "link.md"],
            "link.md is a link; name the file that it leads to",
        ),
        (["post", "no-such.md"], "no-such.md: No such file"),
    ] {
        let refused = author.run(&arguments).await;
        assert_eq!(refused.status.code(), Some(1));
        assert!(stderr(&refused).contains(message), "{refused:?}");
    }
    assert_eq!(total(&program).await, 0);
}

#[tokio::test]
async fn a_folder_for_secrets_that_leads_elsewhere_is_refused() {
    let (author, program) = Author::started().await;
    author.write("posts/a.md", "A post.\n");
    fs::create_dir(author.path("shown-to-all")).unwrap();
    symlink("../shown-to-all", author.path("posts/.handbill")).unwrap();
    let refused = author.run(&["post", "posts"]).await;
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stderr(&refused).contains("posts/.handbill: it is not a folder"),
        "{refused:?}"
    );
    assert_eq!(
        fs::read_dir(author.path("shown-to-all")).unwrap().count(),
        0
    );
    assert_eq!(total(&program).await, 0);
}

#[tokio::test]
async fn a_missing_or_mistyped_key_is_said_before_anything_is_sent() {
    let (author, server, _program) = Author::behind(|_, _| Answer::Pass).await;
    author.write("a.md", "A post.\n");
    let mistyped = author.key.replace('_', "-");
    author.write("key", &format!("{}x\n", author.key));
    let with = async |key: &str, extra: &[&str]| {
        let mut command = author.command(&[&["post", "a.md"], extra].concat());
        command.env("HANDBILL_API_KEY", key).output().await.unwrap()
    };
    for (output, status, message) in [
        (
            with("", &[]).await,
            2,
            "handbill: this needs an API key: set HANDBILL_API_KEY",
        ),
        (
            with(&mistyped, &[]).await,
            2,
            "HANDBILL_API_KEY has no API key",
        ),
        (
            with("", &["--api-key-file", "key"]).await,
            2,
            "key has no API key",
        ),
        (
            with("", &["--api-key-file", "none"]).await,
            2,
            "none: No such file",
        ),
    ] {
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        assert!(stderr(&output).contains(message), "{output:?}");
        assert!(!stderr(&output).contains("hb-") && !stderr(&output).contains(&author.key));
    }
    server.expect_all(|heard| heard.is("GET /openapi.json"));
    author.write("key", &format!("\n{}\n", author.key));
    assert_eq!(
        with("", &["--api-key-file", "key"]).await.status.code(),
        Some(0)
    );
    let mut nowhere = author.command(&["post", "a.md"]);
    let nowhere = nowhere
        .env_remove("HANDBILL_SERVER")
        .output()
        .await
        .unwrap();
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(stderr(&nowhere).contains("--server URL or in HANDBILL_SERVER"));
}

#[tokio::test]
async fn names_of_files_are_escaped_for_terminals() {
    let (author, _program) = Author::started().await;
    author.write("posts/\u{1b}]0;evil\u{7}.md", "A post.\n");
    author.write("posts/b\u{202e}.md", "---\ntitle: [\n---\n");
    let output = author.run(&["post", "posts"]).await;
    for text in [
        stderr(&output),
        &crate::place::stdout(&output).replace('\t', ""),
    ] {
        assert_eq!(raw_in(text), None, "{text:?}");
        assert!(!text.contains('\u{202e}'), "{text:?}");
    }
}
