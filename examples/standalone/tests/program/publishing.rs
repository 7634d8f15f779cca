//! `handbill post`: files become posts, and their posts follow them.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use handbill_tests::load::get;
use serde_json::{Value, json};

use crate::author::{Author, outcome, outcomes, read_post, total};
use crate::faulty_server::{Answer, FaultyServer};
use crate::place::{Place, command, send, stderr, stdout};

/// Files in all forms of front matter.
const FILES: [(&str, &str); 6] = [
    (
        "posts/yaml.md",
        "---\ntitle: \"One\" # a comment\ntags: [Rust, Web]\nauthor: Ada\nlanguage: en-gb\nslug: x\n---\n\nThe *first*.\n",
    ),
    (
        "posts/deep/toml.md",
        "+++\ntitle = 'Two'\ndraft = true\n[params]\nx = 1\n+++\nSecond.\n",
    ),
    ("posts/json.md", "{\n  \"title\": \"Three\"\n}\n\nThird."),
    (
        "posts/windows.md",
        "\u{FEFF}---\r\ntitle: Four\r\n---\r\n\r\nFourth.\r\nLine.\r\n",
    ),
    ("posts/plain.md", "Only a body.\n"),
    (
        "posts/2023-05-06-from-jekyll.MD",
        "---\npublished: false\n---\nHidden.\n",
    ),
];

fn with_files(author: &Author) {
    for (name, text) in FILES {
        author.write(name, text);
    }
    author.write("posts/.hidden.md", "Not a post.\n");
    author.write("posts/notes.txt", "Not Markdown.\n");
}

fn all(outcome: &str) -> Vec<(String, String)> {
    let mut names: Vec<_> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
    names.sort();
    names
        .into_iter()
        .map(|name| (outcome.to_owned(), name))
        .collect()
}

#[tokio::test]
async fn a_folder_is_published_and_then_unchanged_until_a_file_is_changed() {
    let (author, program) = Author::started().await;
    with_files(&author);

    assert_eq!(author.post(&["posts"]).await, all("created"));
    assert_eq!(total(&program).await, 4, "two are drafts");
    let first = read_post(&program, &author.id("posts/yaml.md")).await;
    assert_eq!(
        (&first["title"], &first["body"]),
        (&"One".into(), &"The *first*.\n".into())
    );
    assert_eq!(first["tags"], json!(["rust", "web"]));
    assert_eq!(
        (&first["author"], &first["language"]),
        (&"Ada".into(), &"en-GB".into())
    );

    let published: Vec<_> = FILES.iter().map(|(name, _)| author.read(name)).collect();
    assert_eq!(author.post(&["posts"]).await, all("unchanged"));
    let again: Vec<_> = FILES.iter().map(|(name, _)| author.read(name)).collect();
    assert_eq!(published, again, "an unchanged post leaves its file alone");

    author.edit("posts/yaml.md", "author: Ada\n", "");
    author.edit("posts/plain.md", "Only", "Still only");
    let outcomes = author
        .post(&["posts/plain.md", "posts/yaml.md", "posts/json.md"])
        .await;
    let outcomes: Vec<_> = outcomes
        .iter()
        .map(|(outcome, _)| outcome.as_str())
        .collect();
    assert_eq!(outcomes, ["updated", "updated", "unchanged"]);
    let first = read_post(&program, &author.id("posts/yaml.md")).await;
    assert_eq!(
        first["author"],
        Value::Null,
        "what the file does not say is cleared"
    );
    let plain = read_post(&program, &author.id("posts/plain.md")).await;
    assert_eq!(plain["body"], "Still only a body.\n");
    assert_eq!(author.post(&["posts"]).await, all("unchanged"));
}

