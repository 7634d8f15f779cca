//! `handbill list`.

use serde_json::Value;

use crate::author::Author;
use crate::faulty_server::{Answer, FaultyServer};
use crate::place::{Place, new_key, raw_in, stderr, stdout};

#[tokio::test]
async fn posts_are_listed_over_all_pages_up_to_the_limit() {
    let place = Place::new();
    let program = place.start(&["--rate-limits", "off"]).await;
    let author = Author::new(&program).await;
    for number in 0..53 {
        let tag = if number % 2 == 0 { "even" } else { "odd" };
        author.write(
            &format!("posts/{number:02}.md"),
            &format!("---\ntitle: Post {number}\ntags: [{tag}]\n---\nx"),
        );
    }
    author.write("posts/draft.md", "---\ntitle: A draft\ndraft: true\n---\nx");
    author.post(&["posts"]).await;
    let lines = async |arguments: &[&str]| {
        let output = author.run(&[&["list"], arguments].concat()).await;
        assert!(output.status.success(), "{output:?}");
        let lines = stdout(&output)
            .lines()
            .map(|line| line.split('\t').map(str::to_owned).collect());
        lines.collect::<Vec<Vec<_>>>()
    };
    let first = lines(&[]).await;
    assert_eq!(first.len(), 20);
    let [id, date, title, url] = &first[0][..] else {
        panic!("four columns in {first:?}");
    };
    assert_eq!(title, "Post 52");
    assert_eq!(*url, format!("{}/p/{id}", author.server));
    assert!(date.starts_with("20") && date.ends_with('Z'), "{date}");
    assert_eq!(lines(&["--limit", "51"]).await.len(), 51);
    assert_eq!(lines(&["--limit", "500"]).await.len(), 53);
    assert_eq!(lines(&["--limit", "0"]).await.len(), 0);
    assert_eq!(lines(&["--tag", "#Even", "--limit", "500"]).await.len(), 27);
    assert_eq!(lines(&["--words", "pos ODD"]).await.len(), 20);
    assert_eq!(lines(&["--words", "odd 8"]).await.len(), 0);
    assert_eq!(lines(&["--words", "draft", "--mine"]).await.len(), 1);
    assert_eq!(
        lines(&["--mine", "--limit", "500"]).await.len(),
        54,
        "drafts, too"
    );
    let more = author.run(&["list"]).await;
    assert_eq!(stderr(&more), "20 of 53 posts; --limit N lists more\n");

    let json = author
        .run(&["list", "--mine", "--limit", "1", "--json"])
        .await;
    let json: Value = serde_json::from_str(stdout(&json)).unwrap();
    assert_eq!(
        (&json["total"], &json["posts"][0]["title"]),
        (&54.into(), &"A draft".into())
    );
}

#[tokio::test]
async fn a_post_without_a_title_is_called_as_on_its_page() {
    let (author, _program) = Author::started().await;
    author.write("a.md", "# Bread\n\nYou need flour.\n");
    author.post(&["a.md"]).await;
    let listed = author.run(&["list"]).await;
    assert_eq!(stdout(&listed).split('\t').nth(2), Some("Bread"));
    let json = author.run(&["list", "--json"]).await;
    assert!(!stdout(&json).contains("\"html\""), "as in the API");
}

#[tokio::test]
async fn the_posts_of_a_key_need_the_key_and_other_lists_do_not_get_it() {
    let (author, server, program) = Author::behind(|_, _| Answer::Pass).await;
    assert!(author.run(&["list"]).await.status.success());
    server.expect_all(|heard| heard.header("x-api-key").is_none());
    let mut without = author.command(&["list", "--mine"]);
    let without = without
        .env_remove("HANDBILL_API_KEY")
        .output()
        .await
        .unwrap();
    assert_eq!(without.status.code(), Some(2));
    assert!(
        stderr(&without).contains("this needs an API key"),
        "{without:?}"
    );
    let other = new_key(&program).await;
    let mut of_other = author.command(&["list", "--mine"]);
    let of_other = of_other.env("HANDBILL_API_KEY", other);
    assert_eq!(stdout(&of_other.output().await.unwrap()), "");
}

#[tokio::test]
async fn what_servers_send_is_escaped_for_terminals() {
    let (_place, program) = Place::started().await;
    let server = FaultyServer::start(program.address, |heard, _| {
        match heard.is("GET /api/posts?") {
            true => Answer::Edit(
                "\"title\":\"Harmless\"",
                "\"title\":\"\\u001b[2J\\u202eevil\\ttab\\nline\"",
            ),
            false => Answer::Pass,
        }
    })
    .await;
    let author = Author::at(&server.url, &program).await;
    author.write("a.md", "---\ntitle: Harmless\n---\nx");
    author.post(&["a.md"]).await;
    let output = author.run(&["list"]).await;
    let table = stdout(&output);
    assert_eq!(table.lines().count(), 1, "{table:?}");
    assert_eq!(table.matches('\t').count(), 3, "{table:?}");
    assert_eq!(raw_in(&table.replace('\t', "")), None, "{table:?}");
    assert!(!table.contains('\u{202e}'), "{table:?}");
}
