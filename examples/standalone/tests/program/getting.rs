//! `handbill get`.

use std::fs;

use handbill_tests::load::post_json;
use serde_json::{Value, json};

use crate::author::Author;
use crate::faulty_server::{Answer, FaultyServer};
use crate::place::{Place, send, stderr, stdout};

#[tokio::test]
async fn a_post_that_is_written_as_a_file_is_unchanged_when_it_is_published() {
    let (author, program) = Author::started().await;
    let posts = [
        json!({"body": "A post."}),
        json!({"body": "\n\n---\ntitle: not front matter\n---\n", "title": "--- # \"quoted\": 'x'"}),
        json!({"body": "\u{FEFF}+++\r\n+++\r\n", "title": "1.10", "tags": ["yes", "c#", "3.0", "a\"b"]}),
        json!({"body": "{\"title\": 1}", "author": "null", "language": "no", "focus_keyword": "~"}),
        json!({"body": "Unlisted.\n\n", "visibility": "unlisted", "title": "x: y", "author": "\\ \u{e9}\u{1f44b}"}),
        json!({"body": "Draft.", "visibility": "draft", "tags": "a, b"}),
    ];
    for (number, post) in posts.iter().enumerate() {
        let headers = format!("X-Api-Key: {}\r\n", author.key);
        let request = post_json("/api/posts", &headers, &post.to_string());
        let created = send(&program, &request).await.json();
        let file = format!("{number}.md");
        let id = created["id"].as_str().unwrap();
        let got = author.run(&["get", id, &file]).await;
        assert!(got.status.success(), "{got:?}");
        let printed = author.run(&["get", created["url"].as_str().unwrap()]).await;
        assert_eq!(
            stdout(&printed),
            author.read(&file),
            "the file, as it is printed"
        );
        let published = author.run(&["post", &file]).await;
        assert_eq!(
            stdout(&published),
            format!("unchanged\t{file}\t{}/p/{id}\n", author.server),
            "{published:?}"
        );
        // The name of this file is no title of the post.
        std::fs::remove_file(author.path(&file)).unwrap();
        author.run(&["get", id, "My note.md", "--force"]).await;
        let published = author.run(&["post", "My note.md"]).await;
        assert!(stdout(&published).starts_with("unchanged"), "{published:?}");
    }
}

#[tokio::test]
async fn a_post_that_is_not_for_everyone_stays_so_when_its_file_is_imported() {
    let (place, program) = Place::started().await;
    let author = Author::new(&program).await;
    author.write(
        "a.md",
        "---\nhandbill_visibility: unlisted\nhandbill_focus_keyword: tea\n---\nA post.\n",
    );
    author.write("b.md", "---\ndraft: true\n---\nA post.\n");
    author.post(&["a.md", "b.md"]).await;
    for name in ["a.md", "b.md"] {
        let file = place.file(name).display().to_string();
        let got = author.run(&["get", &author.id(name), &file]).await;
        assert!(got.status.success(), "{got:?}");
    }
    let imported = place.run(&["import", "."]).await;
    assert!(imported.status.success(), "{imported:?}");
    let listed = place.run(&["posts", "list"]).await;
    let of_visibility = |name: &str| stdout(&listed).matches(&format!("\t{name}\t")).count();
    let counts = ["public", "unlisted", "draft"].map(of_visibility);
    assert_eq!(counts, [0, 2, 2], "{listed:?}");
}

#[tokio::test]
async fn a_post_in_json_is_as_the_api_shows_it() {
    let (author, program) = Author::started().await;
    author.write("a.md", "---\ntitle: Hello\n---\nSome *text*.");
    author.post(&["a.md"]).await;
    let id = author.id("a.md");
    let output = author.run(&["get", &id, "--json"]).await;
    let post: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(post, crate::author::read_post(&program, &id).await);
}

#[tokio::test]
async fn the_address_of_a_post_does_not_get_the_key_unless_its_server_was_named() {
    let (author, program) = Author::started().await;
    author.write("a.md", "A post.\n");
    author.write("draft.md", "---\ndraft: true\n---\nA draft.\n");
    author.post(&["a.md", "draft.md"]).await;
    let server = FaultyServer::start(program.address, |_, _| Answer::Pass).await;
    let url = format!("{}/p/{}", server.url, author.id("a.md"));

    let other = author.run(&["get", &url]).await;
    assert_eq!(other.status.code(), Some(2));
    let message = format!("this is a post of {}, not of {}", server.url, author.server);
    assert!(stderr(&other).contains(&message), "{other:?}");
    assert!(server.heard().is_empty());

    let mut unnamed = author.command(&["get", &url]);
    let unnamed = unnamed
        .env_remove("HANDBILL_SERVER")
        .output()
        .await
        .unwrap();
    assert!(stdout(&unnamed).ends_with("A post.\n"), "{unnamed:?}");
    server.expect_all(|heard| heard.header("x-api-key").is_none());

    let draft = format!("{}/p/{}", server.url, author.id("draft.md"));
    let mut unnamed = author.command(&["get", &draft]);
    let unnamed = unnamed
        .env_remove("HANDBILL_SERVER")
        .output()
        .await
        .unwrap();
    assert_eq!(unnamed.status.code(), Some(1));
    assert!(stderr(&unnamed).contains("it is a draft that these credentials do not open"));
    let named = author.run(&["get", &draft, "--server", &server.url]).await;
    assert!(stdout(&named).ends_with("A draft.\n"), "{named:?}");
}

#[tokio::test]
async fn a_file_that_exists_is_not_replaced_unless_one_insists() {
    let (author, _program) = Author::started().await;
    author.write("a.md", "A post.\n");
    author.post(&["a.md"]).await;
    let id = author.id("a.md");
    author.write("other.md", "Precious.\n");
    let refused = author.run(&["get", &id, "other.md"]).await;
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(author.read("other.md"), "Precious.\n");
    assert!(
        author
            .run(&["get", &id, "other.md", "--force"])
            .await
            .status
            .success()
    );
    assert!(author.read("other.md").ends_with("A post.\n"));
    // It is replaced at once or not at all.
    let nowhere = author.run(&["get", &id, "no/such/folder.md"]).await;
    assert_eq!(nowhere.status.code(), Some(1));
    let hidden = fs::read_dir(author.path("")).unwrap();
    assert!(
        hidden
            .flatten()
            .all(|file| !file.file_name().to_string_lossy().contains("unfinished"))
    );
}

#[tokio::test]
async fn a_post_that_is_not_there_is_named_as_such() {
    let (author, program) = Author::started().await;
    author.write("a.md", "A post.\n");
    author.post(&["a.md"]).await;
    crate::author::delete(&program, &author.id("a.md"), &author.key).await;
    for (post, status, message) in [
        (&*author.id("a.md"), 1, "the post was deleted on the server"),
        ("bcdfghjklm", 1, "the server has no such post"),
        ("hello", 2, "expected the id of a post"),
        ("https://example.org/hello", 2, "expected the id of a post"),
    ] {
        let output = author.run(&["get", post]).await;
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        assert!(stderr(&output).contains(message), "{output:?}");
    }
}