#[tokio::test]
async fn only_lines_of_handbill_are_added_to_files() {
    let (author, _program) = Author::started().await;
    with_files(&author);
    fs::set_permissions(
        author.path("posts/yaml.md"),
        fs::Permissions::from_mode(0o640),
    )
    .unwrap();
    author.post(&["posts"]).await;
    for (name, before) in FILES {
        let text = author.read(name);
        let others = text
            .split_inclusive('\n')
            .filter(|line| !line.contains("handbill_"));
        let others: String = others.collect();
        let expected = match name {
            "posts/plain.md" => format!("---\n---\n\n{before}"),
            _ => before.to_owned(),
        };
        assert_eq!(others, expected, "{name}");
        let lines = text.lines().filter(|line| line.contains("handbill_"));
        assert_eq!(lines.count(), 4, "{name}: {text}");
    }
    let windows = author.read("posts/windows.md");
    assert_eq!(
        windows.matches('\n').count(),
        windows.matches("\r\n").count()
    );
    let mode = fs::metadata(author.path("posts/yaml.md"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    let mut unfinished = fs::read_dir(author.path("posts")).unwrap();
    assert!(unfinished.all(|file| {
        !file
            .unwrap()
            .file_name()
            .into_string()
            .unwrap()
            .contains("unfinished")
    }));
}

#[tokio::test]
async fn the_edit_token_is_in_a_file_for_its_user_that_git_ignores_and_nowhere_else() {
    let (place, program) = Place::started().await;
    let author = Author::new(&program).await;
    author.write("posts/a.md", "A post.\n");
    let output = author.run(&["post", "posts", "--json"]).await;
    assert!(output.status.success(), "{output:?}");

    let id = author.id("posts/a.md");
    let file = format!("posts/.handbill/{id}.token.json");
    let token: Value = serde_json::from_str(&author.read(&file)).unwrap();
    assert_eq!(token["server"], author.server);
    let token = token["edit_token"].as_str().unwrap();
    let by_token = format!("/api/posts/{id}?token={token}");
    assert_eq!(send(&program, &get(&by_token)).await.status, 200);

    let mode = |name: &str| {
        fs::metadata(author.path(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode("posts/.handbill"), 0o700);
    assert_eq!(author.read("posts/.handbill/.gitignore"), "*\n");
    let left: Vec<_> = fs::read_dir(author.path("posts/.handbill"))
        .unwrap()
        .collect();
    assert_eq!(left.len(), 2, "the creation is over: {left:?}");
    for text in [
        stdout(&output),
        stderr(&output),
        &author.read("posts/a.md"),
        &place.log(),
    ] {
        assert!(
            !text.contains(token) && !text.contains(&author.key),
            "{text}"
        );
    }

    // It authorises changes by itself.
    author.edit("posts/a.md", "A post", "A better post");
    let mut by_token = author.command(&["post", "posts"]);
    let by_token = by_token
        .env_remove("HANDBILL_API_KEY")
        .output()
        .await
        .unwrap();
    assert_eq!(outcome(&by_token), "updated", "{by_token:?}");
    author.write("posts/new.md", "Another post.\n");
    let mut without_key = author.command(&["post", "posts/new.md"]);
    let without_key = without_key.env_remove("HANDBILL_API_KEY").output();
    assert_eq!(without_key.await.unwrap().status.code(), Some(2));
}

#[tokio::test]
async fn an_edit_token_that_was_replaced_does_not_prevent_changes_with_the_key() {
    let (author, program) = Author::started().await;
    author.write("a.md", "A post.\n");
    author.post(&["a.md"]).await;
    let renew = format!(
        "POST /api/posts/{}/edit_token HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {}\r\nContent-Length: 0\r\n\r\n",
        author.id("a.md"),
        author.key
    );
    assert_eq!(send(&program, renew.as_bytes()).await.status, 200);
    author.edit("a.md", "A post", "A better post");
    assert_eq!(author.post(&["a.md"]).await[0].0, "updated");
    let mut by_token = author.command(&["post", "a.md"]);
    let by_token = by_token
        .env_remove("HANDBILL_API_KEY")
        .output()
        .await
        .unwrap();
    assert_eq!(by_token.status.code(), Some(1));
    assert!(
        stderr(&by_token).contains("another edit token now"),
        "{by_token:?}"
    );
}

#[tokio::test]
async fn an_edit_token_authorises_changes_also_with_a_key_of_another_owner_or_a_revoked_one() {
    let (author, program) = Author::started().await;
    author.write("a.md", "A post.\n");
    author.post(&["a.md"]).await;
    let other = Author::new(&program).await;
    let revoke = format!(
        "DELETE /api/keys/current HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {}\r\n\r\n",
        author.key
    );
    assert_eq!(send(&program, revoke.as_bytes()).await.status, 204);
    for (key, text) in [(&other.key, "Of a friend"), (&author.key, "Of its author")] {
        let before = author.read("a.md");
        let (front_matter, _) = before.rsplit_once("---").unwrap();
        author.write("a.md", &format!("{front_matter}---\n{text}.\n"));
        let mut command = author.command(&["post", "a.md"]);
        let output = command.env("HANDBILL_API_KEY", key).output().await.unwrap();
        assert_eq!(outcome(&output), "updated", "{output:?}");
    }
}

#[tokio::test]
async fn who_can_read_a_post_is_what_its_file_says_or_else_the_option() {
    let (author, program) = Author::started().await;
    author.write("posts/draft.md", "---\ndraft: true\n---\nx");
    author.write("posts/future.md", "---\ndate: 2999-01-01\n---\nx");
    author.write("posts/none.md", "---\nhandbill_focus_keyword: tea\n---\nx");
    author.write(
        "posts/public.md",
        "---\nhandbill_visibility: public\n---\nx",
    );
    author.write(
        "posts/unlisted.md",
        "---\nhandbill_visibility: unlisted\n---\nx",
    );
    let published = author
        .run(&["post", "posts", "--visibility", "unlisted"])
        .await;
    let says = "5 created; 2 are drafts: 1 draft, 1 dated in the future\n";
    assert_eq!(stderr(&published), says);
    let of = async |name: &str| {
        let (id, key) = (author.id(name), &author.key);
        let request =
            format!("GET /api/posts/{id} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {key}\r\n\r\n");
        send(&program, request.as_bytes()).await.json()
    };
    for (name, visibility) in [
        ("posts/draft.md", "draft"),
        ("posts/future.md", "draft"),
        ("posts/none.md", "unlisted"),
        ("posts/public.md", "public"),
        ("posts/unlisted.md", "unlisted"),
    ] {
        assert_eq!(of(name).await["visibility"], visibility, "{name}");
    }
    assert_eq!(of("posts/none.md").await["focus_keyword"], "tea");
    author.post(&["posts"]).await;
    assert_eq!(of("posts/none.md").await["visibility"], "public");
    author.edit("posts/draft.md", "draft: true\n", "");
    author.post(&["posts"]).await;
    assert_eq!(of("posts/draft.md").await["visibility"], "public");
}

#[tokio::test]
async fn a_dry_run_changes_nothing() {
    let (author, server, _program) = Author::behind(|_, _| Answer::Pass).await;
    author.write("old.md", "Old.\n");
    author.write("same.md", "Same.\n");
    author.post(&["old.md", "same.md"]).await;
    author.edit("old.md", "Old", "Changed");
    author.write("new/new.md", "New.\n");
    let before = server.heard().len();

    let rehearsed = author
        .post(&["new", "old.md", "same.md", "--dry-run"])
        .await;
    let rehearsed: Vec<_> = rehearsed
        .iter()
        .map(|(outcome, _)| outcome.as_str())
        .collect();
    assert_eq!(rehearsed, ["would create", "would update", "unchanged"]);
    assert!(
        server.heard()[before..]
            .iter()
            .all(|heard| heard.is("GET "))
    );
    assert_eq!(author.read("new/new.md"), "New.\n");
    assert!(!author.path("new/.handbill").exists());
}

#[tokio::test]
async fn the_report_in_json_is_one_document() {
    let (author, _program) = Author::started().await;
    author.write("a.md", "A post.\n");
    let output = author.run(&["post", "a.md", "--json"]).await;
    let report: Value = serde_json::from_str(stdout(&output)).unwrap();
    let id = author.id("a.md");
    let url = format!("{}/p/{id}", author.server);
    let files = json!([{"file": "a.md", "outcome": "created", "id": id, "url": url}]);
    let expected = json!({"server": author.server, "files": files, "counts": {"created": 1}});
    assert_eq!(report, expected);
    assert_eq!(stderr(&output), "1 created\n");
}

#[tokio::test]
async fn a_stopped_run_says_what_became_of_each_file() {
    let (_place, program) = Place::started().await;
    let mut server = FaultyServer::start(program.address, |heard, before| match before {
        1 if heard.is("POST") => Answer::Hold,
        _ => Answer::Pass,
    })
    .await;
    let author = Author::at(&server.url, &program).await;
    for name in ["a.md", "b.md", "c.md"] {
        author.write(name, &format!("The post {name}.\n"));
    }
    let run = author.spawn(&["post", "a.md", "b.md", "c.md"]);
    server.until_held().await;
    let id = run.id().unwrap().to_string();
    let mut kill = tokio::process::Command::new("kill");
    assert!(
        kill.args(["-s", "INT", &id])
            .status()
            .await
            .unwrap()
            .success()
    );
    let output = run.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    let outcomes = outcomes(&output);
    let outcomes: Vec<_> = outcomes
        .iter()
        .map(|(outcome, _)| outcome.as_str())
        .collect();
    assert_eq!(outcomes, ["created", "failed", "not sent"]);
    assert!(
        stderr(&output).contains("b.md: stopped by a signal"),
        "{output:?}"
    );
    assert_eq!(author.post(&["a.md", "b.md", "c.md"]).await.len(), 3);
    assert_eq!(total(&program).await, 3);
}

#[tokio::test]
async fn the_commands_on_a_server_open_no_database_and_their_help_has_no_options_of_one() {
    let (place, program) = Place::started().await;
    let author = Author::new(&program).await;
    author.write("a.md", "A post.\n");
    author.post(&["a.md"]).await;
    author.run(&["list"]).await;
    author.run(&["get", &author.id("a.md")]).await;
    assert!(!author.path("handbill.db").exists());
    for name in ["post", "get", "list"] {
        let help = command(place.0.path())
            .args([name, "--help"])
            .output()
            .await
            .unwrap();
        let help = stdout(&help);
        assert!(
            help.contains("--server <URL>") && help.contains("Exit status:"),
            "{help}"
        );
        assert!(
            !help.contains("--database") && !help.contains("--listen"),
            "{help}"
        );
    }
}
