//! The tours of the README and of the docs page, pasted as a newcomer would.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::path::Path;
use std::process::{Command, Output};

use handbill_tests::missing;
use handbill_tests::program::Program;
use serde_json::Value;

/// The program with a database in this folder.
async fn start(folder: &Path, arguments: &[&str]) -> Program {
    let database = format!("sqlite://{}", folder.join("handbill.db").display());
    let common = ["--database", &database];
    let binary = env!("CARGO_BIN_EXE_handbill");
    Program::start_binary(binary, &[&common, arguments].concat()).await
}

/// The lines of the README's code blocks that are marked as the tour.
fn tour() -> String {
    let readme = include_str!("../../../README.md");
    let mut lines = Vec::new();
    let mut in_tour = false;
    for line in readme.lines() {
        match line {
            "```sh tour" => in_tour = true,
            "```" => in_tour = false,
            line if in_tour => lines.push(line),
            _ => {}
        }
    }
    assert!(lines.len() > 10, "the README has a tour");
    lines.join("\n")
}

#[tokio::test]
async fn every_line_of_the_readme_s_tour_works_as_pasted() {
    if missing::program("curl", "apt-get install curl") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = start(folder.path(), &[]).await;
    let script = tour().replace("127.0.0.1:8080", &program.address.to_string());

    let output = Command::new("sh")
        .args(["-eu", "-c", &script])
        .output()
        .unwrap();

    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for expected in [
        "hb_",
        r#""edit_url":"#,
        r#""html":"<p>Some <em>Markdown</em>.</p>\n""#,
        "<title>Hello</title>",
        r#""total_pages":1"#,
        r#""body":"Some *better* Markdown.""#,
        r#""code":"precondition_failed""#,
        r#""code":"gone""#,
    ] {
        assert!(said.contains(expected), "{expected} is not in\n{said}");
    }
    let repeated = said
        .lines()
        .rfind(|line| line.starts_with(r#"{"id":"#))
        .unwrap();
    assert!(repeated.contains("edit_token"), "{repeated}");
    assert_eq!(said.matches(repeated).count(), 2, "{repeated} in\n{said}");
}

/// The tour of a docs page.
#[derive(Debug)]
struct Tour {
    lines: Vec<String>,
    /// The statuses that the page promises.
    statuses: Vec<String>,
    /// The examples of responses.
    samples: Vec<String>,
}

impl Tour {
    fn of(page: &str) -> Self {
        let statuses = between(page, "<samp>→ ", "</samp>");
        let statuses = statuses.iter().flat_map(|line| line.split_whitespace());
        Self {
            lines: code_in(page, "bash"),
            statuses: statuses.map(str::to_owned).collect(),
            samples: code_in(page, "json"),
        }
    }
}

/// The blocks of code in this language.
fn code_in(page: &str, language: &str) -> Vec<String> {
    let opening = format!("<pre tabindex=\"0\"><code class=\"language-{language}\">");
    between(page, &opening, "</code></pre>")
}

/// All texts between these marks, as they are shown.
fn between(page: &str, opening: &str, closing: &str) -> Vec<String> {
    let found = page.split(opening).skip(1);
    let found = found.map(|rest| rest.split_once(closing).unwrap().0);
    let shown = found.map(|html| {
        // Colours are tags.
        let parts = html.split('<').enumerate();
        let parts = parts.map(|(n, part)| {
            if n == 0 {
                part
            } else {
                part.split_once('>').unwrap().1
            }
        });
        let html = parts.collect::<String>();
        let html = html.replace("&lt;", "<").replace("&gt;", ">");
        html.replace("&amp;", "&")
    });
    shown.collect()
}

/// Runs lines in bash. Each curl ends its output with a line, and prints its status besides, on a line of its own on
/// standard error.
fn paste(lines: &str, folder: &Path) -> Output {
    let settings = "silent\nwrite-out = \"%{stderr}\\nSTATUS %{http_code}\\n%{stdout}\\n\"\n";
    std::fs::write(folder.join(".curlrc"), settings).unwrap();
    let mut command = Command::new("bash");
    command.args(["-eu", "-o", "pipefail", "-c", lines]);
    command.env("CURL_HOME", folder).output().unwrap()
}

/// The statuses that curl printed.
fn statuses(output: &Output) -> Vec<String> {
    let printed = String::from_utf8_lossy(&output.stderr);
    let statuses = printed
        .lines()
        .filter_map(|line| line.strip_prefix("STATUS "));
    statuses.map(str::to_owned).collect()
}

/// The docs page of the program in a language.
fn docs(program: &Program, folder: &Path, language: &str) -> String {
    let get = format!("curl 'http://{}/docs?lang={language}'", program.address);
    let output = paste(&get, folder);
    assert_eq!(statuses(&output), ["200"]);
    String::from_utf8(output.stdout).unwrap()
}

/// Whether one of the programs is missing that run the tour.
fn is_missing() -> bool {
    missing::program("curl", "apt-get install curl")
        || missing::program("bash", "apt-get install bash")
}

#[tokio::test]
async fn every_line_of_the_docs_page_s_tour_works_as_pasted() {
    if is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = start(folder.path(), &[]).await;
    for language in ["en", "fr"] {
        let tour = Tour::of(&docs(&program, folder.path(), language));
        assert_eq!(tour.lines.len(), 9, "{tour:?}");

        let output = paste(&tour.lines.join("\n"), folder.path());

        let said = String::from_utf8_lossy(&output.stdout);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}\n{complaint}");
        assert_eq!(statuses(&output), tour.statuses, "{said}");
        for expected in [
            "hb_",
            r#""html":"<p>Some <em>Markdown</em>.</p>\n""#,
            r#"rel="first""#,
            r#""body":"Some *better* Markdown.""#,
            r#""title":"Hello again""#,
            r#""code":"precondition_failed""#,
            r#""code":"gone""#,
        ] {
            assert!(said.contains(expected), "{expected} is not in\n{said}");
        }
    }
}

/// The examples of responses have the names of the responses.
#[tokio::test]
async fn the_docs_page_shows_responses_as_they_are() {
    if is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = start(folder.path(), &[]).await;
    let tour = Tour::of(&docs(&program, folder.path(), "en"));
    // The request for a key prints the key alone.
    let mut lines = tour.lines.clone();
    lines.push("curl -X POST \"$URL/api/keys\"".to_owned());
    let output = paste(&lines.join("\n"), folder.path());
    let said = String::from_utf8(output.stdout).unwrap();
    let bodies = said
        .lines()
        .filter_map(|body| serde_json::from_str::<Value>(body).ok());
    let names =
        |body: &Value| -> Option<Vec<String>> { Some(body.as_object()?.keys().cloned().collect()) };
    let bodies: Vec<_> = bodies.filter_map(|body| names(&body)).collect();
    assert_eq!(tour.samples.len(), 4, "{tour:?}");
    for sample in &tour.samples {
        // The post in the list is abbreviated.
        let whole = sample.replace(", …", "");
        let sample_names = names(&serde_json::from_str(&whole).unwrap()).unwrap();
        assert!(
            bodies.contains(&sample_names),
            "{sample} is like none of\n{said}"
        );
    }
}

/// Where keys are not given out on request, the tour begins with one of the reader's own.
#[tokio::test]
async fn the_docs_page_s_tour_works_with_a_key_of_one_s_own() {
    if is_missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = start(folder.path(), &["--key-requests", "closed"]).await;
    let database = format!("sqlite://{}", folder.path().join("handbill.db").display());
    let issued = Command::new(env!("CARGO_BIN_EXE_handbill"))
        .args(["keys", "issue", "--label", "tour", "--database", &database])
        .output()
        .unwrap();
    let issued = String::from_utf8(issued.stdout).unwrap();
    let key = issued
        .split_whitespace()
        .find(|word| word.starts_with("hb_"));
    let tour = Tour::of(&docs(&program, folder.path(), "en"));
    let lines = tour.lines.join("\n").replace("hb_…", key.unwrap());

    let output = paste(&lines, folder.path());

    assert_eq!(statuses(&output), tour.statuses);
}
