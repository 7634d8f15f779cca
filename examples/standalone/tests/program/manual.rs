//! What it says of itself.

use crate::place::{Place, stderr, stdout};

#[tokio::test]
async fn the_manual_has_each_option_and_each_command() {
    let place = Place::new();
    let man = place.run(&["man"]).await;
    assert!(man.status.success(), "{}", stderr(&man));
    let man = stdout(&man).replace('\\', "");
    let help = place.run(&["--help"]).await;
    let words = stdout(&help).split_whitespace();
    let options = words.filter(|word| word.starts_with("--") && word.len() > 2);
    for option in options.map(|option| option.trim_end_matches([',', ';', '.', ')'])) {
        assert!(man.contains(option), "{option} is not in the manual");
    }
    for command in [
        "KEYS ISSUE",
        "POSTS UNLIST",
        "IMPORT",
        "BACKUP",
        "POST",
        "GET",
        "LIST",
        "MAN",
    ] {
        assert!(
            man.contains(&format!(".SH \"HANDBILL {command}\"")),
            "{command}"
        );
    }
    assert!(
        man.starts_with(".ie") || man.contains(".TH handbill 1"),
        "{man}"
    );
}

#[tokio::test]
async fn the_help_of_a_command_has_its_own_options_first_and_no_others_without_effect() {
    let help = Place::new().run(&["posts", "delete", "--help"]).await;
    let (own, of_service) = stdout(&help)
        .split_once("\nOptions of the service:\n")
        .unwrap();
    assert!(
        own.contains("--yes") && !own.contains("--database"),
        "{own}"
    );
    assert!(
        of_service.contains("--database") && !of_service.contains("--name"),
        "{of_service}"
    );
}

#[tokio::test]
async fn shells_complete_its_commands_and_options() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let output = place.run(&["completions", shell]).await;
        assert!(output.status.success(), "{}", stderr(&output));
        for word in ["edit-address", "metrics-listen", "stop-delay", "dry-run"] {
            assert!(stdout(&output).contains(word), "{shell}: {word}");
        }
    }
    let output = place.run(&["completions", "cmd.exe"]).await;
    assert_eq!(output.status.code(), Some(2));
}
