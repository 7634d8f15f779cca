//! The README's tour, pasted line by line as a newcomer would.

use std::process::Command;

use handbill_tests::missing;
use handbill_tests::program::Program;

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
async fn every_line_of_the_tour_works_as_pasted() {
    if missing::program("curl", "apt-get install curl") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("handbill.db").display());
    let binary = env!("CARGO_BIN_EXE_handbill");
    let program = Program::start_binary(binary, &["--database", &database]).await;
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
