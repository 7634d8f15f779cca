//! The tours of the README and of the docs page, pasted as a newcomer would.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::path::Path;
use std::process::{Command, Output};

use handbill_tests::missing;
use handbill_tests::program::Program;

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

/// A step of the docs page's tour: its lines, and the statuses that the page promises.
#[derive(Debug)]
struct Step {
    lines: String,
    statuses: Vec<String>,
}

/// The steps of the tour on a page, as they are shown.
fn steps(page: &str) -> Vec<Step> {
    let shown = |html: &str| {
        let html = html.replace("&lt;", "<").replace("&gt;", ">");
        html.replace("&amp;", "&")
    };
    let (mut steps, mut rest) = (Vec::new(), page);
    while let Some((before, after)) = rest.split_once("<pre tabindex=\"0\"><code>") {
        let (lines, after) = after.split_once("</code></pre>").unwrap();
        let promised = before.rsplit_once("<samp>→ ");
        let promised = promised.and_then(|(_, promised)| promised.split_once("</samp>"));
        let statuses = promised.map_or("", |(statuses, _)| statuses);
        steps.push(Step {
            lines: shown(lines),
            statuses: statuses.split_whitespace().map(str::to_owned).collect(),
        });
        rest = after;
    }
    steps
}

/// Runs lines in bash. Each curl tells its status besides, on a line of its own on standard error, and
/// shows no progress.
fn paste(lines: &str, folder: &Path) -> Output {
    let settings = "silent\nwrite-out = \"%{stderr}\\nSTATUS %{http_code}\\n\"\n";
    std::fs::write(folder.join(".curlrc"), settings).unwrap();
    let mut bash = Command::new("bash");
    bash.args(["-eu", "-o", "pipefail", "-c", lines])
        .env("CURL_HOME", folder);
    bash.output().unwrap()
}

fn statuses(output: &Output) -> Vec<String> {
    let said = String::from_utf8_lossy(&output.stderr);
    let statuses = said.lines().filter_map(|line| line.strip_prefix("STATUS "));
    statuses.map(str::to_owned).collect()
}

/// The docs page in a language.
fn docs(program: &Program, folder: &Path, language: &str) -> String {
    let url = format!("http://{}/docs?lang={language}", program.address);
    let output = paste(&format!("curl {url}"), folder);
    assert_eq!(statuses(&output), ["200"]);
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn every_line_of_the_docs_page_s_tour_works_as_pasted() {
    if missing::program("curl", "apt-get install curl")
        || missing::program("bash", "apt-get install bash")
    {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = start(folder.path(), &[]).await;
    for language in ["en", "fr"] {
        let steps = steps(&docs(&program, folder.path(), language));
        assert!(steps.len() >= 9, "{language}: {steps:?}");
        let lines: Vec<_> = steps.iter().map(|step| &*step.lines).collect();
        let promised: Vec<_> = steps.iter().flat_map(|step| &step.statuses).collect();

        let output = paste(&lines.join("\n"), folder.path());

        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{language}: {said}");
        let answered = statuses(&output);
        assert_eq!(answered.iter().collect::<Vec<_>>(), promised, "{said}");
        for expected in [
            "hb_",
            r#""edit_url":"#,
            r#""html":"<p>Some <em>Markdown</em>.</p>\n""#,
            r#"rel="first""#,
            r#""body":"Some *better* Markdown.""#,
            r#""title":"Hello again""#,
            r#""code":"precondition_failed""#,
            r#""code":"gone""#,
        ] {
            assert!(
                said.contains(expected),
                "{language}: {expected} is not in\n{said}"
            );
        }
    }
}

/// Where keys are not given out on request, the tour begins with one of the reader's own.
#[tokio::test]
async fn the_docs_page_s_tour_works_with_a_key_of_one_s_own() {
    if missing::program("curl", "apt-get install curl")
        || missing::program("bash", "apt-get install bash")
    {
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
    let steps = steps(&docs(&program, folder.path(), "en"));
    assert!(steps[0].statuses.is_empty(), "{steps:?}");
    let lines: Vec<_> = steps.iter().map(|step| &*step.lines).collect();
    let lines = lines.join("\n").replace("hb_…", key.unwrap());

    let output = paste(&lines, folder.path());

    let promised: Vec<_> = steps.iter().flat_map(|step| &step.statuses).collect();
    assert_eq!(statuses(&output).iter().collect::<Vec<_>>(), promised);
}
